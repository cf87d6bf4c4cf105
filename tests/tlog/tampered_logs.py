"""Cases of a whole log: its note, its files, its leaves, and what is known from before."""

from base64 import b64decode
from typing import Any

from tests.tlog import reference_log as plain
from tests.tlog.edits import Case, Edit
from tests.tlog.reference_log import Signer
from tests.tlog.tampering import SEALED, TOLD, case, flip_in, replaced
from tests.tlog.two_days import EARLIER_SIZES, SIGNER

ORIGIN, SIZE = SIGNER.name, TOLD.size
ROOT = plain.base64(TOLD.tree.root(0, SIZE))
NOTE = TOLD.note()
TEXT, LINE = NOTE.split("\n\n")
TEXT += "\n"
OTHER = Signer(ORIGIN, bytes(32))  # another key of the same name
LAST = f"001.p/{SIZE - 256}"
TILE, HIGHER, ENTRIES = "tile/0/000", "tile/1/000.p/1", "tile/entries/000"
KEY_BYTES = b64decode(SIGNER.key.split("+", 2)[2])
EARLIER = [TOLD.note(size) for size in EARLIER_SIZES]


def log_case(name: str, fault: str | None, where: str | None = None, **members: Any) -> Case:
    return case(name, "log", fault, where, **members)


def cases() -> list[Case]:
    return [*_valid(), *_notes(), *_signed_notes(), *_files(), *_known(), *_forks()]


def _valid() -> list[Case]:
    first = TOLD.story.rounds[SEALED].runs[0].index
    succeed = plain.leaf_bytes(
        {"type": "SUCCEED", "t": 0, "origin": "example.org/shutbox/log-0", "size": 3, "root": bytes(32)}
    )
    return [
        log_case("the log, with all earlier checkpoints known", None, known=EARLIER),
        log_case("the log, with its own checkpoint known", None, known=[NOTE, NOTE]),
        log_case("a log without leaves", None, leaf_edits=[["keep", 0]], known=[EARLIER[0]]),
        log_case("a log of one leaf", None, leaf_edits=[["keep", 1]], known=EARLIER[:2]),
        log_case("a log of 255 leaves", None, leaf_edits=[["keep", 255]], known=[TOLD.note(255)]),
        log_case("a log of 256 leaves has no partial tile", None, leaf_edits=[["keep", 256]], known=[TOLD.note(255)]),
        log_case("a log of 257 leaves", None, leaf_edits=[["keep", 257]], known=[TOLD.note(256), TOLD.note(257)]),
        log_case("a log that succeeds another one", None, leaf_edits=[["insert", 0, succeed.hex()]]),
        log_case(
            "one leaf is changed for another that is as good, and nothing is known from before",
            None,
            leaf_edits=[TOLD.set(first, run_commitment=bytes(32))],
        ),
    ]


def _note_case(name: str, fault: str | None, note: str, **members: Any) -> Case:
    """Return a case in which the note is another one."""
    return log_case(name, fault, file_edits=[["replace", "checkpoint", *replaced(NOTE, note)]], **members)


def _bit_case(name: str, fault: str, bit: int) -> Case:
    return log_case(name, fault, file_edits=[["flip", "checkpoint", bit]])


