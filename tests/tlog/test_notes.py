"""Keys, notes and checkpoints have one spelling, and only what the key signed passes."""

import pytest
from shutbox.tlog.faults import Fault
from shutbox.tlog.merkle import EMPTY_ROOT
from shutbox.tlog.note import (
    Checkpoint,
    SigningKey,
    VerifierKey,
    parse_note,
    sign_checkpoint,
    verify_checkpoint,
    verify_note,
)
from shutbox.tlog.reading import base64_text

from tests.tlog.small_log import CHECKPOINT, KEY, LOG, SECRET, fault_of, flipped

TEXT, SIGNATURE_LINE = CHECKPOINT.decode().split("\n\n")
ORIGIN, SIZE, ROOT = TEXT.split("\n")
OTHER = SigningKey("witness.example/w", bytes(32))
OTHER_LINE = OTHER.sign(f"{TEXT}\n").decode().split("\n\n")[1]


def signed(text: str) -> bytes:
    """Return whatever text with a good signature."""
    return SECRET.sign(text)


def test_every_flipped_bit_of_a_checkpoint_is_refused() -> None:
    for wrong in flipped(CHECKPOINT):
        fault_of(verify_checkpoint, wrong, KEY)


def test_every_flipped_bit_of_a_verifier_key_is_refused() -> None:
    for wrong in flipped(LOG["vkey"].encode()):
        assert fault_of(VerifierKey.parse, wrong.decode("latin-1")) is Fault.BAD_KEY


@pytest.mark.parametrize(
    "text",
    [
        "",
        "name",
        "name+00000000",
        LOG["vkey"] + "\n",
        " " + LOG["vkey"],
        LOG["vkey"].replace("1d1b6d8e", "1D1B6D8E"),
        LOG["vkey"].replace("+1d1b6d8e", "+1d1b6d8"),
        LOG["vkey"].replace(ORIGIN, "other.example/log"),
        LOG["vkey"].replace("+AY", "+BI"),
    ],
)
def test_a_verifier_key_has_one_spelling(text: str) -> None:
    assert fault_of(VerifierKey.parse, text) is Fault.BAD_KEY


def test_a_base64_key_with_a_plus_in_it_is_read() -> None:
    keys = [SigningKey("log.example", bytes((number,)) * 32).verifier for number in range(40)]
    assert any("+" in key.text.split("+", 2)[2] for key in keys)
    assert [VerifierKey.parse(key.text) for key in keys] == keys


