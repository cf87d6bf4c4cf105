"""`shutbox-client play`, `practice`, `puzzle` and `submit`: from a round to an accepted run."""

import json
from typing import Any, BinaryIO

import click
from shutbox.game.dice import deal
from shutbox.game.rules import Rules

from .. import words
from ..client import Client
from ..errors import RoundClosed, RoundNotOpen, WrongMode
from ..options import command_for, fail, json_option, print_json, say, session_options
from ..puzzle import dice_lines, solve
from ..reading import Unreadable, plain, read
from ..session import Session
from ..terminal import CHOOSING, Left, Moment, Terminal, answered, end_lines, play_attempt
from ..values import Attempt, Round, Run, Submission
from .boards import today

round_option = click.option("--round", "round_id", metavar="ID", help="Another round; `day` lists those of a day.")


@click.command()
@session_options
@round_option
@click.pass_obj
def play(session: Session, round_id: str | None) -> None:
    """Play a sealed round roll by roll.

    By default today's classic; a challenge by --round. There is one attempt: leave it with q, and `play` goes on where
    you left.
    """
    terminal = Terminal()
    with session.client(terminal.lost) as client:
        _play(session, terminal, client, _chosen(client, "sealed", round_id))


@click.command()
@session_options
@round_option
@click.pass_obj
def puzzle(session: Session, round_id: str | None) -> None:
    """Find the best line on known dice.

    By default on today's open classic. Decisions are taken back with u until you submit the line at its end.
    Of the lines that you submit, the best counts.
    """
    terminal = Terminal()
    with session.client(terminal.lost) as client:
        _solve(session, terminal, client, _chosen(client, "open", round_id))


@click.command()
@session_options
@click.option("--open", "is_open", is_flag=True, help="With known dice, to find the best line on.")
@click.argument("ruleset", default="classic")
@click.pass_obj
def practice(session: Session, ruleset: str, is_open: bool) -> None:
    """Play a new round of your own, which counts nowhere.

    RULESET is classic or another id.
    """
    terminal = Terminal()
    with session.client(terminal.lost) as client:
        client.ruleset(ruleset)  # is there, before a guest is made for nothing
        session.be_someone(client)
        round = client.issue_round(ruleset, "open" if is_open else "sealed")
        (_solve if is_open else _play)(session, terminal, client, round)


@click.command()
@session_options
@json_option
@click.argument("file", type=click.File("rb"))
@click.pass_obj
def submit(session: Session, file: BinaryIO, as_json: bool) -> None:
    """Submit a run to an open round.

    FILE holds JSON, {"round_id": ..., "turns": [{"dice": 2, "shut": [3, 5]}, ...]}; - is standard input.
    """
    submission = _read_submission(file)
    with session.client() as client:
        session.be_someone(client)
        run = client.submit_run(submission.round_id, submission.turns)
        if as_json:
            print_json(run)
        else:
            say(*_submitted(client, run), f"Run {run.run_id}")


def _play(session: Session, terminal: Terminal, client: Client, round: Round) -> None:
    """Play a sealed round to its end."""
    rules = _rules(client, round)
    session.be_someone(client)
    attempt = client.start_attempt(round.round_id)
    terminal.back()
    over = [f"You have finished round {round.round_id}."]
    if attempt.state in CHOOSING:
        attempt = _played(terminal, client, rules, round, attempt)
        over = end_lines(rules, Moment.of(attempt))
    elif attempt.move == 0:  # the first roll ended the round, before anything could be decided
        over = [*_first_roll(rules), *end_lines(rules, Moment.of(attempt))]
    run_id = attempt.run_id
    if run_id is None:
        terminal.say(f"You did not finish round {round.round_id} before its close.")
        raise Left
    run = answered(terminal, lambda: client.run(run_id))
    terminal.say(*over, *words.run_lines(run))


