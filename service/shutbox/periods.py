"""Periods over which daily results are summed: ISO weeks, months, and all time; and days, which are rounds."""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from enum import StrEnum

_FORMS = {"week": re.compile(r"([0-9]{4})-W([0-9]{2})\Z"), "month": re.compile(r"([0-9]{4})-([0-9]{2})\Z")}
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_ALL = "all"


class PeriodKind(StrEnum):
    """How long a period is."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    ALL_TIME = "all-time"


@dataclass(frozen=True, slots=True)
class Period:
    """The days from `first` to `last`, both included; all time is every date there is."""

    kind: PeriodKind
    id: str  # 2026-11-30, 2026-W49, 2026-11, or all
    first: date
    last: date

    @property
    def before(self) -> "Period | None":
        """The period that ends where this one begins; None if there is none."""
        return None if self.first == date.min else period_at(self.kind, self.first - timedelta(days=1))

    @property
    def after(self) -> "Period | None":
        """The period that begins where this one ends; None if there is none."""
        return None if self.last == date.max else period_at(self.kind, self.last + timedelta(days=1))


def period_at(kind: PeriodKind, day: date) -> Period:
    """Return the period of a kind that a day lies in. The week of a day near New Year can be of another year."""
    match kind:
        case PeriodKind.DAY:
            return Period(kind, day.isoformat(), day, day)
        case PeriodKind.WEEK:
            year, week, weekday = day.isocalendar()
            ordinal = day.toordinal() - weekday + 1  # the first and the last week there is are cut off
            first, last = (max(ordinal, 1), min(ordinal + 6, date.max.toordinal()))
            return Period(kind, f"{year:04}-W{week:02}", date.fromordinal(first), date.fromordinal(last))
        case PeriodKind.MONTH:
            first_day = day.replace(day=1)
            following = date.max if first_day >= date(9999, 12, 1) else (first_day + timedelta(days=31)).replace(day=1)
            last_day = following if following == date.max else following - timedelta(days=1)
            return Period(kind, f"{day.year:04}-{day.month:02}", first_day, last_day)
        case PeriodKind.ALL_TIME:
            return Period(kind, _ALL, date.min, date.max)


def parse_period(kind: PeriodKind, text: str) -> Period | None:
    """Return the period that is named by its id, or by a date that lies in it; None if the text is neither."""
    try:
        if _DATE.match(text):
            return period_at(kind, date.fromisoformat(text))
        named = _FORMS[kind].match(text) if kind in _FORMS else None
        if named is not None:
            year, number = int(named[1]), int(named[2])
            day = date.fromisocalendar(year, number, 1) if kind is PeriodKind.WEEK else date(year, number, 1)
            return period_at(kind, day)
    except ValueError:  # no such day, week or month
        return None
    return period_at(kind, date.min) if kind is PeriodKind.ALL_TIME and text == _ALL else None
