"""Leaves and runs have one spelling in bytes; everything else is refused by name."""

from dataclasses import replace
from datetime import date, timedelta

import pytest
from shutbox.game.encoding import lp
from shutbox.game.runs import run_bytes
from shutbox.tlog.dates import DAY_MS, day_number, iso, midnight
from shutbox.tlog.faults import Fault, Refused
from shutbox.tlog.leaves import (
    ChainLeaf,
    CloseLeaf,
    Kind,
    Mode,
    RoundLeaf,
    RulesetLeaf,
    RunLeaf,
    SucceedLeaf,
    WithdrawLeaf,
    decode,
    encode,
)
from shutbox.tlog.runs import parse_run

from tests.tlog.small_log import CONTENTS, LEAVES, LOG, disclosed, fault_of, flipped

BY_TYPE = {type(leaf).__name__: (leaf, content) for leaf, content in zip(LEAVES, CONTENTS, strict=True)}
SUCCEED = bytes.fromhex(LOG["successor"]["leaf"])
ONE_OF_EACH = [*(content for _, content in BY_TYPE.values()), SUCCEED]
RUN = disclosed(next(iter(LOG["rounds"])))[0].content


@pytest.mark.parametrize("content", ONE_OF_EACH, ids=lambda content: f"type-{content[1]}")
def test_a_leaf_cut_short_or_followed_by_anything_is_refused(content: bytes) -> None:
    for length in range(len(content)):
        assert fault_of(decode, content[:length]) is Fault.TOO_SHORT
    assert fault_of(decode, content + b"\0") is Fault.TRAILING_BYTES


@pytest.mark.parametrize("content", ONE_OF_EACH, ids=lambda content: f"type-{content[1]}")
def test_every_flipped_bit_of_a_leaf_gives_another_leaf_or_a_refusal(content: bytes) -> None:
    leaf = decode(content)
    for wrong in flipped(content):
        try:
            other = decode(wrong)
        except Refused:
            continue
        assert other != leaf
        assert encode(other) == wrong


def test_unknown_versions_and_types_are_refused() -> None:
    for version in {*range(256)} - {1}:
        assert fault_of(decode, bytes((version,)) + CONTENTS[0][1:]) is Fault.UNKNOWN_VERSION
    for number in {*range(256)} - {*range(1, 9)}:
        assert fault_of(decode, b"\x01" + bytes((number,)) + CONTENTS[0][2:]) is Fault.UNKNOWN_TYPE


def test_unknown_kinds_modes_and_reasons_are_refused() -> None:
    content = BY_TYPE["RoundLeaf"][1]
    withdraw = BY_TYPE["WithdrawLeaf"][1]
    for number in (0, 3, 255):
        assert fault_of(decode, content[:10] + bytes((number,)) + content[11:]) is Fault.UNKNOWN_KIND
        assert fault_of(decode, content[:11] + bytes((number,)) + content[12:]) is Fault.UNKNOWN_MODE
    for number in (0, 5, 255):
        assert fault_of(decode, withdraw[:-1] + bytes((number,))) is Fault.UNKNOWN_REASON


@pytest.mark.parametrize("text", ["", "2026-12-01-clássic", "a b", "a\n", "a\0", "a\x7f"])
def test_a_round_id_is_visible_ascii(text: str) -> None:
    content = b"\x01\x07" + bytes(8) + lp(text.encode()) + bytes(16)
    assert fault_of(decode, content) is Fault.BAD_ROUND_ID
    assert fault_of(parse_run, b"\x01" + lp(text.encode()) + bytes(49)) is Fault.BAD_ROUND_ID
    leaf = LEAVES[6]
    assert isinstance(leaf, RunLeaf)
    assert fault_of(replace, leaf, round_id=text) is Fault.BAD_ROUND_ID


@pytest.mark.parametrize("text", ["", "exämple.org", "a b", "a+b", "a\n"])
def test_an_origin_is_visible_ascii_without_plus(text: str) -> None:
    assert fault_of(decode, SUCCEED[:10] + lp(text.encode()) + bytes(40)) is Fault.BAD_ORIGIN


