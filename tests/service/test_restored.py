"""A database that went back is noticed by the witness, and the end of a log is the newest checkpoint that is known."""

from dataclasses import replace
from pathlib import Path

import pytest
from shutbox.config import Settings
from shutbox.errors import JournalDisagrees, StartRefused
from shutbox.journal import check_log, check_log_key, checkpoint, integrate
from shutbox.rounds import State
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import CheckpointRow, RoundRow
from shutbox.succession import find_end
from shutbox.tlog.leaves import SucceedLeaf
from shutbox.tlog.note import Checkpoint, SigningKey, sign_checkpoint, verify_checkpoint
from shutbox.worker import Worker
from sqlalchemy import update

from tests.conftest import LOG_KEY, MovableClock
from tests.journals import (
    NEW_KEY,
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
    restore,
    signed,
    successor_of,
)
from tests.players import Api, legal_turns

KEY = LOG_KEY.verifier


def go_back(site: Site, runs: int) -> tuple[Checkpoint, list[bytes]]:
    """Log two runs, back up, log more, and restore; return the checkpoint that was lost, and the leaves."""
    fill(site, 2)
    log_all(site)
    backup = back_up(site)
    fill(site, runs)
    log_all(site)
    lost, leaves = signed(site), contents(site)
    restore(site, backup)
    return lost, leaves


def test_a_database_restored_behind_a_checkpoint_signs_nothing_and_can_be_succeeded(
    mara: Api, site: Site, clock: MovableClock, caplog: pytest.LogCaptureFixture
) -> None:
    fill(site, 2)
    log_all(site)
    stored, note = contents(site), checkpoint(site)
    backup = back_up(site)
    fill(site, 3)
    log_all(site)
    lost = signed(site)
    restore(site, backup)
    clock.set("2026-12-01T02:00:00")
    Worker(site, "one").tick()
    assert f"the database was restored behind checkpoint {lost.size} in " in caplog.text
    assert "Restore a newer backup, or end this log with `shutbox log succeed`" in caplog.text
    assert checkpoint(site) == note
    assert site.session.get_one(RoundRow, SEALED, populate_existing=True).state == State.CLOSED, "the rest goes on"
    seed = mara.get("/rounds/2026-12-01-classic-open").get_json()["seed"]
    assert mara.submit("2026-12-01-classic-open", legal_turns("classic", seed)).status_code == 201
    with pytest.raises(JournalDisagrees, match="restored behind"):
        check_log(site)
    follower, done = end_log(site)
    assert done.folder is not None
    assert read_log(done.folder, KEY)[1] == stored
    assert verify_checkpoint((done.folder / "newest-checkpoint").read_bytes(), KEY) == lost
    log_all(follower)
    assert logged(follower)[0] == SucceedLeaf(clock.now, LOG_KEY.name, lost.size, lost.root)
    assert set(stored) < set(contents(follower))
    assert check_closed_rounds(follower) == 4


def test_a_newer_backup_lets_the_log_go_on(site: Site) -> None:
    lost, leaves = go_back(site, 3)
    before = back_up(site)
    with pytest.raises(JournalDisagrees, match="restored behind"):
        integrate(site)
    assert back_up(site) == before
    fill(site, 1)
    with pytest.raises(JournalDisagrees, match="restored behind"):
        integrate(site)
    site.settings.log_witness_file.unlink()  # as on a node that never signed
    log_all(site)
    assert signed(site).size == lost.size - 2
    assert contents(site)[: len(leaves) - 3] == leaves[:-3]


def test_a_database_from_before_the_first_checkpoint_is_noticed(site: Site, settings: Settings) -> None:
    empty = back_up(site)
    log_all(site)
    lost = signed(site)
    restore(site, empty)
    with pytest.raises(JournalDisagrees, match=f"behind checkpoint {lost.size} .* it holds 0 leaves"):
        integrate(site)
    follower, done = end_log(site)
    assert done.folder is not None
    assert verify_checkpoint((done.folder / "checkpoint").read_bytes(), KEY) == lost
    log_all(follower)
    assert logged(follower)[0] == SucceedLeaf(site.clock(), LOG_KEY.name, lost.size, lost.root)


