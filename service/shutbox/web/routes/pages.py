"""The pages for people."""

from flask import Blueprint, render_template

from ...days import get_day, last_closed_day, today
from ...errors import DayNotFound
from ...leaderboards import Page, Wanted, page
from ...rounds import Mode, Round, counts
from ..auth import site

routes = Blueprint("pages", __name__)

SHOWN_ROWS = 10


@routes.get("/")
def front_page() -> str:
    try:
        day = get_day(site(), today(site()))
    except DayNotFound:
        return render_template("front.html", day=None)
    closed = last_closed_day(site())
    closed_rounds = get_day(site(), closed).rounds if closed else []
    return render_template(
        "front.html",
        day=day,
        rounds=[(round, *counts(site(), round.round_id)) for round in day.rounds],
        boards=[_board(round) for round in day.rounds if round.mode is Mode.OPEN],
        closed=closed,
        closed_boards=[_board(round) for round in closed_rounds if round.mode is Mode.SEALED],
    )


def _board(round: Round) -> Page:
    return page(site(), round.round_id, None, Wanted(limit=SHOWN_ROWS))