def _notes() -> list[Case]:
    content, line, other_line = NOTE.encode(), LINE.encode(), OTHER.line(TEXT)
    spaced = other_line.replace("/log ", "/lo\u0085g ")
    with_mark = other_line.replace("/log ", "/lo\ufeffg ")
    other_root = plain.base64(TOLD.tree.root(0, 300))
    return [
        _bit_case("one bit of the origin in the note", "bad-signature", 8 * 3),
        _bit_case("one bit of the size in the note", "bad-signature", 8 * content.index(f"\n{SIZE}".encode()) + 8),
        _bit_case("one bit of the root in the note", "bad-signature", flip_in(content, ROOT.encode())),
        _bit_case("one bit of the signature", "bad-signature", flip_in(content, line, line.rindex(b" ") + 9)),
        _bit_case("one bit of the key id", "not-signed", flip_in(content, line, line.rindex(b" ") + 1)),
        _bit_case("one bit of the name before the signature", "not-signed", 8 * content.rindex(b"example")),
        _bit_case("a bit makes the note no UTF-8", "bad-text", 8 * 3 + 7),
        _note_case("another root, not signed again", "bad-signature", NOTE.replace(ROOT, other_root)),
        _note_case("another size, not signed again", "bad-signature", NOTE.replace(f"\n{SIZE}\n", f"\n{SIZE - 1}\n")),
        _note_case("signed by another key of the same name", "not-signed", OTHER.note(TEXT)),
        _note_case(
            "signed by another key under the id of the right one",
            "bad-signature",
            f"{TEXT}\n— {ORIGIN} {_with_key_id(OTHER.line(TEXT))}\n",
        ),
        _note_case(
            "a false signature by the key below a good one", "bad-signature", NOTE + SIGNER.line("another text\n")
        ),
        _note_case("a signature by another key is passed over", None, NOTE + other_line),
        _note_case("a name with a byte order mark in it is a name", None, NOTE + with_mark),
        _note_case("a name with a next-line character in it is none", "bad-line", NOTE + spaced),
        _note_case("the last newline is missing", "bad-line", NOTE[:-1]),
        _note_case("the blank line is missing", "bad-line", NOTE.replace("\n\n", "\n")),
        _note_case("a blank line at the end", "bad-line", NOTE + "\n"),
        _note_case("a carriage return", "bad-text", NOTE.replace(f"\n{SIZE}\n", f"\n{SIZE}\r\n")),
        _note_case("a hyphen for the dash", "bad-line", NOTE.replace("— ", "- ")),
        _note_case("two spaces in the signature line", "bad-line", NOTE.replace("/log ", "/log  ")),
        _note_case("a signature without padding", "bad-base64", NOTE + other_line.rstrip("=\n") + "\n"),
        _note_case("a signature of no bytes behind the key id", "bad-length", NOTE + "— other AAAAAA==\n"),
        _note_case("65 signatures", "too-long", NOTE + "— other AAAAAAA=\n" * 64),
        _note_case("64 signatures", None, NOTE + "— other AAAAAAA=\n" * 63),
        _note_case("a note of 16,384 bytes", None, NOTE + _long_line(1 << 14)),
        _note_case("a note of 16,385 bytes", "too-long", NOTE + _long_line((1 << 14) + 1)),
        _note_case(
            "a note of 16,385 bytes that is no text either", "too-long", NOTE + _long_line(1 << 14)[:-1] + "\r\n"
        ),
        log_case(
            "a key that is not the one of its id",
            "bad-key",
            key=SIGNER.key.replace(SIGNER.key_id.hex(), OTHER.key_id.hex()),
        ),
        log_case("the key of another log", "not-signed", key=OTHER.key),
        log_case("a key of another type", "bad-key", key=_key_with(b"\x02" + KEY_BYTES[1:])),
        log_case("a key that is too short", "bad-key", key=_key_with(KEY_BYTES[:-1])),
        log_case("a key that is no base64", "bad-key", key=SIGNER.key[:-1]),
        log_case("a key without a name", "bad-key", key=SIGNER.key.removeprefix(ORIGIN)),
        log_case("a key that is only a name", "bad-key", key=ORIGIN),
        _note_case("a note without a text", "bad-line", f"\n\n{LINE}"),
    ]


def _long_line(size: int) -> str:
    """Return a signature line of another key that makes the note so many bytes long."""
    room = size - len(NOTE.encode()) - len("— other \n".encode())
    return f"— other{'r' * (room % 4)} {'A' * (room // 4 * 4)}\n"


def _key_with(content: bytes) -> str:
    """Return a key text whose id is right for what it holds."""
    key_id = plain.h(ORIGIN.encode(), b"\n", content)[:4]
    return f"{ORIGIN}+{key_id.hex()}+{plain.base64(content)}"


def _with_key_id(line: str) -> str:
    return plain.base64(SIGNER.key_id + b64decode(line.split(" ")[2])[4:])


def _signed_notes() -> list[Case]:
    loose = chr(ord(ROOT[-2]) + 1)  # differs only in bits that are thrown away
    texts: list[tuple[str, str, str]] = [
        ("another root, signed", "root-mismatch", f"{ORIGIN}\n{SIZE}\n{plain.base64(bytes(32))}\n"),
        ("another log's origin, signed by this key", "origin-mismatch", f"other.example/log\n{SIZE}\n{ROOT}\n"),
        ("an origin with a space, signed", "bad-origin", f"two words\n{SIZE}\n{ROOT}\n"),
        ("a size with a zero in front, signed", "bad-number", f"{ORIGIN}\n0{SIZE}\n{ROOT}\n"),
        ("a size with a sign, signed", "bad-number", f"{ORIGIN}\n+{SIZE}\n{ROOT}\n"),
        ("a size of 2^63, signed", "bad-number", f"{ORIGIN}\n{1 << 63}\n{ROOT}\n"),
        ("a root of 31 bytes, signed", "bad-length", f"{ORIGIN}\n{SIZE}\n{plain.base64(bytes(31))}\n"),
        ("a root in another spelling, signed", "bad-base64", f"{ORIGIN}\n{SIZE}\n{ROOT[:-2]}{loose}=\n"),
        ("an extension line, signed", "bad-line", f"{ORIGIN}\n{SIZE}\n{ROOT}\nextension\n"),
        ("two lines only, signed", "bad-line", f"{ORIGIN}\n{SIZE}\n"),
        ("no leaves and a root, signed", "path-mismatch", f"{ORIGIN}\n0\n{ROOT}\n"),
    ]
    return [_note_case(name, fault, SIGNER.note(text)) for name, fault, text in texts]