def test_another_history_than_the_witness_stops_the_signing(site: Site, settings: Settings) -> None:
    fill(site, 3)
    log_all(site)
    end = signed(site)
    fill(site, 1)
    for size in (end.size, end.size - 1):
        foreign = sign_checkpoint(Checkpoint(LOG_KEY.name, size, bytes(32)), LOG_KEY)
        settings.log_witness_file.write_bytes(foreign)
        with pytest.raises(JournalDisagrees, match=f"give another root than checkpoint {size} in "):
            integrate(site)
    assert signed(site) == end


def test_a_witness_that_is_no_checkpoint_stops_the_signing(site: Site, settings: Settings) -> None:
    fill(site, 1)
    log_all(site)
    note = settings.log_witness_file.read_bytes()
    fill(site, 1)
    other = sign_checkpoint(Checkpoint(LOG_KEY.name, 3, bytes(32)), SigningKey(LOG_KEY.name, b"x" * 32))
    for content in (b"", note[:-9], note.replace(b"\n", b"\r\n"), other):
        settings.log_witness_file.write_bytes(content)
        with pytest.raises(JournalDisagrees, match="is not a checkpoint that the key of this log signed"):
            integrate(site)
    settings.log_witness_file.write_bytes(note)
    assert integrate(site) == 1


def test_the_witness_is_the_newest_checkpoint_and_never_an_older_one(site: Site, settings: Settings) -> None:
    file = settings.log_witness_file
    assert integrate(site) > 0
    assert file.read_bytes() == checkpoint(site)
    assert file.stat().st_mode & 0o777 == 0o600
    file.unlink()
    assert integrate(site) == 0
    assert file.read_bytes() == checkpoint(site), "also where nothing is to be logged: a node that is new, or upgraded"
    written = file.stat().st_ino
    assert integrate(site) == 0
    assert file.stat().st_ino == written, "an idle log writes nothing"


