"""Replay: the only source of a score (protocol.md, "Replay")."""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from .rules import RollTable, Rules


class Turn(NamedTuple):
    """One roll of a run: the number of dice and the tiles shut, empty if the roll had no legal set."""

    dice: int
    shut: tuple[int, ...]


class End(StrEnum):
    """How a round ends by the rules."""

    LOCKED = "locked"  # the last roll had no legal set
    SHUT = "shut"  # every tile is shut


class Reason(StrEnum):
    """Why a run is refused. The codes are part of the protocol and never change."""

    DICE_NOT_ALLOWED = "dice-not-allowed"  # this board does not allow that number of dice
    NO_LEGAL_SHUT = "no-legal-shut"  # nothing can be shut on this roll, yet tiles were named
    REPEATED_TILE = "repeated-tile"  # a tile is named twice
    SHUT_REQUIRED = "shut-required"  # something can be shut, yet no tile was named
    TILE_NOT_OPEN = "tile-not-open"  # a tile is shut already, or is not in the box
    WRONG_TILES = "wrong-tiles"  # the tiles are open but do not match the roll
    TURN_AFTER_END = "turn-after-end"  # the round had ended on the turn before
    UNFINISHED = "unfinished"  # the round has not ended after the last turn


class Refusal(NamedTuple):
    """The first rule that a run breaks, and the number of the turn that breaks it."""

    reason: Reason
    turn: int


class Replay(NamedTuple):
    """What a fold over the turns found: the board reached, the turns played, and the end or the refusal."""

    open: int
    played: int
    end: End | None
    refusal: Refusal | None


def replay(rules: Rules, table: RollTable, turns: Sequence[Turn]) -> Replay:
    """Play the turns on the dice of the table. Any turns are taken; the tiles of a turn may be in any order."""
    board = rules.opening
    matches = table.matches
    dice_allowed = rules.dice_allowed
    known_ways = rules.known_ways
    played = 0
    for dice, shut in turns:
        if dice not in dice_allowed[board]:
            return _refused(board, played, Reason.DICE_NOT_ALLOWED)
        match = matches[played][dice]
        ways = known_ways.get((board, match))
        if ways is None:
            ways = rules.ways(board, match)
        mask = ways.get(shut)
        if mask is None:
            if not ways and not shut:
                return _ended(board, played + 1, End.LOCKED, turns)
            mask_or_reason = _judge(board, ways, shut)
            if isinstance(mask_or_reason, Reason):
                return _refused(board, played, mask_or_reason)
            mask = mask_or_reason
        board ^= mask
        played += 1
        if not board:
            return _ended(board, played, End.SHUT, turns)
    return _refused(board, played, Reason.UNFINISHED)


def judge_shut(rules: Rules, board: int, match: int, shut: tuple[int, ...]) -> int | Reason:
    """Return the mask of a legal shut on this roll, or why it is refused."""
    ways = rules.ways(board, match)
    mask = ways.get(shut)
    return _judge(board, ways, shut) if mask is None else mask


def _judge(board: int, ways: dict[tuple[int, ...], int], shut: tuple[int, ...]) -> int | Reason:
    """Name the first rule that the tiles break; tiles in another order are found here."""
    if not ways:
        return Reason.NO_LEGAL_SHUT
    if len(set(shut)) != len(shut):
        return Reason.REPEATED_TILE
    if not shut:
        return Reason.SHUT_REQUIRED
    if any(tile < 1 or not board >> (tile - 1) & 1 for tile in shut):
        return Reason.TILE_NOT_OPEN
    mask = ways.get(tuple(sorted(shut)))
    return Reason.WRONG_TILES if mask is None else mask


def _refused(board: int, turn: int, reason: Reason) -> Replay:
    return Replay(board, turn, None, Refusal(reason, turn))


def _ended(board: int, played: int, end: End, turns: Sequence[Turn]) -> Replay:
    if len(turns) > played:
        return Replay(board, played, end, Refusal(Reason.TURN_AFTER_END, played))
    return Replay(board, played, end, None)
