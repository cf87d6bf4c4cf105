"""The `shutbox moderate` commands: what operators do about runs, players and leagues, and its undoing."""

from uuid import UUID

import click

from . import moderation
from .audit import NOTE_LENGTH, Act, acts_about
from .clock import rfc3339
from .config import Settings
from .errors import PlayerNotFound, StartRefused
from .leagues import rename_for_operator
from .serve import opened
from .site import Site
from .store.rows import PlayerRow
from .tlog.leaves import WithdrawReason

_REASONS = {reason.word: reason for reason in WithdrawReason}


def _note_of(_: click.Context, __: click.Parameter, note: str) -> str:
    if len(note) > NOTE_LENGTH:
        raise click.BadParameter(f"it has at most {NOTE_LENGTH} characters, this one has {len(note)}")
    return note


_run = click.argument("run_id", metavar="RUN", type=click.UUID)
_player = click.argument("player", metavar="PLAYER")
_note = click.option("--note", default="", callback=_note_of, help="What you say to it; players can read it.")


@click.group("moderate")
def moderate_group() -> None:
    """Withdraw runs, hide, ban or rename players, rename leagues, and undo that. PLAYER is a name or id, RUN an id."""


@moderate_group.command("withdraw")
@_run
@click.option("--reason", type=click.Choice(list(_REASONS)), required=True, help="Why; it goes into the public log.")
@_note
@click.pass_obj
def withdraw_command(settings: Settings, run_id: UUID, reason: str, note: str) -> None:
    """Take a run off the ranking. Ranks close up, and the log tells it with the reason."""
    with opened(settings) as site:
        done = moderation.withdraw(site, run_id, _REASONS[reason], note)
    click.echo(f"Run {run_id} is withdrawn{'' if done else ' already'}.")


@moderate_group.command("reinstate")
@_run
@_note
@click.pass_obj
def reinstate_command(settings: Settings, run_id: UUID, note: str) -> None:
    """Let a withdrawn run be ranked again."""
    with opened(settings) as site:
        done = moderation.reinstate(site, run_id, note)
    click.echo(f"Run {run_id} is {'reinstated' if done else 'not withdrawn'}.")


@moderate_group.command("hide")
@_player
@_note
@click.pass_obj
def hide_command(settings: Settings, player: str, note: str) -> None:
    """Show the name of a player to nobody but the player. Ranks and runs stay."""
    with opened(settings) as site:
        row = moderation.find_player(site, player)
        told = _told(row)
        done = moderation.hide(site, row.player_id, note)
    click.echo(f"{told} is hidden{'' if done else ' already'}.")


@moderate_group.command("unhide")
@_player
@_note
@click.pass_obj
def unhide_command(settings: Settings, player: str, note: str) -> None:
    """Show the name of a player again."""
    with opened(settings) as site:
        row = moderation.find_player(site, player)
        told = _told(row)
        done = moderation.unhide(site, row.player_id, note)
    click.echo(f"{told} is {'shown again' if done else 'not hidden'}.")


@moderate_group.command("ban")
@_player
@click.option("--withdraw-runs", is_flag=True, help="Also withdraw every ranked run of the player, as unfair play.")
@_note
@click.pass_obj
def ban_command(settings: Settings, player: str, withdraw_runs: bool, note: str) -> None:
    """Take nothing more from a player. What was played stays ranked, unless it is withdrawn."""
    withdrawn = 0
    with opened(settings) as site:
        row = moderation.find_player(site, player)
        told, player_id = _told(row), row.player_id
        done = moderation.ban(site, player_id, note)
        if withdraw_runs:
            withdrawn = moderation.withdraw_all(site, player_id, WithdrawReason.UNFAIR_PLAY, note)
    click.echo(f"{told} is banned{'' if done else ' already'}.")
    if withdraw_runs:
        click.echo("1 run is withdrawn." if withdrawn == 1 else f"{withdrawn} runs are withdrawn.")


@moderate_group.command("unban")
@_player
@_note
@click.pass_obj
def unban_command(settings: Settings, player: str, note: str) -> None:
    """Let a player play again. Runs that were withdrawn stay so."""
    with opened(settings) as site:
        row = moderation.find_player(site, player)
        told = _told(row)
        done = moderation.unban(site, row.player_id, note)
    click.echo(f"{told} is {'free to play again' if done else 'not banned'}.")


@moderate_group.command("rename")
@_player
@click.argument("name")
@click.pass_obj
def rename_command(settings: Settings, player: str, name: str) -> None:
    """Give a player another name by force."""
    with opened(settings) as site:
        row = moderation.find_player(site, player)
        told = _told(row)
        done = moderation.rename(site, row.player_id, name)
    click.echo(f"{told} has the name {name!r}{' now' if done else ' already'}.")


@moderate_group.command("rename-league")
@click.argument("code")
@click.argument("name")
@_note
@click.pass_obj
def rename_league_command(settings: Settings, code: str, name: str, note: str) -> None:
    """Give a league another name by force. CODE is its present invite code."""
    with opened(settings) as site:
        done = rename_for_operator(site, code, name, note)
    click.echo(f"The league has the name {name!r}{' now' if done else ' already'}.")


@moderate_group.command("audit")
@click.argument("about", metavar="[PLAYER|RUN]", required=False)
@click.pass_obj
def audit_command(settings: Settings, about: str | None) -> None:
    """Show what was done, oldest first: by everyone, or to one player or run."""
    with opened(settings) as site:
        for act in acts_about(site, None if about is None else _id_of(site, about)):
            click.echo(_line(act))


@moderate_group.command("undo")
@click.argument("audit_id", metavar="ACT", type=click.UUID)
@click.pass_obj
def undo_command(settings: Settings, audit_id: UUID) -> None:
    """Undo an act by the opposite one. ACT is the id that `shutbox moderate audit` shows first."""
    with opened(settings) as site:
        done = moderation.undo(site, audit_id)
    click.echo(f"Act {audit_id} is undone{f': {done}' if done else ' already'}.")


def _id_of(site: Site, about: str) -> UUID:
    """Return the id of a player who has this name, or the id that this is."""
    try:
        return moderation.find_player(site, about).player_id
    except (PlayerNotFound, StartRefused) as refused:
        try:
            return UUID(about)
        except ValueError:
            raise refused from None


def _told(row: PlayerRow) -> str:
    return f"Player {row.name!r} ({row.player_id})" if row.name else f"Guest {row.player_id}"


def _line(act: Act) -> str:
    about = [f"player {act.player_id}"] if act.player_id else []
    about += [f"run {act.run_id}"] if act.run_id else []
    return f"{act.audit_id}  {rfc3339(act.at)}  {act.actor}  {act.act}  {', '.join(about)}  {act.note}".rstrip()
