"""The `shutbox chain` commands: what operators do with chains of day secrets. None of them shows a secret."""

from datetime import date, datetime
from pathlib import Path

import click

from . import chains
from .clock import day_at, system_clock
from .config import Settings
from .errors import ChainRefused
from .seeds import CHAIN_DAYS, MOST_CHAIN_DAYS, Chain, changing, create_chain_file, read_chains
from .serve import opened
from .site import Site
from .store.rows import ChainRow

_DATE = click.DateTime(["%Y-%m-%d"])
_NEW_FILE = click.Path(path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_RESTART = (
    "Now restart the running nodes, web and worker: they read the file when they start. Every other node needs\n"
    "it too: copy it there, mode 0600, before the restart."
)
_first_day = click.option("--first-day", type=_DATE, metavar="DATE", help="Its first day.")
_days = click.option("--days", type=click.IntRange(1, MOST_CHAIN_DAYS), help=f"How many days (default: {CHAIN_DAYS}).")


@click.group("chain")
def chain_group() -> None:
    """The chain of day secrets: later links, successors, and how far they reach."""


@chain_group.command("show")
@click.option("--file", type=_FILE, help="Show this chain file instead, without a database.")
@click.pass_obj
def show_command(settings: Settings, file: Path | None) -> None:
    """Show each chain: its days, how far it is loaded, which days are left, whether it is in the log."""
    if file is not None:
        for chain in read_chains(file):
            _show(chain, chain.end, day_at(system_clock()))
        return
    with opened(settings) as site:
        _show_site(site)


@chain_group.command("create")
@click.argument("file", type=_NEW_FILE)
@_first_day
@_days
def create_command(file: Path, first_day: datetime | None, days: int | None) -> None:
    """Make a complete chain in a new file, to be kept offline. By default it begins today."""
    chain = Chain.create(first_day.date() if first_day else day_at(system_clock()), days or CHAIN_DAYS)
    _create(file, chain)
    click.echo(f"Keep it offline: who has it knows the dice until {chain.last_day}. `shutbox chain cut` gives parts.")


@chain_group.command("cut")
@click.argument("file", type=_FILE)
@click.argument("out", type=_NEW_FILE)
@click.option("--until", type=_DATE, required=True, metavar="DATE", help="The last day that it makes.")
def cut_command(file: Path, out: Path, until: datetime) -> None:
    """Write the link of one day of the chain in FILE to a new file OUT, to be carried to the server."""
    _create(out, chains.cut(file, until.date()))


@chain_group.command("load")
@click.argument("file", type=_FILE)
@click.pass_obj
def load_command(settings: Settings, file: Path) -> None:
    """Put the later link in FILE into the chain file of this node."""
    chain = chains.load_link(settings.chain_file, file)
    click.echo(f"Chain {chain.chain_id.hex()} is loaded until {chain.last_day}.\n{_RESTART}")


@chain_group.command("succeed")
@click.argument("file", type=_FILE, required=False)
@_first_day
@_days
@click.pass_obj
def succeed_command(settings: Settings, file: Path | None, first_day: datetime | None, days: int | None) -> None:
    """Let a successor begin: the chain in FILE, or a new one, which begins behind the last day that is made."""
    if file is not None and (first_day is not None or days is not None):
        raise click.UsageError("the chain in FILE has its first day and its length: leave out --first-day and --days")
    given = None if file is None else chains.read_one(file)
    with changing(settings.chain_file), opened(settings) as site:
        chain = chains.succeed(site, given, first_day.date() if first_day else None, days or CHAIN_DAYS)
    click.echo(
        f"Chain {chain.chain_id.hex()} begins on {chain.first_day} and is loaded until {chain.last_day}.\n"
        f"Its c_0 is {chain.anchor.hex()}; the worker logs it.\n{_RESTART}\nBack the file up again."
    )


def _create(file: Path, chain: Chain) -> None:
    if not create_chain_file(file, chain):
        raise ChainRefused(f"{file} exists already and is left as it is: name a new file")
    click.echo(
        f"{file}: chain {chain.chain_id.hex()}, from {chain.first_day} until {chain.last_day} "
        f"(link {chain.loaded} of {chain.length})."
    )


def _show_site(site: Site) -> None:
    rows, today = chains.begun_chains(site.session), day_at(site.clock())
    begun = {row.chain_id: row for row in rows}
    last = chains.last_made_day(site.session)
    for chain in site.secrets.chains:
        row = begun.pop(chain.chain_id, None)
        if row is not None:
            _show(chain, chains.ruled_until(rows, row), today)
            click.echo(f"  log         {_in_log(row)}")
        else:
            _show(chain, chain.end, today)
            late = last is not None and chain.first_day <= last
            click.echo(
                f"  log         {'never: another chain has its first day' if late else 'begins at the next start'}"
            )
    for row in begun.values():
        click.echo(f"chain {row.chain_id.hex()}\n  not in the file; its first day is {row.first_day}")
        click.echo(f"  log         {_in_log(row)}")
    click.echo(f"Days are made until {last}." if last else "No day is made yet.")


def _in_log(row: ChainRow) -> str:
    return "waits for the worker" if row.leaf_index is None else f"leaf {row.leaf_index}"


def _show(chain: Chain, until: date, today: date) -> None:
    """Show what is public of a chain. `until`: the last day that it can have."""
    first, last = max(today, chain.first_day), min(chain.last_day, until)
    left = (last - first).days + 1
    click.echo(
        f"chain {chain.chain_id.hex()}\n"
        f"  c_0         {chain.anchor.hex()}\n"
        f"  first day   {chain.first_day}\n"
        f"  last day    {chain.end}{f', but another chain has the days after {until}' if until < chain.end else ''}\n"
        f"  loaded      until {chain.last_day} (link {chain.loaded} of {chain.length})\n"
        f"  days left   {f'{left}: {first} to {last}' if left > 0 else 'none'}"
    )
