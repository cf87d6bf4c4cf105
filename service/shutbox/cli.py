"""The `shutbox` command: serve everything, or the parts one by one."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any, BinaryIO

import click
from sqlalchemy.exc import OperationalError

from . import boards, days, journal, succession, worker
from .chain_commands import chain_group
from .config import Settings
from .errors import Refused, StartRefused
from .moderation_commands import moderate_group
from .ranking import RankingUnavailable
from .seeds import find_log_key, load_log_key, load_secrets, new_log_key
from .serve import alone, opened, prepare, serve
from .site import Site
from .store.database import db
from .tlog import faults
from .tlog.note import SigningKey


class _Commands(click.Group):
    """Shows what is refused as one message instead of a traceback; exit code 1."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except StartRefused as refused:
            raise click.ClickException(str(refused)) from None
        except Refused as refused:
            raise click.ClickException(refused.detail) from None
        except RankingUnavailable:
            raise click.ClickException("Redis does not answer; boards are read from SQL meanwhile") from None
        except OperationalError as error:
            raise click.ClickException(f"the database cannot be used: {error.orig}") from None


@click.group(cls=_Commands)
@click.version_option(package_name="shutbox")
@click.option("--data-dir", type=click.Path(path_type=Path), help="Folder of everything that is kept (default: var).")
@click.pass_context
def main(context: click.Context, data_dir: Path | None) -> None:
    """Shutbox: a verifiable, seeded leaderboard service for Shut the Box.

    Settings are environment variables that begin with SHUTBOX_; docs/operations.md lists them.
    """
    os.umask(0o077)  # what is made here is the service's own: sealed rounds run in it
    logging.basicConfig(format="%(asctime)s %(name)s %(levelname)s %(message)s", level=logging.WARNING)
    settings = Settings.from_env(os.environ)
    context.obj = replace(settings, data_dir=data_dir) if data_dir else settings


@main.command("serve")
@click.option("--data-dir", type=click.Path(path_type=Path), help="Folder of everything that is kept (default: var).")
@click.option("--bind", default="127.0.0.1:8000", show_default=True, metavar="HOST:PORT", help="Where to listen.")
@click.pass_obj
def serve_command(settings: Settings, data_dir: Path | None, bind: str) -> None:
    """Run everything: database, Redis-compatible server, worker and web, from an empty folder."""
    sys.exit(serve(replace(settings, data_dir=data_dir) if data_dir else settings, bind))


@main.command("migrate")
@click.pass_obj
def migrate_command(settings: Settings) -> None:
    """Create the secrets and bring the database to this version, without serving."""
    prepare(settings)
    click.echo("The database is up to date.")


@main.command("worker")
@click.pass_obj
def worker_command(settings: Settings) -> None:
    """Run the worker: it makes days, closes them, writes the log and keeps the rankings in Redis true."""
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with _site(settings) as site:
        worker.run(site, stop, db.session.remove)


@main.command("check")
@click.pass_obj
def check_command(settings: Settings) -> None:
    """Compare every board in Redis with SQL. Exit code 0: no difference; 1: a failure; 3: differences."""
    with _site(settings) as site:
        found, compared = boards.check(site)
    for difference in found:
        click.echo(difference)
    click.echo(f"{compared} boards compared, {len(found)} differences.")
    sys.exit(3 if found else 0)


@main.command("rebuild")
@click.argument("round_ids", nargs=-1)
@click.pass_obj
def rebuild_command(settings: Settings, round_ids: tuple[str, ...]) -> None:
    """Make boards in Redis anew from SQL: those named, or all."""
    with _site(settings) as site:
        chosen = round_ids or boards.all_boards(site)
        for round_id in chosen:
            boards.rebuild(site, round_id)
    click.echo(f"{len(chosen)} boards rebuilt.")


@main.group("log")
def log_group() -> None:
    """The public log."""


@log_group.command("key")
@click.pass_obj
def log_key_command(settings: Settings) -> None:
    """Print the verifier key: what a verifier has to know of this log, as name+id+key."""
    click.echo(load_log_key(settings.log_key_file).verifier.text)


def _new_key(_: click.Context, __: click.Parameter, origin: str) -> SigningKey:
    try:
        return new_log_key(origin)
    except faults.Refused:
        raise click.BadParameter("it must be visible ASCII without a plus, like play.example.org/log-2") from None


@log_group.command("succeed")
@click.option("--origin", "key", required=True, callback=_new_key, metavar="NAME", help="The name of the new log.")
@click.option(
    "--checkpoint", type=click.File("rb"), help="A checkpoint of the log that ends, newer than the stored one."
)
@click.option("--keep", type=click.Path(path_type=Path), metavar="DIR", help="Where the public files of the log go.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.pass_obj
def log_succeed_command(
    settings: Settings, key: SigningKey, checkpoint: BinaryIO | None, keep: Path | None, yes: bool
) -> None:
    """End the log and begin another: its key is lost, or the database was restored behind what was published.

    Run again, it completes what was broken off. End every worker first.
    """

    def agree(end: succession.End, folder: Path) -> None:
        click.echo(_WHAT_SUCCEED_DOES.format(end=end, name=key.name, folder=folder, key_file=settings.log_key_file))
        if end.key is None:
            click.echo("The key that signed this checkpoint is not here, so its signature cannot be checked.")
        if not yes:
            click.confirm("End the log?", abort=True)

    old = find_log_key(settings.log_key_file)
    key = old if old is not None and old.name == key.name else key
    secrets = load_secrets(*settings.secret_files, log_key=key)
    with _telling_of_files(), alone(settings), opened(settings, secrets) as site:
        days.check_secrets(site)
        if worker.some_worker_leads(site):
            raise StartRefused(
                "a worker is at work: end every shutbox serve and shutbox worker, wait ten seconds, run this again"
            )
        done = succession.succeed(site, old, checkpoint.read() if checkpoint else None, keep, agree)
    for line in _told(done):
        click.echo(line)
    click.echo(f"Copy {settings.log_key_file} to every other node, then start everything again.")
    click.echo(f"The log is {key.name} now. Its verifier key, which everyone who checks it needs:\n{key.verifier.text}")


@contextmanager
def _telling_of_files() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"{error.filename}: {error.strerror}; mend that and run this again") from None


_WHAT_SUCCEED_DOES = """\
This ends the log {end.newest.origin} at {end.newest.size} leaves. It cannot be taken back.
- Its public files are written to {folder}.
- The log {name} takes its place. It begins with that size and root, and tells everything again that is stored.
- {key_file} becomes the key of that log; a file that is there is kept beside it.
- Receipts and checkpoints that people hold lead into the log that ends, not into the new one."""


def _told(done: succession.Succeeded) -> Iterator[str]:
    if done.folder is not None:
        yield f"The public files of the log that ended are in {done.folder}."
    if done.missing:
        shown = ", ".join(done.missing[:3])
        yield f"{len(done.missing)} of them could not be made, since what is stored is damaged: {shown}, …"
    if done.old_key_file is not None:
        yield f"The old key is in {done.old_key_file}."


main.add_command(chain_group)
main.add_command(moderate_group)


@contextmanager
def _site(settings: Settings) -> Iterator[Site]:
    """Open the installation that the settings name."""
    with opened(settings) as site:
        days.check_secrets(site)
        journal.check_log_key(site)
        yield site


if __name__ == "__main__":
    main()
