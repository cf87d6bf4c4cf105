"""The rulesets: the rules of one round as data, and the 17 that have a name."""

from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from hashlib import sha256
from struct import Struct
from types import MappingProxyType

from .encoding import mask_of, tag


class OneDie(IntEnum):
    """Whether one die may, or must, be rolled when the condition for it holds."""

    NEVER = 0
    OPTIONAL = 1
    FORCED = 2


class Match(IntEnum):
    """What the tiles to shut must match."""

    SUM = 0  # any tiles that add up to the dice
    ONE_TILE = 1  # one tile equal to a die or to the total
    SUM_OR_PRODUCT = 2  # tiles whose sum or product is the sum or product of the dice


class Scoring(IntEnum):
    """What the open tiles cost at the end."""

    SUM = 0  # their sum
    DIGITS = 1  # written in ascending order and read as one number
    COUNT = 2  # how many they are


_DOCUMENT = Struct(">HHBBHBBBB")


@dataclass(frozen=True)
class Ruleset:
    """The rules of one round (protocol.md, "Ruleset document"). Sets of tiles are masks."""

    id: str
    name: str
    box: int
    start_shut: int = 0
    dice: int = 2
    one_die: OneDie = OneDie.NEVER
    one_die_tiles_shut: int = 0  # 0: this condition is not used
    one_die_open_sum_below: int = 0  # 0: this condition is not used
    match: Match = Match.SUM
    first_roll_must_shut: int = 0  # 0: any legal set may be shut on the first roll
    scoring: Scoring = Scoring.SUM

    @property
    def opening(self) -> int:
        """The tiles that are open at the start."""
        return self.box & ~self.start_shut

    @property
    def table_rolls(self) -> int:
        """How many rolls the table of a round holds: each shuts at least one tile or ends the round."""
        return self.opening.bit_count()

    @cached_property
    def document(self) -> bytes:
        """The 12 bytes that are the ruleset."""
        return _DOCUMENT.pack(
            self.box,
            self.start_shut,
            self.dice,
            self.one_die,
            self.one_die_tiles_shut,
            self.one_die_open_sum_below,
            self.match,
            self.first_roll_must_shut,
            self.scoring,
        )

    @classmethod
    def from_document(cls, id: str, name: str, document: bytes) -> "Ruleset":
        """Return the ruleset that a document is; its id is only a name. Raises ValueError for bytes that are none."""
        if len(document) != _DOCUMENT.size:
            raise ValueError(f"the document of ruleset {id} has not {_DOCUMENT.size} bytes")
        box, start_shut, dice, one_die, tiles_shut, below, match, first, scoring = _DOCUMENT.unpack(document)
        how = (OneDie(one_die), tiles_shut, below, Match(match), first, Scoring(scoring))
        return cls(id, name, box, start_shut, dice, *how)

    @cached_property
    def hash(self) -> bytes:
        """The 32 bytes by which the ruleset is known; its id is a name for people."""
        return sha256(tag("ruleset") + self.document).digest()


NINE = mask_of(range(1, 10))
TEN = mask_of(range(1, 11))
TWELVE = mask_of(range(1, 13))


def _seven_up(box: int) -> int:
    """The tiles from 7 up: the published rule lets one die be rolled when all of them are shut."""
    return box & ~mask_of(range(1, 7))


def _traditional(id: str, name: str, box: int = NINE, **changes: int) -> Ruleset:
    """Two dice, and one die if the player likes when every tile from 7 up is shut."""
    return Ruleset(id, name, box, one_die=OneDie.OPTIONAL, one_die_tiles_shut=_seven_up(box), **changes)  # type: ignore[arg-type]


_ALL = (
    _traditional("classic", "Classic"),
    Ruleset("two-dice", "Always two dice", NINE),
    Ruleset("low-sum", "One die below six", NINE, one_die=OneDie.OPTIONAL, one_die_open_sum_below=6),
    _traditional("digits", "Digits", scoring=Scoring.DIGITS),
    _traditional("missionary", "Missionary", scoring=Scoring.COUNT),
    _traditional("two-to-go", "2 to go", first_roll_must_shut=2),
    _traditional("three-to-go", "3 to go", first_roll_must_shut=3),
    _traditional("three-down", "Three down", start_shut=mask_of((1, 2, 3))),
    _traditional("odds", "Odds", start_shut=mask_of((2, 4, 6, 8))),
    _traditional("evens", "Evens", start_shut=mask_of((1, 3, 5, 7, 9))),
    Ruleset("one-tile", "One tile a roll", NINE, match=Match.ONE_TILE),
    _traditional("ten", "Ten tiles", TEN),
    _traditional("twelve", "Twelve tiles", TWELVE),
    Ruleset("crafthouse", "Crafthouse", TWELVE, one_die=OneDie.FORCED, one_die_open_sum_below=6),
    Ruleset(
        "crafthouse-multiply",
        "Crafthouse, add or multiply",
        TWELVE,
        one_die=OneDie.FORCED,
        one_die_open_sum_below=6,
        match=Match.SUM_OR_PRODUCT,
    ),
    Ruleset("ten-three-dice", "Ten tiles, three dice", TEN, dice=3),
    Ruleset("twelve-three-dice", "Twelve tiles, three dice", TWELVE, dice=3),
)

CATALOGUE = MappingProxyType({ruleset.id: ruleset for ruleset in _ALL})
"""The named rulesets by id, in the order in which they are listed."""

BY_HASH = MappingProxyType({ruleset.hash: ruleset for ruleset in _ALL})
"""The same by hash: what a stored round names."""
