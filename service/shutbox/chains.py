"""Chains of day secrets: which of them rules a day, what this node can make, later links and successors.

Of the chains whose first day is not after a day, the one whose CHAIN leaf is latest rules it (protocol.md, "The log").
"""

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

from sqlalchemy import exists, func, select, text

from .clock import day_at
from .errors import ChainRefused, SeedUnavailable, StartRefused
from .seeds import CHAIN_DAYS, Chain, changing, read_chains, write_chains
from .site import Site
from .store.database import AnySession, insert_or_nothing, writing
from .store.rows import ChainRow, DayRow
from .tlog.disclosure import earlier_link

WARN_DAYS = 14
_DAY = timedelta(days=1)
_COPY = "give it the chain file of a node that has it, and restart it"
_NONE = "no chain has begun: run shutbox migrate"


def lock_chains(session: AnySession) -> None:
    """Keep every other node from making days or beginning chains until the transaction ends."""
    if session.get_bind().dialect.name == "postgresql":  # SQLite has one writer as it is
        session.execute(text("LOCK TABLE chains IN SHARE ROW EXCLUSIVE MODE"))


def begun_chains(session: AnySession) -> list[ChainRow]:
    """Return the chains that have begun, in the order of their CHAIN leaves; those that wait for theirs come last."""
    rows = session.scalars(select(ChainRow)).all()
    return sorted(rows, key=_order)


def _order(row: ChainRow) -> tuple[bool, int, int, date, bytes]:
    return row.leaf_index is None, row.leaf_index or 0, row.created_at or 0, row.first_day, row.chain_id


def ruling(rows: Sequence[ChainRow], day: date) -> ChainRow | None:
    """Return the chain that rules a day, of chains in the order of their leaves."""
    return next((row for row in reversed(rows) if row.first_day <= day), None)


def last_made_day(session: AnySession) -> date | None:
    """Return the newest day that was made, that is, committed to."""
    return session.scalar(select(func.max(DayRow.day)))


def ruled_until(rows: Sequence[ChainRow], row: ChainRow) -> date:
    """Return the last day that a chain can have, since it ends or another one begins."""
    later = (other.first_day - _DAY for other in rows[rows.index(row) + 1 :])
    return min([row.first_day + timedelta(days=row.length - 1), *later])


# The file against the database


def check_chains(site: Site) -> None:
    """Refuse to start with a chain file that lacks what is, or is going to be, committed to."""
    rows = begun_chains(site.session)
    _check_same(site, rows)
    for row in missing_chains(site, rows):
        raise StartRefused(
            f"{site.settings.chain_file} lacks chain {row.chain_id.hex()}, which has days from {row.first_day} on: "
            "copy the file of a node that has it, or restore it from a backup"
        )


def _check_same(site: Site, rows: Sequence[ChainRow]) -> None:
    known = [(row, site.secrets.find_chain(row.chain_id)) for row in rows]
    foreign = any(chain is not None and not _is_of(chain, row) for row, chain in known)
    if foreign or (all(chain is None for _, chain in known) and missing_chains(site, rows)):
        raise StartRefused(
            f"{site.settings.chain_file} does not belong to this database: restore the file that was beside it, "
            "since the dice of the coming days are committed with that one"
        )


def _is_of(chain: Chain, row: ChainRow) -> bool:
    return (chain.first_day, chain.length, chain.anchor) == (row.first_day, row.length, row.anchor)


def missing_chains(site: Site, rows: Sequence[ChainRow], until: date = date.max) -> list[ChainRow]:
    """Return the chains that the file lacks and that are needed: for a day that is not closed, or for one to come.

    `until`: the last day that any of them can still have.
    """
    missing = (row for row in rows if site.secrets.find_chain(row.chain_id) is None)
    return [row for row in missing if _is_needed(site, row, min(until, ruled_until(rows, row)))]


