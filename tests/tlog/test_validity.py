"""Each rule of "A log is valid when", broken once; the small log of the vectors is what is tampered with."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import pytest
from shutbox.game.rulesets import CATALOGUE
from shutbox.tlog.dates import DAY_MS, day_number, iso, midnight
from shutbox.tlog.disclosure import commitment, day_seed, earlier_link, link_before
from shutbox.tlog.faults import Fault, Refused
from shutbox.tlog.leaves import (
    ChainLeaf,
    CloseLeaf,
    Kind,
    Leaf,
    Mode,
    ReinstateLeaf,
    RoundLeaf,
    RulesetLeaf,
    RunLeaf,
    SucceedLeaf,
    WithdrawLeaf,
    WithdrawReason,
)
from shutbox.tlog.validity import LogState

from tests.tlog.small_log import CHALLENGE, DAY, LEAVES, NEXT_DAY, OPEN_DAY, fault_of
from tests.tlog.whole_logs import first_difference
from tests.vectors import vectors

ANY = TypeVar("ANY", bound=Leaf)
CHAIN, RULESET, ROUND, RUN = 0, 1, 2, 6
CHALLENGE_ROUND, WITHDRAW, CHALLENGE_CLOSE, CLOSE, OPEN_CLOSE, REINSTATE = 30, 34, 35, 36, 37, 39


def at(index: int, type: type[ANY]) -> ANY:
    leaf = LEAVES[index]
    assert isinstance(leaf, type)
    return leaf


def changed(index: int, leaf: Leaf) -> list[Leaf]:
    return [*LEAVES[:index], leaf, *LEAVES[index + 1 :]]


def without(index: int) -> list[Leaf]:
    return [*LEAVES[:index], *LEAVES[index + 1 :]]


def told(leaves: Sequence[Leaf]) -> tuple[int, Fault] | None:
    difference = first_difference(leaves)
    return None if difference is None else (difference.index, difference.fault)


def test_an_empty_log_is_valid() -> None:
    assert told([]) is None


def test_a_round_follows_its_ruleset_and_a_daily_its_chain() -> None:
    assert told(without(RULESET)) == (1, Fault.RULESET_NOT_LOGGED)
    assert told(without(CHAIN)) == (1, Fault.CHAIN_NOT_LOGGED)
    assert told([*LEAVES[1:6], LEAVES[0]]) == (1, Fault.CHAIN_NOT_LOGGED)
    assert told(changed(CHAIN, replace(at(CHAIN, ChainLeaf), chain_id=bytes(16)))) == (2, Fault.CHAIN_NOT_LOGGED)
    assert told([LEAVES[RULESET], LEAVES[CHALLENGE_ROUND]]) is None


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"link": 0}, Fault.LINK_OUT_OF_RANGE),
        ({"link": 6}, Fault.LINK_OUT_OF_RANGE),
        ({"link": 2}, Fault.DAY_MISMATCH),
        ({"day": 20261202}, Fault.DAY_MISMATCH),
        ({"round_id": "2026-12-02-classic"}, Fault.ROUND_ID_MISMATCH),
        ({"round_id": "2026-12-01-digits"}, Fault.ROUND_ID_MISMATCH),
        ({"round_id": "2026-12-01-classic-open"}, Fault.ROUND_ID_MISMATCH),
        ({"mode": Mode.OPEN}, Fault.ROUND_ID_MISMATCH),
        ({"ruleset_hash": CATALOGUE["digits"].hash}, Fault.RULESET_NOT_LOGGED),
        ({"opens": 20_788 * DAY_MS + 1}, Fault.OPENS_MISMATCH),
    ],
)
def test_a_daily_agrees_with_its_link_day_ruleset_and_mode(changes: dict[str, object], fault: Fault) -> None:
    leaf: Leaf = replace(at(ROUND, RoundLeaf), **changes)  # type: ignore[arg-type]
    assert told(changed(ROUND, leaf)) == (ROUND, fault)


def test_the_last_link_of_a_chain_is_a_day_and_none_after_it() -> None:
    last = replace(at(ROUND, RoundLeaf), link=5, day=20261205, opens=20_792 * DAY_MS, round_id="2026-12-05-classic")
    assert told([*LEAVES, last]) is None
    after = replace(last, link=6, day=20261206, opens=20_793 * DAY_MS, round_id="2026-12-06-classic")
    assert told([*LEAVES, after]) == (40, Fault.LINK_OUT_OF_RANGE)


def test_a_challenge_is_named_by_a_uuid() -> None:
    for round_id in ("challenge-1", "2026-12-03-classic", CHALLENGE + "0", CHALLENGE.upper(), CHALLENGE[:-1] + "G"):
        leaf = replace(at(CHALLENGE_ROUND, RoundLeaf), round_id=round_id)
        assert told(changed(CHALLENGE_ROUND, leaf)) == (CHALLENGE_ROUND, Fault.ROUND_ID_MISMATCH)


def test_an_unknown_ruleset_is_unverifiable_and_not_invalid() -> None:
    unknown = RulesetLeaf(0, bytes(12))
    leaf = replace(at(ROUND, RoundLeaf), ruleset_hash=unknown.ruleset_hash, round_id="2026-12-01-new")
    state = LogState()
    for each in (LEAVES[CHAIN], unknown, leaf):
        state.add(each)
    assert told([LEAVES[CHAIN], unknown, replace(leaf, mode=Mode.OPEN)]) == (2, Fault.ROUND_ID_MISMATCH)
    assert told([LEAVES[CHAIN], unknown, replace(leaf, round_id="2026-12-02-new")]) == (2, Fault.ROUND_ID_MISMATCH)


def test_a_chain_id_names_one_chain() -> None:
    assert told([*LEAVES, replace(at(CHAIN, ChainLeaf), anchor=bytes(32))]) == (40, Fault.REPEATED_CHAIN)
    assert told([*LEAVES, replace(at(CHAIN, ChainLeaf), chain_id=bytes(16))]) is None


# Two chains; the second one begins on the third day of the first
FIRST_CHAIN = ChainLeaf(0, b"1" * 16, 5, 20280227, bytes(32))
SECOND_CHAIN = ChainLeaf(0, b"2" * 16, 1, 20280229, bytes(32))
CLASSIC = RulesetLeaf(0, CATALOGUE["classic"].document)


def daily(chain: ChainLeaf, day: int) -> RoundLeaf:
    """Return the round of a day that names the link of a chain for that day."""
    link = day_number(day) - day_number(chain.first_day) + 1
    named = f"{iso(day)}-classic", CLASSIC.ruleset_hash, bytes(32), chain.chain_id, link
    return RoundLeaf(0, Kind.DAILY, Mode.SEALED, *named, day, midnight(day), midnight(day))


def test_a_chain_that_was_logged_later_rules_from_its_first_day_on() -> None:
    begun: list[Leaf] = [CLASSIC, FIRST_CHAIN, SECOND_CHAIN]
    assert told([*begun, daily(FIRST_CHAIN, 20280228), daily(SECOND_CHAIN, 20280229)]) is None
    assert told([*begun, daily(FIRST_CHAIN, 20280229)]) == (3, Fault.CHAIN_NOT_RULING)
    assert told([*begun, daily(FIRST_CHAIN, 20280301)]) == (3, Fault.CHAIN_NOT_RULING), "also behind its end"
    assert told([*begun, daily(SECOND_CHAIN, 20280301)]) == (3, Fault.LINK_OUT_OF_RANGE)
    assert told([*begun, daily(SECOND_CHAIN, 20280228)]) == (3, Fault.LINK_OUT_OF_RANGE)


def test_a_chain_rules_what_is_logged_behind_it_only() -> None:
    first, second = daily(FIRST_CHAIN, 20280229), daily(SECOND_CHAIN, 20280229)
    assert told([CLASSIC, FIRST_CHAIN, first, SECOND_CHAIN]) is None
    assert told([CLASSIC, SECOND_CHAIN, second, FIRST_CHAIN]) is None
    assert told([CLASSIC, SECOND_CHAIN, FIRST_CHAIN, first]) is None
    assert told([CLASSIC, SECOND_CHAIN, FIRST_CHAIN, second]) == (3, Fault.CHAIN_NOT_RULING)


def test_the_ruling_chain_is_asked_for_between_the_day_and_the_id_of_a_round() -> None:
    begun: list[Leaf] = [CLASSIC, FIRST_CHAIN, SECOND_CHAIN]
    round = daily(FIRST_CHAIN, 20280229)
    assert told([*begun, replace(round, round_id="another", opens=0)]) == (3, Fault.CHAIN_NOT_RULING)
    assert told([*begun, replace(round, link=2)]) == (3, Fault.DAY_MISMATCH)
    assert told([*begun, replace(round, link=6)]) == (3, Fault.LINK_OUT_OF_RANGE)
    assert told([*begun, replace(round, chain_id=b"3" * 16)]) == (3, Fault.CHAIN_NOT_LOGGED)


def test_an_id_has_one_round_and_at_most_one_close() -> None:
    assert told([*LEAVES, LEAVES[ROUND]]) == (40, Fault.REPEATED_ROUND)
    assert told([*LEAVES, LEAVES[CLOSE]]) == (40, Fault.REPEATED_CLOSE)
    assert told(without(ROUND)) == (5, Fault.ROUND_NOT_LOGGED)
    assert told([LEAVES[CLOSE]]) == (0, Fault.ROUND_NOT_LOGGED)


def test_runs_lie_between_round_and_close() -> None:
    run = at(RUN, RunLeaf)
    assert told([*LEAVES[:2], run, *LEAVES[2:6]]) == (2, Fault.ROUND_NOT_LOGGED)
    assert told([*LEAVES, replace(run, run_id=bytes(16))]) == (40, Fault.ROUND_CLOSED)
    assert told([*LEAVES, replace(run, run_id=bytes(16), round_id=NEXT_DAY)]) is None


def test_a_run_is_logged_once() -> None:
    assert told([*LEAVES[:7], LEAVES[RUN], *LEAVES[7:]]) == (7, Fault.REPEATED_RUN)


def test_withdraw_and_reinstate_name_a_run_before_them() -> None:
    run = at(RUN, RunLeaf)
    for leaf in (
        WithdrawLeaf(0, run.round_id, bytes(16), WithdrawReason.OTHER),
        WithdrawLeaf(0, OPEN_DAY, run.run_id, WithdrawReason.OTHER),
        ReinstateLeaf(0, run.round_id, bytes(16)),
    ):
        assert told([*LEAVES, leaf]) == (40, Fault.RUN_NOT_LOGGED)
    assert told([LEAVES[WITHDRAW]]) == (0, Fault.ROUND_NOT_LOGGED)
    assert told(without(33)) == (33, Fault.RUN_NOT_LOGGED)


def test_succeed_is_the_first_leaf_or_none() -> None:
    succeed = SucceedLeaf(0, "example.org/shutbox/log-0", 3, bytes(32))
    assert told([succeed, *LEAVES]) is None
    assert told([LEAVES[0], succeed]) == (1, Fault.SUCCEED_NOT_FIRST)
    assert told([succeed, succeed]) == (1, Fault.SUCCEED_NOT_FIRST)


def test_the_seed_matches_the_commitment() -> None:
    close = at(CHALLENGE_CLOSE, CloseLeaf)
    assert told(changed(CHALLENGE_CLOSE, replace(close, seed=bytes(32)))) == (CHALLENGE_CLOSE, Fault.SEED_MISMATCH)


def test_a_challenge_discloses_no_day_secret() -> None:
    close = replace(at(CHALLENGE_CLOSE, CloseLeaf), day_secret=b"\1" * 32)
    assert told(changed(CHALLENGE_CLOSE, close)) == (CHALLENGE_CLOSE, Fault.NOT_ZERO)


def test_a_day_secret_hashes_back_and_yields_the_seed() -> None:
    close = at(CLOSE, CloseLeaf)
    assert told(changed(CLOSE, replace(close, day_secret=bytes(32)))) == (CLOSE, Fault.LINK_MISMATCH)
    assert told(changed(CLOSE, replace(close, seed=bytes(32)))) == (CLOSE, Fault.SEED_NOT_DERIVED)
    swapped = replace(at(OPEN_CLOSE, CloseLeaf), seed=close.seed)
    assert told(changed(OPEN_CLOSE, swapped)) == (OPEN_CLOSE, Fault.SEED_NOT_DERIVED)
    other = replace(at(CHAIN, ChainLeaf), anchor=bytes(32))
    assert told(changed(CHAIN, other)) == (CLOSE, Fault.LINK_MISMATCH)


def test_a_day_secret_replaced_together_with_its_commitment_does_not_hash_back() -> None:
    round, close, secret = at(ROUND, RoundLeaf), at(CLOSE, CloseLeaf), b"\7" * 32
    seed = day_seed(secret, round.day, "sealed", round.ruleset_hash)
    leaves = changed(ROUND, replace(round, commitment=commitment(round.ruleset_hash, seed)))
    leaves[CLOSE] = replace(close, day_secret=secret, seed=seed)
    assert told(leaves) == (CLOSE, Fault.LINK_MISMATCH)


def test_a_commitment_replaced_alone_does_not_fit_the_seed() -> None:
    round = replace(at(ROUND, RoundLeaf), commitment=bytes(32))
    assert told(changed(ROUND, round)) == (CLOSE, Fault.SEED_MISMATCH)


def made_log(days: int) -> tuple[list[Leaf], list[CloseLeaf]]:
    """Return a log with a chain and one round a day, and their closes in order."""
    chain_id, classic = b"c" * 16, CATALOGUE["classic"]
    links = {days: b"s" * 32}
    for i in range(days, 0, -1):
        links[i - 1] = link_before(chain_id, i, links[i])
    leaves: list[Leaf] = [ChainLeaf(0, chain_id, days, 20280227, links[0]), RulesetLeaf(0, classic.document)]
    closes = []
    for i, day in enumerate([20280227, 20280228, 20280229, 20280301, 20280302][:days], start=1):
        seed = day_seed(links[i], day, "sealed", classic.hash)
        round_id = f"{day // 10_000}-{day // 100 % 100:02}-{day % 100:02}-classic"
        opens = (21_241 + i - 1) * DAY_MS
        named = Kind.DAILY, Mode.SEALED, round_id, classic.hash, commitment(classic.hash, seed)
        leaves.append(RoundLeaf(0, *named, chain_id, i, day, opens, opens))
        closes.append(CloseLeaf(0, round_id, seed, links[i], 0, bytes(32)))
    return leaves, closes


def test_days_close_in_order_over_a_leap_day_and_none_is_passed_over() -> None:
    leaves, closes = made_log(5)
    assert told([*leaves, *closes]) is None
    assert told([*leaves, closes[1], closes[0]]) == (7, Fault.DAYS_OUT_OF_ORDER)
    assert told([*leaves, closes[0], closes[4]]) == (8, Fault.DAYS_OUT_OF_ORDER)
    assert told([*leaves, *closes[:2], replace(closes[2], day_secret=bytes(32))]) == (9, Fault.LINK_MISMATCH)


def test_a_day_without_a_round_may_be_passed_over() -> None:
    leaves, closes = made_log(5)
    assert told([*leaves[:3], *leaves[5:], closes[0], *closes[3:]]) is None
    assert told([*leaves[:3], leaves[6], closes[0], closes[4]]) is None
    wrong = replace(closes[4], day_secret=bytes(32))
    assert told([*leaves[:3], leaves[6], closes[0], wrong]) == (5, Fault.LINK_MISMATCH)


def open_round(leaves: Sequence[Leaf], close: CloseLeaf) -> tuple[RoundLeaf, CloseLeaf]:
    """Return the open round of the first day of a made log, and its close."""
    sealed = leaves[2]
    assert isinstance(sealed, RoundLeaf)
    seed = day_seed(close.day_secret, sealed.day, "open", sealed.ruleset_hash)
    named = {"round_id": f"{sealed.round_id}-open", "commitment": commitment(sealed.ruleset_hash, seed)}
    round = replace(sealed, mode=Mode.OPEN, **named)  # type: ignore[arg-type]
    return round, replace(close, round_id=round.round_id, seed=seed)


def test_a_day_closes_when_every_round_of_an_earlier_day_has_closed() -> None:
    leaves, closes = made_log(2)
    round, close = open_round(leaves, closes[0])
    for first, second in ((close, closes[0]), (closes[0], close)):
        assert told([*leaves, round, first, second, closes[1]]) is None
        assert told([*leaves, round, first, closes[1]]) == (6, Fault.DAYS_OUT_OF_ORDER)
        assert told([*leaves, round, first, closes[1], second]) == (6, Fault.DAYS_OUT_OF_ORDER)


def test_no_run_is_logged_after_the_first_close_of_its_day() -> None:
    run = replace(at(RUN, RunLeaf), round_id=OPEN_DAY, run_id=bytes(16))
    assert told([*LEAVES[:CLOSE], run, *LEAVES[CLOSE:]]) is None
    assert told([*LEAVES[: CLOSE + 1], run, *LEAVES[CLOSE + 1 :]]) == (CLOSE + 1, Fault.DAYS_OUT_OF_ORDER)
    assert told([*LEAVES, replace(run, round_id=NEXT_DAY)]) is None


def test_no_round_is_logged_after_the_first_close_of_its_day() -> None:
    leaves, closes = made_log(2)
    round, close = open_round(leaves, closes[0])
    assert told([*leaves, round, closes[0], close]) is None
    assert told([*leaves, closes[0], round]) == (5, Fault.DAYS_OUT_OF_ORDER)
    assert told([*leaves[:3], closes[0], leaves[3], closes[1]]) is None
    assert told([*leaves[:2], leaves[3], closes[1], leaves[2]]) == (4, Fault.DAYS_OUT_OF_ORDER)


def test_whether_the_day_has_ended_is_asked_last() -> None:
    leaves, closes = made_log(1)
    round, _ = open_round(leaves, closes[0])
    assert told([*leaves, closes[0], replace(round, opens=0)]) == (4, Fault.OPENS_MISMATCH)
    run = replace(at(RUN, RunLeaf), round_id=OPEN_DAY, run_id=bytes(16))
    assert told([*LEAVES[:CLOSE], run, LEAVES[CLOSE], run]) == (CLOSE + 2, Fault.REPEATED_RUN)
    assert told([*LEAVES, run]) == (40, Fault.ROUND_CLOSED)


def test_a_challenge_goes_on_whatever_days_close() -> None:
    run = replace(at(RUN, RunLeaf), round_id=CHALLENGE, run_id=bytes(16))
    moved = [*without(CHALLENGE_CLOSE), run, at(CHALLENGE_CLOSE, CloseLeaf)]
    assert told(moved) is None
    other = replace(at(CHALLENGE_ROUND, RoundLeaf), round_id="challenge-00000000-0000-0000-0000-000000000000")
    assert told([*LEAVES, other, replace(run, round_id=other.round_id)]) is None


def test_a_refused_leaf_leaves_the_state_as_it_was() -> None:
    leaves, closes = made_log(2)
    state = LogState()
    for leaf in leaves:
        state.add(leaf)
    with pytest.raises(Refused):
        state.add(replace(closes[0], seed=bytes(32)))
    with pytest.raises(Refused):
        state.add(replace(closes[1], day_secret=bytes(32)))
    assert state.size == len(leaves)
    for close in closes:
        state.add(close)
    assert fault_of(state.add, closes[1]) is Fault.REPEATED_CLOSE


def test_links_and_seeds_are_those_of_the_chain_vectors() -> None:
    chain = vectors("chain")
    chain_id, links = bytes.fromhex(chain["chain_id"]), [bytes.fromhex(link) for link in chain["links"].values()]
    assert len(links) == chain["length"] + 1
    for number, link in enumerate(links):
        assert earlier_link(chain_id, number, link, 0) == links[0]
        if number:
            assert link_before(chain_id, number, link) == links[number - 1]
    for given in chain["day_seeds"]:
        ruleset_hash = CATALOGUE[given["ruleset"]].hash
        seed = day_seed(links[given["link"]], given["day"], given["mode"], ruleset_hash)
        assert seed.hex() == given["seed"]
        assert commitment(ruleset_hash, seed).hex() == given["commitment"]


def test_a_log_without_its_runs_has_the_same_rounds() -> None:
    assert told([leaf for leaf in LEAVES if not isinstance(leaf, RunLeaf | WithdrawLeaf | ReinstateLeaf)]) is None
    assert at(CLOSE, CloseLeaf).round_id == DAY
    assert at(REINSTATE, ReinstateLeaf).round_id == OPEN_DAY
