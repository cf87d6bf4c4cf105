"""`shutbox-client verify`: what is right is valid, each change has its name, what cannot be told is said to be so."""

import json
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from flask import Flask
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import CheckpointRow, LeafRow, NodeRow
from shutbox.tlog.audit import Chunk, judge_chunk
from shutbox.tlog.faults import Refused
from shutbox.tlog.leaves import decode
from shutbox.tlog.merkle import Frontier, leaf_hash
from shutbox.tlog.note import Checkpoint, SigningKey, sign_checkpoint, verify_checkpoint
from shutbox.tlog.standings import Judge, close_of
from shutbox_client.verify.cores import FEW_CHUNKS, on_all_cores
from shutbox_client.verify.known import Known, KnownFile
from sqlalchemy import delete

from tests.bigday import write_day
from tests.client.conftest import OPEN, SEALED, SERVER, Command
from tests.conftest import LOG_KEY, Closer, MovableClock
from tests.journals import contents, end_log, fill, log_all
from tests.tlog.small_log import DAY, LEAVES, bundle_of, disclosed
from tests.tlog.whole_logs import history_of

KEY = LOG_KEY.verifier.text
NEXT_DAY = "2026-12-01"


@pytest.fixture
def closed(app: Flask, clock: MovableClock, close_days: Closer) -> Iterator[Site]:
    """A log of which one day has closed: 5 runs on its sealed classic, 7 on its open one, none on the variants."""
    with app.app_context():
        site: Site = app.extensions["shutbox"]
        fill(site, 5, SEALED)
        fill(site, 7, OPEN)
        log_all(site)
        clock.set("2026-12-01T02:00:00")
    close_days()
    with app.app_context():
        log_all(site)
        yield site


@pytest.fixture
def known(command: Command) -> KnownFile:
    """Where the command remembers the log."""
    return KnownFile.of(SERVER, {"XDG_STATE_HOME": str(command.config)})


@pytest.fixture
def run(command: Command) -> "Verify":
    return Verify(command)


class Verify:
    """`shutbox-client verify …` with a state folder of its own."""

    def __init__(self, command: Command) -> None:
        self._command = command

    def __call__(self, *arguments: str, offline: bool = False) -> tuple[int, str]:
        """Return exit code and everything that is printed."""
        result = self._command(
            "verify",
            *arguments,
            transport=httpx.MockTransport(_no_network) if offline else None,
            XDG_STATE_HOME=str(self._command.config),
        )
        return result.exit_code, result.output


def _no_network(request: httpx.Request) -> httpx.Response:
    raise AssertionError(f"asks for {request.url}")


def saved(run: Verify, folder: Path) -> Path:
    """Keep all files of the log and of the closed day in a folder."""
    assert run("day", "2026-11-30", "--save", str(folder))[0] == 0
    return folder


def test_a_log_is_valid_and_remembered_with_its_key(closed: Site, run: Verify, known: KnownFile) -> None:
    code, told = run("log")
    size = len(contents(closed))
    assert (code, f"{size} leaves" in told) == (0, True)
    assert f"seen for the first time:\n{KEY}" in told
    (remembered,) = known.read()
    assert remembered.key.text == KEY
    assert remembered.checkpoint is not None
    assert remembered.checkpoint.size == size
    fill(closed, 3, f"{NEXT_DAY}-classic-open")
    log_all(closed)
    code, told = run("log")
    assert (code, "first time" in told) == (0, False)
    (later,) = known.read()
    assert later.checkpoint is not None
    assert later.checkpoint.size == size + 3


