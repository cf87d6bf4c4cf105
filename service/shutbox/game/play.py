"""A round played one decision at a time: the state of a sealed attempt is a fold over its decisions."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from .encoding import tiles_of
from .replay import End, Reason, Turn, judge_shut
from .rules import Roll, RollTable, Rules


@dataclass(frozen=True, slots=True)
class DiceChoice:
    """The decision to roll that number of dice."""

    dice: int


@dataclass(frozen=True, slots=True)
class ShutChoice:
    """The decision to shut these tiles."""

    shut: tuple[int, ...]


Decision = DiceChoice | ShutChoice


class Awaits(StrEnum):
    """The decision that the player owes."""

    CHOOSE_DICE = "choose_dice"
    CHOOSE_TILES = "choose_tiles"


class WrongDecision(StrEnum):
    """The decision is of another kind than the one that the player owes."""

    DICE_EXPECTED = "dice-expected"
    TILES_EXPECTED = "tiles-expected"


@dataclass(frozen=True, slots=True)
class Position:
    """Where a round stands: nothing in it depends on a roll that has not been shown."""

    state: Awaits | End
    open: int
    turns: tuple[Turn, ...]  # the turns that are complete
    roll: int  # number of the roll that is shown, or that comes next
    dice: int | None  # how many dice show; None: not rolled yet
    faces: Roll | None


def start(rules: Rules, table: RollTable) -> Position:
    """Return the position before the first decision; where the rules leave one number of dice, they are rolled."""
    return _next_roll(rules, table, Position(Awaits.CHOOSE_DICE, rules.opening, (), 0, None, None))


def decide(
    rules: Rules, table: RollTable, position: Position, decision: Decision
) -> Position | Reason | WrongDecision | End:
    """Return the position after a decision, why it is refused, or how the round had already ended."""
    if isinstance(position.state, End):
        return position.state
    if isinstance(decision, DiceChoice):
        if position.state is not Awaits.CHOOSE_DICE:
            return WrongDecision.TILES_EXPECTED
        if decision.dice not in rules.dice_allowed[position.open]:
            return Reason.DICE_NOT_ALLOWED
        return _rolled(rules, table, position, decision.dice)
    if position.dice is None:
        return WrongDecision.DICE_EXPECTED
    mask = judge_shut(rules, position.open, table.matches[position.roll][position.dice], decision.shut)
    if isinstance(mask, Reason):
        return mask
    turns = (*position.turns, Turn(position.dice, tiles_of(mask)))
    board = position.open ^ mask
    if not board:
        return replace(position, state=End.SHUT, open=board, turns=turns)
    return _next_roll(rules, table, Position(Awaits.CHOOSE_DICE, board, turns, position.roll + 1, None, None))


def position_after(rules: Rules, table: RollTable, decisions: Sequence[Decision]) -> Position:
    """Return the position after decisions that were accepted one by one.

    Raises ValueError if one of them is not legal: what was stored was changed.
    """
    position = start(rules, table)
    for number, decision in enumerate(decisions):
        following = decide(rules, table, position, decision)
        if not isinstance(following, Position):
            raise ValueError(f"stored decision {number} is not legal: {following}")
        position = following
    return position


def legal_ways(rules: Rules, table: RollTable, position: Position) -> list[tuple[int, ...]]:
    """Return the sets of tiles that may be shut now; empty where none may."""
    if position.state is not Awaits.CHOOSE_TILES or position.dice is None:
        return []
    return list(rules.ways(position.open, table.matches[position.roll][position.dice]))


def _next_roll(rules: Rules, table: RollTable, position: Position) -> Position:
    dice_allowed = rules.dice_allowed[position.open]
    return _rolled(rules, table, position, dice_allowed[0]) if len(dice_allowed) == 1 else position


def _rolled(rules: Rules, table: RollTable, position: Position, dice: int) -> Position:
    shown = replace(position, state=Awaits.CHOOSE_TILES, dice=dice, faces=table.rolls[position.roll][:dice])
    if rules.ways(position.open, table.matches[position.roll][dice]):
        return shown
    return replace(shown, state=End.LOCKED, turns=(*position.turns, Turn(dice, ())))
