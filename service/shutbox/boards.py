"""The boards in Redis kept true to SQL: merged, reconciled, checked, rebuilt."""

import time
from collections.abc import Sequence
from contextlib import suppress
from itertools import zip_longest
from uuid import UUID

from sqlalchemy import Select, select, update

from .errors import RoundNotFound
from .rounds import Kind, State, get_round
from .site import Site
from .store.database import writing
from .store.queries import Board, best_runs
from .store.rows import RoundRow, RunRow, WithdrawalRow, WithdrawnRow


def note_missed(site: Site, round_id: str) -> None:
    """Write down that Redis missed a placement: the board is read from SQL, by everyone, until it was merged."""
    with writing(site.session):
        site.session.execute(
            update(RoundRow)
            .where(RoundRow.round_id == round_id)
            .values(missed_placements=RoundRow.missed_placements + 1)
        )


def merge(site: Site, round_id: str) -> None:
    """Merge all that SQL holds of a board into Redis, and take off what SQL does not know."""
    held = list(site.ranking.rows(round_id))
    board = _board_of(site, round_id)
    site.session.rollback()  # what was held is compared with what is committed by now
    known = set(site.session.scalars(_ranked_runs(board))) if held else set[UUID]()
    for player_id, run_id, _ in held:  # first, or the better key of a row that must go would keep the true one out
        if run_id not in known:
            site.ranking.remove(round_id, player_id, run_id)
    site.ranking.merge(round_id, best_runs(site.session, board))


def reconcile(site: Site, round_ids: Sequence[str]) -> None:
    """Merge boards, and read them from Redis again unless more was missed meanwhile. Raises RankingUnavailable."""
    for round_id in round_ids:
        with suppress(RoundNotFound):  # a practice round that was deleted meanwhile, with its player
            _reconcile(site, round_id)


def _reconcile(site: Site, round_id: str) -> None:
    missed = site.session.scalar(select(RoundRow.missed_placements).where(RoundRow.round_id == round_id))
    merge(site, round_id)
    if missed:
        with writing(site.session):
            site.session.execute(
                update(RoundRow)
                .where(RoundRow.round_id == round_id, RoundRow.missed_placements == missed)
                .values(missed_placements=0)
            )


def stale_boards(site: Site) -> Sequence[str]:
    """Return the boards that missed a placement."""
    return site.session.scalars(select(RoundRow.round_id).where(RoundRow.missed_placements > 0)).all()


def boards_in_use(site: Site, since: int, practice: bool) -> Sequence[str]:
    """Return the logged boards that have not closed, and all with a run accepted, or acted on, since that moment.

    Of those, practice boards only if they are asked for: anyone can make many.
    """
    first_id = UUID(int=max(since, 0) << 80)  # ids are UUIDv7: they begin with their time
    recent = select(RunRow.round_id).where(RunRow.run_id >= first_id)
    acts = select(RunRow.round_id).join(WithdrawalRow).where(WithdrawalRow.withdrawal_id >= first_id)
    logged = RoundRow.kind != Kind.PRACTICE
    running = (RoundRow.state < State.CLOSED) & logged & (RoundRow.opens_at <= site.clock())
    in_use = running | RoundRow.round_id.in_(recent.union(acts))
    wanted = select(RoundRow.round_id).where(in_use if practice else in_use & logged)
    return site.session.scalars(wanted.order_by(RoundRow.round_id)).all()


def all_boards(site: Site) -> Sequence[str]:
    """Return every round."""
    return site.session.scalars(select(RoundRow.round_id).order_by(RoundRow.round_id)).all()


def rebuild(site: Site, round_id: str) -> None:
    """Make a board in Redis anew from SQL. Raises RoundNotFound and RankingUnavailable."""
    get_round(site, round_id)
    site.ranking.forget(round_id)
    reconcile(site, [round_id])


def check(site: Site, patience: int = 3) -> tuple[list[str], int]:
    """Return how the boards that Redis holds differ from SQL, and how many were compared.

    A run accepted this moment is placed a moment later, so a board that differs is asked again before it is told.
    """
    found: list[str] = []
    boards = [round_id for round_id in all_boards(site) if site.ranking.holds(round_id)]
    for round_id in boards:
        for _ in range(patience):
            differing = differences(site, round_id)
            if not differing:
                break
            time.sleep(0.2)
        found += differing
    return found, len(boards)


def differences(site: Site, round_id: str) -> list[str]:
    """Return how a board in Redis differs from SQL, place by place."""
    held = list(site.ranking.rows(round_id))
    site.session.rollback()
    board = _board_of(site, round_id)
    found: list[str] = []
    for place, (redis_row, sql_row) in enumerate(zip_longest(held, best_runs(site.session, board))):
        if redis_row != sql_row:
            found.append(f"{round_id}, place {place + 1}: Redis has {_told(redis_row)}, SQL has {_told(sql_row)}")
    return found


def _told(row: tuple[UUID, UUID, int] | None) -> str:
    return f"run {row[1]} of player {row[0]} with rank key {row[2]}" if row else "nothing"


def _board_of(site: Site, round_id: str) -> Board:
    return Board(round_id, get_round(site, round_id).logged)


def _ranked_runs(board: Board) -> Select[UUID]:
    runs = select(RunRow.run_id).where(RunRow.round_id == board.round_id)
    withdrawn = select(WithdrawnRow.run_id)
    return runs.where(RunRow.to_log, RunRow.run_id.not_in(withdrawn)) if board.logged else runs