def test_a_round_and_a_day_are_replayed_and_ranked_again(closed: Site, run: Verify) -> None:
    code, told = run("round", SEALED)
    assert (code, f"Valid: round {SEALED}, 5 runs replayed, 5 ranked" in told) == (0, True)
    code, told = run("day", "2026-11-30", "--json")
    facts = json.loads(told)
    assert (code, facts["result"]) == (0, "valid")
    assert {one["round_id"]: one["runs"] for one in facts["rounds"]}[OPEN] == 7
    assert len(facts["rounds"]) == 4
    code, told = run("log", "--rounds", "--json")
    assert (code, json.loads(told)["rounds"]) == (0, facts["rounds"])


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("round", f"{NEXT_DAY}-classic"), "has not closed"),
        (("day", NEXT_DAY), "has not closed"),
        (("day", "2027-05-01"), "holds no round of 2027-05-01"),
        (("round", "2026-11-30-checkers"), "round_not_found"),
    ],
)
def test_what_cannot_be_decided_is_said_to_be_so(
    closed: Site, run: Verify, arguments: tuple[str, str], why: str
) -> None:
    code, told = run(*arguments)
    assert code == 2
    assert why in told
    code, told = run(*arguments, "--json")
    assert (code, json.loads(told[told.index("{") :])["result"]) == (2, "undecided")


def test_nothing_is_decided_where_the_service_does_not_answer(run: Verify, nobody_there: str) -> None:
    result = run._command("--server", nobody_there, "verify", "log", transport=httpx.HTTPTransport())
    assert result.exit_code == 2
    assert "Cannot be decided, the service is unreachable" in result.output


def test_receipts_and_days_verify_with_the_network_off(
    closed: Site, run: Verify, command: Command, tmp_path: Path
) -> None:
    folder = saved(run, tmp_path / "files")
    receipt = tmp_path / "receipt"
    assert command("receipt", _run_id(closed), "--output", str(receipt)).exit_code == 0
    for arguments in (
        ("day", "2026-11-30"),
        ("round", SEALED),
        ("log",),
        ("log", "--rounds"),
        ("receipt", str(receipt)),
    ):
        code, told = run(*arguments, "--files", str(folder), offline=True)
        assert (code, "Valid: " in told) == (0, True), told
    code, told = run("receipt", str(receipt), "--alone", offline=True)
    assert (code, "Only the receipt itself was checked" in told) == (0, True)


def _run_id(site: Site) -> str:
    leaf = next(decode(content) for content in contents(site) if content[1] == 3)
    run_id: bytes = getattr(leaf, "run_id", b"")
    return run_id.hex()


def test_without_a_key_a_receipt_cannot_be_decided_alone(
    closed: Site, run: Verify, command: Command, tmp_path: Path
) -> None:
    receipt = tmp_path / "receipt"
    command("receipt", _run_id(closed), "--output", str(receipt))
    code, told = run("receipt", str(receipt), "--alone", offline=True)
    assert (code, "give it with --key" in told) == (2, True)
    assert run("receipt", str(receipt), "--alone", "--key", KEY, offline=True)[0] == 0
    assert run("receipt", str(receipt), "--alone", "--key", KEY[:-2], offline=True)[0] == 2


def test_a_bit_that_was_changed_in_a_file_is_named(closed: Site, run: Verify, tmp_path: Path) -> None:
    folder = saved(run, tmp_path / "files")
    size = len(contents(closed))
    for name, fault in (
        (f"log/tile/0/000.p/{size}", "tile-mismatch: leaf "),
        (f"log/tile/entries/000.p/{size}", "tile-mismatch: leaf "),
        ("log/checkpoint", "bad-signature"),
        (f"bundles/{SEALED}.ndjson", "bad-line"),
    ):
        file = folder / name
        content = file.read_bytes()
        place = len(content) // 2 if name != "log/checkpoint" else content.index(b"\n") + 1
        file.write_bytes(content[:place] + bytes((content[place] ^ 1,)) + content[place + 1 :])
        code, told = run("round", SEALED, "--files", str(folder), offline=True)
        assert code == 1, told
        assert f"INVALID {fault}" in told or name.startswith("bundles"), told
        file.write_bytes(content)
    assert run("round", SEALED, "--files", str(folder), offline=True)[0] == 0