def _is_needed(site: Site, row: ChainRow, until: date) -> bool:
    if until >= max(row.first_day, day_at(site.clock())):
        return True
    return bool(
        site.session.scalar(select(exists().where(DayRow.chain_id == row.chain_id, DayRow.closed_at.is_(None))))
    )


def begin_chains(site: Site) -> list[ChainRow]:
    """Let chains of the file begin that the database does not know yet; return all that have begun.

    Inside a transaction that holds `lock_chains`. One that comes too late, its first day being made with another
    chain, never begins: that chain's rounds may wait for the log and would stand there behind the wrong CHAIN leaf.
    """
    rows = begun_chains(site.session)
    _check_same(site, rows)
    begun = {row.chain_id for row in rows}
    waiting = [chain for chain in site.secrets.chains if chain.chain_id not in begun]
    if not waiting or missing_chains(site, rows):  # of two nodes that bring a successor each, one stays outside
        return rows
    last = last_made_day(site.session)
    for chain in waiting:
        if last is not None and chain.first_day <= last:
            continue
        if _logged_after(rows, chain):
            break  # its turn comes when the log has those before it
        _begin(site, rows, chain)
        rows = begun_chains(site.session)
    return rows


def _logged_after(rows: Sequence[ChainRow], chain: Chain) -> list[ChainRow]:
    """Return chains that began earlier and would be logged later, so that they and not this one would rule."""
    return [row for row in rows if row.leaf_index is None and row.first_day >= chain.first_day]


def _begin(site: Site, rows: Sequence[ChainRow], chain: Chain) -> None:
    """Store a chain behind all others, whatever the clock says: so they are logged, in a successor of the log again."""
    newest = max((row.created_at or 0 for row in rows), default=0)
    values = {
        "chain_id": chain.chain_id,
        "first_day": chain.first_day,
        "length": chain.length,
        "anchor": chain.anchor,
        "created_at": max(site.clock(), newest + 1),
    }
    insert_or_nothing(site.session, ChainRow, values)


# What this node can make


def why_missing(site: Site, day: date) -> str | None:
    """Return why this node cannot make the dice of a day, and what to do; None if it can."""
    rows = begun_chains(site.session)
    row = ruling(rows, day)  # also of a day that is made, since chains begin behind those
    if row is None:
        return f"no chain has {day}: the first begins on {min(row.first_day for row in rows)}" if rows else _NONE
    chain = site.secrets.find_chain(row.chain_id)
    if chain is None:
        return f"this node was not given chain {row.chain_id.hex()}, which has {day}: {_COPY}"
    if chain.number_of(day) is not None:
        return None
    if day > chain.end:
        return f"the chain has ended on {chain.end}: begin another with shutbox chain succeed, and restart"
    return (
        f"the link that this node was given ends on {chain.last_day}: "
        "load a later one with shutbox chain load, and restart"
    )


def warning(site: Site) -> str | None:
    """Return what to do if fewer than WARN_DAYS days are left that this node can make."""
    today = day_at(site.clock())
    for left in range(WARN_DAYS):
        why = why_missing(site, today + timedelta(days=left + 1))
        if why is not None:
            return f"this node can make {left} more days: {why}"
    return None


def link_of(site: Site, row: DayRow) -> bytes:
    """Return the secret of a day that was made. Raises SeedUnavailable."""
    chain = site.secrets.find_chain(row.chain_id)
    if chain is None or chain.number_of(row.day) != row.link:
        raise SeedUnavailable(why_missing(site, row.day) or f"the chain file has another link for {row.day}")
    return chain.link(row.link)


# What operators do


def read_one(file: Path) -> Chain:
    """Read a file that is to hold one chain."""
    chains = read_chains(file)
    if len(chains) != 1:
        raise ChainRefused(f"{file} holds {len(chains)} chains: give one that shutbox chain create or cut has made")
    return chains[0]


