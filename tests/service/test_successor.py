"""A log that ends and its successor: everything is told again byte for byte, and the earlier files are kept."""

import os
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from flask import Flask
from shutbox.config import Settings
from shutbox.days import make_days
from shutbox.errors import JournalDisagrees, StartRefused
from shutbox.journal import check_log, checkpoint
from shutbox.seeds import Chain, Secrets, load_log_key
from shutbox.site import Site
from shutbox.store import migrate
from shutbox.store.database import db, writing
from shutbox.store.rows import Base, ChainRow, LeafRow, LoggedRulesetRow, NodeRow
from shutbox.succession import End, Succeeded
from shutbox.tlog.leaves import ChainLeaf, RoundLeaf, RunLeaf, SucceedLeaf
from shutbox.tlog.note import SigningKey, VerifierKey
from shutbox.tlog.proof import verify_receipt
from sqlalchemy import delete, select, update

from tests.conftest import LOG_KEY, Closer, MovableClock
from tests.journals import (
    NEW_KEY,
    OPENED,
    SEALED,
    THIRD_KEY,
    back_up,
    check_closed_rounds,
    contents,
    end_log,
    fill,
    log_all,
    logged,
    put_key,
    read_log,
    signed,
)
from tests.players import Api, any_of, legal_turns

KEY = LOG_KEY.verifier


# Everything again


