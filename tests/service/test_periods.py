"""Weeks, months and all time, from dates: also around New Year and at both ends of the calendar."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as some
from shutbox.periods import PeriodKind, parse_period, period_at

KINDS = list(PeriodKind)


@given(some.sampled_from(KINDS), some.dates())
def test_a_period_is_found_by_each_of_its_days_and_by_its_id(kind: PeriodKind, day: date) -> None:
    period = period_at(kind, day)
    assert period.first <= day <= period.last
    assert period_at(kind, period.first) == period_at(kind, period.last) == period
    assert parse_period(kind, day.isoformat()) == period
    if kind is not PeriodKind.DAY and date(2, 1, 1) < day < date(9998, 1, 1):
        assert parse_period(kind, period.id) == period


@given(some.sampled_from(KINDS), some.dates())
def test_periods_follow_each_other_without_a_gap(kind: PeriodKind, day: date) -> None:
    period = period_at(kind, day)
    for neighbour, edge in ((period.before, period.first), (period.after, period.last)):
        if neighbour is not None:
            assert neighbour.first <= edge + timedelta(days=1)
            assert neighbour.before == period or neighbour.after == period


@pytest.mark.parametrize(
    ("day", "id", "first", "last"),
    [
        ("2026-12-31", "2026-W53", "2026-12-28", "2027-01-03"),
        ("2027-01-03", "2026-W53", "2026-12-28", "2027-01-03"),
        ("2027-01-04", "2027-W01", "2027-01-04", "2027-01-10"),
        ("2024-12-30", "2025-W01", "2024-12-30", "2025-01-05"),
        ("2026-11-30", "2026-W49", "2026-11-30", "2026-12-06"),
    ],
)
def test_a_week_around_new_year_has_the_number_of_the_iso_calendar(day: str, id: str, first: str, last: str) -> None:
    week = period_at(PeriodKind.WEEK, date.fromisoformat(day))
    assert (week.id, week.first.isoformat(), week.last.isoformat()) == (id, first, last)


def test_a_month_ends_with_its_last_day() -> None:
    assert [period_at(PeriodKind.MONTH, date(2028, month, 9)).last.day for month in (1, 2, 4, 12)] == [31, 29, 30, 31]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        *(
            (PeriodKind.WEEK, text)
            for text in ("2026-W00", "2026-W54", "2025-W53", "2026-w48", "2026-W48\n", "2026W48")
        ),
        *((PeriodKind.MONTH, text) for text in ("2026-00", "2026-13", "2026-1", "2026-11-31", "٢٠٢٦-11", "0000-01")),
        *((PeriodKind.ALL_TIME, text) for text in ("", "ALL", "all-time", "2026-11")),
        (PeriodKind.DAY, "2026-W48"),
    ],
)
def test_what_names_no_period_gives_none(kind: PeriodKind, text: str) -> None:
    assert parse_period(kind, text) is None
