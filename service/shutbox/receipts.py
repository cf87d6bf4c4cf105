"""Receipts: what proves to a player that a run is in the log; and runs with everything that their bytes are made of."""

from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, select

from .agreement import WHAT_TO_DO
from .errors import JournalDisagrees, NotLogged, NotYours, PlayerRequired, ReceiptPending, RunNotFound
from .game.runs import run_bytes, turns_from
from .gates import shows_turns
from .rounds import get_round
from .site import Site
from .store import log as stored
from .store.rows import EntryRow, LeafRow, RoundRow, RunRow
from .tlog.faults import Fault, Refused
from .tlog.merkle import inclusion_nodes, prove
from .tlog.proof import make_receipt, verify_receipt


def receipt(site: Site, run_id: UUID, viewer_id: UUID | None) -> bytes:
    """Return the receipt of a run: to its owner only, until the close.

    Raises RunNotFound, PlayerRequired, NotYours, NotLogged, and ReceiptPending until the log has reached the run.
    """
    run = site.session.execute(logged_runs().where(RunRow.run_id == run_id)).first()
    if run is None:
        raise RunNotFound(f"there is no run {run_id}")
    if not shows_turns(get_round(site, run.round_id), viewer_id, run.player_id):
        if viewer_id is None:
            raise PlayerRequired("until the round has closed, a receipt is its player's only: send your token")
        raise NotYours("until the round has closed, a receipt is its player's only")
    if not run.to_log:
        raise NotLogged(f"run {run_id} is not logged: it is practice, or no better than an earlier one of its player")
    if run.leaf_index is None:
        raise ReceiptPending("the run is accepted and waits for the log, normally for a second", retry_after=1)
    newest = stored.newest_checkpoint(site.session)
    try:
        if newest is None or run.leaf is None:
            raise Refused(Fault.RUN_NOT_LOGGED, str(run_id))
        path = inclusion_nodes(run.leaf_index, newest.size)
        hash_of = stored.stored_hashes(site.session, (node for step in path for node in step.nodes))
        made = make_receipt(run.leaf, run.salt, bytes_of(run), run.leaf_index, prove(path, hash_of), newest.note)
        verify_receipt(made, site.secrets.log_key.verifier)
    except (Refused, KeyError) as wrong:  # a receipt that does not verify would accuse this server of a lie
        raise JournalDisagrees(f"no receipt of run {run_id} can be made: {wrong!r}. {WHAT_TO_DO}") from None
    return made


def logged_runs() -> Select[Any]:
    """Select runs with everything that their bytes and their leaf are made of."""
    of_run = (RunRow.run_id, RunRow.round_id, RunRow.turns, RunRow.salt, RunRow.score, RunRow.given_away_milli)
    of_log = (RunRow.accepted_at, RunRow.to_log, RunRow.leaf_index, LeafRow.leaf, RoundRow.ruleset_hash)
    columns: list[Any] = [*of_run, *of_log, EntryRow.player_tag, EntryRow.player_id]
    return (
        select(*columns)
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .join(RoundRow, RoundRow.round_id == RunRow.round_id)
        .outerjoin(LeafRow, LeafRow.leaf_index == RunRow.leaf_index)
    )


def bytes_of(run: Row[Any]) -> bytes:
    return run_bytes(run.round_id, run.player_tag, run.ruleset_hash, turns_from(run.turns))
