"""What a result says when it is shared: with squares, and as plain sentences that say the same.

Before the close neither names rolls, squares nor points given away: many of those together betray the dice. Dice, tiles
and the best possible are never named. Decisions are called as in the analysis; only "close" is fine or a slip, since it
says what a yellow square says.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from ..game.analysis import Grade
from .words import dated, day_number

SQUARES = {Grade.BEST: "🟩", Grade.FINE: "🟨", Grade.SLIP: "🟨", Grade.BLUNDER: "🟥"}
WORDS = {Grade.BEST: "best", Grade.FINE: "close", Grade.SLIP: "close", Grade.BLUNDER: "blunder"}


@dataclass(frozen=True, slots=True)
class SharedPlay:
    """What may be told after the close: the number of rolls, and of a sealed round what the decisions were worth."""

    rolls: int
    given_away_milli: int | None
    grades: Sequence[Grade]


@dataclass(frozen=True, slots=True)
class SharedResult:
    """A result that is shared. `player` is None where its player shares it, `play` before the close."""

    day: date
    game: str  # like "Twelve round"; empty for the sealed classic round
    player: str | None
    score: int
    penalty: int
    shut_the_box: bool
    play: SharedPlay | None
    link: str


def squares_text(result: SharedResult) -> str:
    """Return the short form: day, result, a square for each decision, and the address of the day."""
    title = [f"Shutbox #{day_number(result.day)}", dated(result.day)]
    if result.game:
        title.append(result.game)
    left = "box shut" if result.shut_the_box else f"{result.penalty:,} left"
    told = [f"Score {result.score:,}", left]
    play = result.play
    if play:
        told.append(_rolls(play.rolls))
        if play.given_away_milli is not None:
            told.append(f"{_points(play.given_away_milli)} given away")
    if result.player:
        told.insert(0, result.player)
    lines = [" · ".join(title), " · ".join(told)]
    if play and play.grades:
        lines.append("".join(SQUARES[grade] for grade in play.grades))
    return "\n".join([*lines, result.link])


def plain_text(result: SharedResult) -> str:
    """Return the same facts as whole sentences."""
    who = result.player or "I"
    game = f", {result.game}" if result.game else ""
    left = "and shut the box" if result.shut_the_box else f"with {result.penalty:,} left"
    said = [
        f"Shutbox number {day_number(result.day)} of {result.day.day} {result.day:%B %Y}{game}.",
        f"{who} scored {result.score:,} {left}{_play(result.play)}.",
    ]
    if result.play and result.play.grades:
        said.append(f"The decisions in order were {', '.join(WORDS[grade] for grade in result.play.grades)}.")
    return " ".join([*said, f"The day is at {result.link}"])


def _play(play: SharedPlay | None) -> str:
    if play is None:
        return ""
    rolls = f" in {_rolls(play.rolls)}"
    return rolls if play.given_away_milli is None else f"{rolls} and gave away {_points(play.given_away_milli)} points"


def _rolls(rolls: int) -> str:
    return "1 roll" if rolls == 1 else f"{rolls} rolls"


def _points(milli: int) -> str:
    return f"{milli / 1000:.2f}"
