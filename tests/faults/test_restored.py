"""`shutbox serve` on a database that was restored behind what was published, until its log has a successor."""

import shutil
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import httpx
from shutbox.tlog.leaves import SucceedLeaf, decode
from shutbox.tlog.note import Checkpoint, VerifierKey, verify_checkpoint
from shutbox.tlog.proof import verify_receipt
from shutbox.tlog.tiles import EntryBundle, parse_entry_bundle

from tests.faults.served import Served, served, until
from tests.players import any_of, legal_turns

NAME = "play.example.org/shutbox/log-2"


def test_a_restored_database_is_played_on_and_its_log_has_a_successor(short_tmp: Path) -> None:
    data_dir = Path(tempfile.mkdtemp(dir=short_tmp))
    database, backup = data_dir / "shutbox.sqlite3", data_dir.with_name("backup.sqlite3")
    with served(data_dir) as service:
        first_key = key_of(service)
        receipt_of_a_run(service, 0, first_key)
        with closing(sqlite3.connect(database)) as live, closing(sqlite3.connect(backup)) as copy:
            live.backup(copy)
        lost = receipt_of_a_run(service, 1, first_key)
    assert verify_checkpoint((data_dir / "log-newest-checkpoint").read_bytes(), first_key) == lost
    shutil.copy(backup, database)
    with served(data_dir) as service:
        assert f"the database was restored behind checkpoint {lost.size} in" in "".join(service.output)
        run = submit(service, 2)
        assert receipt(service, run).json()["code"] == "receipt_pending"
        refused = service.command("log", "succeed", "--origin", NAME, "--yes")
        assert (refused.returncode, "another shutbox serve uses" in refused.stderr) == (1, True)
        assert receipt(service, run).json()["code"] == "receipt_pending"
    ended = until(lambda: succeeded(service))
    assert f"{lost.size} leaves. It cannot be taken back." in ended
    with served(data_dir) as service:
        second_key = key_of(service)
        present = receipt_of_a_run(service, 3, second_key)
        assert present.origin == NAME
        bundle = EntryBundle(0, min(present.size, 256))
        entries = httpx.get(f"http://127.0.0.1:{service.port}/log/{bundle.path}").content
        leaf = decode(parse_entry_bundle(bundle, entries)[0])
        assert isinstance(leaf, SucceedLeaf)
        assert (leaf.origin, leaf.size, leaf.root) == (first_key.name, lost.size, lost.root)
        assert until(lambda: receipt(service, run).status_code == 200)


def key_of(service: Served) -> VerifierKey:
    return VerifierKey.parse(service.command("log", "key").stdout.removesuffix("\n"))


def succeeded(service: Served) -> str:
    """End the log, once the lease of the worker that has ended is over; return what was said."""
    done = service.command("log", "succeed", "--origin", NAME, "--yes")
    return done.stdout if done.returncode == 0 else ""


Run = tuple[str, dict[str, str]]


def submit(service: Served, policy: int) -> Run:
    header, round = service.join(), service.puzzle()
    turns = legal_turns("classic", round["seed"], any_of(policy))
    made = service.client.post(f"/rounds/{round['round_id']}/runs", json={"turns": turns}, headers=header)
    assert made.status_code == 201
    return made.json()["run_id"], header


def receipt(service: Served, run: Run) -> httpx.Response:
    return service.client.get(f"/runs/{run[0]}/receipt", headers=run[1])


def receipt_of_a_run(service: Served, policy: int, key: VerifierKey) -> Checkpoint:
    """Submit a run and wait for its receipt; return the checkpoint that it leads to."""
    run = submit(service, policy)
    until(lambda: receipt(service, run).status_code == 200)
    return verify_receipt(receipt(service, run).content, key).checkpoint
