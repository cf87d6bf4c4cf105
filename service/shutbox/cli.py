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
from typing import Any

import click
from sqlalchemy.exc import OperationalError

from . import boards, days, journal, worker
from .config import Settings
from .errors import Refused, StartRefused
from .ranking import RankingUnavailable
from .seeds import load_log_key, load_secrets
from .serve import opened, prepare, serve
from .site import Site
from .store.database import db


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


@contextmanager
def _site(settings: Settings) -> Iterator[Site]:
    """Open the installation that the settings name."""
    with opened(settings, load_secrets(settings.chain_file, settings.round_key_file, settings.log_key_file)) as site:
        days.check_secrets(site)
        journal.check_log_key(site)
        yield site


if __name__ == "__main__":
    main()