def test_a_folder_keeps_the_files_of_one_log_and_fetches_what_is_new(closed: Site, run: Verify, tmp_path: Path) -> None:
    folder = saved(run, tmp_path / "files")
    kept = {file: file.stat().st_mtime_ns for file in folder.rglob("*.ndjson")}
    fill(closed, 3, f"{NEXT_DAY}-classic-open")
    log_all(closed)
    code, told = run("day", "2026-11-30", "--save", str(folder))
    assert (code, f"{len(contents(closed))} leaves" in told) == (0, True)
    assert {file: file.stat().st_mtime_ns for file in folder.rglob("*.ndjson")} == kept
    (folder / "log/key").write_text("another")
    for _ in range(2):
        code, told = run("log", "--save", str(folder))
        assert (code, "holds files of another log" in told) == (2, True)


def test_a_file_that_was_kept_and_is_damaged_is_fetched_anew(closed: Site, run: Verify, tmp_path: Path) -> None:
    folder = saved(run, tmp_path / "files")
    for name in (f"log/tile/entries/000.p/{len(contents(closed))}", f"bundles/{SEALED}.ndjson"):
        file = folder / name
        right = file.read_bytes()
        file.write_bytes(right[:5])
        code, told = run("round", SEALED, "--save", str(folder))
        assert (code, "is fetched anew" in told) == (0, True), told
        assert file.read_bytes() == right
    _rewrite(closed, contents(closed)[:-4])
    code, told = run("round", SEALED, "--save", str(folder))
    assert (code, "INVALID rolled-back" in told) == (1, True)


def test_a_file_that_is_gone_decides_nothing(closed: Site, run: Verify, tmp_path: Path) -> None:
    folder = saved(run, tmp_path / "files")
    (folder / f"bundles/{SEALED}.ndjson").unlink()
    code, told = run("round", SEALED, "--files", str(folder), offline=True)
    assert (code, f"bundles/{SEALED}.ndjson is not in" in told) == (2, True)


@pytest.mark.parametrize("what", ["removed", "added", "swapped", "raised"])
def test_a_bundle_that_was_changed_is_named(closed: Site, run: Verify, tmp_path: Path, what: str) -> None:
    folder = saved(run, tmp_path / "files")
    file = folder / f"bundles/{SEALED}.ndjson"
    header, *lines = file.read_bytes().splitlines(keepends=True)
    first = json.loads(lines[0])
    changed, fault = {
        "removed": (lines[1:], "run-missing"),
        "added": ([*lines, lines[0]], "repeated-run"),
        "swapped": ([lines[1], lines[0], *lines[2:]], "run-out-of-order"),
        "raised": ([json.dumps(first | {"rank": first["rank"] + 1}).encode() + b"\n", *lines[1:]], "rank-mismatch"),
    }[what]
    file.write_bytes(header + b"".join(changed))
    code, told = run("round", SEALED, "--files", str(folder), "--json", offline=True)
    assert (code, json.loads(told[told.index("{") :])["fault"]) == (1, fault)


def test_a_log_that_was_rolled_back_or_rewritten_is_found(closed: Site, run: Verify, known: KnownFile) -> None:
    assert run("log")[0] == 0
    stored = contents(closed)
    _rewrite(closed, stored[:-4])
    code, told = run("log")
    assert (code, "INVALID rolled-back" in told) == (1, True)
    assert f"from {len(stored)} leaves to {len(stored) - 4}" in told
    _rewrite(closed, [*stored[:-4], *reversed(stored[-4:])])
    assert "INVALID split-view" in run("log")[1]
    _rewrite(closed, [*stored[:-4], *reversed(stored[-4:]), stored[1][:9] + b"\1" + stored[1][10:]])
    code, told = run("log")
    assert (code, "INVALID old-root-mismatch" in told) == (1, True)
    (remembered,) = known.read()
    assert remembered.checkpoint is not None
    assert remembered.checkpoint.size == len(stored)


def _rewrite(site: Site, leaves: list[bytes], key: SigningKey = LOG_KEY) -> None:
    """Put other leaves into the log and sign them, as an operator could."""
    frontier = Frontier()
    with writing(site.session):
        for row in (LeafRow, NodeRow, CheckpointRow):
            site.session.execute(delete(row))
        for index, leaf in enumerate(leaves):
            frontier, nodes = frontier.append(leaf_hash(leaf))
            site.session.add(LeafRow(leaf_index=index, leaf=leaf))
            site.session.add_all(NodeRow(level=node.level, number=node.index, hash=hash) for node, hash in nodes)
        site.session.add(_signed(frontier, key))


