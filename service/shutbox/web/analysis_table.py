"""An analysis as people read it: a row for each decision, grades in words, and numbers rounded so that they add up."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from ..game.analysis import Analysis, Decision, Grade, Step, grade
from ..game.encoding import mask_of, tiles_of
from ..game.rules import Rules

T = TypeVar("T", int, tuple[int, ...])


@dataclass(frozen=True, slots=True)
class ShownWay:
    """One legal way, what is left after it on the average, and what is to be marked on it."""

    text: str
    left: str
    best: bool
    played: bool


@dataclass(frozen=True, slots=True)
class ShownDecision:
    """A decision. One with a single way is forced: it has no grade and loses nothing."""

    yours: str
    best: str
    left: str  # expected after the best way
    lost: str
    grade: Grade | None
    ways: list[ShownWay]


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One turn: the board before it, the roll, and the decisions."""

    number: int
    open: tuple[int, ...]
    faces: tuple[int, ...]
    shut: tuple[int, ...]
    luck: str
    dice: ShownDecision | None
    tiles: ShownDecision | None  # None: nothing could be shut
    line: str  # the decisions before it, as the address of a puzzle or of practice has them


@dataclass(frozen=True, slots=True)
class Sums:
    """The parts of a penalty in thousandths, such that expected + given_away + luck is exactly the penalty.

    `given_away` is rounded down, as it ranks; `expected` to the nearest; `luck` takes up what rounding leaves.
    """

    expected: int
    given_away: int
    luck: int
    penalty: int


def sums(analysis: Analysis) -> Sums:
    """Return the parts of a run's penalty, rounded so that they add up."""
    penalty = analysis.penalty // analysis.denominator
    expected = round(Fraction(1000 * analysis.expected, analysis.denominator))
    given_away = 1000 * analysis.given_away // analysis.denominator
    return Sums(expected, given_away, 1000 * penalty - expected - given_away, penalty)


def luck_text(milli: int, whom: str) -> str:
    """Return "13.31 for you", "0.40 against you" or "none"; negative luck is good."""
    amount = _points(Fraction(abs(milli), 1000))
    return f"{amount} {'for' if milli < 0 else 'against'} {whom}" if milli else "none"


def identity(sums: Sums) -> str:
    """Return "11.009 + 4.300 − 13.309 = 2": expected, given away and luck make up what is left."""
    luck = f"{'−' if sums.luck < 0 else '+'} {_thousandths(abs(sums.luck))}"
    return f"{_thousandths(sums.expected)} + {_thousandths(sums.given_away)} {luck} = {sums.penalty:,}"


def identity_words(sums: Sums) -> str:
    """Return the same as a sentence."""
    luck = "saved by luck" if sums.luck < 0 else "lost to bad luck"
    return (
        f"{_thousandths(sums.expected)} are left on the average by the best play, {_thousandths(sums.given_away)} were"
        f" given away and {_thousandths(abs(sums.luck))} {luck}: {sums.penalty:,} left."
    )


def thresholds(rules: Rules) -> tuple[str, str]:
    """Return below how many points lost a decision is still fine, and still a slip (game.analysis.grade)."""
    return _points(Fraction(rules.opening_penalty, 180)), _points(Fraction(rules.opening_penalty, 45))


def shown_steps(rules: Rules, analysis: Analysis, whom: str) -> list[ShownStep]:
    """Return the rows of an analysis; `whom` luck is for, "you" or "them"."""
    found: list[ShownStep] = []
    line: list[str] = []
    for number, step in enumerate(analysis.steps, start=1):
        shut = step.shut.chosen if step.shut else ()
        found.append(
            ShownStep(
                number=number,
                open=tiles_of(step.board),
                faces=step.faces,
                shut=shut,
                luck=luck_text(round(Fraction(1000 * step.luck, analysis.denominator)), whom),
                dice=_shown(rules, analysis, step.dice, dice_text) if step.dice else None,
                tiles=_shown(rules, analysis, step.shut, tiles_text) if step.shut else None,
                line="_".join(line),
            )
        )
        line += [f"d{step.dice.chosen}"] if step.dice else []
        line += [".".join(map(str, shut))] if shut else []
    return found


def grades(rules: Rules, analysis: Analysis) -> list[Grade]:
    """Return the grades of the decisions in order; forced moves are left out."""
    return [
        grade(rules, decision.lost, analysis.denominator)
        for step in analysis.steps
        for decision in decisions(step)
        if len(decision.ways) > 1
    ]


def decisions(step: Step) -> list[Decision[int] | Decision[tuple[int, ...]]]:
    """Return the decisions of a step in order."""
    return [decision for decision in (step.dice, step.shut) if decision]


def dice_text(dice: int) -> str:
    """Return "1 die" or "2 dice"."""
    return "1 die" if dice == 1 else f"{dice} dice"


def tiles_text(tiles: Sequence[int]) -> str:
    """Return "1, 3 and 5", or "no move" for none."""
    words = list(map(str, tiles))
    return f"{', '.join(words[:-1])} and {words[-1]}" if len(words) > 1 else "".join(words) or "no move"


def step_sentences(step: ShownStep, count: int) -> str:
    """Return what a replay says of a step."""
    said = [f"Step {step.number} of {count}."]
    if step.dice:
        said.append(f"Chose {step.dice.yours}: {_verdict(step.dice)}.")
    rolled = " and ".join(map(str, step.faces))
    total = f", total {sum(step.faces)}" if len(step.faces) > 1 else ""
    said.append(f"Rolled {rolled}{total}.")
    if step.tiles is None:
        return " ".join([*said, f"No move. Left open: {tiles_text(step.open)}."])
    after = tiles_of(mask_of(step.open) ^ mask_of(step.shut))
    said.append(f"Shut {tiles_text(step.shut)}: {_verdict(step.tiles)}.")
    return " ".join([*said, f"Open after it: {tiles_text(after)}." if after else "The box is shut."])


def _verdict(decision: ShownDecision) -> str:
    if decision.grade is None:
        return "the only way"
    if decision.grade is Grade.BEST:
        return "best"
    return f"{decision.grade}, {decision.lost} lost, best was {decision.best}"


def _shown(rules: Rules, analysis: Analysis, decision: Decision[T], text: Callable[[T], str]) -> ShownDecision:
    denominator = analysis.denominator
    least = min(decision.ways.values())
    forced = len(decision.ways) == 1
    best = decision.chosen if not decision.lost else decision.best  # of equally good ways, the player's own
    return ShownDecision(
        yours=text(decision.chosen),
        best=text(best),
        left=_points(Fraction(least, denominator)),
        lost=_lost(Fraction(decision.lost, denominator)),
        grade=None if forced else grade(rules, decision.lost, denominator),
        ways=[
            ShownWay(text(way), _points(Fraction(value, denominator)), value == least, way == decision.chosen)
            for way, value in decision.ways.items()
        ],
    )


def _lost(points: Fraction) -> str:
    return "under 0.01" if 0 < points < Fraction(1, 100) else _points(points)


def _points(points: Fraction) -> str:
    """Return hundredths, rounded to the nearest."""
    return f"{round(100 * points) / 100:,.2f}"


def _thousandths(milli: int) -> str:
    return f"{milli / 1000:,.3f}"
