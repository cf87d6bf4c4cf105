"""`shutbox-client leaderboard` and `day`: who stands where, and what is played."""

import sys
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from .. import words
from ..calls.caller import LONGEST_PAGE
from ..client import Client
from ..options import fail, json_option, print_json, say, session_options
from ..session import Session
from ..values import Leaderboard, Period, Round

PERIODS = ("week", "month", "all-time")


def _which_options(command: Any) -> Any:
    """Take the options that choose a board and a part of it."""
    for option in (
        click.option("--csv", "as_csv", is_flag=True, help="Print every row as CSV."),
        click.option("--league", metavar="CODE", help="Only members of a league of yours."),
        click.option("--bots", type=click.Choice(["exclude", "only"]), help="Leave bots out, or all others."),
        click.option("--around", metavar="me|ID", help="The rows around you, or around a player by id."),
        click.option("--all", "everything", is_flag=True, help="Every row."),
        click.option("--limit", type=click.IntRange(1, LONGEST_PAGE), help=f"How many rows, at most {LONGEST_PAGE}."),
        click.option("--of", metavar="DATE", help="Of the day, week or month of a date, like 2026-11-30."),
        click.option("--mode", type=click.Choice(["sealed", "open"]), help="Of a day or period: sealed by default."),
        click.option("--ruleset", metavar="ID", help="Of a day or period: classic by default."),
    ):
        command = option(command)
    return command


@click.command()
@session_options
@json_option
@_which_options
@click.argument("board", default="day")
@click.pass_obj
def leaderboard(
    session: Session,
    board: str,
    ruleset: str | None,
    mode: str | None,
    of: str | None,
    limit: int | None,
    everything: bool,
    around: str | None,
    bots: str | None,
    league: str | None,
    as_json: bool,
    as_csv: bool,
) -> None:
    """Show the leaderboard of a round, a week, a month or all time.

    BOARD is day, week, month, all-time, or the id of a round; by default it is that of today's sealed classic. It
    is shown once you have finished the round. Periods count days that have closed.
    """
    if (everything or as_csv) and (limit is not None or around is not None):
        raise click.UsageError("--all and --csv are every row: leave --limit and --around away.")
    if board not in ("day", *PERIODS) and (ruleset, mode, of) != (None, None, None):
        raise click.UsageError("--ruleset, --mode and --of are of a day or a period.")
    which: dict[str, Any] = {"bots": bots, "league": league}
    part: dict[str, Any] = {"limit": LONGEST_PAGE if everything else limit, "around": around}
    with session.client() as client:
        if board in PERIODS:
            which |= {"ruleset": ruleset, "mode": mode, "of": of}
        elif board == "day":
            board = _round_of(client, ruleset, mode, of).round_id
        if as_csv:
            _print_csv(client, board, which)
            return
        page = _board(client, board, which, part)
        if everything and page.next is not None:
            page = _whole(client, board, which, page)
    if as_json:
        print_json(page)
        return
    say(*(words.period_lines(page) if isinstance(page, Period) else words.board_lines(page)))
    if page.next is not None:
        say(f"More rows follow: use --all, or --limit up to {LONGEST_PAGE}.")


def _board(client: Client, board: str, which: dict[str, Any], part: dict[str, Any]) -> Leaderboard | Period:
    if board in PERIODS:
        return client.period(board, **which, **part)
    return client.leaderboard(board, **which, **part)


def _whole(client: Client, board: str, which: dict[str, Any], page: Leaderboard | Period) -> Leaderboard | Period:
    """Return a board with every row."""
    if isinstance(page, Period):
        return replace(page, items=tuple(client.iter_period(board, **which)), next=None)
    return replace(page, items=tuple(client.iter_leaderboard(board, **which)), next=None)


def _print_csv(client: Client, board: str, which: dict[str, Any]) -> None:
    """Print a file as the service wrote it; to a terminal, without what would steer it."""
    with TemporaryDirectory(prefix="shutbox-") as folder:
        file = Path(folder) / "board.csv"
        if board in PERIODS:
            client.save_period(board, file, **which)
        else:
            client.save_leaderboard(board, file, **which)
        with file.open(encoding="utf-8", newline="") as rows:
            for row in rows:
                if sys.stdout.isatty():
                    say(row.rstrip("\r\n"))
                else:
                    click.echo(row, nl=False)


@click.command()
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
        print_json(found)
    else:
        say(f"{found.date}, {found.state}.", *map(words.round_line, found.rounds))


def today(client: Client, mode: str) -> Round:
    """Return today's classic round of a mode."""
    return _round_of(client, "classic", mode, "today")


def _round_of(client: Client, ruleset: str | None, mode: str | None, of: str | None) -> Round:
    found = client.day(of or "today").find(ruleset or "classic", mode or "sealed")
    if found is None:
        fail(f"There is no {mode or 'sealed'} {ruleset or 'classic'} round on that day.")
    return found
