"""The rounds of a day."""

from datetime import date

from flask import Blueprint

from ...days import get_day, today
from ...errors import DayNotFound
from ..auth import site
from ..represent import Json, day_json
from .rounds import as_json

routes = Blueprint("days", __name__)


@routes.get("/days/<text>")
def show_day(text: str) -> Json:
    day = get_day(site(), parsed_day(text))
    return day_json(day, [as_json(round) for round in day.rounds])


def parsed_day(text: str) -> date:
    """Return the day that an address names; raises DayNotFound."""
    if text == "today":
        return today(site())
    try:
        day = date.fromisoformat(text)
    except ValueError:
        day = None
    if day is None or day.isoformat() != text:
        raise DayNotFound(f"{text!r} is no day: write it as 2026-11-30, or today")
    return day
