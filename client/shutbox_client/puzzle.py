"""An open round as a puzzle: all dice are known, so a line is tried and taken back here before it is submitted."""

from collections.abc import Sequence

from shutbox.game import play
from shutbox.game.play import Decision, Position
from shutbox.game.replay import End, Turn
from shutbox.game.rules import RollTable, Rules

from . import words
from .terminal import Moment, Terminal, Undo, ask_decision, end_lines

_NOTHING_LEFT = "There is no decision to take back."


def rolls_that_matter(rules: Rules, table: RollTable) -> list[tuple[int, ...]]:
    """Return, for each roll that some legal line meets, the numbers of dice with which it can be met."""
    met: list[tuple[int, ...]] = []
    boards = {rules.opening}
    for matches in table.matches:
        if not boards:
            break
        met.append(tuple(sorted({dice for board in boards for dice in rules.dice_allowed[board]})))
        boards = {
            board ^ tiles
            for board in boards
            for dice in rules.dice_allowed[board]
            for tiles in rules.ways(board, matches[dice]).values()
        } - {0}
    return met


def dice_lines(rules: Rules, table: RollTable) -> list[str]:
    """Return the dice that matter, a roll a line."""
    lines = []
    for roll, dice_met in enumerate(rolls_that_matter(rules, table)):
        line = words.roll_line(rules, roll, table.rolls[roll][: dice_met[-1]])
        if len(dice_met) > 1:
            line = f"{line[:-1]}; {words.rolled(rules, table.rolls[roll][:1])}."
        lines.append(line)
    return lines


def solve(terminal: Terminal, rules: Rules, table: RollTable) -> Sequence[Turn]:
    """Let the player choose a line to its end; return its turns once they are to be submitted. Raises Left."""
    decisions: list[Decision] = []
    while True:
        position = play.position_after(rules, table, decisions)
        ended = isinstance(position.state, End)
        decision = _ask_end(terminal, rules, table, position) if ended else _ask(terminal, rules, table, position)
        if decision is None:
            return position.turns
        if not isinstance(decision, Undo):
            decisions.append(decision)
            if isinstance(decision, play.ShutChoice):
                terminal.say(words.shut_line(decision.shut))
        elif decisions:
            decisions.pop()
            terminal.say("Taken back.")
        else:
            terminal.say(_NOTHING_LEFT)


def _ask(terminal: Terminal, rules: Rules, table: RollTable, position: Position) -> Decision | Undo:
    return ask_decision(terminal, rules, Moment.at(rules, table, position), can_undo=True)


def _ask_end(terminal: Terminal, rules: Rules, table: RollTable, position: Position) -> Undo | None:
    """Ask what to do with a line that has ended; None: submit it. Raises Left."""
    moment = Moment.at(rules, table, position)
    terminal.say(*end_lines(rules, moment))
    if position.state is End.SHUT:
        terminal.say("The box is shut.")
    penalty = rules.penalties[position.open]
    terminal.say(words.score_line(rules.opening_penalty - penalty, penalty))
    while True:
        text = terminal.ask("Type s to submit this line, u to take back the last decision, q to leave.").lower()
        if text in ("s", "submit"):
            return None
        if text in ("u", "undo"):
            return Undo.UNDO
        terminal.say("Nothing was submitted yet.")
