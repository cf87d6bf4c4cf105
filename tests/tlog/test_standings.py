"""The order of a round, and a bundle tampered with: each change is refused by name."""

from dataclasses import replace

import pytest
from shutbox.game.rulesets import CATALOGUE
from shutbox.game.runs import run_bytes, run_commitment
from shutbox.tlog.audit import check_bundle
from shutbox.tlog.bundle import BundleRun
from shutbox.tlog.faults import Fault
from shutbox.tlog.leaves import WithdrawLeaf, WithdrawReason
from shutbox.tlog.runs import parse_run
from shutbox.tlog.standings import Judge, JudgedRun, RoundHistory, check_judged, rank, ranking_hash

from tests.tlog.small_log import CHALLENGE, DAY, LEAVES, NEXT_DAY, OPEN_DAY, bundle_of, check_round, disclosed, fault_of
from tests.tlog.whole_logs import history_of

HISTORY = history_of(DAY, LEAVES)
RUNS = disclosed(DAY)


def judged(number: int, score: int, given_away: int, player: int) -> JudgedRun:
    return JudgedRun(bytes((number,)) * 16, bytes((number,)) * 32, bytes((player,)) * 16, score, given_away)


def relogged(at: int, run: BundleRun, history: RoundHistory = HISTORY) -> RoundHistory:
    """Return a history in which the log holds another run."""
    logged = history.runs[at]._replace(run_id=run.run_id, commitment=run_commitment(run.salt, run.content))
    return replace(history, runs=[*history.runs[:at], logged, *history.runs[at + 1 :]])


def test_order_is_score_then_given_away_then_run_id_with_shared_ranks() -> None:
    runs = [judged(5, 40, 7, 5), judged(4, 40, 7, 4), judged(3, 40, 3, 3), judged(2, 39, 0, 2), judged(1, 45, 9, 1)]
    assert [(place.rank, place.run.run_id[0]) for place in rank(runs)] == [(1, 1), (2, 3), (3, 4), (3, 5), (5, 2)]


def test_ranks_run_1_2_2_4() -> None:
    runs = [judged(number, score, 0, number) for number, score in ((1, 9), (2, 8), (3, 8), (4, 7))]
    assert [place.rank for place in rank(runs)] == [1, 2, 2, 4]


def test_a_player_is_ranked_by_the_best_run_that_is_not_withdrawn() -> None:
    runs = [judged(1, 10, 0, 1), judged(2, 20, 0, 1), judged(3, 20, 0, 1), judged(4, 15, 0, 2)]
    assert [place.run.run_id[0] for place in rank(runs)] == [2, 4]
    assert [place.run.run_id[0] for place in rank(runs, frozenset({runs[1].run_id}))] == [3, 4]
    assert [place.run.run_id[0] for place in rank(runs, frozenset({runs[1].run_id, runs[2].run_id}))] == [4, 1]
    assert rank(runs, frozenset(run.run_id for run in runs)) == ()


def test_a_score_of_zero_is_ranked() -> None:
    assert [place.rank for place in rank([judged(1, 0, 0, 1)])] == [1]


def test_a_round_without_runs_has_an_empty_ranking() -> None:
    assert rank([]) == ()
    assert HISTORY.close is not None
    empty = replace(HISTORY, runs=[], close=replace(HISTORY.close, ranked=0, ranking_hash=ranking_hash([])))
    assert check_round(empty, []) == ()


def test_a_removed_added_repeated_or_moved_run_is_named() -> None:
    foreign = disclosed(CHALLENGE)[0]
    for changed, fault in (
        (RUNS[:-1], Fault.RUN_MISSING),
        (RUNS[1:], Fault.RUN_MISSING),
        ([*RUNS, foreign], Fault.RUN_NOT_LOGGED),
        ([foreign, *RUNS[1:]], Fault.RUN_NOT_LOGGED),
        ([*RUNS, RUNS[0]], Fault.REPEATED_RUN),
        ([RUNS[1], RUNS[0], *RUNS[2:]], Fault.RUN_OUT_OF_ORDER),
    ):
        assert fault_of(check_round, HISTORY, changed) is fault


