"""The order of rounds and periods, in SQL: what boards in Redis are rebuilt from and checked against; and results."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, Subquery, and_, exists, func, or_, select
from sqlalchemy.orm import aliased

from .database import AnySession
from .rows import EntryRow, RoundRow, RunRow, WithdrawalRow, WithdrawnRow
from .totals import PeriodBoard, of_players, totals


@dataclass(frozen=True, slots=True)
class Board:
    """Which runs are ranked on a board: those of a round, logged ones only where it is logged, of some players."""

    round_id: str
    logged: bool
    bots: bool | None = None  # only bots, only people, or (None) both
    league_id: UUID | None = None  # only its members, or (None) everyone
    at_close: bool = False  # what was withdrawn and reinstated after the close is passed over


AnyBoard = Board | PeriodBoard


def _best(board: AnyBoard) -> Subquery:
    """Each player's row: of a round the best run that is not withdrawn, the lowest (rank key, run id)."""
    if isinstance(board, PeriodBoard):
        return totals(board)
    numbered = (
        select(
            EntryRow.player_id,
            RunRow.run_id,
            RunRow.rank_key,
            func.row_number()
            .over(partition_by=RunRow.entry_id, order_by=(RunRow.rank_key, RunRow.run_id))
            .label("number"),
        )
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .where(RunRow.round_id == board.round_id)
    )
    if board.logged:  # only what is logged is ever withdrawn
        withdrawn = _withdrawn_at_close(board) if board.at_close else select(WithdrawnRow.run_id)
        numbered = numbered.where(RunRow.to_log, RunRow.run_id.not_in(withdrawn))
    every = of_players(numbered, board.bots, board.league_id).subquery()
    return select(every.c.player_id, every.c.run_id, every.c.rank_key).where(every.c.number == 1).subquery()


def _withdrawn_at_close(board: Board) -> Select[UUID]:
    """Select the runs of which the last act before the close was a withdrawal."""
    before, later = WithdrawalRow, aliased(WithdrawalRow)
    overruled = exists().where(later.run_id == before.run_id, ~later.after_close, later.at > before.at)
    return (
        select(before.run_id)
        .join(RunRow, RunRow.run_id == before.run_id)
        .where(RunRow.round_id == board.round_id, ~before.after_close, before.reason.is_not(None), ~overruled)
    )


def best_runs(session: AnySession, board: AnyBoard) -> Iterator[tuple[UUID, UUID, int]]:
    """Return (player id, run id, rank key) of every ranked player, in the order of the board."""
    best = _best(board)
    rows = session.execute(
        select(best.c.player_id, best.c.run_id, best.c.rank_key).order_by(best.c.rank_key, best.c.run_id)
    )
    return ((player_id, run_id, key) for player_id, run_id, key in rows)


def _ordered(board: AnyBoard) -> Subquery:
    best = _best(board)
    order = (best.c.rank_key, best.c.run_id)
    return select(
        best,
        func.rank().over(order_by=best.c.rank_key).label("rank"),
        func.count().over(partition_by=best.c.rank_key).label("tied"),
        (func.row_number().over(order_by=order) - 1).label("place"),
        func.count().over().label("total"),
    ).subquery()


def ranked_rows(
    session: AnySession, board: AnyBoard, limit: int, after: tuple[int, UUID] | None, before: tuple[int, UUID] | None
) -> Sequence[Row[Any]]:
    """Return at most `limit` rows (run_id, rank_key, rank, tied, place, total) behind or before a place, ascending."""
    ordered = _ordered(board)
    wanted: Select[Any] = select(ordered).limit(limit)
    if before is not None:
        key, run_id = before
        wanted = wanted.where(
            or_(ordered.c.rank_key < key, and_(ordered.c.rank_key == key, ordered.c.run_id < run_id))
        ).order_by(ordered.c.place.desc())
        return session.execute(wanted).all()[::-1]
    if after is not None:
        key, run_id = after
        wanted = wanted.where(or_(ordered.c.rank_key > key, and_(ordered.c.rank_key == key, ordered.c.run_id > run_id)))
    return session.execute(wanted.order_by(ordered.c.place)).all()


def rows_around(session: AnySession, board: AnyBoard, player_id: UUID, limit: int) -> Sequence[Row[Any]]:
    """Return at most `limit` rows around a player; none if the player is not ranked."""
    ordered = _ordered(board)
    own = session.execute(select(ordered.c.place, ordered.c.total).where(ordered.c.player_id == player_id)).first()
    if own is None:
        return []
    start = max(0, min(own.place - limit // 2, own.total - limit))
    window = and_(ordered.c.place >= start, ordered.c.place < start + limit)
    return session.execute(select(ordered).where(window).order_by(ordered.c.place)).all()


def ranked_total(session: AnySession, board: AnyBoard) -> int:
    """Return how many players are ranked."""
    return session.scalar(select(func.count()).select_from(_best(board))) or 0


def finished_days(
    session: AnySession, player_id: UUID, mode: str, ruleset_hash: bytes, newest: date
) -> Sequence[Row[Any]]:
    """Return a player's finished daily rounds up to a day, newest first, without those withdrawn.

    A row is (day, round_id, run_id, score, penalty, given_away_milli).
    """
    of_run: list[Any] = [RunRow.round_id, RunRow.run_id, RunRow.score, RunRow.penalty, RunRow.given_away_milli]
    return session.execute(
        select(RoundRow.day, *of_run)
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .join(RoundRow, RoundRow.round_id == RunRow.round_id)
        .where(EntryRow.player_id == player_id, RoundRow.mode == mode, RoundRow.ruleset_hash == ruleset_hash)
        .where(RoundRow.day <= newest)  # practice has no day
        .where(RunRow.run_id.not_in(select(WithdrawnRow.run_id)))
        .order_by(RoundRow.day.desc())
    ).all()
