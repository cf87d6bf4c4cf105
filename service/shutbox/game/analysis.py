"""What a run was worth beside the best play: decisions and rolls in exact parts, and what foresight could do."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from .encoding import mask_of, tiles_of
from .replay import Turn
from .rules import Roll, RollTable, Rules
from .solver import least_expected_penalty

T = TypeVar("T", int, tuple[int, ...])


@dataclass(frozen=True, slots=True)
class Decision(Generic[T]):
    """What was chosen among the legal ways, each with the least expected penalty after it, in 1/denominator."""

    chosen: T
    ways: dict[T, int]

    @property
    def best(self) -> T:
        """The way that leaves the least; of several the first: fewest dice, or fewest tiles and then by number."""
        return min(self.ways, key=self.ways.__getitem__)

    @property
    def lost(self) -> int:
        """How much more the chosen way leaves than the best one; 0 where nothing was lost."""
        return self.ways[self.chosen] - min(self.ways.values())


@dataclass(frozen=True, slots=True)
class Step:
    """One turn of a run. `luck` is the value after the best reply minus the value before the roll: negative is good."""

    board: int  # the mask before it
    dice: Decision[int] | None  # None: the rules leave one number of dice
    faces: Roll
    luck: int
    shut: Decision[tuple[int, ...]] | None  # None: no set of tiles is legal, so the round ends


@dataclass(frozen=True, slots=True)
class Analysis:
    """A run in exact parts, all in 1/denominator: expected + luck + given_away == penalty."""

    denominator: int
    expected: int  # what the best player pays on the average, from the opening board
    steps: tuple[Step, ...]

    @property
    def luck(self) -> int:
        """What the rolls changed, for a player who always replies best; negative is good."""
        return sum(step.luck for step in self.steps)

    @property
    def given_away(self) -> int:
        """What the decisions lost; never negative."""
        return sum(choice.lost for step in self.steps for choice in (step.dice, step.shut) if choice)

    @property
    def penalty(self) -> int:
        """What the run cost in the end."""
        return self.expected + self.luck + self.given_away


class Grade(StrEnum):
    """How good a decision was (docs/adr/0016)."""

    BEST = "best"  # nothing was lost
    FINE = "fine"  # less than 1/180 of the opening penalty: in classic a quarter of a point
    SLIP = "slip"  # less than 1/45 of it: in classic one point
    BLUNDER = "blunder"


def grade(rules: Rules, lost: int, denominator: int) -> Grade:
    """Return the grade of a decision that lost so many 1/denominator."""
    if lost == 0:
        return Grade.BEST
    opening = rules.opening_penalty * denominator
    return Grade.FINE if 180 * lost < opening else Grade.SLIP if 45 * lost < opening else Grade.BLUNDER


def analysis(rules: Rules, table: RollTable, turns: Sequence[Turn]) -> Analysis:
    """Return the parts of a legal run; the tiles of a turn may be in any order."""
    values = least_expected_penalty(rules.ruleset)
    board = rules.opening
    steps: list[Step] = []
    for number, (rolled, tiles) in enumerate(turns):
        dice_allowed = rules.dice_allowed[board]
        dice = None
        if len(dice_allowed) > 1:
            dice = Decision(rolled, {allowed: values.of_dice[board, allowed] for allowed in dice_allowed})
        ways = rules.ways(board, table.matches[number][rolled])
        mask = mask_of(tiles)
        shut, after = None, rules.penalties[board] * values.denominator
        if ways:
            shut = Decision(tiles_of(mask), {way: values.of_board[board ^ fits] for way, fits in ways.items()})
            after = min(shut.ways.values())
        luck = after - values.after_dice(board, rolled)
        steps.append(Step(board, dice, table.rolls[number][:rolled], luck, shut))
        board ^= mask
    return Analysis(values.denominator, values.of_board[rules.opening], tuple(steps))


def given_away_milli(rules: Rules, table: RollTable, turns: Sequence[Turn]) -> int:
    """Return floor(1000 × the expected points that the decisions of a legal run lost), in exact arithmetic.

    The same as from `analysis`, whose parts are not made for it: every sealed run that is accepted or audited asks.
    """
    values = least_expected_penalty(rules.ruleset)
    board = rules.opening
    lost = 0
    for number, (dice, shut) in enumerate(turns):
        lost += values.after_dice(board, dice) - values.of_board[board]
        if shut:
            chosen = board ^ mask_of(shut)
            best = min(
                values.of_board[board ^ tiles] for tiles in rules.ways(board, table.matches[number][dice]).values()
            )
            lost += values.of_board[chosen] - best
            board = chosen
    return 1000 * lost // values.denominator


def best_possible_penalty(rules: Rules, table: RollTable) -> int:
    """Return the least penalty that any legal line reaches on these dice: what foresight of all rolls could do."""
    _, board = _best_end(rules, table)
    return rules.penalties[board]


def best_line(rules: Rules, table: RollTable) -> tuple[Turn, ...]:
    """Return a run with the least penalty that is possible on these dice.

    Of several it is one with the fewest rolls; of those the first, turn by turn: fewest dice, fewest tiles, by number.
    """
    before, board = _best_end(rules, table)
    turns: list[Turn] = []
    if board:
        turns.append(_turn(rules, table, len(before) - 1, board, ()))
    for number in reversed(range(len(before) - 1)):
        followed = before[number + 1][board]
        turns.append(_turn(rules, table, number, followed, tiles_of(followed ^ board)))
        board = followed
    return tuple(reversed(turns))


def _turn(rules: Rules, table: RollTable, number: int, board: int, shut: tuple[int, ...]) -> Turn:
    """Return the turn with the fewest dice that shuts these tiles, or with none of them ends the round."""
    for dice in rules.dice_allowed[board]:
        ways = rules.ways(board, table.matches[number][dice])
        if shut in ways or not (shut or ways):
            return Turn(dice, shut)
    raise AssertionError("the board was reached by this turn")


def _best_end(rules: Rules, table: RollTable) -> tuple[list[dict[int, int]], int]:
    """Return the board on which the best line ends, behind the boards that every number of rolls up to there reaches.

    Each of them has the board that leads to it first: boards stand in the order of the first lines that reach them.
    """
    reached = {rules.opening: 0}
    before = [reached]
    rolls, end, least = 0, rules.opening, rules.opening_penalty + 1
    for number, matches in enumerate(table.matches, start=1):
        following: dict[int, int] = {}
        for board in reached:
            for dice in rules.dice_allowed[board]:
                ways = rules.ways(board, matches[dice])
                for tiles in ways.values():
                    following.setdefault(board ^ tiles, board)
                if not ways and rules.penalties[board] < least:
                    rolls, end, least = number, board, rules.penalties[board]
        before.append(following)
        if 0 in following:
            return before, 0
        reached = following
    return before[:rolls], end