def cut(file: Path, until: date) -> Chain:
    """Return the chain of a file up to a day. Raises ChainRefused if the file does not reach that day."""
    chains = read_chains(file)
    chain = next((chain for chain in reversed(chains) if chain.first_day <= until), chains[0])
    number = chain.number_of(until)
    if number is None:
        raise ChainRefused(f"{file} has links for {chain.first_day} to {chain.last_day}: name one of these days")
    return chain.cut(number)


def load_link(chain_file: Path, file: Path) -> Chain:
    """Put a later link of a chain into the chain file; return the chain. Raises ChainRefused."""
    given = read_one(file)
    with changing(chain_file):
        chains = read_chains(chain_file)
        known = next((chain for chain in chains if chain.chain_id == given.chain_id), None)
        if known is None:
            raise ChainRefused(
                f"{chain_file} has no chain {given.chain_id.hex()}: it has "
                f"{', '.join(chain.chain_id.hex() for chain in chains)}. A new chain begins with shutbox chain succeed"
            )
        if given.loaded <= known.loaded:
            raise ChainRefused(
                f"{chain_file} is loaded until {known.last_day} (link {known.loaded}) and {file} only until "
                f"{given.last_day} (link {given.loaded}): cut a later link"
            )
        same = (given.first_day, given.length) == (known.first_day, known.length)
        if not same or earlier_link(given.chain_id, given.loaded, given.secret, known.loaded) != known.secret:
            raise ChainRefused(
                f"{file} does not lead back to what {chain_file} holds: it is another chain's, or damaged"
            )
        write_chains(chain_file, tuple(given if chain is known else chain for chain in chains))
    return given


def succeed(site: Site, given: Chain | None, first_day: date | None, days: int = CHAIN_DAYS) -> Chain:
    """Add a chain, given or made new, to the chain file and let it begin; return it. Raises ChainRefused.

    The caller has kept every other command out with `changing` since the secrets of the site were read. The file is
    written before the transaction is committed: a chain that only the file knows begins by itself, one that only the
    database knows would be lost.
    """
    with writing(site.session):
        lock_chains(site.session)
        rows, last = begun_chains(site.session), last_made_day(site.session)
        if last is None:
            raise ChainRefused("no day is made yet, so nothing can be succeeded: a first start takes the file as it is")
        new = given or Chain.create(first_day or last + _DAY, days)
        begun = next((row for row in rows if row.chain_id == new.chain_id), None)
        if begun is None:
            _check_successor(site, rows, last, new, chosen=bool(given or first_day))
            _begin(site, rows, new)
        elif not _is_of(new, begun):
            raise ChainRefused(f"the chain that has begun as {new.chain_id.hex()} is another one: the file is damaged")
        if site.secrets.find_chain(new.chain_id) is not None:
            raise ChainRefused(
                f"chain {new.chain_id.hex()} is there already: load a later link with shutbox chain load"
            )
        write_chains(site.settings.chain_file, (*site.secrets.chains, new))
    return new


def _check_successor(site: Site, rows: list[ChainRow], last: date, new: Chain, chosen: bool) -> None:
    _check_same(site, rows)
    if new.first_day <= last:
        raise ChainRefused(
            f"days are made until {last}, and the dice of none may change: the first day must be {last + _DAY} or later"
        )
    begun = {row.chain_id for row in rows}
    for chain in site.secrets.chains:
        if chain.chain_id not in begun and chain.first_day > last:
            raise ChainRefused(
                f"{site.settings.chain_file} has chain {chain.chain_id.hex()}, which has not begun. It does by itself "
                "with shutbox migrate, or when the service is restarted"
            )
    for row in missing_chains(site, rows, new.first_day - _DAY if chosen else date.max):
        told = f"{site.settings.chain_file} lacks chain {row.chain_id.hex()}: copy the file of a node that has it"
        if row.first_day > last:
            told += f". If it is lost, name a first day from {last + _DAY} to {row.first_day}, and it never has a day"
        raise ChainRefused(told)
    if _logged_after(rows, new):
        raise ChainRefused("an earlier successor is not in the log yet: try again when a worker has run for a second")