def test_signing_keys_do_not_show_their_secret() -> None:
    assert LOG["key_secret"] not in repr(SECRET)
    assert repr(bytes.fromhex(LOG["key_secret"])) not in repr(SECRET)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (CHECKPOINT.replace(b"\n", b"\r\n"), Fault.BAD_TEXT),
        (CHECKPOINT.replace(b"log\n40", b"log\r\n40"), Fault.BAD_TEXT),
        (CHECKPOINT[:-1] + b"\r\n", Fault.BAD_TEXT),
        (CHECKPOINT.replace(b"\n40", b"\n\t40"), Fault.BAD_TEXT),
        (CHECKPOINT + b"\0", Fault.BAD_TEXT),
        (CHECKPOINT + b"\xff", Fault.BAD_TEXT),
        (b"\xef\xbb\xbf" + CHECKPOINT, Fault.BAD_SIGNATURE),
        (CHECKPOINT + b"\n", Fault.BAD_LINE),
        (CHECKPOINT + b"x", Fault.BAD_LINE),
        (CHECKPOINT[:-1], Fault.BAD_LINE),
        (TEXT.encode() + b"\n", Fault.BAD_LINE),
        (TEXT.encode() + b"\n\n", Fault.BAD_LINE),
        (b"\n\n" + SIGNATURE_LINE.encode(), Fault.BAD_LINE),
        (b"", Fault.BAD_LINE),
        (CHECKPOINT.replace("— ".encode(), "—  ".encode()), Fault.BAD_LINE),
        (CHECKPOINT.replace("— ".encode(), b"- "), Fault.BAD_LINE),
        (CHECKPOINT.replace("— ".encode(), "– ".encode()), Fault.BAD_LINE),
        (CHECKPOINT.replace(b"log HRtt", b"log  HRtt"), Fault.BAD_LINE),
        (CHECKPOINT[:-1] + b" \n", Fault.BAD_LINE),
        (CHECKPOINT.replace(b"/log HRtt", b"/lo+g HRtt"), Fault.BAD_LINE),
        (CHECKPOINT.replace(b"/log HRtt", "/lo\u00a0g HRtt".encode()), Fault.BAD_LINE),
        (CHECKPOINT.replace(b"/owM=", b"/owN="), Fault.BAD_BASE64),
        (CHECKPOINT[:-2] + b"\n", Fault.BAD_BASE64),
        (CHECKPOINT[:-1] + b"=\n", Fault.BAD_BASE64),
        (CHECKPOINT + "— x AAAA\n".encode(), Fault.BAD_LENGTH),
        (CHECKPOINT + "— x AAAAAA==\n".encode(), Fault.BAD_LENGTH),
        (CHECKPOINT + SIGNATURE_LINE.encode() * 64, Fault.TOO_LONG),
        (CHECKPOINT.replace(b"\n40\n", b"\n41\n"), Fault.BAD_SIGNATURE),
        (CHECKPOINT.replace(b"log HRtt", b"log HRtu"), Fault.NOT_SIGNED),
        (CHECKPOINT.replace(b"log HRtt", b"log-2 HRtt"), Fault.NOT_SIGNED),
    ],
)
def test_a_faulty_note_is_refused_by_name(content: bytes, fault: Fault) -> None:
    assert fault_of(verify_checkpoint, content, KEY) is fault


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (f"{ORIGIN}\n040\n{ROOT}\n", Fault.BAD_NUMBER),
        (f"{ORIGIN}\n+40\n{ROOT}\n", Fault.BAD_NUMBER),
        (f"{ORIGIN}\n-40\n{ROOT}\n", Fault.BAD_NUMBER),
        (f"{ORIGIN}\n40 \n{ROOT}\n", Fault.BAD_NUMBER),
        (f"{ORIGIN}\n 40\n{ROOT}\n", Fault.BAD_NUMBER),
        (f"{ORIGIN}\n4_0\n{ROOT}\n", Fault.BAD_NUMBER),
        (f"{ORIGIN}\n٤٠\n{ROOT}\n", Fault.BAD_NUMBER),
        (f"{ORIGIN}\n\n{ROOT}\n", Fault.BAD_NUMBER),
        (f"{ORIGIN}\n9223372036854775808\n{ROOT}\n", Fault.BAD_NUMBER),
        (f"{ORIGIN}\n40\n{ROOT[:-1]}\n", Fault.BAD_BASE64),
        (f"{ORIGIN}\n40\n {ROOT}\n", Fault.BAD_BASE64),
        (f"{ORIGIN}\n40\n{ROOT[:-2]}V=\n", Fault.BAD_BASE64),
        (f"{ORIGIN}\n40\n{base64_text(bytes(31))}\n", Fault.BAD_LENGTH),
        (f"{ORIGIN}\n40\n{ROOT}\nextension\n", Fault.BAD_LINE),
        (f"{ORIGIN}\n40\n{ROOT}\n\n", Fault.BAD_LINE),
        (f"{ORIGIN}\n40\n", Fault.BAD_LINE),
        (f"{ORIGIN}\n0\n{ROOT}\n", Fault.PATH_MISMATCH),
        (f"other.example/log\n40\n{ROOT}\n", Fault.ORIGIN_MISMATCH),
        (f"two words\n40\n{ROOT}\n", Fault.BAD_ORIGIN),
    ],
)
def test_a_faulty_checkpoint_is_refused_even_if_it_is_signed(text: str, fault: Fault) -> None:
    assert verify_note(signed(text), KEY) == text
    assert fault_of(verify_checkpoint, signed(text), KEY) is fault


def test_signatures_by_other_keys_are_passed_over() -> None:
    for content in (CHECKPOINT.decode() + OTHER_LINE, f"{TEXT}\n\n{OTHER_LINE}{SIGNATURE_LINE}"):
        assert verify_checkpoint(content.encode(), KEY) == verify_checkpoint(CHECKPOINT, KEY)
    assert fault_of(verify_checkpoint, f"{TEXT}\n\n{OTHER_LINE}".encode(), KEY) is Fault.NOT_SIGNED


