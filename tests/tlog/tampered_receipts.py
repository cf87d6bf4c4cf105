"""Cases of a receipt alone, and of a log for which a receipt's checkpoint is known."""

from typing import Any

from tests.tlog import reference_log as plain
from tests.tlog.edits import Case, Edit
from tests.tlog.reference import Reference
from tests.tlog.reference_log import Fields, Signer
from tests.tlog.story import drawn
from tests.tlog.tampering import OPEN, SEALED, TOLD, case, flip_in, replaced
from tests.tlog.two_days import EARLIER_SIZES, SIGNER, receipts_of

RECEIPTS = [made["text"] for made in receipts_of(TOLD.story, TOLD.tree)]
RECEIPT = RECEIPTS[0]
RUN = TOLD.round(SEALED).runs[0]
LEAF = TOLD.leaves[RUN.index]
EXTRA_LINE, INDEX_LINE, *PATH = RECEIPT.split("\n\n")[0].split("\n")[1:]
EXTRA = plain.lp(LEAF) + RUN.salt + plain.lp(RUN.content)
NOTE = RECEIPT[RECEIPT.index("\n\n") + 2 :]
TEXT = NOTE.split("\n\n")[0] + "\n"
OTHER = Signer(SIGNER.name, bytes(32))


def cases() -> list[Case]:
    return [*_valid(), *_forms(), *_extras(), *_runs(), *_paths(), *_notes(), *_forged(), *_forks()]


def receipt_case(name: str, fault: str | None, text: str | None = None, **members: Any) -> Case:
    if text is not None:
        members["receipt_edits"] = [["replace", *replaced(RECEIPT, text)]]
    return case(name, "receipt", fault, receipt=0, **members)


def _without_edits(number: int) -> Case:
    return case(f"receipt {number}", "receipt", None, receipt=number)


def _bit_case(name: str, fault: str, bit: int) -> Case:
    return case(name, "receipt", fault, receipt=0, receipt_edits=[["flip", bit]])


def _valid() -> list[Case]:
    known = [receipt.split("\n\n", 1)[1] for receipt in RECEIPTS]
    return [
        *(_without_edits(number) for number in range(len(RECEIPTS))),
        case("the log, with the checkpoints of all receipts known", "log", None, known=known),
    ]


def _forms() -> list[Case]:
    return [
        receipt_case("another version of proofs", "bad-line", RECEIPT.replace("@v1", "@v2")),
        receipt_case("a receipt without its first line", "bad-line", RECEIPT.split("\n", 1)[1]),
        receipt_case("a receipt without extra data", "bad-line", RECEIPT.replace(EXTRA_LINE + "\n", "")),
        receipt_case("a receipt without an index", "bad-line", RECEIPT.replace(INDEX_LINE + "\n", "")),
        receipt_case(
            "the index stands above the extra data", "bad-base64", RECEIPT.replace("extra ", f"{INDEX_LINE}\nextra ")
        ),
        receipt_case("an index with a zero in front", "bad-number", RECEIPT.replace("index ", "index 0")),
        receipt_case("an index with a sign", "bad-number", RECEIPT.replace("index ", "index +")),
        receipt_case("an index of 2^63", "bad-number", RECEIPT.replace(INDEX_LINE, f"index {1 << 63}")),
        receipt_case("no blank line above the checkpoint", "bad-base64", RECEIPT.replace("\n\n", "\n", 1)),
        receipt_case("a carriage return in a receipt", "bad-text", RECEIPT.replace(INDEX_LINE, INDEX_LINE + "\r")),
        receipt_case("a byte behind a receipt", "bad-line", RECEIPT + "x"),
        receipt_case("extra data without padding", "bad-base64", RECEIPT.replace(EXTRA_LINE, EXTRA_LINE.rstrip("="))),
        receipt_case("a hash of 31 bytes in the path", "bad-length", RECEIPT.replace(PATH[0], plain.base64(bytes(31)))),
        receipt_case("an empty receipt", "bad-line", receipt_text=""),
    ]


def _with_extra(extra: bytes, text: str = RECEIPT) -> str:
    return text.replace(EXTRA_LINE, f"extra {plain.base64(extra)}")


