"""The exact parts of a run: they add up to its penalty, luck is fair, and nothing is better than the best."""

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from shutbox.game.analysis import (
    Analysis,
    Grade,
    analysis,
    best_line,
    best_possible_penalty,
    given_away_milli,
    grade,
)
from shutbox.game.dice import deal
from shutbox.game.encoding import mask_of
from shutbox.game.replay import Turn, replay
from shutbox.game.rules import Roll, RollTable, Rules, rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox.game.solver import least_expected_penalty

from tests.game import make_analyses
from tests.vectors import turns_of, vectors

RUNS = 10_000


def random_table(rules: Rules, chance: random.Random) -> RollTable:
    """Return dice that no seed made: a tenth of the work."""
    dice = rules.ruleset.dice
    return rules.table([tuple(chance.choices(range(1, 7), k=dice)) for _ in range(rules.ruleset.table_rolls)])


def random_run(rules: Rules, table: RollTable, chance: random.Random) -> list[Turn]:
    """Return a run by decisions that are legal and nothing else."""
    board, turns = rules.opening, []
    for matches in table.matches:
        dice = chance.choice(rules.dice_allowed[board])
        ways = rules.ways(board, matches[dice])
        shut = chance.choice(list(ways)) if ways else ()
        turns.append(Turn(dice, shut))
        board ^= mask_of(shut)
        if not (ways and board):
            break
    return turns


def best_run(rules: Rules, table: RollTable) -> list[Turn]:
    """Return the run of a player who always takes the way with the least expected penalty, without foresight."""
    values = least_expected_penalty(rules.ruleset)
    board, turns = rules.opening, []
    for matches in table.matches:
        dice = min(rules.dice_allowed[board], key=lambda dice: values.after_dice(board, dice))
        ways = rules.ways(board, matches[dice])
        shut = min(ways, key=lambda tiles: values.of_board[board ^ ways[tiles]]) if ways else ()
        turns.append(Turn(dice, shut))
        board ^= mask_of(shut)
        if not (ways and board):
            break
    return turns


def every_run(rules: Rules, table: RollTable, board: int, turns: tuple[Turn, ...]) -> Iterator[tuple[int, list[Turn]]]:
    """Yield every legal run on these dice with its penalty, in the order of its decisions."""
    for dice in rules.dice_allowed[board]:
        ways = rules.ways(board, table.matches[len(turns)][dice])
        if not ways:
            yield rules.penalties[board], [*turns, Turn(dice, ())]
        for shut, tiles in ways.items():
            if board == tiles:
                yield 0, [*turns, Turn(dice, shut)]
            else:
                yield from every_run(rules, table, board ^ tiles, (*turns, Turn(dice, shut)))


def decisions_of(found: Analysis) -> list[Any]:
    return [choice for step in found.steps for choice in (step.dice, step.shut) if choice]


@pytest.mark.parametrize("id", CATALOGUE)
def test_expected_and_luck_and_given_away_add_up_to_the_penalty(id: str) -> None:
    """In 10,000 runs of each ruleset, exactly; no decision loses less than nothing."""
    rules, chance = rules_of(CATALOGUE[id]), random.Random(f"parts of {id}")
    for _ in range(RUNS):
        table = random_table(rules, chance)
        turns = random_run(rules, table, chance)
        found = analysis(rules, table, turns)
        replayed = replay(rules, table, turns)
        assert replayed.refusal is None
        paid = rules.penalties[replayed.open] * found.denominator
        assert found.expected + found.luck + found.given_away == found.penalty == paid
        assert min((choice.lost for choice in decisions_of(found)), default=0) >= 0
        assert given_away_milli(rules, table, turns) == 1000 * found.given_away // found.denominator


