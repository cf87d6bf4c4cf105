"""The exact solver: the least expected penalty and the greatest chance to shut the box, from every board."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from .rules import Rules, rules_of
from .rulesets import Ruleset


@dataclass(frozen=True, slots=True)
class Values:
    """Values of boards as integers over one denominator, so that they add and compare exactly.

    `denominator` is 6^(dice · tiles): a board with k tiles open needs at most 6^(dice · k).
    """

    denominator: int
    of_board: dict[int, int]
    of_dice: dict[tuple[int, int], int]  # (board, number of dice to roll), where a board allows more than one

    def after_dice(self, board: int, dice: int) -> int:
        """Return the value of rolling that number of dice, one that the board allows."""
        return self.of_dice.get((board, dice), self.of_board[board])

    def fraction(self, board: int) -> Fraction:
        """Return the value of a board in lowest terms."""
        return Fraction(self.of_board[board], self.denominator)


@cache
def least_expected_penalty(ruleset: Ruleset) -> Values:
    """Return E: what the best player pays on the average."""
    rules = rules_of(ruleset)
    return _solve(rules, rules.penalties, min)


@cache
def greatest_chance_to_shut(ruleset: Ruleset) -> Values:
    """Return the chance to shut the box of a player who wants nothing else."""
    rules = rules_of(ruleset)
    return _solve(rules, {board: int(board == 0) for board in rules.penalties}, max)


def solve_all(rulesets: Iterable[Ruleset]) -> None:
    """Fill the tables of rulesets ahead of their first use; all named ones take one to two seconds."""
    for ruleset in rulesets:
        least_expected_penalty(ruleset)
        greatest_chance_to_shut(ruleset)


def _solve(rules: Rules, at_end: dict[int, int], best: Callable[[Iterable[int]], int]) -> Values:
    denominator = 6 ** (rules.ruleset.dice * rules.ruleset.table_rolls)
    values = Values(denominator, {0: at_end[0] * denominator}, {})
    for board in rules.penalties:  # ascending: what follows a board is solved before it
        if board:
            dice_allowed = rules.dice_allowed[board]
            rolled = [_after_rolling(rules, values, at_end, board, dice, best) for dice in dice_allowed]
            values.of_board[board] = best(rolled)
            if len(dice_allowed) > 1:
                values.of_dice.update(((board, dice), value) for dice, value in zip(dice_allowed, rolled, strict=True))
    return values


def _after_rolling(
    rules: Rules,
    values: Values,
    at_end: dict[int, int],
    board: int,
    dice: int,
    best: Callable[[Iterable[int]], int],
) -> int:
    of_board = values.of_board
    total = 0
    for match, weight in rules.weights(dice).items():
        followers = [of_board[board ^ tiles] for tiles in rules.legal_sets(board, match)]
        total += weight * (best(followers) if followers else at_end[board] * values.denominator)
    rolls: int = 6**dice
    return total // rolls  # exact: see Values
