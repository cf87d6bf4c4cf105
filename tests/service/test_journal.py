"""The journal: a valid log, signed only where it agrees with itself, and each event once."""

import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from flask import Flask
from shutbox import journal
from shutbox.config import Settings
from shutbox.errors import JournalDisagrees, StartRefused
from shutbox.journal import check_log, checkpoint, integrate
from shutbox.seeds import create_log_key, load_log_key
from shutbox.serve import opened, prepare
from shutbox.site import Site
from shutbox.store import migrate
from shutbox.store.database import db, writing
from shutbox.store.log import hashes_completed_in
from shutbox.store.rows import Base, CheckpointRow, EntryRow, LeafRow, NodeRow, RoundRow, RunRow
from shutbox.tlog.leaves import ChainLeaf, CloseLeaf, RoundLeaf, RulesetLeaf, RunLeaf
from shutbox.tlog.merkle import consistency_nodes, prove, verify_consistency
from shutbox.tlog.note import VerifierKey, verify_checkpoint
from shutbox.worker import Worker
from sqlalchemy import delete, func, select, update

from tests.conftest import LOG_KEY, Closer, MovableClock
from tests.journals import OPENED, SEALED, check_closed_rounds, contents, fill, log_all, logged
from tests.players import Api, any_of, legal_turns

KEY = LOG_KEY.verifier


def play(player: Api, policy: int) -> None:
    """Play today's sealed classic, and submit three runs to the open one."""
    seed = player.get(f"/rounds/{OPENED}").get_json()["seed"]
    player.play_sealed(SEALED, any_of(policy))
    for number in range(3):
        assert player.submit(OPENED, legal_turns("classic", seed, any_of(policy + number))).status_code in (200, 201)


def run_count(site: Site) -> int:
    return site.session.scalar(select(func.count()).select_from(RunRow).where(RunRow.to_log)) or 0