@pytest.mark.parametrize("id", CATALOGUE)
def test_the_expected_part_is_the_value_of_the_opening_board(id: str) -> None:
    rules, chance = rules_of(CATALOGUE[id]), random.Random(id)
    table = random_table(rules, chance)
    found = analysis(rules, table, random_run(rules, table, chance))
    (told,) = (vector["min_expected_penalty"] for vector in vectors("rulesets") if vector["id"] == id)
    assert Fraction(found.expected, found.denominator) == Fraction(told)


@pytest.mark.parametrize("id", CATALOGUE)
def test_the_luck_of_a_roll_is_nothing_on_the_average_of_all_rolls(id: str) -> None:
    """Exactly nothing, on every board of some runs and for each number of dice that may be rolled there."""
    rules, chance = rules_of(CATALOGUE[id]), random.Random(f"luck of {id}")
    for _ in range(5):
        table = random_table(rules, chance)
        turns = random_run(rules, table, chance)
        for number in range(len(turns)):
            board = rules.opening ^ mask_of(tile for turn in turns[:number] for tile in turn.shut)
            for dice in rules.dice_allowed[board]:
                assert sum(luck_of(rules, table, turns[:number], dice, roll) for roll in rolls_of(rules, dice)) == 0


def rolls_of(rules: Rules, dice: int) -> list[Roll]:
    """Return every roll of that number of dice; the others of the ruleset show one."""
    return [(*faces, *[1] * (rules.ruleset.dice - dice)) for faces in product(range(1, 7), repeat=dice)]


def luck_of(rules: Rules, table: RollTable, before: list[Turn], dice: int, roll: Roll) -> int:
    """Return the luck of a roll that comes behind the turns before, whatever is then shut."""
    changed = rules.table([*table.rolls[: len(before)], roll])
    board = rules.opening ^ mask_of(tile for turn in before for tile in turn.shut)
    shut = next(iter(rules.ways(board, changed.matches[-1][dice])), ())
    return analysis(rules, changed, [*before, Turn(dice, shut)]).steps[-1].luck


@pytest.mark.parametrize("id", CATALOGUE)
def test_the_best_play_gives_nothing_away_and_every_decision_is_graded_best(id: str) -> None:
    rules, chance = rules_of(CATALOGUE[id]), random.Random(f"best of {id}")
    for _ in range(100):
        table = random_table(rules, chance)
        found = analysis(rules, table, best_run(rules, table))
        assert found.given_away == 0
        assert {grade(rules, choice.lost, found.denominator) for choice in decisions_of(found)} <= {Grade.BEST}
        assert all(choice.chosen == choice.best for choice in decisions_of(found))


@pytest.mark.parametrize("id", CATALOGUE)
def test_the_best_line_is_legal_and_reaches_the_best_possible_penalty(id: str) -> None:
    rules, chance = rules_of(CATALOGUE[id]), random.Random(f"line of {id}")
    for _ in range(100):
        table = random_table(rules, chance)
        replayed = replay(rules, table, best_line(rules, table))
        assert replayed.refusal is None
        assert rules.penalties[replayed.open] == best_possible_penalty(rules, table)


@pytest.mark.parametrize("id", ["three-down", "odds", "evens", "three-to-go", "digits", "crafthouse"])
def test_of_several_best_lines_it_is_the_first_of_the_shortest(id: str) -> None:
    """Held to every legal run on the dice, in the order of decisions."""
    rules, chance = rules_of(CATALOGUE[id]), random.Random(f"first line of {id}")
    for _ in range(20):
        table = random_table(rules, chance)
        runs = every_run(rules, table, rules.opening, ())
        _, expected = min(runs, key=lambda run: (run[0], len(run[1])))  # min keeps the first
        assert list(best_line(rules, table)) == expected