def test_a_node_that_does_not_lead_notices_too(
    site: Site, settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Each node has a data folder of its own. The one that signed is gone; the other one takes over."""
    elsewhere = replace(settings, data_dir=tmp_path / "elsewhere", database_url=str(settings.sql_url))
    elsewhere.data_dir.mkdir()
    other = Worker(replace(site, settings=elsewhere), "other")
    leader = Worker(site, "leader")
    leader.tick()
    backup = back_up(site)
    fill(site, 3)
    log_all(site)
    other.tick()
    lost = signed(site)
    assert verify_checkpoint(elsewhere.log_witness_file.read_bytes(), KEY) == lost
    restore(site, backup)
    other.tick()
    assert f"restored behind checkpoint {lost.size} in {elsewhere.log_witness_file}" in caplog.text
    with pytest.raises(JournalDisagrees, match="restored behind"):
        integrate(other.site)


def test_a_witness_that_cannot_be_written_is_said_and_stops_nothing(
    site: Site, settings: Settings, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "unplugged").symlink_to(tmp_path / "nowhere")
    fill(site, 2)
    Worker(replace(site, settings=replace(settings, data_dir=tmp_path / "unplugged")), "one").tick()
    assert "the newest checkpoint is stored, but could not be kept beside the key" in caplog.text
    assert signed(site).size == len(logged(site))


# Which checkpoint is the end


def test_the_end_is_the_largest_checkpoint_that_is_known(site: Site, settings: Settings) -> None:
    lost, _ = go_back(site, 3)
    follower = successor_of(site, NEW_KEY)
    later = sign_checkpoint(Checkpoint(LOG_KEY.name, lost.size + 7, b"r" * 32), LOG_KEY)
    held = signed(site)
    assert find_end(follower, LOG_KEY, None).newest == lost
    assert find_end(follower, LOG_KEY, later).newest.size == lost.size + 7
    assert find_end(follower, None, later).key is None
    settings.log_witness_file.unlink()
    end = find_end(follower, LOG_KEY, None)
    assert (end.newest, end.held, end.key) == (held, held, KEY)
    assert find_end(follower, LOG_KEY, later).held == held


@pytest.mark.parametrize("key_is_lost", [False, True])
def test_a_checkpoint_that_cannot_be_the_end_is_refused(site: Site, key_is_lost: bool) -> None:
    lost, _ = go_back(site, 3)
    follower, old = successor_of(site, NEW_KEY), None if key_is_lost else LOG_KEY
    held = signed(site)
    smaller = sign_checkpoint(held, LOG_KEY)
    foreign_key = SigningKey("elsewhere.example.org/log", b"y" * 32)
    foreign = sign_checkpoint(Checkpoint(foreign_key.name, 10_000, b"r" * 32), foreign_key)
    for given, words in (
        (smaller, f"--checkpoint is over {held.size} leaves, that in .*log-newest-checkpoint over {lost.size}"),
        (foreign, "--checkpoint (is of elsewhere|was not signed by the key)"),
        (b"", "the checkpoint in --checkpoint is damaged"),
        (smaller[:-20] + b"\n", "the checkpoint in --checkpoint is damaged"),
    ):
        with pytest.raises(StartRefused, match=words):
            find_end(follower, old, given)
    if old is not None:
        forged = smaller.replace(f"\n{held.size}\n".encode(), f"\n{held.size + 50}\n".encode())
        with pytest.raises(StartRefused, match="damaged: bad-signature"):
            find_end(follower, old, forged)
        other_key = sign_checkpoint(Checkpoint(LOG_KEY.name, 10_000, b"r" * 32), SigningKey(LOG_KEY.name, b"y" * 32))
        with pytest.raises(StartRefused, match="was not signed by the key of this log"):
            find_end(follower, old, other_key)


def test_a_damaged_stored_checkpoint_is_passed_over_for_one_that_is_given(site: Site, settings: Settings) -> None:
    fill(site, 2)
    log_all(site)
    note, end = checkpoint(site) or b"", signed(site)
    with writing(site.session):
        site.session.execute(update(CheckpointRow).values(note=note[:40]))
    settings.log_witness_file.unlink()
    with pytest.raises(StartRefused, match="the checkpoint in the database is damaged"):
        end_log(site)
    follower, done = end_log(site, given=note)
    assert done.folder is not None
    assert verify_checkpoint((done.folder / "checkpoint").read_bytes(), KEY) == end
    log_all(follower)
    assert logged(follower)[0] == SucceedLeaf(site.clock(), LOG_KEY.name, end.size, end.root)


def test_two_roots_of_one_size_are_for_the_operator_to_decide(site: Site, settings: Settings) -> None:
    fill(site, 2)
    log_all(site)
    end, note = signed(site), checkpoint(site)
    other = sign_checkpoint(Checkpoint(LOG_KEY.name, end.size, b"r" * 32), LOG_KEY)
    settings.log_witness_file.write_bytes(other)
    follower = successor_of(site, NEW_KEY)
    with pytest.raises(StartRefused, match="have one size and two roots"):
        find_end(follower, LOG_KEY, None)
    assert find_end(follower, LOG_KEY, other).newest.root == b"r" * 32
    assert find_end(follower, LOG_KEY, note).newest == end


def test_a_database_from_before_the_last_succession_is_succeeded_as_the_later_log(
    site: Site, settings: Settings
) -> None:
    put_key(settings)
    fill(site, 2)
    log_all(site)
    backup = back_up(site)
    first = contents(site)
    second, _ = end_log(site)
    fill(second, 2)
    log_all(second)
    lost = signed(second)
    restore(site, backup)
    with pytest.raises(StartRefused, match="If the database was restored from before that file was made"):
        check_log_key(second)
    with pytest.raises(JournalDisagrees):
        integrate(second)
    third, done = end_log(site, THIRD_KEY, NEW_KEY)
    assert done.folder is not None
    assert read_log(done.folder, KEY)[1] == first
    assert verify_checkpoint((done.folder / "newest-checkpoint").read_bytes(), NEW_KEY.verifier) == lost
    log_all(third)
    assert logged(third)[0] == SucceedLeaf(site.clock(), NEW_KEY.name, lost.size, lost.root)


def test_a_key_whose_log_is_unknown_here_does_not_decide(site: Site) -> None:
    fill(site, 2)
    log_all(site)
    with pytest.raises(StartRefused, match=f"is the key of {THIRD_KEY.name}, and no checkpoint of that log is here"):
        find_end(successor_of(site, NEW_KEY), THIRD_KEY, None)


def test_a_log_that_was_never_signed_has_no_successor(site: Site) -> None:
    with pytest.raises(StartRefused, match="nothing is signed, so there is no log to succeed"):
        end_log(site)
