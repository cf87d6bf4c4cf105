"""The archive: a month of days, with what each is to the one who looks."""

import re
from calendar import Calendar
from datetime import date

from flask import Blueprint, render_template, request

from ...archive import Mark, month_of
from ...days import today
from ...errors import DayNotFound
from ..auth import site, visitor_id
from .pages import for_people

_MONTH = re.compile(r"([0-9]{4})-(0[1-9]|1[0-2])\Z")

routes = for_people(Blueprint("archive_pages", __name__))


@routes.get("/archive")
def archive_page() -> str:
    """Show a month, the present one if the address names none."""
    text = request.args.get("month")
    month = month_of(site(), _parsed_month(text) if text else today(site()), visitor_id())
    weeks = Calendar().monthdatescalendar(month.first.year, month.first.month)
    return render_template(
        "archive.html",
        month=month,
        weeks=[[day if day.month == month.first.month else None for day in week] for week in weeks],
        Mark=Mark,
        withdrawn=any(day.mark is Mark.WITHDRAWN for day in month.days.values()),
    )


def _parsed_month(text: str) -> date:
    found = _MONTH.match(text)
    if found is None or found[1] == "0000":
        raise DayNotFound(f"{text[:80]!r} is no month: months are written 2026-11")
    return date(int(found[1]), int(found[2]), 1)
