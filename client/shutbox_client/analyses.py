"""The analysis of a run as the service answers it, as frozen values."""

from dataclasses import dataclass
from fractions import Fraction

from shutbox.game.replay import Turn


@dataclass(frozen=True, slots=True)
class ExactValue:
    """Points, exactly and rounded to nine decimals; negative is good for the player."""

    fraction: Fraction
    decimal: str


@dataclass(frozen=True, slots=True)
class DiceWay:
    """A number of dice, and the least expected penalty after choosing it."""

    dice: int
    value: ExactValue


@dataclass(frozen=True, slots=True)
class ShutWay:
    """A set of tiles, and the least expected penalty after shutting it."""

    shut: tuple[int, ...]
    value: ExactValue


@dataclass(frozen=True, slots=True)
class DiceDecision:
    """A choice of dice: what it lost, and its grade, `best`, `fine`, `slip` or `blunder`."""

    chosen: int
    best: int
    lost: ExactValue
    grade: str
    ways: tuple[DiceWay, ...]


@dataclass(frozen=True, slots=True)
class ShutDecision:
    """A choice of tiles, likewise."""

    chosen: tuple[int, ...]
    best: tuple[int, ...]
    lost: ExactValue
    grade: str
    ways: tuple[ShutWay, ...]


@dataclass(frozen=True, slots=True)
class AnalysisStep:
    """One turn: `dice` is None where there was no choice, `shut` where nothing could be shut. `open` is before it."""

    open: tuple[int, ...]
    dice: DiceDecision | None
    faces: tuple[int, ...]
    luck: ExactValue
    shut: ShutDecision | None


@dataclass(frozen=True, slots=True)
class BestPossible:
    """What foresight of all rolls could do."""

    penalty: int
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class Analysis:
    """A run beside the best play: penalty = expected + luck + given_away, exactly. Gated, everything is None.

    `best_possible` is None until the close; `better_than` counts players ranked with a worse result, and is None for a
    run that does not rank its player.
    """

    run_id: str
    round_id: str
    ruleset: str
    gated: bool
    penalty: int | None
    expected: ExactValue | None
    luck: ExactValue | None
    given_away: ExactValue | None
    steps: tuple[AnalysisStep, ...] | None
    best_possible: BestPossible | None
    better_than: int | None
    total: int | None
