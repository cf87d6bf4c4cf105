"""The `shutbox-client` command.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | refused by the service; the problem is printed as `code: detail` |
| 2 | wrong usage: an option, a file that is no run, a place for the token that cannot be written |
| 3 | the service is unreachable: no connection, no answer in time, or an answer that is not the service's |
| 4 | left before the end: a sealed attempt waits on the service until its round closes |

Results go to standard output; notices and refusals go to standard error. The token is never printed unless asked for.
"""

import io
import json
import sys
from pathlib import Path
from typing import Any, BinaryIO, NoReturn
from uuid import UUID

import click
from shutbox.game.dice import deal
from shutbox.game.rules import Rules

from . import kept, words
from .client import LONGEST_PAGE, Client
from .errors import RoundClosed, RoundNotOpen, WrongMode
from .options import (
    DEFAULT_SERVER,
    EXIT_CODES,
    Commands,
    checked_server,
    checked_token,
    json_option,
    round_options,
    session_options,
    tell,
)
from .puzzle import dice_lines, solve
from .session import Session
from .terminal import CHOOSING, Left, Moment, Terminal, answered, end_lines, play_attempt
from .values import Attempt, Leaderboard, Round, Run, Submission, Unreadable, plain, read
from .verify.commands import verify


@click.group(cls=Commands, epilog=EXIT_CODES)
@click.version_option(package_name="shutbox")
@click.option(
    "--server",
    envvar="SHUTBOX_CLIENT_SERVER",
    default=DEFAULT_SERVER,
    show_default=True,
    callback=checked_server,
    help="Address of the service; or SHUTBOX_CLIENT_SERVER.",
)
@click.option(
    "--token",
    envvar="SHUTBOX_CLIENT_TOKEN",
    callback=checked_token,
    help="Token of the player; or SHUTBOX_CLIENT_TOKEN. Without one, the token kept for the server is used.",
)
@click.pass_context
def main(context: click.Context, server: str, token: str | None) -> None:
    """Play Shut the Box on a Shutbox service.

    You need no account: `play` and `puzzle` make a guest for you and keep its token in a file that only you can read.
    """
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a name must not end the program where it cannot be written
    context.obj = context.obj or Session()
    context.obj.server, context.obj.given_token = server, token


@main.command()
@session_options
@round_options
@click.pass_obj
def play(session: Session, round_id: str | None, ruleset: str | None) -> None:
    """Play a sealed round roll by roll.

    By default today's classic. There is one attempt: leave it with q, and `play` goes on where you left.
    """
    terminal = Terminal()
    with session.client(terminal.lost) as client:
        round = _chosen(session, client, "sealed", round_id, ruleset)
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


@main.command()
@session_options
@round_options
@click.pass_obj
def puzzle(session: Session, round_id: str | None, ruleset: str | None) -> None:
    """Find the best line on known dice.

    By default on today's open classic. Decisions are taken back with u until you submit the line at its end.
    Of the lines that you submit, the best counts.
    """
    terminal = Terminal()
    with session.client(terminal.lost) as client:
        round = _chosen(session, client, "open", round_id, ruleset)
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
            terminal.say(f"{_command(client)} puzzle --round {round.round_id}")
            raise Left from None
        try:
            answered(terminal, lambda: session.be_someone(client))
            run = answered(terminal, lambda: client.submit_run(round.round_id, turns))
        except (Left, KeyboardInterrupt):
            terminal.say("It is not known whether your line was submitted. To submit it, give this to: submit -")
            terminal.say(json.dumps(plain(Submission(round.round_id, tuple(turns)))))
            raise Left from None
        terminal.say("Submitted.", *_submitted(client, run))


@main.command()
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
            _print_json(run)
        else:
            _print(*_submitted(client, run), f"Run {run.run_id}")


@main.command()
@session_options
@json_option
@click.option("--limit", type=click.IntRange(1, LONGEST_PAGE), help=f"How many rows, at most {LONGEST_PAGE}.")
@click.option("--all", "everything", is_flag=True, help="Every row.")
@click.option("--around", metavar="me|ID", help="The rows around you, or around a player by id.")
@click.option("--bots", type=click.Choice(["exclude", "only"]), help="Leave bots out, or all others.")
@click.argument("round_id", required=False)
@click.pass_obj
def leaderboard(
    session: Session,
    round_id: str | None,
    limit: int | None,
    everything: bool,
    around: str | None,
    bots: str | None,
    as_json: bool,
) -> None:
    """Show the leaderboard of a round.

    By default that of today's open classic. The leaderboard of a sealed round is shown once you have finished it.
    """
    if everything and (limit is not None or around is not None):
        raise click.UsageError("--all is every row: leave --limit and --around away.")
    with session.client() as client:
        round_id = round_id or _today(client, "open").round_id
        page = client.leaderboard(round_id, limit=LONGEST_PAGE if everything else limit, around=around, bots=bots)
        if everything and page.next is not None:
            page = _whole(page, client, bots)
    if as_json:
        _print_json(page)
        return
    _print(*words.board_lines(page))
    if page.next is not None:
        _print(f"More rows follow: use --all, or --limit up to {LONGEST_PAGE}.")