def _signed(frontier: Frontier, key: SigningKey = LOG_KEY) -> CheckpointRow:
    root = frontier.root()
    note = sign_checkpoint(Checkpoint(key.name, frontier.size, root), key)
    return CheckpointRow(size=frontier.size, root=root, note=note, signed_at=0)


def test_a_receipt_of_another_view_of_the_log_is_found(
    closed: Site, run: Verify, command: Command, tmp_path: Path
) -> None:
    receipt = tmp_path / "receipt"
    command("receipt", _run_id(closed), "--output", str(receipt))
    stored = contents(closed)
    _rewrite(closed, [*stored[:-2], *reversed(stored[-2:])])
    code, told = run("receipt", str(receipt))
    assert (code, "INVALID split-view" in told) == (1, True)
    assert run("receipt", str(receipt), "--alone", "--key", KEY)[0] == 0
    _rewrite(closed, [*stored[:-2], *reversed(stored[-2:]), stored[0]])
    assert "INVALID old-root-mismatch" in run("receipt", str(receipt))[1]


def test_a_checkpoint_of_a_friend_shows_a_split_view(closed: Site, run: Verify, tmp_path: Path) -> None:
    stored = contents(closed)
    mine = Frontier()
    for leaf in stored:
        mine, _ = mine.append(leaf_hash(leaf))
    theirs = Frontier(mine.size, (*mine.hashes[:-1], bytes(32)))
    friend = tmp_path / "friend"
    friend.write_bytes(_signed(theirs).note)
    code, told = run("log", "--against", str(friend))
    assert (code, "INVALID split-view" in told) == (1, True)
    friend.write_bytes(_signed(mine).note)
    assert run("log", "--against", str(friend))[0] == 0


def test_another_key_than_the_remembered_one_is_not_believed(closed: Site, run: Verify, tmp_path: Path) -> None:
    assert run("log")[0] == 0
    other = SigningKey(LOG_KEY.name, b"o" * 32)
    with writing(closed.session):
        newest = closed.session.query(CheckpointRow).order_by(CheckpointRow.size.desc()).first()
        assert newest is not None
        newest.note = sign_checkpoint(Checkpoint(other.name, newest.size, newest.root), other)
    code, told = run("log")
    assert (code, "INVALID not-signed" in told) == (1, True)
    code, told = run("log", "--key", other.verifier.text)
    assert (code, "INVALID bad-key: another key was remembered" in told) == (1, True)
    code, told = run("log", "--key", other.verifier.text, "--state", str(tmp_path / "anew"))
    assert code == 0, told


def test_a_log_that_does_not_go_on_after_the_remembered_one_is_refused(closed: Site, run: Verify) -> None:
    assert run("log")[0] == 0
    other = SigningKey("example.org/shutbox/log", b"o" * 32)
    with writing(closed.session):
        newest = closed.session.query(CheckpointRow).order_by(CheckpointRow.size.desc()).first()
        assert newest is not None
        newest.note = sign_checkpoint(Checkpoint(other.name, newest.size, newest.root), other)
    code, told = run("log", "--key", other.verifier.text)
    assert (code, "INVALID origin-mismatch" in told) == (1, True)


def test_what_was_remembered_and_is_damaged_is_not_overwritten(closed: Site, run: Verify, known: KnownFile) -> None:
    assert run("log")[0] == 0
    known.path.write_text(known.path.read_text().replace("localhost", "elsewhere", 1))
    damaged = known.path.read_bytes()
    code, told = run("log")
    assert (code, "is not what was remembered" in told) == (2, True)
    assert known.path.read_bytes() == damaged