def test_a_closed_day_is_a_valid_log_with_the_ranking_of_the_protocol(
    mara: Api, finn: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    play(mara, 1)
    assert log_all(site) == 1 + len({leaf.document for leaf in logged(site) if isinstance(leaf, RulesetLeaf)}) + 32 + (
        run_count(site)
    ), "the chain, rulesets, eight days of four rounds, and the runs"
    play(finn, 4)
    clock.set("2026-12-01T02:00:00")
    close_days()
    clock.forward(60)
    log_all(site)
    leaves = logged(site)
    assert isinstance(leaves[0], ChainLeaf)
    kinds = Counter(type(leaf) for leaf in leaves)
    assert (kinds[RoundLeaf], kinds[CloseLeaf], kinds[RunLeaf]) == (32, 4, run_count(site))
    assert all(isinstance(leaf, CloseLeaf) for leaf in leaves[-4:])
    assert [leaf.t for leaf in leaves[-4:]] == [clock.now - 60_000] * 4, "the time of the close, not of the writing"
    assert check_closed_rounds(site) == 4
    assert integrate(site) == 0
    assert check_log(site) == len(leaves)


def test_small_batches_give_a_valid_log_and_close_a_day_at_once(
    site: Site, clock: MovableClock, close_days: Closer
) -> None:
    fill(site, 9)
    clock.set("2026-12-02T12:00:00")
    close_days()
    sizes = []
    while integrate(site, limit=3):
        sizes.append(verify_checkpoint(checkpoint(site) or b"", KEY).size)
    leaves = logged(site)
    ends = [0, *sizes]
    for start, end in pairwise(ends):
        rounds = {leaf.round_id[:10] for leaf in leaves[start:end] if isinstance(leaf, CloseLeaf)}
        whole = [leaf for leaf in leaves[start:end] if isinstance(leaf, CloseLeaf)]
        assert len(whole) == 4 * len(rounds), "a day closes in one batch"
    assert check_closed_rounds(site) == 8


def test_a_close_waits_for_every_run_of_its_day(site: Site, clock: MovableClock, close_days: Closer) -> None:
    fill(site, 5)
    log_all(site)
    fill(site, 5, SEALED)
    clock.set("2026-12-01T02:00:00")
    close_days()
    assert integrate(site, limit=4) == 4
    assert not any(isinstance(leaf, CloseLeaf) for leaf in logged(site))
    log_all(site)
    assert check_closed_rounds(site) == 4


def test_one_checkpoint_is_consistent_with_the_next(site: Site) -> None:
    sizes = []
    for count in (0, 3, 7, 250, 40):
        fill(site, count)
        integrate(site)
        sizes.append(verify_checkpoint(checkpoint(site) or b"", KEY))
    hash_of = hashes_completed_in(site.session, 0, sizes[-1].size).__getitem__
    for number, old in enumerate(sizes):
        for new in sizes[number:]:
            proof = prove(consistency_nodes(old.size, new.size), hash_of)
            verify_consistency(old.size, old.root, new.size, new.root, proof)
    notes = site.session.scalars(select(CheckpointRow).order_by(CheckpointRow.size)).all()
    assert [verify_checkpoint(row.note, KEY) for row in notes] == sizes


def test_one_bit_of_any_leaf_or_node_stops_the_signing_until_it_is_mended(site: Site) -> None:
    fill(site, 3)
    log_all(site)
    signed = checkpoint(site)
    fill(site, 1)
    for index, leaf in enumerate(contents(site)):
        tampered = update(LeafRow).where(LeafRow.leaf_index == index)
        check_refusal(site, tampered.values(leaf=flipped(leaf)), tampered.values(leaf=leaf), f"leaf {index} ")
    for level, number, hash in site.session.execute(select(NodeRow.level, NodeRow.number, NodeRow.hash)).all():
        tampered = update(NodeRow).where(NodeRow.level == level, NodeRow.number == number)
        named = rf"level {level}, number {number}\) of the log is not what it was\. Nothing is signed"
        check_refusal(site, tampered.values(hash=flipped(hash)), tampered.values(hash=hash), named)
    assert checkpoint(site) == signed
    assert integrate(site) == 1
    logged(site)


def test_missing_or_other_rows_of_the_log_stop_the_signing(site: Site) -> None:
    fill(site, 3)
    log_all(site)
    row = site.session.scalars(select(CheckpointRow)).one()
    size, note, root, signed_at = row.size, row.note, row.root, row.signed_at
    fill(site, 1)
    change = update(CheckpointRow)
    check_refusal(site, change.values(root=flipped(root)), change.values(root=root), "is not what its note says")
    check_refusal(site, change.values(size=size + 1), change.values(size=size), f"{size} leaves are stored")
    check_refusal(site, change.values(note=flipped(note)), change.values(note=note), "Restore")
    last = site.session.get_one(LeafRow, size - 1).leaf
    put_back = LeafRow.__table__.insert().values(leaf_index=size - 1, leaf=last)  # type: ignore[attr-defined]
    check_refusal(site, delete(LeafRow).where(LeafRow.leaf_index == size - 1), put_back, f"{size - 1} leaves")
    values = {"size": size, "note": note, "root": root, "signed_at": signed_at}
    put_back = CheckpointRow.__table__.insert().values(**values)  # type: ignore[attr-defined]
    check_refusal(site, delete(CheckpointRow), put_back, "the last checkpoint is over 0")
    assert integrate(site) == 1


def test_a_run_that_was_changed_after_it_was_logged_is_not_ranked_by_the_log(
    site: Site, clock: MovableClock, close_days: Closer
) -> None:
    fill(site, 3)
    log_all(site)
    clock.set("2026-12-01T02:00:00")
    close_days()
    row = site.session.scalars(select(RunRow)).first()
    assert row is not None
    tag = update(EntryRow).where(EntryRow.entry_id == row.entry_id)
    entry = site.session.get_one(EntryRow, row.entry_id)
    named = f"run {row.run_id} is not the one that was logged"
    kept = entry.player_tag
    check_refusal(site, tag.values(player_tag=flipped(kept)), tag.values(player_tag=kept), named)
    log_all(site)
    assert check_closed_rounds(site) == 4


def check_refusal(site: Site, tamper: Any, mend: Any, words: str) -> None:
    with writing(site.session):
        site.session.execute(tamper)
    with pytest.raises(JournalDisagrees, match=words):
        integrate(site)
    with writing(site.session):
        site.session.execute(mend)


def flipped(content: bytes) -> bytes:
    return content[:-1] + bytes((content[-1] ^ 1,))


def test_a_worker_checks_all_there_is_before_it_signs_and_goes_on_without_the_log(
    site: Site, clock: MovableClock, caplog: pytest.LogCaptureFixture
) -> None:
    fill(site, 300)
    log_all(site)
    signed, first = checkpoint(site), contents(site)[5]
    with writing(site.session):
        site.session.execute(update(LeafRow).where(LeafRow.leaf_index == 5).values(leaf=flipped(first)))
    clock.set("2026-12-01T02:00:00")
    Worker(site, "one").tick()
    assert "the log has stopped, nothing is signed: leaf 5 " in caplog.text
    assert checkpoint(site) == signed
    assert site.session.get_one(RoundRow, SEALED, populate_existing=True).seed is not None, "the day was closed"
    with writing(site.session):
        site.session.execute(update(LeafRow).where(LeafRow.leaf_index == 5).values(leaf=first))
    Worker(site, "one").tick()
    assert check_closed_rounds(site) == 4


def test_integrations_at_once_log_each_event_once(site: Site, app: Flask) -> None:
    fill(site, 80)

    def work(_: int) -> int:
        with app.app_context():
            return log_all(app.extensions["shutbox"], limit=7)

    with ThreadPoolExecutor(4) as pool:
        appended = sum(pool.map(work, range(4)))
    leaves = logged(site)
    assert len(leaves) == appended
    assert sum(isinstance(leaf, RunLeaf) for leaf in leaves) == 80
    indexes = site.session.scalars(select(RunRow.leaf_index).order_by(RunRow.accepted_at, RunRow.run_id)).all()
    assert list(indexes) == sorted({index for index in indexes if index is not None})
    assert check_log(site) == appended


@pytest.mark.parametrize("step", ["_append_chains", "_append_rounds", "_append_runs", "_append_closes", "_sign"])
def test_what_dies_on_the_way_loses_and_doubles_nothing(
    site: Site, clock: MovableClock, close_days: Closer, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    fill(site, 3)
    log_all(site)
    signed = checkpoint(site)
    fill(site, 3)
    clock.set("2026-12-01T02:00:00")
    close_days()
    real: Callable[..., None] = getattr(journal, step)

    def die(*given: Any) -> None:
        real(*given)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(journal, step, die)
        with pytest.raises(KeyboardInterrupt):
            integrate(site)
    assert checkpoint(site) == signed
    assert integrate(site) == 3 + 4
    assert sum(isinstance(leaf, RunLeaf) for leaf in logged(site)) == 6
    assert check_closed_rounds(site) == 4


def test_a_database_from_before_the_log_is_logged_from_its_beginning(
    settings: Settings, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    if settings.database_url:
        pytest.skip("one PostgreSQL serves all tests: it is not migrated back under them")
    fill(site, 4)
    clock.set("2026-12-01T02:00:00")
    close_days()
    fill(site, 2, "2026-12-01-classic")
    config = migrate._config()
    site.session.rollback()
    for way, target in ((command.downgrade, "0001"), (command.upgrade, "head")):
        with db.engine.connect() as connection:
            config.attributes["connection"] = connection
            way(config, target)
    log_all(site)
    assert sum(isinstance(leaf, RunLeaf) for leaf in logged(site)) == 6
    assert check_closed_rounds(site) == 4


def test_the_key_is_nowhere_but_in_its_file(site: Site, mara: Api, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    state = mara.play_sealed(SEALED)
    log_all(site)
    with writing(site.session):
        site.session.execute(update(CheckpointRow).values(root=bytes(32)))
    Worker(site, "one").tick()
    with pytest.raises(JournalDisagrees) as disagreement:
        integrate(site)
    answers = [mara.get(path).data for path in ("/log/checkpoint", f"/runs/{state['run_id']}/receipt", "/readyz")]
    rows = [site.session.execute(select(table)).all() for table in Base.metadata.sorted_tables]
    said = repr((answers, rows, caplog.text, site, site.secrets, site.secrets.log_key, disagreement.value))
    for spelling in (LOG_KEY.secret.hex(), repr(LOG_KEY.secret)[2:-1], "c3Nzc3Nz"):
        assert spelling not in said


# The key file


@pytest.fixture
def alone(tmp_path: Path, redis_url: str) -> Settings:
    return Settings(data_dir=tmp_path / "data", redis_url=redis_url, origin="https://play.example.org")


def test_the_key_is_made_once_and_a_signed_log_is_not_given_another(alone: Settings) -> None:
    secrets = prepare(alone)
    assert secrets.log_key.name == "play.example.org/shutbox/log"
    assert prepare(replace(alone, log_origin="other.example.org/log")).log_key == secrets.log_key
    kept = alone.log_key_file.read_text()
    with opened(alone, secrets) as site:
        log_all(site)
        note = checkpoint(site) or b""
    said = subprocess.run(
        [sys.executable, "-m", "shutbox.cli", "--data-dir", str(alone.data_dir), "log", "key"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert verify_checkpoint(note, VerifierKey.parse(said.stdout.removesuffix("\n"))).origin == secrets.log_key.name
    alone.log_key_file.unlink()
    with pytest.raises(StartRefused, match=r"log-key\.json is missing: restore it"):
        prepare(alone)
    assert not alone.log_key_file.exists()
    create_log_key(alone.log_key_file, secrets.log_key.name)
    with pytest.raises(StartRefused, match=r"log-key\.json did not sign the log of this database: restore the file"):
        prepare(alone)
    alone.log_key_file.write_text(kept)
    assert prepare(alone) == secrets
    assert load_log_key(alone.log_key_file) == secrets.log_key


def test_the_name_of_a_new_log() -> None:
    assert Settings().new_log_origin == "localhost/shutbox/log"
    assert Settings(origin="https://play.example.org").new_log_origin == "play.example.org/shutbox/log"
    assert Settings(origin="https://a.example", log_origin="b.example/log").new_log_origin == "b.example/log"