def _solve(session: Session, terminal: Terminal, client: Client, round: Round) -> None:
    """Find a line on an open round, and submit it."""
    rules = _rules(client, round)
    table = deal(rules, round.seed or b"")
    terminal.back()
    terminal.say(
        f"Round {round.round_id}, ruleset {rules.ruleset.name}. These are all its dice:",
        *dice_lines(rules, table),
        *_first_roll(rules),
        "Type ? for help, u to take back a decision, q to leave.",
    )
    try:
        turns = solve(terminal, rules, table)
    except (Left, KeyboardInterrupt):
        terminal.say("Nothing was submitted. Begin again with:")
        terminal.say(f"{command_for(client)} puzzle --round {round.round_id}")
        raise Left from None
    try:
        answered(terminal, lambda: session.be_someone(client))
        run = answered(terminal, lambda: client.submit_run(round.round_id, turns))
    except (Left, KeyboardInterrupt):
        terminal.say("It is not known whether your line was submitted. To submit it, give this to: submit -")
        terminal.say(json.dumps(plain(Submission(round.round_id, tuple(turns)))))
        raise Left from None
    terminal.say("Submitted.", *_submitted(client, run))


def _played(terminal: Terminal, client: Client, rules: Rules, round: Round, attempt: Attempt) -> Attempt:
    """Return an attempt played to its end; where the player leaves, say how to go on."""
    terminal.say(
        f"Round {round.round_id}, ruleset {rules.ruleset.name}. Its dice are shown roll by roll.",
        "You go on where you left." if attempt.move else "You have one attempt.",
        *_first_roll(rules),
        "Type ? for help, q to leave.",
    )
    try:
        return play_attempt(terminal, client, rules, attempt)
    except (Left, KeyboardInterrupt):
        terminal.say(f"The round waits for you until {words.moment(round.closes_at)}. Go on with:")
        terminal.say(f"{command_for(client)} play --round {round.round_id}")
        raise Left from None


def _chosen(client: Client, mode: str, round_id: str | None) -> Round:
    """Return the round to play. Raises what the service would, before a guest is made for nothing."""
    round = client.round(round_id) if round_id is not None else today(client, mode)
    if round.mode != mode:
        raise WrongMode(409, "wrong_mode", detail=f"round {round.round_id} is {round.mode}")
    if round.state == "upcoming":
        opens = words.moment(round.opens_at)
        raise RoundNotOpen(409, "round_not_open", detail=f"round {round.round_id} opens at {opens}")
    if round.state != "open" and (mode == "open" or client.token is None):
        until = words.moment(round.entries_until)
        raise RoundClosed(409, "round_closed", detail=f"round {round.round_id} took players until {until}")
    return round


def _rules(client: Client, round: Round) -> Rules:
    try:
        return client.ruleset(round.ruleset).rules
    except ValueError:
        fail(f"This client is too old for the ruleset {round.ruleset}: install a newer one.")


def _first_roll(rules: Rules) -> list[str]:
    tile = rules.ruleset.first_roll_must_shut
    return [f"The first roll must shut tile {tile}."] if tile else []


def _submitted(client: Client, run: Run) -> list[str]:
    """Return what a submitted run reached; where an earlier one counts, where that stands."""
    lines = words.run_lines(run)
    if not run.ranked:
        page = client.leaderboard(run.round_id, around="me")
        for row in page.items:
            if run.player and row.player.player_id == run.player.player_id and page.total is not None:
                lines.append(f"Another run of yours counts: {words.score_line(row.score, row.penalty)}")
                lines.append(words.rank_line(row.rank, page.total))
    return lines


def _read_submission(file: BinaryIO) -> Submission:
    """Return what a file holds; ends with a usage error if that is no run. What is legal is for the service to say."""
    try:
        return read(Submission, json.loads(file.read(), object_pairs_hook=_without_twins))
    except Unreadable as mistake:
        raise click.UsageError(f'{file.name}: {mistake}. Expected: {{"round_id": ..., "turns": [...]}}') from None
    except (ValueError, RecursionError) as mistake:
        raise click.UsageError(f"{file.name} is not JSON: {mistake}") from None


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice in one object")
    return found
