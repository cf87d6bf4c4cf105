"""Ending a log: whatever breaks on the way is completed by doing it again, and the command says what is wrong."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shutbox.config import Settings
from shutbox.errors import JournalDisagrees, StartRefused
from shutbox.journal import check_log_key, checkpoint, integrate
from shutbox.seeds import load_log_key
from shutbox.serve import opened, prepare
from shutbox.site import Site
from shutbox.store.database import db, writing
from shutbox.store.rows import LeaseRow, SuccessionRow
from shutbox.succession import End, Succeeded
from shutbox.tlog.leaves import RunLeaf, SucceedLeaf
from shutbox.tlog.note import SigningKey
from shutbox.worker import Worker, some_worker_leads
from sqlalchemy import func, select, update

from tests.conftest import LOG_KEY, MovableClock
from tests.journals import (
    NEW_KEY,
    back_up,
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

KEY = LOG_KEY.verifier


class Killed(BaseException):
    """The process ends here."""


def test_what_is_broken_off_anywhere_is_completed_by_doing_it_again(
    site: Site, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed before each thing that reaches the disk or the database, one after the other.

    Until it is decided the earlier log goes on. After that the old key can do nothing, and is told what to do.
    """
    fill(site, 3)
    log_all(site)
    fill(site, 2)
    before = back_up(site)
    states = set()
    for last in range(1000):
        restore(site, before)
        shutil.rmtree(settings.earlier_logs_dir, ignore_errors=True)
        for file in settings.data_dir.glob("*log-*"):
            file.unlink()
        put_key(settings)
        if not killed_at(last, monkeypatch, lambda: end_log(site)):
            break
        site.session.rollback()
        states.add(check_interrupted(site, settings))
    assert last > 30
    assert states == {"undecided", "decided with the old key", "decided with the new key"}


def killed_at(last: int, monkeypatch: pytest.MonkeyPatch, work: Callable[[], Any]) -> bool:
    """Do the work until the given event; tell whether it was reached. What is killed cleans up nothing."""
    events = 0

    def watched(real: Callable[..., Any]) -> Callable[..., Any]:
        def step(*given: Any, **named: Any) -> Any:
            nonlocal events
            events += 1
            if events > last:
                raise Killed
            return real(*given, **named)

        return step

    def unlink(path: Path, missing_ok: bool = False) -> None:
        if events <= last:
            real_unlink(path, missing_ok=missing_ok)

    real_unlink = Path.unlink
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", lambda _: None)  # the machine goes on, so nothing needs to be on its disk
        for owner, name in ((os, "replace"), (os, "link"), (os, "fsync"), (Path, "mkdir"), (db.session, "commit")):
            patched.setattr(owner, name, watched(getattr(owner, name)), raising=False)
        patched.setattr(Path, "unlink", unlink)
        try:
            work()
        except Killed:
            return True
    return False


def check_interrupted(site: Site, settings: Settings) -> str:
    """Start with what is there, do it again, and find a valid log in the end."""
    key = load_log_key(settings.log_key_file)
    present = successor_of(site, key)
    decided = site.session.scalar(select(func.count()).select_from(SuccessionRow)) == 1
    if not decided:
        assert key == LOG_KEY
        check_log_key(present)
        assert integrate(present) == 2
        assert signed(present).size == len(logged(present))
    elif key == LOG_KEY:
        with pytest.raises(
            StartRefused, match=f"broken off, run `shutbox log succeed --origin {NEW_KEY.name}` there again"
        ):
            check_log_key(present)
        with pytest.raises(JournalDisagrees, match="has ended, and this process has the key of"):
            integrate(present)
    else:
        assert key.name == NEW_KEY.name
        check_log_key(present)
    follower, _ = end_log(site, key if key.name == NEW_KEY.name else SigningKey(NEW_KEY.name, b"w" * 32), key)
    assert load_log_key(settings.log_key_file) == follower.secrets.log_key
    log_all(follower)
    assert isinstance(logged(follower)[0], SucceedLeaf)
    assert sum(isinstance(leaf, RunLeaf) for leaf in logged(follower)) == 5
    (number,) = site.session.scalars(select(SuccessionRow.number))
    whole = [folder for folder in settings.earlier_logs_dir.iterdir() if (folder / "checkpoint").exists()]
    ended = site.session.get_one(SuccessionRow, number)
    sizes = {read_log(folder, KEY)[0].size for folder in whole}
    assert ended.size in sizes
    kept = [load_log_key(file) for file in settings.data_dir.glob("log-key-*.json")]
    assert kept == [LOG_KEY]
    assert end_log(site, follower.secrets.log_key, follower.secrets.log_key)[1] == Succeeded(), "it is done"
    if not decided:
        return "undecided"
    return f"decided with the {'old' if key == LOG_KEY else 'new'} key"


def test_a_worker_with_the_old_key_signs_nothing_any_more(
    site: Site, clock: MovableClock, caplog: pytest.LogCaptureFixture
) -> None:
    fill(site, 2)
    worker = Worker(site, "one")
    worker.tick()
    follower, _ = end_log(site)
    fill(site, 2)
    worker.tick()
    assert "Copy log-key.json from the node where `shutbox log succeed` was run, and restart" in caplog.text
    assert checkpoint(site) is None
    log_all(follower)
    clock.forward(60)
    worker.tick()
    assert signed(follower).size == len(logged(follower))


def test_a_log_that_grew_meanwhile_is_not_ended(site: Site) -> None:
    fill(site, 2)
    log_all(site)
    fill(site, 2)

    def grow(end: End, folder: Path) -> None:
        log_all(site)

    with pytest.raises(StartRefused, match="the log has changed meanwhile: end every worker"):
        end_log(site, agree=grow)
    assert signed(site).size == len(logged(site))


