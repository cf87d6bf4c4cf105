"""The sums of a period, in SQL: each player's results on the daily rounds that closed in it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, Row, Select, Subquery, case, cast, func, literal, select

from .database import AnySession
from .rows import EntryRow, MemberRow, PlayerRow, RoundRow, RunRow, WithdrawalRow, WithdrawnRow

_GIVEN_AWAY_CAP = (1 << 30) - 1


@dataclass(frozen=True, slots=True)
class PeriodBoard:
    """Which results are summed: each player's best logged run on each daily round of the days from first to last.

    The caller names no last day that has not closed.
    """

    mode: str
    ruleset_hash: bytes
    first: date
    last: date
    bots: bool | None = None
    league_id: UUID | None = None


def of_players(entries: Select[Any], bots: bool | None, league_id: UUID | None) -> Select[Any]:
    """Keep those entries whose players are bots, or people, and members of a league; None asks for neither."""
    if bots is not None:
        entries = entries.join(PlayerRow, PlayerRow.player_id == EntryRow.player_id).where(PlayerRow.bot.is_(bots))
    if league_id is not None:
        entries = entries.join(MemberRow, MemberRow.player_id == EntryRow.player_id).where(
            MemberRow.league_id == league_id
        )
    return entries


def totals(board: PeriodBoard, player_ids: Collection[UUID] | None = None) -> Subquery:
    """Each player's sums. A row is named by its player, so `run_id` is the player's id.

    The key puts the sum of scores first, then what was given away: below 2^53 for thousands of years of days.
    """
    numbered = (
        select(
            EntryRow.player_id,
            RunRow.score,
            RunRow.given_away_milli,
            func.row_number()
            .over(partition_by=RunRow.entry_id, order_by=(RunRow.rank_key, RunRow.run_id))
            .label("number"),
        )
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .join(RoundRow, RoundRow.round_id == RunRow.round_id)
        .where(RoundRow.day >= board.first, RoundRow.day <= board.last)
        .where(RoundRow.mode == board.mode, RoundRow.ruleset_hash == board.ruleset_hash)
        .where(RunRow.to_log, RunRow.run_id.not_in(select(WithdrawnRow.run_id)))
    )
    if player_ids is not None:
        numbered = numbered.where(EntryRow.player_id.in_(player_ids))
    best = of_players(numbered, board.bots, board.league_id).subquery()
    score = cast(func.sum(best.c.score), BigInteger)  # PostgreSQL sums to numeric
    given_away = cast(func.coalesce(func.sum(best.c.given_away_milli), 0), BigInteger)
    sums = (
        select(
            best.c.player_id,
            score.label("score"),
            given_away.label("given_away_milli"),
            func.count().label("days"),
        )
        .where(best.c.number == 1)
        .group_by(best.c.player_id)
        .subquery()
    )
    capped = case((sums.c.given_away_milli < _GIVEN_AWAY_CAP, sums.c.given_away_milli), else_=_GIVEN_AWAY_CAP)
    key = capped - sums.c.score * literal(_GIVEN_AWAY_CAP + 1, BigInteger)
    return select(sums, sums.c.player_id.label("run_id"), key.label("rank_key")).subquery()


def period_sums(session: AnySession, board: PeriodBoard, player_ids: Collection[UUID]) -> Sequence[Row[Any]]:
    """Return (player row, score, given_away_milli, days, rank_key) of those players who are on a period's board."""
    found = totals(board, player_ids)
    sums: list[Any] = [found.c.score, found.c.given_away_milli, found.c.days, found.c.rank_key]
    return session.execute(select(PlayerRow, *sums).join(found, found.c.player_id == PlayerRow.player_id)).all()


def withdrawal_acts(session: AnySession, board: PeriodBoard) -> int:
    """Return how often a run of the days was withdrawn or reinstated: this number only grows."""
    acts = (
        select(func.count())
        .select_from(WithdrawalRow)
        .join(RunRow, RunRow.run_id == WithdrawalRow.run_id)
        .join(RoundRow, RoundRow.round_id == RunRow.round_id)
        .where(RoundRow.day >= board.first, RoundRow.day <= board.last)
    )
    return session.scalar(acts) or 0