@pytest.mark.parametrize(
    "day", [0, 1, 20260229, 20260431, 20260100, 20261301, 20260001, 19691231, 100000101, 2**32 - 1]
)
def test_a_day_is_a_day_of_the_calendar(day: int) -> None:
    chain, round = BY_TYPE["ChainLeaf"][0], LEAVES[2]
    assert isinstance(chain, ChainLeaf)
    assert isinstance(round, RoundLeaf)
    assert fault_of(replace, chain, first_day=day) is Fault.BAD_DAY
    assert fault_of(replace, round, day=day) is Fault.BAD_DAY
    content = encode(chain)
    assert fault_of(decode, content[:30] + day.to_bytes(4, "big") + content[34:]) is Fault.BAD_DAY


def test_days_are_counted_as_the_calendar_counts_them() -> None:
    day, last = date(1970, 1, 1), date(2405, 1, 1)
    number = 0
    while day < last:
        written = day.year * 10_000 + day.month * 100 + day.day
        assert day_number(written) == number
        assert iso(written) == day.isoformat()
        day, number = day + timedelta(days=1), number + 1
    assert midnight(20261201) == 20_788 * DAY_MS
    assert day_number(99991231) == (date(9999, 12, 31) - date(1970, 1, 1)).days


def test_a_challenge_has_no_chain() -> None:
    leaf = LEAVES[30]
    assert isinstance(leaf, RoundLeaf)
    assert (leaf.kind, leaf.mode, leaf.link, leaf.day) == (Kind.CHALLENGE, Mode.SEALED, 0, 0)
    for changes in ({"chain_id": b"\1" * 16}, {"link": 1}, {"day": 20261201}):
        assert fault_of(replace, leaf, **changes) is Fault.NOT_ZERO


def test_a_value_of_another_length_or_out_of_range_cannot_be_made() -> None:
    assert fault_of(ChainLeaf, 0, bytes(15), 1, 20261201, bytes(32)) is Fault.BAD_LENGTH
    assert fault_of(RulesetLeaf, 0, bytes(13)) is Fault.BAD_LENGTH
    assert fault_of(RulesetLeaf, -1, bytes(12)) is Fault.BAD_NUMBER
    assert fault_of(RulesetLeaf, 1 << 64, bytes(12)) is Fault.BAD_NUMBER
    for t in (0, (1 << 64) - 1):
        assert decode(encode(RulesetLeaf(t, bytes(12)))) == RulesetLeaf(t, bytes(12))
    assert fault_of(CloseLeaf, 0, "r", bytes(32), bytes(32), 1 << 32, bytes(32)) is Fault.BAD_NUMBER
    assert fault_of(SucceedLeaf, 0, "o", 1, bytes(31)) is Fault.BAD_LENGTH
    withdraw = BY_TYPE["WithdrawLeaf"][0]
    assert isinstance(withdraw, WithdrawLeaf)
    assert fault_of(replace, withdraw, run_id=bytes(17)) is Fault.BAD_LENGTH


def test_a_leaf_too_long_for_an_entry_bundle_is_refused() -> None:
    longest = RunLeaf(0, "r" * (0xFFFF - 60), bytes(16), bytes(32))
    assert len(encode(longest)) == 0xFFFF
    assert decode(encode(longest)) == longest
    assert fault_of(encode, replace(longest, round_id=longest.round_id + "r")) is Fault.TOO_LONG
    assert fault_of(decode, encode(longest) + b"\0") is Fault.TOO_LONG


@pytest.mark.parametrize("round_id", LOG["rounds"])
def test_a_run_is_read_as_it_was_written(round_id: str) -> None:
    for given in disclosed(round_id):
        run = parse_run(given.content)
        assert run_bytes(run.round_id, run.player_tag, run.ruleset_hash, run.turns) == given.content


def test_a_run_cut_short_followed_by_anything_or_of_another_version_is_refused() -> None:
    for length in range(len(RUN)):
        assert fault_of(parse_run, RUN[:length]) is Fault.TOO_SHORT
    assert fault_of(parse_run, RUN + b"\0") is Fault.TRAILING_BYTES
    assert fault_of(parse_run, RUN + RUN[-3:]) is Fault.TRAILING_BYTES
    assert fault_of(parse_run, b"\x02" + RUN[1:]) is Fault.UNKNOWN_VERSION


def test_every_flipped_bit_of_a_run_gives_another_run_or_a_refusal() -> None:
    for wrong in flipped(RUN):
        try:
            run = parse_run(wrong)
        except Refused:
            continue
        assert run != parse_run(RUN)
        assert run_bytes(run.round_id, run.player_tag, run.ruleset_hash, run.turns) == wrong