# The command, as an operator runs it


@pytest.fixture
def alone(tmp_path: Path, redis_url: str) -> Settings:
    return Settings(data_dir=tmp_path / "data", redis_url=redis_url, origin="https://play.example.org")


def shutbox(settings: Settings, *arguments: str, answer: str = "") -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "shutbox.cli", "--data-dir", str(settings.data_dir), *arguments],
        input=answer,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command_ends_the_log_and_the_service_goes_on_with_the_new_key(alone: Settings) -> None:
    first = prepare(alone)
    with opened(alone, first) as site:
        log_all(site)
        end = signed(site)
    name = "play.example.org/shutbox/log-2"
    declined = shutbox(alone, "log", "succeed", "--origin", name, answer="n\n")
    assert declined.returncode == 1
    assert f"This ends the log {first.log_key.name} at {end.size} leaves. It cannot be taken back." in declined.stdout
    assert prepare(alone).log_key == first.log_key
    said = shutbox(alone, "log", "succeed", "--origin", name, answer="y\n")
    assert said.returncode == 0, said.stderr
    assert f"The public files of the log that ended are in {alone.earlier_logs_dir / '1'}." in said.stdout
    assert "log-key-play.example.org-shutbox-log-1.json" in said.stdout
    second = prepare(alone)
    assert second.log_key.name == name
    assert shutbox(alone, "log", "key").stdout == f"{second.log_key.verifier.text}\n"
    assert second.log_key.verifier.text in said.stdout
    again = shutbox(alone, "log", "succeed", "--origin", name, "--yes")
    assert (again.returncode, "The public files" in again.stdout) == (0, False)
    with opened(alone, second) as site:
        log_all(site)
        leaf = logged(site)[0]
        assert isinstance(leaf, SucceedLeaf)
        assert (leaf.origin, leaf.size, leaf.root) == (first.log_key.name, end.size, end.root)
    assert read_log(alone.earlier_logs_dir / "1", first.log_key.verifier)[0] == end
    assert {file.stat().st_mode & 0o777 for file in alone.data_dir.glob("log-key*.json")} == {0o600}


def test_the_command_refuses_in_a_line(alone: Settings, tmp_path: Path) -> None:
    first = prepare(alone)
    nothing = shutbox(alone, "log", "succeed", "--origin", "a.example.org/log", "--yes")
    assert (nothing.returncode, "nothing is signed" in nothing.stderr) == (1, True)
    with opened(alone, first) as site:
        Worker(site, "one").tick()
        assert some_worker_leads(site)
    working = shutbox(alone, "log", "succeed", "--origin", "a.example.org/log", "--yes")
    assert (working.returncode, "a worker is at work: end every" in working.stderr) == (1, True)
    with opened(alone, first) as site:
        with writing(site.session):
            site.session.execute(update(LeaseRow).values(until=0))
        assert not some_worker_leads(site)
    same = shutbox(alone, "log", "succeed", "--origin", first.log_key.name, "--yes")
    assert (same.returncode, "is the name of the log that ends" in same.stderr) == (1, True)
    bad = shutbox(alone, "log", "succeed", "--origin", "a+b", "--yes")
    assert (bad.returncode, "visible ASCII without a plus" in bad.stderr) == (2, True)
    (tmp_path / "a file").touch()
    under = str(tmp_path / "a file" / "log")
    nowhere = shutbox(alone, "log", "succeed", "--origin", "a.example.org/log", "--yes", "--keep", under)
    assert (nowhere.returncode, "Not a directory; mend that and run this again" in nowhere.stderr) == (1, True)
    assert prepare(alone).log_key == first.log_key


def test_a_start_is_led_to_the_command_where_the_key_is_lost(alone: Settings) -> None:
    first = prepare(alone)
    with opened(alone, first) as site:
        log_all(site)
        note, end = checkpoint(site) or b"", signed(site)
    alone.log_key_file.unlink()
    with pytest.raises(StartRefused, match=r"log-key\.json is missing: .* `shutbox log succeed` ends the log"):
        prepare(alone)
    given = alone.data_dir / "kept by a player"
    given.write_bytes(note)
    said = shutbox(alone, "log", "succeed", "--origin", "b.example.org/log", "--checkpoint", str(given), "--yes")
    assert said.returncode == 0, said.stderr
    assert "its signature cannot be checked" in said.stdout
    second = prepare(alone)
    kept = alone.log_key_file.read_text()
    alone.log_key_file.unlink()
    alone.log_witness_file.unlink()
    with pytest.raises(StartRefused, match=r"log-key\.json is missing"):
        prepare(replace(alone, log_origin=first.log_key.name))
    assert not alone.log_key_file.exists(), "no key is made for a log that has begun"
    put_key(alone, first.log_key)
    with pytest.raises(StartRefused, match=r"run `shutbox log succeed --origin b\.example\.org/log` there again"):
        prepare(alone)
    alone.log_key_file.write_text(kept)
    with opened(alone, second) as site:
        log_all(site)
        leaf = logged(site)[0]
        assert isinstance(leaf, SucceedLeaf)
        assert (leaf.size, leaf.root) == (end.size, end.root)


def test_no_key_is_made_where_a_witness_tells_that_one_has_signed(alone: Settings) -> None:
    first = prepare(alone)
    with opened(alone, first) as site:
        log_all(site)
    (alone.data_dir / "shutbox.sqlite3").unlink()
    alone.log_key_file.unlink()
    with pytest.raises(StartRefused, match=r"log-key\.json is missing"):
        prepare(alone)