def _files() -> list[Case]:
    other = TOLD.changed(12, t=0)
    place = 2 + len(TOLD.leaves[256])
    last = f"tile/entries/{LAST}"
    length_of_last = sum(2 + len(leaf) for leaf in TOLD.leaves[256 : SIZE - 1]) + 1
    altered: dict[str, Any] = {"leaf_edits": [["set", 12, other.hex()]]}
    keep_note, keep_tile, keep_higher = (["restore", path] for path in ("checkpoint", TILE, HIGHER))

    def edited(name: str, fault: str, where: str, *edits: Edit, **members: Any) -> Case:
        return log_case(name, fault, where, file_edits=list(edits), **members)

    return [
        edited("one bit of a full tile", "tile-mismatch", "leaf 12", ["flip", TILE, 8 * 32 * 12 + 5]),
        edited(
            "one bit of a partial tile",
            "tile-mismatch",
            f"leaf {SIZE - 1}",
            ["flip", f"tile/0/{LAST}", 8 * 32 * (SIZE - 257)],
        ),
        edited("one bit of a tile of level 1", "tile-mismatch", HIGHER, ["flip", HIGHER, 100]),
        edited("one bit of a leaf", "tile-mismatch", "leaf 0", ["flip", ENTRIES, 8 * 2 + 70]),
        edited("one bit of a leaf in the second bundle", "tile-mismatch", "leaf 257", ["flip", last, 8 * (place + 5)]),
        edited("a tile lacks a byte", "bad-length", TILE, ["delete-last-byte", TILE]),
        edited("a tile has a byte too much", "bad-length", TILE, ["append", TILE, "AA=="]),
        edited("a tile of level 1 lacks a byte", "bad-length", HIGHER, ["delete-last-byte", HIGHER]),
        edited("a bundle of leaves lacks a byte", "too-short", last, ["delete-last-byte", last]),
        edited("a bundle of leaves has a byte too much", "trailing-bytes", ENTRIES, ["append", ENTRIES, "AA=="]),
        edited(
            "the last leaf says that it is longer",
            "too-short",
            last,
            ["flip", last, 8 * length_of_last + _zero_bit(last_length())],
        ),
        edited(
            "a tile and its leaves are both too short",
            "bad-length",
            TILE,
            ["delete-last-byte", TILE],
            ["delete-last-byte", ENTRIES],
        ),
        edited("a leaf is altered, and the tile is as before", "tile-mismatch", "leaf 12", keep_tile, **altered),
        edited(
            "a leaf is altered with its tile, and the tile above is as before",
            "tile-mismatch",
            HIGHER,
            keep_higher,
            **altered,
        ),
        log_case(
            "a leaf is altered with all tiles, and the note is as before",
            "root-mismatch",
            file_edits=[keep_note],
            **altered,
        ),
        edited(
            "a bit in the last tile comes before one in the tile above",
            "tile-mismatch",
            f"leaf {SIZE - 1}",
            ["flip", HIGHER, 0],
            ["flip", f"tile/0/{LAST}", 8 * 32 * (SIZE - 257)],
        ),
        log_case(
            "leaves of two places are swapped in the bundle only",
            "tile-mismatch",
            "leaf 30",
            leaf_edits=[["swap", 30, 31]],
            file_edits=[keep_note, keep_tile, keep_higher],
        ),
    ]


def last_length() -> int:
    return len(TOLD.leaves[-1])


def _zero_bit(number: int) -> int:
    return next(bit for bit in range(8) if not number >> bit & 1)