def test_sixteen_signatures_are_accepted() -> None:
    content = (CHECKPOINT.decode() + OTHER_LINE * 15).encode()
    assert len(parse_note(content).signatures) == 16
    assert verify_checkpoint(content, KEY).size == 40


def test_a_note_has_at_most_16384_bytes() -> None:
    room = (1 << 14) - len(CHECKPOINT) - len("— other \n".encode())
    longest = CHECKPOINT + f"— other {'A' * (room // 4 * 4)}\n".encode()
    longest = longest.replace(b"other", b"other" + b"r" * ((1 << 14) - len(longest)))
    assert len(longest) == 1 << 14
    assert verify_checkpoint(longest, KEY).size == 40
    assert fault_of(verify_checkpoint, longest.replace(b"other", b"another"), KEY) is Fault.TOO_LONG
    assert fault_of(verify_checkpoint, b"\xff" * ((1 << 14) + 1), KEY) is Fault.TOO_LONG, "asked first"
    assert fault_of(verify_checkpoint, b"\xff" * (1 << 14), KEY) is Fault.BAD_TEXT


def test_a_note_has_at_most_64_signatures() -> None:
    assert len(parse_note((CHECKPOINT.decode() + OTHER_LINE * 63).encode()).signatures) == 64
    assert fault_of(parse_note, (CHECKPOINT.decode() + OTHER_LINE * 64).encode()) is Fault.TOO_LONG


def test_a_key_of_the_same_name_is_another_key() -> None:
    namesake = SigningKey(SECRET.name, bytes(32))
    line = namesake.sign(f"{TEXT}\n").decode().split("\n\n")[1]
    assert verify_checkpoint((CHECKPOINT.decode() + line).encode(), KEY).size == 40
    assert fault_of(verify_checkpoint, CHECKPOINT, namesake.verifier) is Fault.NOT_SIGNED


def test_one_false_signature_by_the_key_spoils_the_note() -> None:
    false_line = SECRET.sign("another text\n").decode().split("\n\n")[1]
    assert fault_of(verify_checkpoint, (CHECKPOINT.decode() + false_line).encode(), KEY) is Fault.BAD_SIGNATURE


def test_a_note_may_hold_blank_lines_but_a_checkpoint_may_not() -> None:
    assert verify_note(signed("one\n\ntwo\n"), KEY) == "one\n\ntwo\n"
    assert fault_of(verify_checkpoint, signed("one\n\ntwo\n"), KEY) is Fault.BAD_NUMBER


def test_a_log_begins_empty() -> None:
    checkpoint = Checkpoint(SECRET.name, 0, EMPTY_ROOT)
    assert verify_checkpoint(sign_checkpoint(checkpoint, SECRET), KEY) == checkpoint


def test_a_checkpoint_of_another_log_is_not_signed() -> None:
    assert fault_of(sign_checkpoint, Checkpoint("other", 0, EMPTY_ROOT), SECRET) is Fault.ORIGIN_MISMATCH
    for size in (-1, 2**63):
        assert fault_of(Checkpoint, "other", size, EMPTY_ROOT) is Fault.BAD_NUMBER


def test_keys_of_another_length_cannot_be_made() -> None:
    assert fault_of(SigningKey, "name", bytes(31)) is Fault.BAD_LENGTH
    assert fault_of(SigningKey, "na me", bytes(32)) is Fault.BAD_ORIGIN
    assert fault_of(VerifierKey, "name", bytes(33)) is Fault.BAD_LENGTH


@pytest.mark.parametrize(
    "key",
    [
        "00" * 32,
        "00" * 31 + "80",
        "01" + "00" * 31,
        "ec" + "ff" * 30 + "7f",
        "ed" + "ff" * 30 + "7f",
        "ee" + "ff" * 31,
        "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
        "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa",
    ],
)
def test_a_key_for_which_anyone_can_sign_is_none(key: str) -> None:
    assert fault_of(VerifierKey, "example.org/log", bytes.fromhex(key)) is Fault.BAD_KEY
