"""`shutbox-client league` and `challenge`: playing with people you know."""

import click

from .. import words
from ..options import command_for, json_option, print_json, say, session_options
from ..session import Session
from ..values import League


@click.group()
def league() -> None:
    """Make, join and lead leagues. A league is named by its invite code."""


def _told(found: League, as_json: bool) -> None:
    if as_json:
        print_json(found)
    else:
        say(*words.league_lines(found))


@league.command()
@session_options
@json_option
@click.argument("name")
@click.pass_obj
def create(session: Session, name: str, as_json: bool) -> None:
    """Make a league: you are its owner."""
    with session.client() as client:
        _told(client.create_league(name), as_json)


@league.command("list")
@session_options
@json_option
@click.pass_obj
def list_command(session: Session, as_json: bool) -> None:
    """List your leagues."""
    with session.client() as client:
        found = client.leagues()
    if as_json:
        print_json(found)
    else:
        say(*(map(words.league_line, found) if found else ["You are in no league."]))


@league.command()
@session_options
@json_option
@click.argument("code")
@click.pass_obj
def show(session: Session, code: str, as_json: bool) -> None:
    """Show a league, and its members if you are one."""
    with session.client() as client:
        _told(client.league(code), as_json)


@league.command()
@session_options
@json_option
@click.argument("code")
@click.pass_obj
def join(session: Session, code: str, as_json: bool) -> None:
    """Become a member."""
    with session.client() as client:
        session.be_someone(client)
        _told(client.join_league(code), as_json)


@league.command()
@session_options
@click.argument("code")
@click.pass_obj
def leave(session: Session, code: str) -> None:
    """Be a member no more."""
    with session.client() as client:
        client.leave_league(code)
    say("You are no member of it.")


@league.command()
@session_options
@json_option
@click.argument("code")
@click.pass_obj
def rotate(session: Session, code: str, as_json: bool) -> None:
    """Replace the invite code of a league of yours."""
    with session.client() as client:
        _told(client.rotate_league_code(code), as_json)


@league.command()
@session_options
@json_option
@click.argument("code")
@click.argument("name")
@click.pass_obj
def rename(session: Session, code: str, name: str, as_json: bool) -> None:
    """Give a league of yours another name."""
    with session.client() as client:
        _told(client.rename_league(code, name), as_json)


@league.command()
@session_options
@click.argument("code")
@click.argument("player_id", type=click.UUID)
@click.pass_obj
def remove(session: Session, code: str, player_id: object) -> None:
    """Remove a member from a league of yours."""
    with session.client() as client:
        client.remove_member(code, str(player_id))
    say("The player is no member of it.")


@league.command()
@session_options
@click.option("--yes", is_flag=True, help="Without a question.")
@click.argument("code")
@click.pass_obj
def close(session: Session, code: str, yes: bool) -> None:
    """End a league of yours for all its members."""
    with session.client() as client:
        if not yes:
            click.confirm(f"End the league {words.printable(client.league(code).name)}?", abort=True, err=True)
        client.close_league(code)
    say("The league is closed.")


@click.group()
def challenge() -> None:
    """Play a sealed round with a few people you know."""


@challenge.command("create")
@session_options
@json_option
@click.option("--players", type=click.IntRange(2, 50), default=8, show_default=True, help="How many may play.")
@click.option(
    "--hours", type=click.IntRange(1, 168), default=24, show_default=True, help="How long new ones may enter."
)
@click.argument("ruleset", default="classic")
@click.pass_obj
def create_challenge(session: Session, ruleset: str, players: int, hours: int, as_json: bool) -> None:
    """Make a challenge, and show how to take it up."""
    with session.client() as client:
        session.be_someone(client)
        round = client.create_challenge(ruleset, players, hours)
        if as_json:
            print_json(round)
            return
        say(
            f"Round {round.round_id} takes {players} players until {words.moment(round.entries_until)}.",
            f"In a browser: {client.base_url}/play/{round.round_id}",
            f"In a terminal: {command_for(client)} play --round {round.round_id}",
        )


@challenge.command("list")
@session_options
@json_option
@click.pass_obj
def list_challenges(session: Session, as_json: bool) -> None:
    """List the challenges that you have made or entered."""
    with session.client() as client:
        found = client.challenges()
    if as_json:
        print_json(found)
    else:
        say(*([words.round_line(one.round) for one in found] or ["You have made or entered no challenge."]))