def test_a_large_day_is_verified_on_all_cores_from_files(run: Verify, tmp_path: Path) -> None:
    write_day(tmp_path / "files", 9_000)
    code, told = run("day", "2026-11-30", "--files", str(tmp_path / "files"), offline=True)
    assert (code, "9,000 runs replayed, 9,000 ranked as published" in told) == (0, True), told
    file = tmp_path / f"files/bundles/{SEALED}.ndjson"
    lines = file.read_bytes().splitlines(keepends=True)
    lines[8_500:8_502] = reversed(lines[8_500:8_502])
    file.write_bytes(b"".join(lines))
    code, told = run("day", "2026-11-30", "--files", str(tmp_path / "files"), offline=True)
    assert (code, "INVALID run-out-of-order" in told) == (1, True), told


def test_all_cores_find_what_one_finds() -> None:
    history = history_of(DAY, LEAVES)
    lines = bundle_of(history, disclosed(DAY))[1:] * FEW_CHUNKS
    logged = history.runs * FEW_CHUNKS
    chunks = [Chunk(number, (logged[number],), (line,)) for number, line in enumerate(lines)]
    wrong = Chunk(len(chunks), (logged[0],), (b"{}\n",))
    judge = Judge(history.round, close_of(history).seed)
    alone = [judge_chunk(judge, chunk) for chunk in (*chunks, wrong)]
    spread = list(on_all_cores(judge, iter((*chunks, wrong))))
    assert [(one.runs, one.ranks) for one in spread] == [(one.runs, one.ranks) for one in alone]
    assert [str(one.refused) for one in spread] == [str(one.refused) for one in alone]
    assert str(spread[-1].refused) == f"bad-line: line {len(chunks) + 2} has other members than the protocol names"


@pytest.fixture
def succeeded(closed: Site, app: Flask, run: Verify, tmp_path: Path) -> tuple[Path, SigningKey]:
    """A log that is remembered and has ended: the folder of its public files, and the key of its successor."""
    assert run("log")[0] == 0
    key = SigningKey("localhost/second/log", b"n" * 32)
    follower, done = end_log(closed, key, LOG_KEY)
    log_all(follower)
    app.extensions["shutbox"] = follower
    assert done.folder is not None
    return done.folder, key


def test_a_successor_is_believed_with_its_key_and_holds_all_of_the_earlier_log(
    succeeded: tuple[Path, SigningKey], run: Verify
) -> None:
    folder, key = succeeded
    code, told = run("log")
    assert (code, "INVALID not-signed" in told) == (1, True)
    code, told = run("log", "--key", key.verifier.text, "--earlier", str(folder))
    assert (code, "leaves of the earlier log localhost/shutbox/log." in told) == (0, True), told
    code, told = run("day", "2026-11-30")
    assert (code, "first time" in told) == (0, False)


def test_a_leaf_that_a_successor_does_not_tell_again_is_named(
    succeeded: tuple[Path, SigningKey], closed: Site, run: Verify
) -> None:
    folder, key = succeeded
    told_again = contents(closed)
    lost = next(index for index, content in enumerate(told_again) if content[1] == 3)
    _rewrite(closed, [*told_again[:lost], *told_again[lost + 1 :]], key)
    code, told = run("log", "--key", key.verifier.text, "--earlier", str(folder))
    assert (code, "INVALID leaf-lost: leaf " in told) == (1, True), told


def test_a_log_that_was_right_is_remembered_whatever_is_found_of_a_round(
    closed: Site, run: Verify, known: KnownFile, tmp_path: Path
) -> None:
    folder = saved(run, tmp_path / "files")
    known.path.unlink()
    (folder / f"bundles/{SEALED}.ndjson").write_bytes(b"{}\n")
    options = ("--files", str(folder), "--state", str(known.path))
    assert run("round", SEALED, *options, offline=True)[0] == 1
    assert [log.checkpoint.size for log in known.read() if log.checkpoint] == [len(contents(closed))]
    _rewrite(closed, contents(closed)[:-1])
    assert "INVALID rolled-back" in run("round", SEALED)[1]