def test_the_parts_of_a_first_roll_that_ends_the_round() -> None:
    """In "2 to go" the first roll must shut tile 2, and no tiles that make 4 are 2 and others."""
    rules = rules_of(CATALOGUE["two-to-go"])
    table = rules.table([(1, 3)] + [(1, 1)] * 8)
    found = analysis(rules, table, [Turn(2, ())])
    (step,) = found.steps
    assert (step.board, step.dice, step.shut, step.faces) == (rules.opening, None, None, (1, 3))
    assert found.luck == rules.opening_penalty * found.denominator - found.expected
    assert (found.given_away, found.penalty) == (0, 45 * found.denominator)
    assert best_line(rules, table) == (Turn(2, ()),)


def test_the_number_of_dice_is_a_decision_where_the_rules_leave_a_choice() -> None:
    """Classic: with 7, 8 and 9 shut, one die or two; on 1, 2 and 6 two dice are better."""
    rules = rules_of(CATALOGUE["classic"])
    table = rules.table([(6, 6), (6, 6), (6, 6), (3, 6), *[(1, 1)] * 5])
    turns = [Turn(2, (3, 9)), Turn(2, (4, 8)), Turn(2, (5, 7)), Turn(1, (1, 2)), Turn(1, ())]
    steps = analysis(rules, table, turns).steps
    assert [step.dice for step in steps[:3]] == [None, None, None]
    step = steps[3]
    assert (step.board, step.faces) == (mask_of((1, 2, 6)), (3,))
    assert step.dice is not None
    assert (step.dice.chosen, step.dice.best, list(step.dice.ways)) == (1, 2, [1, 2])
    assert step.dice.lost == step.dice.ways[1] - step.dice.ways[2] > 0
    assert analysis(rules, table, [*turns[:3], Turn(2, ())]).steps[3].faces == (3, 6)


def test_the_tiles_of_a_turn_may_be_in_any_order() -> None:
    rules = rules_of(CATALOGUE["classic"])
    table = rules.table([(6, 6), (1, 1), *[(1, 1)] * 7])
    assert analysis(rules, table, [Turn(2, (9, 3))]) == analysis(rules, table, [Turn(2, (3, 9))])


@pytest.mark.parametrize(
    ("id", "lost", "graded"),
    [
        ("classic", Fraction(0), Grade.BEST),
        ("classic", Fraction(1, 10**9), Grade.FINE),
        ("classic", Fraction(249, 1000), Grade.FINE),
        ("classic", Fraction(1, 4), Grade.SLIP),
        ("classic", Fraction(999, 1000), Grade.SLIP),
        ("classic", Fraction(1), Grade.BLUNDER),
        ("missionary", Fraction(1, 21), Grade.FINE),
        ("missionary", Fraction(1, 5), Grade.BLUNDER),
        ("digits", Fraction(123456789, 181), Grade.FINE),
        ("digits", Fraction(123456789, 46), Grade.SLIP),
        ("digits", Fraction(123456789, 45), Grade.BLUNDER),
    ],
)
def test_grades_follow_the_opening_penalty(id: str, lost: Fraction, graded: Grade) -> None:
    """In classic 0.25 and 1 point: what is a point there is a fifth of one where nine tiles cost nine."""
    assert grade(rules_of(CATALOGUE[id]), lost.numerator, lost.denominator) is graded


@pytest.mark.parametrize("vector", vectors("runs-valid"), ids=lambda vector: vector["ruleset"])
def test_the_parts_of_the_runs_of_the_protocol(vector: dict[str, Any]) -> None:
    """Penalty, given away and best possible are those that an independent program found."""
    rules = rules_of(CATALOGUE[vector["ruleset"]])
    table = deal(rules, bytes.fromhex(vector["seed"]))
    found = analysis(rules, table, turns_of(vector))
    assert found.penalty == vector["penalty"] * found.denominator
    assert 1000 * found.given_away // found.denominator == vector["given_away_milli"]
    replayed = replay(rules, table, best_line(rules, table))
    assert rules.penalties[replayed.open] == vector["best_possible_penalty"]


def test_the_vectors_of_analyses_are_what_the_game_says() -> None:
    """JavaScript is held to the same file."""
    assert make_analyses.FILE.read_text() == make_analyses.text()
