"""`shutbox-client player` and `receipt`: who you are, and what is yours."""

import json
from pathlib import Path
from uuid import UUID

import click

from .. import kept, words
from ..options import command_for, fail, json_option, print_json, say, session_options, tell
from ..reading import plain
from ..session import Session
from ..values import Player

SCOPES = ("play", "read", "league")


@click.group()
def player() -> None:
    """Say who you are, become someone, move, or leave."""


def _player_lines(own: Player, command: str, token: str | None = None) -> list[str]:
    return [
        f"Player {words.player_label(own)}",
        f"Id {own.player_id}",
        *([f"Without a name; claim one with: {command} player rename NAME"] if own.guest else []),
        *([f"Token {token}"] if token else []),
    ]


@player.command()
@session_options
@json_option
@click.option("--name", help="The name; without one the player is a guest.")
@click.option("--bot", is_flag=True, help="The player is a bot.")
@click.pass_obj
def new(session: Session, name: str | None, bot: bool, as_json: bool) -> None:
    """Make a player and keep its token."""
    with session.client() as client:
        if client.token is not None:
            raise click.UsageError(f"You are a player here already; its token is in {session.token_file.path}")
        own = session.join(client, name, bot)
        tell(f"The token is kept in {session.token_file.path}")
        if as_json:
            print_json(own)
        else:
            say(*_player_lines(own, command_for(client)))


@player.command()
@session_options
@json_option
@click.option("--show-token", is_flag=True, help="Print the token, too: whoever has it acts as you.")
@click.pass_obj
def show(session: Session, show_token: bool, as_json: bool) -> None:
    """Show who you are."""
    with session.client() as client:
        own = client.me()
        token, command = client.token if show_token else None, command_for(client)
    if as_json:
        click.echo(json.dumps(plain(own) | ({"token": token} if token else {}), indent=2))
    else:
        say(*_player_lines(own, command, token))


@player.command()
@session_options
@json_option
@click.option("--bot/--no-bot", default=None, help="Mark the player as a bot, or not.")
@click.argument("name", required=False)
@click.pass_obj
def rename(session: Session, name: str | None, bot: bool | None, as_json: bool) -> None:
    """Claim or change your name."""
    if name is None and bot is None:
        raise click.UsageError("Give a name, or --bot or --no-bot.")
    with session.client() as client:
        own = client.change_me(name=name, bot=bot)
        if as_json:
            print_json(own)
        else:
            say(*_player_lines(own, command_for(client)))


@player.command()
@session_options
@json_option
@click.argument("name", required=False)
@click.pass_obj
def profile(session: Session, name: str | None, as_json: bool) -> None:
    """Show the results of a player by name, or yours."""
    with session.client() as client:
        found = client.my_profile() if name is None else client.profile(name)
    if as_json:
        print_json(found)
    else:
        say(*words.profile_lines(found))


@player.command()
@session_options
@json_option
@click.argument("kind", type=click.Choice(["transfer", "recovery"]))
@click.pass_obj
def code(session: Session, kind: str, as_json: bool) -> None:
    """Make a code that moves you to another device.

    A transfer code works for ten minutes, a recovery code until it is used. Either works once; a new one replaces it.
    """
    with session.client() as client:
        if kind == "transfer":
            transfer = client.make_transfer_code()
            made, told = plain(transfer), f"It works once, until {words.moment(transfer.expires_at)}."
        else:
            made, told = plain(client.make_recovery_code()), "It works once. Keep it where you keep passwords."
    if as_json:
        click.echo(json.dumps(made, indent=2))
    else:
        say(f"Code {made['code']}", told)


@player.command()
@session_options
@json_option
@click.argument("text", metavar="CODE")
@click.pass_obj
def redeem(session: Session, text: str, as_json: bool) -> None:
    """Become the player of a code, and keep the token."""
    with session.client() as client:
        if client.token is not None:
            raise click.UsageError(f"You are a player here already; its token is in {session.token_file.path}")
        own = session.redeem(client, text)
        tell(f"The token is kept in {session.token_file.path}")
        if as_json:
            print_json(own)
        else:
            say(*_player_lines(own, command_for(client)))


@player.command()
@session_options
@json_option
@click.option("--make", metavar="LABEL", help="Make a further token, and print it.")
@click.option("--scope", "scopes", multiple=True, type=click.Choice(SCOPES), help="What it is for. May be given again.")
@click.option("--revoke", metavar="ID", help="End a token, or `others`: every one but the one in use.")
@click.pass_obj
def tokens(session: Session, make: str | None, scopes: tuple[str, ...], revoke: str | None, as_json: bool) -> None:
    """List your tokens, make one, or end one."""
    if (make is not None and revoke is not None) or (scopes and make is None):
        raise click.UsageError("Either --make, perhaps with --scope, or --revoke.")
    with session.client() as client:
        if make is not None:
            made = client.create_token(make, scopes or None)
            if as_json:
                print_json(made)
            else:
                say(f"Token {made.token}")
            return
        if revoke == "others":
            client.revoke_other_tokens()
        elif revoke is not None:
            client.revoke_token(revoke)
        found = client.tokens()
    if as_json:
        print_json(found)
    else:
        say(*map(words.token_line, found))


@player.command()
@session_options
@json_option
@click.pass_obj
def audit(session: Session, as_json: bool) -> None:
    """List what was done with your name, tokens and codes."""
    with session.client() as client:
        found = tuple(client.iter_audit())
    if as_json:
        print_json(found)
    else:
        say(*(map(words.act_line, found) if found else ["Nothing was done yet."]))


@player.command()
@session_options
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), default="shutbox.json", show_default=True)
@click.pass_obj
def export(session: Session, output: Path) -> None:
    """Write all that is stored about you into a file, as JSON."""
    with session.client() as client, kept.place(output) as draft:
        client.export(draft)
    say(f"The copy is in {output}")


@player.command()
@session_options
@click.option("--yes", is_flag=True, help="Without a question.")
@click.pass_obj
def delete(session: Session, yes: bool) -> None:
    """Delete yourself for ever. Runs of daily rounds stay, with nobody's name."""
    with session.client() as client:
        own = client.me()
        if not yes and not click.confirm(f"Delete {words.player_label(own)} for ever?", err=True):
            fail("Nothing was deleted.")
        client.delete_player()
    if session.given_token is None:
        session.token_file.path.unlink(missing_ok=True)
    say(f"Player {words.player_label(own)} is deleted.")


@click.command("receipt")
@session_options
@click.option("--output", type=click.Path(dir_okay=False, path_type=Path), help="The file to write.")
@click.argument("run_id", type=click.UUID)
@click.pass_obj
def receipt(session: Session, run_id: UUID, output: Path | None) -> None:
    """Keep the receipt of a run: the proof that it was accepted.

    By default in run-RUN_ID.tlog-proof. Check it with verify receipt.
    """
    file = output or Path(f"run-{run_id}.tlog-proof")
    with session.client() as client, kept.place(file) as draft:
        client.receipt(str(run_id), draft)
    say(f"The receipt is kept in {file}")