def _known() -> list[Case]:
    """The leaf at 255 is the last one of the first bundle; 256, 257 and 300 leaves end in other places of tiles."""
    other = bytes(32)
    index = {size: size - 1 for size in (20, 255, 256, 257, 300)}
    made = []
    for size in (255, 256, 257, 300):
        made.append(
            log_case(
                f"the last of {size} leaves is altered and the log signed again",
                "old-root-mismatch",
                leaf_edits=[["set", index[size], _another_leaf(index[size])]],
                known=[TOLD.note(size)],
            )
        )
        made.append(
            log_case(
                f"a leaf behind the first {size} is altered: it was not known before",
                None,
                leaf_edits=[["set", size, _another_leaf(size)]],
                known=[TOLD.note(size)],
            )
        )
    run = TOLD.round(SEALED).runs[0].index
    forged = SIGNER.checkpoint(SIZE, other)
    return [
        *made,
        log_case(
            "the first leaf is altered", "old-root-mismatch", "1 of", leaf_edits=[TOLD.set(0, t=0)], known=EARLIER
        ),
        log_case("a log rolled back by one leaf", "rolled-back", leaf_edits=[["keep", SIZE - 1]], known=[NOTE]),
        log_case("a log rolled back to a full tile", "rolled-back", leaf_edits=[["keep", 256]], known=[TOLD.note(257)]),
        log_case("a log rolled back to nothing", "rolled-back", leaf_edits=[["keep", 0]], known=[TOLD.note(1)]),
        log_case("two checkpoints of one size", "split-view", known=[forged]),
        log_case(
            "the other of two checkpoints of one size",
            "split-view",
            leaf_edits=[TOLD.set(run, run_commitment=other)],
            known=[NOTE],
        ),
        log_case(
            "a false checkpoint of an earlier size",
            "old-root-mismatch",
            "256 of",
            known=[TOLD.note(1), SIGNER.checkpoint(256, other)],
        ),
        log_case(
            "two checkpoints of one earlier size",
            "old-root-mismatch",
            "257 of",
            known=[TOLD.note(257), SIGNER.checkpoint(257, other)],
        ),
        log_case(
            "the first known checkpoint that shows something is named",
            "split-view",
            known=[forged, SIGNER.checkpoint(SIZE + 1, other)],
        ),
        log_case(
            "what is known is looked at before the files",
            "rolled-back",
            known=[SIGNER.checkpoint(SIZE + 1, other)],
            file_edits=[["delete-last-byte", TILE]],
        ),
        log_case(
            "the note is looked at before what is known",
            "bad-signature",
            known=[SIGNER.checkpoint(SIZE + 1, other)],
            file_edits=[["flip", "checkpoint", 8 * 3]],
        ),
        log_case(
            "an earlier root is compared before the next leaf",
            "old-root-mismatch",
            leaf_edits=[TOLD.set(run, t=0), ["set", run + 1, "00"]],
            known=[TOLD.note(run + 1)],
        ),
        log_case(
            "a leaf is looked at before the root up to it",
            "unknown-type",
            f"leaf {run}",
            leaf_edits=[["set", run, "0100"]],
            known=[TOLD.note(run + 1)],
        ),
        log_case(
            "a tile is looked at before the roots within it",
            "tile-mismatch",
            "leaf 200",
            leaf_edits=[TOLD.set(0, t=0)],
            known=[TOLD.note(1)],
            file_edits=[["flip", TILE, 8 * 32 * 200]],
        ),
    ]


def _another_leaf(index: int) -> str:
    return TOLD.changed(index, t=0).hex()


def _forks() -> list[Case]:
    """What was done to runs in a log that is signed again is valid by itself; only what is known from before tells."""
    runs = TOLD.round(SEALED).runs
    one, two = runs[6].index, runs[7].index
    known = [TOLD.note(256)]
    forks: list[tuple[str, list[Edit]]] = [
        ("a run is removed", [["delete", one]]),
        ("a run is added", [TOLD.insert(one, one, run_id=bytes(16))]),
        ("a run is altered", [TOLD.set(one, run_commitment=bytes(32))]),
        ("two runs are swapped", [["swap", one, two]]),
        ("a run is moved to another round", [TOLD.set(one, round_id="2028-02-28-classic-open")]),
        ("a run has another id", [TOLD.set(one, run_id=bytes(16))]),
        ("a commitment is another one before its round closes", [TOLD.set(14, commitment=bytes(32))]),
    ]
    made = []
    for name, edits in forks:
        made.append(log_case(f"{name}, signed again, nothing known", None, leaf_edits=edits))
        made.append(log_case(f"{name}, signed again", "old-root-mismatch", leaf_edits=edits, known=known))
    return made