def test_an_altered_run_or_salt_does_not_fit_its_commitment() -> None:
    run = parse_run(RUNS[0].content)
    moved = run_bytes(run.round_id, parse_run(RUNS[1].content).player_tag, run.ruleset_hash, run.turns)
    for changed in (
        replace(RUNS[0], content=moved),
        replace(RUNS[0], content=RUNS[0].content + b"\0"),
        replace(RUNS[0], salt=bytes(32)),
        replace(RUNS[1], run_id=RUNS[0].run_id, leaf_index=RUNS[0].leaf_index),
    ):
        assert fault_of(check_round, HISTORY, [changed, *RUNS[1:]]) is Fault.COMMITMENT_MISMATCH


@pytest.mark.parametrize("what", ["round", "ruleset", "turns"])
def test_a_run_that_was_logged_but_does_not_belong_is_refused(what: str) -> None:
    run = parse_run(RUNS[0].content)
    content, fault = {
        "round": (run_bytes(OPEN_DAY, run.player_tag, run.ruleset_hash, run.turns), Fault.RUN_OF_ANOTHER_ROUND),
        "ruleset": (run_bytes(DAY, run.player_tag, bytes(32), run.turns), Fault.RUN_OF_ANOTHER_ROUND),
        "turns": (run_bytes(DAY, run.player_tag, run.ruleset_hash, run.turns[:-1]), Fault.ILLEGAL_RUN),
    }[what]
    other = replace(RUNS[0], content=content)
    assert fault_of(check_round, relogged(0, other), [other, *RUNS[1:]]) is fault


def test_one_player_has_one_run_on_a_sealed_round() -> None:
    run = parse_run(RUNS[0].content)
    tag = parse_run(RUNS[1].content).player_tag
    other = replace(RUNS[0], content=run_bytes(DAY, tag, run.ruleset_hash, run.turns))
    assert fault_of(check_round, relogged(0, other), [other, *RUNS[1:]]) is Fault.REPEATED_PLAYER


def test_another_number_or_order_of_ranked_runs_than_the_close_says_is_refused() -> None:
    assert HISTORY.close is not None
    for close, fault in (
        (replace(HISTORY.close, ranked=5), Fault.RANKED_MISMATCH),
        (replace(HISTORY.close, ranking_hash=bytes(32)), Fault.RANKING_MISMATCH),
    ):
        assert fault_of(check_round, replace(HISTORY, close=close), RUNS) is fault


def test_a_run_withdrawn_before_the_close_is_not_ranked() -> None:
    withdraw = WithdrawLeaf(0, DAY, RUNS[0].run_id, WithdrawReason.PLAYER_ASKED)
    history = history_of(DAY, [*LEAVES[:30], withdraw, *LEAVES[30:]])
    assert history.withdrawn_at_close == {RUNS[0].run_id}
    assert fault_of(check_round, history, RUNS) is Fault.RANKED_MISMATCH


def test_a_running_round_cannot_be_checked_yet() -> None:
    history = history_of(NEXT_DAY, LEAVES)
    assert fault_of(check_bundle, history, b"", []) is Fault.NOT_CLOSED
    assert fault_of(check_judged, history, []) is Fault.NOT_CLOSED
    assert fault_of(history_of, "2026-12-03-classic", LEAVES) is Fault.ROUND_NOT_LOGGED


def test_an_unknown_ruleset_decides_nothing() -> None:
    unknown = replace(HISTORY.round, ruleset_hash=bytes(32))
    assert fault_of(Judge, unknown, bytes(32)) is Fault.UNKNOWN_RULESET
    assert fault_of(check_bundle, replace(HISTORY, round=unknown), b"", []) is Fault.UNKNOWN_RULESET


def test_a_run_at_another_place_of_the_log_or_with_another_rank_is_refused() -> None:
    for changed, fault in (
        (replace(RUNS[2], leaf_index=RUNS[2].leaf_index + 1), Fault.INDEX_MISMATCH),
        (replace(RUNS[2], rank=(RUNS[2].rank or 0) + 1), Fault.RANK_MISMATCH),
        (replace(RUNS[2], rank=None), Fault.RANK_MISMATCH),
    ):
        assert fault_of(check_round, HISTORY, [*RUNS[:2], changed, *RUNS[3:]]) is fault


def test_progress_counts_every_run_once() -> None:
    told: list[int] = []
    check_bundle(HISTORY, CATALOGUE["classic"].document, bundle_of(HISTORY, RUNS), progress=told.append)
    assert sum(told) == len(RUNS) == 6
