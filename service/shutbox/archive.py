"""The archive: what a month's days are to one player, by the sealed classic round of each day."""

from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum
from uuid import UUID

from sqlalchemy import and_, func, select

from .days import daily_round_id, today
from .errors import DayNotFound
from .game.rulesets import CATALOGUE
from .rounds import Mode, State, round_from
from .site import Site
from .store.rows import DayRow, EntryRow, RoundRow, RunRow, WithdrawnRow


class Mark(StrEnum):
    """What a day is to a player; to a reader without a player only RUNNING, CLOSING and MISSED occur."""

    DONE = "done"
    WITHDRAWN = "withdrawn"  # by the operator: it was finished and does not count
    STARTED = "started"  # and not finished; after the close it stays so
    RUNNING = "running"  # can be started
    CLOSING = "closing"  # cannot be started any more, has not closed yet
    MISSED = "missed"


@dataclass(frozen=True, slots=True)
class ArchiveDay:
    """A day that has begun. `score` is the player's own, None unless the round was finished."""

    day: date
    mark: Mark
    score: int | None


@dataclass(frozen=True, slots=True)
class Month:
    """The days of a month that have begun, by date, and the months beside it that have such days."""

    first: date
    days: dict[date, ArchiveDay]
    earlier: date | None
    later: date | None


def month_of(site: Site, month: date, player_id: UUID | None) -> Month:
    """Return the month that a date lies in; raises DayNotFound if none of its days was made and has begun."""
    first, newest, oldest = month.replace(day=1), today(site), _first_day(site)
    if oldest is None or not oldest.replace(day=1) <= first <= newest:
        raise DayNotFound(f"there are no days in {first:%B %Y}: days are there from the first start on")
    following = (first + timedelta(days=31)).replace(day=1)
    days = _days(site, first, min(newest, following - timedelta(days=1)), player_id)
    return Month(
        first,
        days,
        (first - timedelta(days=1)).replace(day=1) if oldest < first else None,
        following if following <= newest else None,
    )


def _first_day(site: Site) -> date | None:
    return site.session.scalar(select(func.min(DayRow.day)))


def _days(site: Site, first: date, last: date, player_id: UUID | None) -> dict[date, ArchiveDay]:
    begun = (first + timedelta(days=ahead) for ahead in range((last - first).days + 1))
    wanted = {daily_round_id(day, CATALOGUE["classic"], Mode.SEALED): day for day in begun}
    rows = site.session.execute(
        select(RoundRow, EntryRow.entry_id, RunRow.score, WithdrawnRow.run_id.is_not(None))
        .outerjoin(EntryRow, and_(EntryRow.round_id == RoundRow.round_id, EntryRow.player_id == player_id))
        .outerjoin(RunRow, RunRow.entry_id == EntryRow.entry_id)
        .outerjoin(WithdrawnRow, WithdrawnRow.run_id == RunRow.run_id)
        .where(RoundRow.round_id.in_(wanted))
    )
    now, days = site.clock(), {}
    for row, entry_id, score, withdrawn in rows:
        day = wanted[row.round_id]
        days[day] = ArchiveDay(day, _mark(round_from(row, now).state, entry_id, score, withdrawn), score)
    return days


def _mark(state: State, entry_id: UUID | None, score: int | None, withdrawn: bool) -> Mark:
    if withdrawn:
        return Mark.WITHDRAWN
    if score is not None:
        return Mark.DONE
    if entry_id is not None:
        return Mark.STARTED
    if state is State.CLOSED:
        return Mark.MISSED
    return Mark.CLOSING if state is State.CLOSING else Mark.RUNNING
