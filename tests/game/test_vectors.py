"""Every value of the vectors, computed by the game."""

from typing import Any

import pytest
from shutbox.game.analysis import best_possible_penalty, given_away_milli
from shutbox.game.dice import deal, rolls
from shutbox.game.encoding import mask_of, tiles_of
from shutbox.game.replay import End, replay
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import BY_HASH, CATALOGUE
from shutbox.game.solver import greatest_chance_to_shut, least_expected_penalty

from tests.vectors import turns_of, vectors

RULESETS = {vector["id"]: vector for vector in vectors("rulesets")}


def test_the_catalogue_is_the_seventeen_rulesets_in_their_order() -> None:
    assert list(CATALOGUE) == list(RULESETS)
    assert len(CATALOGUE) == len(BY_HASH) == 17


@pytest.mark.parametrize("id", RULESETS)
def test_parameters_document_and_hash(id: str) -> None:
    ruleset, vector = CATALOGUE[id], RULESETS[id]
    assert list(tiles_of(ruleset.box)) == vector["box"]
    assert list(tiles_of(ruleset.start_shut)) == vector["start_shut"]
    assert ruleset.dice == vector["dice"]
    assert ruleset.one_die.name.lower() == vector["one_die"]["mode"]
    assert list(tiles_of(ruleset.one_die_tiles_shut)) == (vector["one_die"]["tiles_shut"] or [])
    assert ruleset.one_die_open_sum_below == (vector["one_die"]["open_sum_below"] or 0)
    assert ruleset.match.name.lower() == vector["match"]
    assert ruleset.first_roll_must_shut == (vector["first_roll_must_shut"] or 0)
    assert ruleset.scoring.name.lower() == vector["scoring"]
    assert ruleset.document.hex() == vector["document"]
    assert ruleset.hash.hex() == vector["hash"]


@pytest.mark.parametrize("id", RULESETS)
def test_every_position_and_every_legal_shut_is_counted(id: str) -> None:
    rules, vector = rules_of(CATALOGUE[id]), RULESETS[id]
    positions = shuts = 0
    for board, dice_allowed in rules.dice_allowed.items():
        for match in {match for dice in dice_allowed for match in rules.weights(dice)}:
            ways = list(rules.legal_sets(board, match))
            positions += bool(ways)
            shuts += len(ways)
    assert (positions, shuts) == (vector["positions_with_a_shut"], vector["legal_shuts"])


@pytest.mark.parametrize("id", RULESETS)
def test_the_solver_finds_the_exact_fractions(id: str) -> None:
    ruleset, vector = CATALOGUE[id], RULESETS[id]
    assert str(least_expected_penalty(ruleset).fraction(ruleset.opening)) == vector["min_expected_penalty"]
    assert str(greatest_chance_to_shut(ruleset).fraction(ruleset.opening)) == vector["max_shut_probability"]


@pytest.mark.parametrize("id", RULESETS)
def test_the_ends_that_a_round_can_reach(id: str) -> None:
    rules, vector = rules_of(CATALOGUE[id]), RULESETS[id]
    rolls_before, ends, longest = {rules.opening: 0}, set(), 0
    for board in reversed(rules.penalties):  # descending: what leads to a board is seen before it
        if board not in rolls_before:
            continue
        if board == 0:
            ends.add(board)
            longest = max(longest, rolls_before[board])
            continue
        for match in {match for dice in rules.dice_allowed[board] for match in rules.weights(dice)}:
            following = [board ^ tiles for tiles in rules.legal_sets(board, match)]
            for follower in following:
                rolls_before[follower] = max(rolls_before.get(follower, 0), rolls_before[board] + 1)
            if not following:
                ends.add(board)
            longest = max(longest, rolls_before[board] + 1)
    penalties = {rules.penalties[board] for board in ends}
    assert longest == vector["max_rolls"] <= rules.ruleset.table_rolls
    assert len(penalties) == vector["distinct_penalties"]
    assert max(penalties) == vector["worst_penalty"]
    assert rules.opening_penalty == vector["opening_penalty"]


@pytest.mark.parametrize("vector", vectors("dice"), ids=lambda vector: f"{vector['ruleset']}-{vector['seed'][:4]}")
def test_dice(vector: dict[str, Any]) -> None:
    dice = CATALOGUE[vector["ruleset"]].dice
    assert [list(roll) for roll in rolls(bytes.fromhex(vector["seed"]), dice, len(vector["rolls"]))] == vector["rolls"]


@pytest.mark.parametrize("vector", vectors("runs-valid"), ids=lambda vector: vector["ruleset"])
def test_a_valid_run(vector: dict[str, Any]) -> None:
    rules = rules_of(CATALOGUE[vector["ruleset"]])
    table, turns = deal(rules, bytes.fromhex(vector["seed"])), turns_of(vector)
    replayed = replay(rules, table, turns)
    penalty = rules.penalties[replayed.open]
    assert replayed.refusal is None
    assert replayed.played == len(turns)
    assert list(tiles_of(replayed.open)) == vector["open"]
    assert (penalty, rules.opening_penalty - penalty) == (vector["penalty"], vector["score"])
    assert (replayed.end is End.SHUT) == vector["shut_the_box"]
    assert (replayed.played == 1 and rules.ruleset.first_roll_must_shut > 0 and penalty == rules.opening_penalty) == (
        vector["lost"]
    )
    assert given_away_milli(rules, table, turns) == vector["given_away_milli"]
    assert best_possible_penalty(rules, table) == vector["best_possible_penalty"]


@pytest.mark.parametrize(
    "vector", vectors("runs-invalid"), ids=lambda vector: f"{vector['ruleset']}-{vector['reason']}"
)
def test_a_faulty_run_is_refused_with_its_reason_and_turn(vector: dict[str, Any]) -> None:
    rules = rules_of(CATALOGUE[vector["ruleset"]])
    replayed = replay(rules, deal(rules, bytes.fromhex(vector["seed"])), turns_of(vector))
    assert replayed.refusal == (vector["reason"], vector["turn"])


@pytest.mark.parametrize("vector", vectors("examples"), ids=lambda vector: vector["what"])
def test_a_worked_example_of_the_published_rules(vector: dict[str, Any]) -> None:
    rules = rules_of(CATALOGUE[vector["ruleset"]])
    arranged = [tuple(roll) for roll in vector["rolls"]]
    table, turns = rules.table(arranged), turns_of(vector)
    replayed = replay(rules, table, turns)
    if "reason" in vector:
        assert replayed.refusal == (vector["reason"], vector["turn"])
        return
    assert replayed.refusal is None
    assert replayed.open == mask_of(vector["open"])
    penalty = rules.penalties[replayed.open]
    assert (penalty, rules.opening_penalty - penalty) == (vector["penalty"], vector["score"])
    assert given_away_milli(rules, table, turns) == vector["given_away_milli"]