def _extras() -> list[Case]:
    content, line = RECEIPT.encode(), EXTRA_LINE.encode()
    salt_at = 6 + 4 * (2 + len(LEAF)) // 3 + 5
    run_at = 6 + 4 * (2 + len(LEAF) + 32 + 2 + 3 + len(SEALED)) // 3 + 5
    close = TOLD.leaves[TOLD.at("CLOSE")]
    return [
        receipt_case("extra data with a byte too much", "trailing-bytes", _with_extra(EXTRA + b"\0")),
        receipt_case("extra data with a byte missing", "too-short", _with_extra(EXTRA[:-1])),
        receipt_case("no extra data", "too-short", _with_extra(b"")),
        receipt_case("a close instead of a run", "not-a-run", _with_extra(plain.lp(close) + EXTRA[2 + len(LEAF) :])),
        receipt_case(
            "a leaf with a byte too much in a receipt",
            "trailing-bytes",
            _with_extra(plain.lp(LEAF + b"\0") + EXTRA[2 + len(LEAF) :]),
        ),
        receipt_case(
            "a leaf of another version in a receipt",
            "unknown-version",
            _with_extra(plain.lp(b"\x02" + LEAF[1:]) + EXTRA[2 + len(LEAF) :]),
        ),
        _bit_case("one bit of the time in a receipt's leaf", "path-mismatch", flip_in(content, line, 6 + 10)),
        _bit_case(
            "one bit of the commitment in a receipt's leaf",
            "commitment-mismatch",
            flip_in(content, line, 6 + 4 * (len(LEAF) - 20) // 3),
        ),
        _bit_case("one bit of the salt", "commitment-mismatch", flip_in(content, line, salt_at)),
        _bit_case("one bit of the player's tag", "commitment-mismatch", flip_in(content, line, run_at)),
        _bit_case("one bit of the turns", "commitment-mismatch", flip_in(content, line, len(line) - 8)),
    ]


def _receipt_of(fields: Fields, content: bytes, salt: bytes = RUN.salt) -> str:
    """Return the receipt with another leaf and run in it; its path is that of the old leaf."""
    return _with_extra(plain.lp(plain.leaf_bytes(fields)) + salt + plain.lp(content))


def _committed(content: bytes, **changes: Any) -> Fields:
    fields = TOLD.story.fields[RUN.index]
    return {**fields, "run_commitment": plain.run_commitment(RUN.salt, content), **changes}


def _runs() -> list[Case]:
    """The leaf commits to what is wrong, so that the run is what is found."""
    content = RUN.content
    other_tag = TOLD.round(SEALED).run_of(drawn("tag")[:16], RUN.played)
    wrong: list[tuple[str, str, bytes]] = [
        ("a run of version 2", "unknown-version", b"\x02" + content[1:]),
        ("a run with a byte too much", "trailing-bytes", content + b"\0"),
        ("a run with a turn missing", "too-short", content[:-3]),
        ("a run of no bytes", "too-short", b""),
        ("a run of a round without a name", "bad-round-id", b"\x01\x00\x00" + content[3 + len(SEALED) :]),
        ("a run of another round", "run-of-another-round", content.replace(b"2028-02-28", b"2028-02-29")),
    ]
    return [
        *(receipt_case(name, fault, _receipt_of(_committed(run), run)) for name, fault, run in wrong),
        receipt_case(
            "a leaf of another round", "run-of-another-round", _receipt_of(_committed(content, round_id=OPEN), content)
        ),
        receipt_case(
            "a run moved to another player", "commitment-mismatch", _receipt_of(TOLD.story.fields[RUN.index], other_tag)
        ),
    ]


def _hashes(more: int) -> Edit:
    return ["insert-text", f"{PATH[0]}\n", f"{PATH[0]}\n", more]


def _paths() -> list[Case]:
    content = RECEIPT.encode()
    unsigned: Edit = ["replace", *replaced(RECEIPT, RECEIPT.replace(NOTE, OTHER.note(TEXT)))]
    return [
        _bit_case("one bit of the path", "path-mismatch", flip_in(content, PATH[2].encode())),
        receipt_case("a hash of the path is missing", "wrong-proof-length", RECEIPT.replace(PATH[3] + "\n", "")),
        receipt_case("a path without hashes", "wrong-proof-length", RECEIPT.replace("\n".join(PATH) + "\n", "")),
        receipt_case(
            "a hash of the path stands twice", "wrong-proof-length", RECEIPT.replace(PATH[3], f"{PATH[3]}\n{PATH[3]}")
        ),
        receipt_case("64 hashes", "wrong-proof-length", receipt_edits=[_hashes(64 - len(PATH))]),
        receipt_case(
            "64 hashes are too many for any checkpoint",
            "wrong-proof-length",
            receipt_edits=[_hashes(64 - len(PATH)), unsigned],
        ),
        receipt_case(
            "63 hashes are looked at behind the checkpoint",
            "not-signed",
            receipt_edits=[_hashes(63 - len(PATH)), unsigned],
        ),
        receipt_case(
            "two hashes of the path are swapped",
            "path-mismatch",
            RECEIPT.replace(f"{PATH[0]}\n{PATH[1]}", f"{PATH[1]}\n{PATH[0]}"),
        ),
        receipt_case(
            "the index of the leaf after", "path-mismatch", RECEIPT.replace(INDEX_LINE, f"index {RUN.index + 1}")
        ),
        receipt_case(
            "the index of the last leaf", "wrong-proof-length", RECEIPT.replace(INDEX_LINE, f"index {TOLD.size - 1}")
        ),
        receipt_case(
            "an index behind the last leaf", "out-of-range", RECEIPT.replace(INDEX_LINE, f"index {TOLD.size}")
        ),
        receipt_case("the largest index", "out-of-range", RECEIPT.replace(INDEX_LINE, f"index {(1 << 63) - 1}")),
        receipt_case("the checkpoint of another size", "path-mismatch", RECEIPT.replace(NOTE, TOLD.note(300))),
        receipt_case("the checkpoint of the empty log", "out-of-range", RECEIPT.replace(NOTE, TOLD.note(0))),
        receipt_case("a checkpoint from before the run", "out-of-range", RECEIPT.replace(NOTE, TOLD.note(19))),
    ]


def _notes() -> list[Case]:
    content, line = RECEIPT.encode(), NOTE.split("\n\n")[1].encode()
    unsigned = RECEIPT.replace(NOTE, TEXT)
    two_faults = RECEIPT.replace(INDEX_LINE, f"index {TOLD.size}").replace(NOTE, OTHER.note(TEXT))
    return [
        _bit_case(
            "one bit of the signature in a receipt", "bad-signature", flip_in(content, line, line.rindex(b" ") + 9)
        ),
        _bit_case("one bit of the root in a receipt", "bad-signature", flip_in(content, TEXT.split("\n")[2].encode())),
        _bit_case(
            "one bit of the size in a receipt", "bad-signature", 8 * (content.index(f"\n{TOLD.size}\n".encode()) + 1)
        ),
        receipt_case("a receipt whose checkpoint is not signed", "bad-line", unsigned),
        receipt_case("a receipt signed by another key", "not-signed", RECEIPT.replace(NOTE, OTHER.note(TEXT))),
        receipt_case(
            "a receipt of another log",
            "origin-mismatch",
            RECEIPT.replace(NOTE, SIGNER.note(TEXT.replace("example.org", "other.example"))),
        ),
        receipt_case(
            "a receipt with an extension line", "bad-line", RECEIPT.replace(NOTE, SIGNER.note(TEXT + "extension\n"))
        ),
        case("a receipt and the key of another log", "receipt", "not-signed", receipt=0, key=OTHER.key),
        receipt_case("signature and index are wrong", "not-signed", two_faults),
        receipt_case(
            "salt and signature are wrong",
            "commitment-mismatch",
            _with_extra(EXTRA.replace(RUN.salt, bytes(32)), two_faults),
        ),
    ]


def _forged() -> list[Case]:
    """A run that was never logged, with a leaf and a commitment of its own."""
    better = TOLD.round(SEALED).pool()[0]
    forged = TOLD.round(SEALED).run_of(drawn("forger")[:16], better)
    leaf = plain.leaf_bytes(_committed(forged, run_id=drawn("forged id")[:16]))
    extra = plain.lp(leaf) + RUN.salt + plain.lp(forged)
    tree = TOLD.forked(RUN.index, leaf)
    root = tree.root(0, TOLD.size)
    by_other = plain.receipt(tree, RUN.index, RUN.salt, forged, TOLD.size, OTHER.checkpoint(TOLD.size, root))
    false_line = f"— {SIGNER.name} {plain.base64(SIGNER.key_id + bytes(64))}\n"
    unsigned = plain.receipt(
        tree,
        RUN.index,
        RUN.salt,
        forged,
        TOLD.size,
        f"{SIGNER.name}\n{TOLD.size}\n{plain.base64(root)}\n\n{false_line}",
    )
    return [
        receipt_case("a forged run with the path of another leaf", "path-mismatch", _with_extra(extra)),
        receipt_case("a forged run in a tree signed by another key", "not-signed", receipt_text=by_other),
        receipt_case("a forged run in a tree with a made-up signature", "bad-signature", receipt_text=unsigned),
    ]


def _forks() -> list[Case]:
    """A forged run in a tree that the log's own key signed: the receipt is good, and it convicts the log."""
    forged = TOLD.round(SEALED).run_of(drawn("forger")[:16], TOLD.round(SEALED).pool()[0])
    leaf = plain.leaf_bytes(_committed(forged, run_id=drawn("forged id")[:16]))
    tree = Reference([*TOLD.forked(RUN.index, leaf).leaves, TOLD.leaves[1]])
    made = []
    for size, fault in (
        (TOLD.size, "split-view"),
        (EARLIER_SIZES[-1], "old-root-mismatch"),
        (TOLD.size + 1, "rolled-back"),
    ):
        note = SIGNER.checkpoint(size, tree.root(0, size))
        receipt = plain.receipt(tree, RUN.index, RUN.salt, forged, size, note)
        made.append(case(f"a forged run in another view of {size} leaves", "receipt", None, receipt_text=receipt))
        made.append(case(f"the log beside the receipt from another view of {size} leaves", "log", fault, known=[note]))
    return made