def test_a_successor_holds_every_earlier_leaf_byte_for_byte_and_goes_on(
    mara: Api, finn: Api, app: Flask, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    opened_seed = mara.get(f"/rounds/{OPENED}").get_json()["seed"]
    run_id = mara.play_sealed(SEALED, any_of(1))["run_id"]
    finn.submit(OPENED, legal_turns("classic", opened_seed))
    log_all(site)
    clock.set("2026-12-01T02:00:00")
    make_days(site)
    close_days()
    log_all(site)
    fill(site, 5, "2026-12-01-classic-open")
    log_all(site)
    earlier, end = contents(site), signed(site)
    fill(site, 3, "2026-12-01-classic-open")
    clock.forward(100)
    follower, _ = end_log(site)
    ended_at = clock.now
    clock.forward(100)
    assert checkpoint(follower) is None
    assert log_all(follower) == 1 + len(earlier) + 3
    leaves = logged(follower)
    assert leaves[0] == SucceedLeaf(ended_at, LOG_KEY.name, end.size, end.root)
    assert set(earlier) < set(contents(follower))
    assert len(set(contents(follower))) == len(contents(follower))
    assert check_closed_rounds(follower) == 4
    assert check_log(follower) == signed(follower).size == 1 + len(earlier) + 3
    app.extensions["shutbox"] = follower
    receipt = verify_receipt(mara.get(f"/runs/{run_id}/receipt").data, NEW_KEY.verifier)
    assert (receipt.leaf.run_id.hex(), receipt.checkpoint) == (run_id.replace("-", ""), signed(follower))
    seed = finn.get("/rounds/2026-12-01-classic-open").get_json()["seed"]
    assert finn.submit("2026-12-01-classic-open", legal_turns("classic", seed)).status_code == 201
    assert log_all(follower) == 1
    clock.set("2026-12-02T02:00:00")
    close_days()
    log_all(follower)
    assert check_closed_rounds(follower) == 8


def test_times_that_went_back_and_small_batches_change_no_leaf(
    site: Site, clock: MovableClock, close_days: Closer
) -> None:
    """A ruleset was logged for a later day first, when the clock ran ahead; its t is not that of its oldest round."""
    fill(site, 4)
    log_all(site)
    for moment in ("2026-12-20T12:00:00", "2026-12-08T12:00:00"):
        clock.set(moment)
        make_days(site)
        log_all(site)
    close_days()
    log_all(site, limit=3)
    earlier = contents(site)
    clock.set("2026-12-08T15:00:00")
    follower, _ = end_log(site)
    log_all(follower, limit=3)
    assert set(contents(follower)[1:]) == set(earlier)
    assert check_closed_rounds(follower) == 8 * 4
    times = [row.t for row in logged(follower)]
    assert max(times) == times[0] or max(times) > clock.now, "nothing is dated anew but the SUCCEED leaf"


@pytest.mark.parametrize("logged_between", [True, False])
def test_a_later_chain_stands_behind_the_rounds_that_were_made_before_it(
    site: Site, clock: MovableClock, logged_between: bool
) -> None:
    if logged_between:
        log_all(site)
    clock.set("2026-12-02T12:00:00")
    later = Chain(b"the later chain.", date(2026, 12, 3), 60, 60, b"z" * 32)
    row = {"chain_id": later.chain_id, "first_day": later.first_day, "length": 60, "anchor": later.anchor}
    with writing(site.session):
        site.session.add(ChainRow(**row, created_at=clock.now))
    make_days(replace(site, secrets=Secrets((*site.secrets.chains, later), b"k" * 32, LOG_KEY)))
    log_all(site)
    order = [leaf for leaf in logged(site) if isinstance(leaf, ChainLeaf | RoundLeaf)]
    begins = next(place for place, leaf in enumerate(order) if leaf.chain_id == later.chain_id)
    assert isinstance(order[begins], ChainLeaf)
    assert {leaf.chain_id for leaf in order[:begins]} == {site.secrets.chains[0].chain_id}
    assert {leaf.chain_id for leaf in order[begins:]} == {later.chain_id}
    assert [leaf.day for leaf in order[begins:] if isinstance(leaf, RoundLeaf)] == [20261208] * 4 + [20261209] * 4
    earlier = contents(site)
    follower, _ = end_log(site)
    log_all(follower)
    assert sorted(contents(follower)[1:]) == sorted(earlier)
    assert [leaf for leaf in logged(follower) if isinstance(leaf, ChainLeaf | RoundLeaf)] == order


def test_a_chain_from_before_its_time_was_stored_is_dated_as_it_was(site: Site) -> None:
    with writing(site.session):
        site.session.execute(update(ChainRow).values(created_at=None))
    log_all(site)
    earlier = contents(site)
    follower, _ = end_log(site)
    log_all(follower)
    assert set(earlier) < set(contents(follower))


def test_logs_succeed_each_other_and_no_name_is_used_twice(site: Site, settings: Settings) -> None:
    key_file = put_key(settings)
    fill(site, 3)
    log_all(site)
    first = contents(site)
    second_site, done = end_log(site)
    with pytest.raises(StartRefused, match=f"{NEW_KEY.name} succeeds {LOG_KEY.name}, and nothing is signed for it yet"):
        end_log(site, THIRD_KEY, NEW_KEY)
    assert done.old_key_file == settings.data_dir / "log-key-localhost-shutbox-log-1.json"
    fill(second_site, 2)
    log_all(second_site)
    second, end = contents(site), signed(second_site)
    for name in (LOG_KEY.name, NEW_KEY.name):
        with pytest.raises(StartRefused):
            end_log(site, SigningKey(name, b"v" * 32), NEW_KEY)
    third_site, done = end_log(site, THIRD_KEY, NEW_KEY)
    log_all(third_site)
    assert load_log_key(key_file) == THIRD_KEY
    assert load_log_key(done.old_key_file or key_file) == NEW_KEY
    assert logged(third_site)[0] == SucceedLeaf(second_site.clock(), NEW_KEY.name, end.size, end.root)
    assert set(first) < {*second, *contents(third_site)}
    assert set(second[1:]) < set(contents(third_site))
    assert read_log(settings.earlier_logs_dir / "1", KEY)[1] == first
    assert read_log(settings.earlier_logs_dir / "2", NEW_KEY.verifier) == (end, second)
    assert not list(settings.data_dir.glob(".log-key*"))


# What is kept of the log that ends


@pytest.mark.parametrize("runs", [0, 600])
def test_the_public_files_of_the_log_are_kept_as_they_were_served(
    nobody: Api, site: Site, settings: Settings, runs: int, tmp_path: Path
) -> None:
    fill(site, runs)
    log_all(site)
    end, leaves = signed(site), contents(site)
    folder = tmp_path / "for" / "a web server"
    kept = os.umask(0o077)
    try:
        _, done = end_log(site, folder=folder)
    finally:
        os.umask(kept)
    assert done == Succeeded(folder)
    assert read_log(folder, KEY) == (end, leaves)
    assert VerifierKey.parse((folder / "verifier-key").read_text().removesuffix("\n")) == KEY
    assert not (folder / "newest-checkpoint").exists()
    made = [folder, folder.parent, *folder.rglob("*")]
    assert {path.stat().st_mode & 0o777 for path in made} == {0o644, 0o755}
    assert not settings.earlier_logs_dir.exists()


def test_a_lost_key_ends_the_log_without_it(site: Site, settings: Settings) -> None:
    fill(site, 3)
    log_all(site)
    end = signed(site)
    asked: list[End] = []
    follower, done = end_log(site, old=None, agree=lambda end, _: asked.append(end))
    assert (asked[0].newest, asked[0].key) == (end, None)
    assert done == Succeeded(settings.earlier_logs_dir / "1")
    assert not (settings.earlier_logs_dir / "1" / "verifier-key").exists()
    assert read_log(settings.earlier_logs_dir / "1", KEY)[0] == end
    assert settings.log_key_file.stat().st_mode & 0o777 == 0o600
    assert load_log_key(settings.log_key_file) == NEW_KEY
    log_all(follower)
    assert logged(follower)[0] == SucceedLeaf(site.clock(), LOG_KEY.name, end.size, end.root)


def test_what_is_damaged_is_named_and_the_rest_is_kept_and_told_again(site: Site) -> None:
    fill(site, 600)
    log_all(site)
    with writing(site.session):
        site.session.execute(delete(LeafRow).where(LeafRow.leaf_index == 300))
        site.session.execute(update(NodeRow).where(NodeRow.level == 0, NodeRow.number == 3).values(hash=bytes(32)))
    with pytest.raises(JournalDisagrees):
        check_log(site)
    follower, done = end_log(site)
    assert done.missing == ("tile/0/000", "tile/entries/000", "tile/entries/001")
    assert done.folder is not None
    assert (done.folder / "tile/0/001").exists()
    log_all(follower)
    assert sum(isinstance(leaf, RunLeaf) for leaf in logged(follower)) == 600


def test_a_folder_that_holds_anything_else_is_not_written_to(site: Site, tmp_path: Path) -> None:
    fill(site, 1)
    log_all(site)
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in ("letter", "checkpoint"):
        (folder / name).write_text("")
        with pytest.raises(StartRefused, match="mine is not empty: name another folder"):
            end_log(site, folder=folder)
        (folder / name).unlink()
    assert signed(site).size == len(contents(site))
    end_log(site, folder=folder)
    assert read_log(folder, KEY)


def test_nothing_happens_without_consent(site: Site, settings: Settings) -> None:
    key_file = put_key(settings)
    log_all(site)
    before = back_up(site)

    def refuse(end: End, folder: Path) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        end_log(site, agree=refuse)
    assert back_up(site) == before
    assert load_log_key(key_file) == LOG_KEY
    assert not settings.earlier_logs_dir.exists()


# The tables


def test_the_migrated_tables_are_those_of_the_rows(site: Site) -> None:
    site.session.rollback()
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_a_log_from_before_successors_can_be_succeeded(
    settings: Settings, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    if settings.database_url:
        pytest.skip("one PostgreSQL serves all tests: it is not migrated back under them")
    fill(site, 4)
    log_all(site)
    clock.set("2026-12-01T02:00:00")
    close_days()
    log_all(site)
    earlier = contents(site)
    tables = {table: rows for table, rows in back_up(site).items() if rows}
    config = migrate._config()
    for way, target in ((command.downgrade, "0002"), (command.upgrade, "head")):
        with db.engine.connect() as connection:
            config.attributes["connection"] = connection
            way(config, target)
    assert {table: rows for table, rows in back_up(site).items() if rows} == tables
    assert site.session.scalars(select(ChainRow.created_at)).all() != [None]
    assert len(site.session.scalars(select(LoggedRulesetRow.queued_at)).all()) > 1
    clock.forward(100)
    make_days(site)
    follower, _ = end_log(site)
    log_all(follower)
    assert set(earlier) < set(contents(follower))
    assert check_closed_rounds(follower) == 4