@main.command()
@session_options
@json_option
@click.argument("date", default="today")
@click.pass_obj
def day(session: Session, date: str, as_json: bool) -> None:
    """List the rounds of a day.

    DATE is like 2026-11-30; by default it is today.
    """
    with session.client() as client:
        found = client.day(date)
    if as_json:
        _print_json(found)
    else:
        _print(f"{found.date}, {found.state}.", *map(words.round_line, found.rounds))


@main.command()
@session_options
@json_option
@click.option("--name", help="Claim this name, or change it.")
@click.option("--bot/--no-bot", default=None, help="Mark the player as a bot, or not.")
@click.option("--show-token", is_flag=True, help="Print the token, too: whoever has it acts as you.")
@click.pass_obj
def player(session: Session, name: str | None, bot: bool | None, show_token: bool, as_json: bool) -> None:
    """Show who you are, or become someone.

    Where no token is kept for the server, a player is made: a guest, or one with a name.
    """
    with session.client() as client:
        if client.token is None:
            own = session.join(client, name, bool(bot))
            tell(f"A new player. The token is kept in {session.token_file.path}")
        elif name is not None or bot is not None:
            own = client.change_me(name=name, bot=bot)
        else:
            own = client.me()
        token, command = client.token if show_token else None, _command(client)
    if as_json:
        click.echo(json.dumps(plain(own) | ({"token": token} if token else {}), indent=2))
        return
    _print(
        f"Player {words.player_label(own)}",
        f"Id {own.player_id}",
        *([f"Without a name; claim one with: {command} player --name NAME"] if own.guest else []),
        *([f"Token {token}"] if token else []),
    )


@main.command("receipt")
@session_options
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@click.argument("run_id", type=click.UUID)
@click.pass_obj
def receipt_command(session: Session, run_id: UUID, output: Path | None) -> None:
    """Keep the receipt of a run: the proof that it was accepted.

    By default in run-RUN_ID.tlog-proof. Check it with verify receipt.
    """
    file = output or Path(f"run-{run_id}.tlog-proof")
    with session.client() as client, kept.place(file) as draft:
        client.receipt(str(run_id), draft)
    _print(f"The receipt is kept in {file}")


main.add_command(verify)


# What the commands share


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
        terminal.say(f"{_command(client)} play --round {round.round_id}")
        raise Left from None


def _command(client: Client) -> str:
    """Return how this command is called for the same server."""
    return "shutbox-client" if client.base_url == DEFAULT_SERVER else f"shutbox-client --server {client.base_url}"


def _today(client: Client, mode: str) -> Round:
    found = client.day().find("classic", mode)
    if found is None:
        _fail(f"There is no {mode} classic round today.")
    return found


def _chosen(session: Session, client: Client, mode: str, round_id: str | None, ruleset: str | None) -> Round:
    """Return the round to play. Raises what the service would, before a guest is made for nothing."""
    if ruleset is not None:
        if round_id is not None:
            raise click.UsageError("--round and --new exclude each other.")
        client.ruleset(ruleset)  # is there, before a guest is made for nothing
        session.be_someone(client)
        return client.issue_round(ruleset, mode)
    round = client.round(round_id) if round_id is not None else _today(client, mode)
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
        _fail(f"This client is too old for the ruleset {round.ruleset}: install a newer one.")


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


def _whole(page: Leaderboard, client: Client, bots: str | None) -> Leaderboard:
    """Return a leaderboard with every row."""
    rows = tuple(client.leaderboard_rows(page.round_id, bots=bots))
    return Leaderboard(page.round_id, page.state, page.gated, page.total, rows, None, None)


def _print(*lines: str) -> None:
    for line in lines:
        click.echo(words.printable(line))


def _print_json(value: Any) -> None:
    click.echo(json.dumps(plain(value), indent=2))


def _fail(message: str) -> NoReturn:
    raise click.ClickException(message)


if __name__ == "__main__":
    main()
