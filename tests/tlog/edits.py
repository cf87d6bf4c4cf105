"""What the cases of small-log.json change (vectors/README.md, "Cases of small-log.json"), and what `tlog` says then."""

from base64 import b64decode
from collections.abc import Sequence
from typing import Any

from shutbox.tlog.audit import LogAudit, check_bundle
from shutbox.tlog.leaves import decode
from shutbox.tlog.note import VerifierKey, verify_checkpoint
from shutbox.tlog.proof import verify_receipt
from shutbox.tlog.standings import RankedRun

from tests.tlog.reference_log import Signer, log_files
from tests.tlog.whole_logs import history_of

Edit = list[Any]
Case = dict[str, Any]
Vectors = dict[str, Any]


def run_case(vectors: Vectors, case: Case) -> None:
    """Make the changes of a case and check what it names; Refused if something is found wrong."""
    key = VerifierKey.parse(case["key"] if "key" in case else vectors["key"])
    if case["check"] == "receipt":
        verify_receipt(edited_receipt(vectors, case), key)
        return
    leaves, files = edited_log(vectors, case)
    audit = audited(files, key, case.get("known", ()), case.get("round"))
    if case["check"] == "round":
        checked_round(audit, leaves, case["round"], edited_bundle(vectors, case))


def audited(files: dict[str, bytes], key: VerifierKey, known: Sequence[str], round_id: str | None = None) -> LogAudit:
    """Return the finished audit of a log."""
    earlier = [verify_checkpoint(note.encode(), key) for note in known]
    audit = LogAudit(verify_checkpoint(files["checkpoint"], key), earlier, lambda leaf: leaf.round_id == round_id)
    for bundle in audit.bundles():
        tile = bundle.path.replace("entries", "0")
        audit.add(bundle, files[bundle.path], files[tile])
    for tile_above in audit.tiles():
        audit.check_tile(tile_above, files[tile_above.path])
    audit.finish()
    return audit


def checked_round(audit: LogAudit, leaves: Sequence[bytes], round_id: str, bundle: bytes) -> tuple[RankedRun, ...]:
    """Return the ranking of a closed round of an audited log."""
    history = history_of(round_id, map(decode, leaves))
    assert audit.histories == {round_id: history}
    return check_bundle(history, audit.state.rulesets[history.round.ruleset_hash], lines_of(bundle))


def edited_log(vectors: Vectors, case: Case) -> tuple[list[bytes], dict[str, bytes]]:
    """Return leaves and files; after an edit of leaves the files are made and signed anew."""
    leaves = [bytes.fromhex(leaf) for leaf in vectors["leaves"]]
    old_files = files = {path: b64decode(content) for path, content in vectors["files"].items()}
    for edit in case.get("leaf_edits", ()):
        leaves = _edited_list(leaves, edit, bytes.fromhex)
    if "leaf_edits" in case:
        files = log_files(leaves, Signer(vectors["origin"], bytes.fromhex(vectors["key_secret"])))
    for edit in case.get("file_edits", ()):
        op, path, *more = edit
        files[path] = old_files[path] if op == "restore" else _edited_bytes(files[path], [op, *more])
    return leaves, files


def edited_bundle(vectors: Vectors, case: Case) -> bytes:
    """Return the bundle of the round of a case; a round without one has an empty bundle."""
    lines = lines_of(vectors["bundles"].get(case["round"], "").encode())
    for edit in case.get("bundle_edits", ()):
        op, *more = edit
        if op in {"flip", "replace", "insert-text"}:
            number, *of_line = more
            lines[number] = _edited_bytes(lines[number], [op, *of_line])
        elif op == "append-text":
            lines = [*lines, more[0].encode()]
        else:
            lines = _edited_list(lines, edit, str.encode)
    return b"".join(lines)


def edited_receipt(vectors: Vectors, case: Case) -> bytes:
    text: str = case["receipt_text"] if "receipt_text" in case else vectors["receipts"][case["receipt"]]["text"]
    content = text.encode()
    for edit in case.get("receipt_edits", ()):
        content = _edited_bytes(content, edit)
    return content


def lines_of(content: bytes) -> list[bytes]:
    """Cut at newlines alone; each line keeps its own."""
    *lines, rest = content.split(b"\n")
    return [line + b"\n" for line in lines] + ([rest] if rest else [])


def _edited_list(items: list[bytes], edit: Edit, read: Any) -> list[bytes]:
    changed = list(items)
    match edit:
        case ["delete", number]:
            del changed[number]
        case ["set", number, text]:
            changed[number] = read(text)
        case ["insert", number, text]:
            changed.insert(number, read(text))
        case ["swap", one, other]:
            changed[one], changed[other] = changed[other], changed[one]
        case ["keep", number]:
            del changed[number:]
        case _:
            raise ValueError(edit)
    return changed


def _edited_bytes(content: bytes, edit: Edit) -> bytes:
    match edit:
        case ["flip", bit]:
            flipped = bytearray(content)
            flipped[bit // 8] ^= 1 << bit % 8
            return bytes(flipped)
        case ["replace", old, new]:
            before: bytes = old.encode()
            assert before in content
            return content.replace(before, new.encode(), 1)
        case ["insert-text", place, text, times]:
            head, found, tail = content.partition(place.encode())
            assert found
            added: bytes = text.encode() * times
            return head + found + added + tail
        case ["append", encoded]:
            return content + b64decode(encoded)
        case ["delete-last-byte"]:
            return content[:-1]
        case _:
            raise ValueError(edit)
