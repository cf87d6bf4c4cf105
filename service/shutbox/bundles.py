"""What is published of a closed round, for anyone who checks it: its disclosure, and the bundle of its logged runs."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Row

from .agreement import WHAT_TO_DO
from .errors import BundlePending, JournalDisagrees, NotLogged, RoundNotClosed
from .game.rulesets import BY_HASH
from .receipts import bytes_of, logged_runs
from .rounds import State, get_round
from .site import Site
from .slices import order_of_sql
from .store.database import streamed
from .store.log import leaves_in
from .store.queries import Board
from .store.rows import ChainRow, RoundRow, RunRow
from .tlog.bundle import BundleRun, render_header, render_run
from .tlog.leaves import CloseLeaf, RoundLeaf, decode

_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Disclosure:
    """What the log says of a closed round, and where; `anchor` is c_0 of a daily's chain."""

    round: RoundLeaf
    round_index: int
    close: CloseLeaf
    close_index: int
    anchor: bytes | None
    anchor_index: int | None


def disclosure(site: Site, round_id: str) -> Disclosure:
    """Return what is disclosed of a round.

    Raises RoundNotFound, NotLogged (practice), RoundNotClosed, and BundlePending until the close is logged.
    """
    round = get_round(site, round_id)
    if not round.logged:
        raise NotLogged(f"round {round_id} is practice: it is not logged and has no bundle")
    if round.state is not State.CLOSED:
        raise RoundNotClosed(f"round {round_id} has not closed: its runs are published after the close")
    row = site.session.get_one(RoundRow, round_id)
    if row.leaf_index is None or row.close_leaf_index is None:
        raise BundlePending(
            "the round has closed and its close waits for the log, normally for a second", retry_after=1
        )
    opening, close = (_leaf(site, index) for index in (row.leaf_index, row.close_leaf_index))
    if not isinstance(opening, RoundLeaf) or not isinstance(close, CloseLeaf):
        raise JournalDisagrees(f"the leaves of round {round_id} are not where they were logged. {WHAT_TO_DO}")
    chain = site.session.get(ChainRow, opening.chain_id)
    return Disclosure(
        round=opening,
        round_index=row.leaf_index,
        close=close,
        close_index=row.close_leaf_index,
        anchor=chain.anchor if chain else None,
        anchor_index=chain.leaf_index if chain else None,
    )


def _leaf(site: Site, index: int) -> object:
    found = leaves_in(site.session, index, index + 1)
    return decode(found[0]) if found else None


def bundle(site: Site, found: Disclosure) -> Iterator[bytes]:
    """Yield the lines of a bundle, read from the database while they are taken."""
    return streamed(site.session, _pages(site, found))


def _pages(site: Site, found: Disclosure) -> Iterator[list[bytes]]:
    yield [render_header(found.round, BY_HASH[found.round.ruleset_hash].document, found.close)]
    board = Board(found.round.round_id, logged=True, at_close=True)
    ranks = {row.run_id.bytes: row.rank for row in order_of_sql(site.session, board)}
    wanted = (
        logged_runs()
        .where(RunRow.round_id == found.round.round_id, RunRow.leaf_index < found.close_index)
        .order_by(RunRow.leaf_index)
        .limit(_PAGE)
    )
    after = found.round_index
    while page := site.session.execute(wanted.where(RunRow.leaf_index > after)).all():
        yield [_line(run, ranks.get(run.run_id.bytes)) for run in page]
        after = page[-1].leaf_index


def _line(run: Row[Any], rank: int | None) -> bytes:
    return render_run(BundleRun(run.run_id.bytes, run.leaf_index, run.salt, bytes_of(run), rank))
