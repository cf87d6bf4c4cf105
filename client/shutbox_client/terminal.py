"""Playing in the terminal: what the player sees and decides, in lines that a screen reader can follow."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

import click
from shutbox.game import play
from shutbox.game.encoding import tiles_of
from shutbox.game.play import DiceChoice, Position, ShutChoice
from shutbox.game.rules import RollTable, Rules

from . import words
from .client import Client
from .errors import IllegalMove, Problem, Unavailable, Unreachable
from .transport import Retry
from .values import Attempt

T = TypeVar("T")

CHOOSING = ("choose_dice", "choose_tiles")


class Left(Exception):
    """The player left before the end: by q, by the end of the input, or by Ctrl-C."""


class Undo(Enum):
    """The wish to take back the last decision, where that can be done."""

    UNDO = "u"


@dataclass(frozen=True, slots=True)
class Moment:
    """What the player sees at a decision, or at the end: sealed or open, the same."""

    state: str
    open: tuple[int, ...]
    roll: int
    faces: tuple[int, ...] | None
    ways: Sequence[tuple[int, ...]]
    dice_allowed: tuple[int, ...]

    @classmethod
    def of(cls, attempt: Attempt) -> "Moment":
        """Return what an attempt shows."""
        return cls(attempt.state, attempt.open, attempt.roll, attempt.faces, attempt.legal, attempt.dice_allowed)

    @classmethod
    def at(cls, rules: Rules, table: RollTable, position: Position) -> "Moment":
        """Return what a position on known dice shows."""
        ways = play.legal_ways(rules, table, position)
        dice_allowed = rules.dice_allowed[position.open]
        return cls(position.state.value, tiles_of(position.open), position.roll, position.faces, ways, dice_allowed)


class Terminal:
    """Says lines and asks for lines; it never moves the cursor, colours or draws."""

    def __init__(self) -> None:
        self._lost = False

    def say(self, *lines: str) -> None:
        """Write lines."""
        for line in lines:
            click.echo(words.printable(line))

    def ask(self, question: str) -> str:
        """Return what is typed after a question. Raises Left at the end of the input, on Ctrl-C, and on q."""
        try:
            text = input(f"{words.printable(question)} ").strip()
        except (EOFError, KeyboardInterrupt):
            click.echo()
            raise Left from None
        if not sys.stdin.isatty():
            click.echo()  # nobody pressed Enter on a screen
        if text.lower() in ("q", "quit"):
            raise Left
        return text

    def lost(self, retry: Retry) -> None:
        """Tell that a request is sent again."""
        if not self._lost:
            what = "Connection lost" if isinstance(retry.error, Unreachable) else "The service cannot answer now"
            self.say(f"{what}. Your decisions are kept; trying again.")
        self._lost = True

    def back(self) -> None:
        """Tell that requests are answered again, if it was told that they were not."""
        if self._lost:
            self.say("The connection is back.")
        self._lost = False


def ask_decision(
    terminal: Terminal, rules: Rules, moment: Moment, can_undo: bool = False
) -> DiceChoice | ShutChoice | Undo:
    """Ask until the answer is a decision that is legal here. Raises Left."""
    question = _question(rules, moment)
    asked = question
    while True:
        text = terminal.ask(asked)
        if text == "?":
            terminal.say(*_help(moment, can_undo))
            asked = question
            continue
        if text.lower() == "w" and moment.faces is not None:
            terminal.say(*words.ways_lines(moment.ways))
            asked = "Shut which tiles?"
            continue
        if can_undo and text.lower() in ("u", "undo"):
            return Undo.UNDO
        meant = _meant(rules, moment, text)
        if not isinstance(meant, str):
            return meant
        terminal.say(meant)
        asked = _short_question(moment)


def play_attempt(terminal: Terminal, client: Client, rules: Rules, attempt: Attempt) -> Attempt:
    """Play an attempt on from where it stands; return it as it ended. Raises Left, Problem and Unreachable."""
    while attempt.state in CHOOSING:
        decision = ask_decision(terminal, rules, Moment.of(attempt))
        attempt = _decide(terminal, client, attempt, decision)
    return attempt


def answered(terminal: Terminal, send: Callable[[], T]) -> T:
    """Send until an answer comes or the player gives up. The request is the same each time, so it counts once."""
    while True:
        try:
            answer = send()
        except (Unreachable, Unavailable) as error:
            terminal.say(f"Still no answer. {error}.")
            terminal.ask("Press Enter to send the same again, or type q to leave.")
        else:
            terminal.back()
            return answer


def end_lines(rules: Rules, moment: Moment) -> list[str]:
    """Return how a round ended: with a roll on which nothing can be shut, or with a shut box."""
    if moment.state != "locked" or moment.faces is None:
        return []
    roll = words.roll_line(rules, moment.roll, moment.faces)
    return [f"{roll} {words.open_line(moment.open)} Nothing can be shut.", "The round is over."]


def _decide(terminal: Terminal, client: Client, attempt: Attempt, decision: DiceChoice | ShutChoice | Undo) -> Attempt:
    """Send a decision until it is answered; return the attempt after it."""

    def send() -> Attempt:
        if isinstance(decision, DiceChoice):
            return client.make_move(attempt.attempt_id, attempt.move, dice=decision.dice)
        assert isinstance(decision, ShutChoice)
        return client.make_move(attempt.attempt_id, attempt.move, shut=decision.shut)

    try:
        following = answered(terminal, send)
    except IllegalMove as refused:
        terminal.say(f"The service refuses this: {refused.detail}. Nothing was decided.")
        return attempt
    except Problem as refused:
        if refused.state is None:
            raise
        terminal.say("This roll was decided already, perhaps in another window. Here is where the round stands.")
        return refused.state
    if isinstance(decision, ShutChoice):
        terminal.say(words.shut_line(decision.shut))
    return following


def _question(rules: Rules, moment: Moment) -> str:
    if moment.faces is None:
        return f"Roll {moment.roll + 1}. {words.open_line(moment.open)} {_short_question(moment)}"
    roll = words.roll_line(rules, moment.roll, moment.faces)
    return f"{roll} {words.open_line(moment.open)} {_short_question(moment)}"


def _short_question(moment: Moment) -> str:
    if moment.faces is None:
        return f"Roll how many dice, {words.listed(moment.dice_allowed, 'or')}?"
    asked = "Press Enter to take it." if len(moment.ways) == 1 else "Shut which tiles?"
    return f"{words.ways_line(moment.ways)} {asked}"


def _meant(rules: Rules, moment: Moment, text: str) -> DiceChoice | ShutChoice | str:
    if moment.faces is None:
        number = words.number_meant(text, moment.dice_allowed)
        return number if isinstance(number, str) else DiceChoice(number)
    if not text and len(moment.ways) == 1:
        return ShutChoice(moment.ways[0])
    tiles = words.tiles_meant(rules, text, moment.open, moment.faces, moment.ways)
    return tiles if isinstance(tiles, str) else ShutChoice(tiles)


def _help(moment: Moment, can_undo: bool) -> list[str]:
    if moment.faces is None:
        lines = ["Type how many dice to roll.", "After the roll you choose the tiles to shut."]
    else:
        lines = [
            f"Shut open tiles that match the roll. Type one of the ways, for example: {words.spaced(moment.ways[-1])}",
            "Type w to list the ways. Where there is only one, Enter alone takes it.",
        ]
    lines.append("The round is over when a roll has no way. The less is left then, the higher the score.")
    lines += ["Type u to take back your last decision."] if can_undo else ["A decision cannot be taken back."]
    return [*lines, "Type q to leave." if can_undo else "Type q to leave; you can go on later."]
