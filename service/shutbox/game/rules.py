"""The rules of a ruleset as tables: which dice may be rolled, which tiles a roll may shut, what a board costs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from math import prod

from .encoding import tiles_of
from .rulesets import Match, OneDie, Ruleset, Scoring

Roll = tuple[int, ...]
"""The faces of one roll, in the order in which they fell."""

Ways = dict[tuple[int, ...], int]
"""The legal sets of a position: tiles (ascending) to mask; fewest tiles first, then by number."""


@dataclass(frozen=True, slots=True)
class RollTable:
    """The dice of a round: every roll, and what it can match when d dice of it are rolled."""

    rolls: tuple[Roll, ...]
    matches: tuple[tuple[int, ...], ...]  # by number of the roll, then by number of dice (index 0 is unused)


class Rules:
    """The tables of one ruleset. A *match* numbers what a roll can match: all rolls with one match are alike."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.opening = ruleset.opening
        self.penalties = {board: _penalty(ruleset.scoring, board) for board in subsets(self.opening)}
        self.opening_penalty = self.penalties[self.opening]
        self.distinct_penalties = {penalty: index for index, penalty in enumerate(sorted(set(self.penalties.values())))}
        self.dice_allowed = {board: _dice_allowed(ruleset, board) for board in self.penalties}
        self._sets: list[tuple[int, ...]] = []  # by match: the sets of opening tiles that fit it
        self._match: dict[Roll, int] = {}
        self._weights: dict[int, dict[int, int]] = {}
        self.known_ways: dict[tuple[int, int], Ways] = {}  # by (board, match), as far as positions were met
        self._number_matches()

    def _number_matches(self) -> None:
        opening_sets = sorted(
            (board for board in self.penalties if board), key=lambda board: (board.bit_count(), tiles_of(board))
        )
        numbers: dict[frozenset[int], int] = {}
        for dice in sorted({1, self.ruleset.dice}):
            weights = self._weights[dice] = {}
            for faces in product(range(1, 7), repeat=dice):
                targets = _targets(self.ruleset.match, faces)
                match = numbers.setdefault(targets, len(numbers))
                if match == len(self._sets):
                    self._sets.append(
                        tuple(board for board in opening_sets if _fits(self.ruleset.match, board, targets))
                    )
                self._match[faces] = match
                weights[match] = weights.get(match, 0) + 1

    def table(self, rolls: Sequence[Roll]) -> RollTable:
        """Return the roll table of a round; each roll has all the dice of the ruleset."""
        return RollTable(
            tuple(rolls),
            tuple(
                tuple(self._match[roll[:dice]] if dice in (1, len(roll)) else -1 for dice in range(len(roll) + 1))
                for roll in rolls
            ),
        )

    def weights(self, dice: int) -> dict[int, int]:
        """Return in how many of the 6^dice equally likely rolls each match comes."""
        return self._weights[dice]

    def legal_sets(self, board: int, match: int) -> Iterator[int]:
        """Yield the masks that may be shut, fewest tiles first. The opening board is the first roll's."""
        first = self.ruleset.first_roll_must_shut
        required = 1 << (first - 1) if first and board == self.opening else 0
        for tiles in self._sets[match]:
            if not tiles & ~board and tiles & required == required:
                yield tiles

    def ways(self, board: int, match: int) -> Ways:
        """Return the legal sets of a position from the table, which fills as positions are met."""
        found = self.known_ways.get((board, match))
        if found is None:
            found = self.known_ways[board, match] = {tiles_of(mask): mask for mask in self.legal_sets(board, match)}
        return found


@cache
def rules_of(ruleset: Ruleset) -> Rules:
    """Return the tables of a ruleset, built once."""
    return Rules(ruleset)


def subsets(mask: int) -> list[int]:
    """Return every subset of a mask, ascending: a board stands behind all that can follow it."""
    found = [0]
    for tile in tiles_of(mask):
        found += [board | 1 << (tile - 1) for board in found]
    return found


def _penalty(scoring: Scoring, board: int) -> int:
    tiles = tiles_of(board)
    if scoring is Scoring.SUM:
        return sum(tiles)
    if scoring is Scoring.COUNT:
        return len(tiles)
    return int("".join(map(str, tiles)) or "0")


def _dice_allowed(ruleset: Ruleset, board: int) -> tuple[int, ...]:
    if ruleset.one_die is OneDie.NEVER or board == 0:
        return (ruleset.dice,)
    if ruleset.one_die_tiles_shut:
        one_die = not board & ruleset.one_die_tiles_shut
    else:
        one_die = sum(tiles_of(board)) < ruleset.one_die_open_sum_below
    if not one_die:
        return (ruleset.dice,)
    return (1,) if ruleset.one_die is OneDie.FORCED else (1, ruleset.dice)


def _targets(match: Match, faces: Roll) -> frozenset[int]:
    if match is Match.SUM:
        return frozenset((sum(faces),))
    if match is Match.ONE_TILE:
        return frozenset((*faces, sum(faces)))
    return frozenset((sum(faces), prod(faces)))


def _fits(match: Match, board: int, targets: frozenset[int]) -> bool:
    tiles = tiles_of(board)
    if match is Match.SUM:
        return sum(tiles) in targets
    if match is Match.ONE_TILE:
        return len(tiles) == 1 and tiles[0] in targets
    return sum(tiles) in targets or prod(tiles) in targets