def test_checkpoints_that_contradict_each_other_are_kept(closed: Site, run: Verify, known: KnownFile) -> None:
    assert run("log")[0] == 0
    _rewrite(closed, contents(closed)[:-4])
    for _ in range(2):
        assert "INVALID rolled-back" in run("log")[1]
    (kept,) = known.path.parent.glob("*.contradiction-*")
    assert str(kept) in run("log")[1]
    (remembered,) = known.read()
    assert remembered.checkpoint is not None
    lesser = verify_checkpoint(kept.read_bytes(), LOG_KEY.verifier)
    assert lesser.size == remembered.checkpoint.size - 4


def test_a_slower_check_does_not_forget_what_a_quicker_one_found(known: KnownFile) -> None:
    tree = Frontier()
    notes = []
    for leaf in (b"a", b"b", b"c"):
        tree, _ = tree.append(leaf_hash(leaf))
        notes.append(_signed(tree).note)
    for note in (notes[0], notes[2], notes[1]):
        known.remember(Known(LOG_KEY.verifier, note))
    assert known.read() == (Known(LOG_KEY.verifier, notes[2]),)
    other = _signed(Frontier(3, (bytes(32), bytes(32)))).note
    with pytest.raises(Refused, match="split-view"):
        known.remember(Known(LOG_KEY.verifier, other))
    assert known.read() == (Known(LOG_KEY.verifier, notes[2]),)


def test_a_receipt_alone_does_not_make_another_log_the_remembered_one(
    succeeded: tuple[Path, SigningKey], closed: Site, run: Verify, command: Command, known: KnownFile, tmp_path: Path
) -> None:
    _, key = succeeded
    receipt = tmp_path / "receipt"
    assert command("receipt", _run_id(closed), "--output", str(receipt)).exit_code == 0
    before = known.path.read_bytes()
    code, told = run("receipt", str(receipt), "--key", key.verifier.text)
    assert (code, "let `verify log` look at the whole log first" in told) == (2, True)
    assert known.path.read_bytes() == before
    assert run("log", "--key", key.verifier.text)[0] == 0
    assert run("receipt", str(receipt))[0] == 0
    assert [log.key.name for log in known.read()] == [LOG_KEY.name, key.name]


def test_an_earlier_log_is_held_to_what_is_remembered_of_it(
    succeeded: tuple[Path, SigningKey], closed: Site, run: Verify, known: KnownFile
) -> None:
    folder, key = succeeded
    logs = known.read()
    size = logs[0].checkpoint.size if logs[0].checkpoint else 0
    invented = Frontier(size, tuple(bytes(32) for _ in range(size.bit_count())))
    known.path.unlink()
    known.remember(Known(LOG_KEY.verifier, _signed(invented).note))
    code, told = run("log", "--key", key.verifier.text, "--earlier", str(folder))
    assert (code, "INVALID split-view" in told) == (1, True), told


def test_a_log_that_succeeds_a_successor_holds_all_but_its_first_leaf(
    succeeded: tuple[Path, SigningKey], closed: Site, app: Flask, run: Verify
) -> None:
    _, key = succeeded
    assert run("log", "--key", key.verifier.text)[0] == 0
    third = SigningKey("localhost/third/log", b"t" * 32)
    follower, done = end_log(app.extensions["shutbox"], third, key)
    log_all(follower)
    app.extensions["shutbox"] = follower
    code, told = run("log", "--key", third.verifier.text, "--earlier", str(done.folder))
    assert (code, f"leaves of the earlier log {key.name}." in told) == (0, True), told


def test_a_tile_that_is_larger_than_any_is_not_read(closed: Site, run: Verify, app: Flask) -> None:
    class Endless(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            if "/tile/" in request.url.path:
                return httpx.Response(200, stream=Zeros())
            return httpx.WSGITransport(app).handle_request(request)

    result = run._command("verify", "log", transport=Endless(), XDG_STATE_HOME=str(run._command.config))
    assert result.exit_code == 2
    assert "has more than the 8192 bytes that it can have" in result.output


class Zeros(httpx.SyncByteStream):
    def __iter__(self) -> Iterator[bytes]:
        while True:
            yield bytes(4096)
