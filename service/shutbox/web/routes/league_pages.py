"""The pages of leagues: the own ones, and each league as one sees it who has its code."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...clock import day_at
from ...cursors import Wanted
from ...days import get_day, last_closed_day, today
from ...errors import Gone, LeagueCodeExpired, LeagueNotFound, NotRanked
from ...leaderboards import Page, page
from ...leagues import League, get_league, leagues_of, present_code
from ...period_boards import PeriodPage, season
from ...period_boards import page as period_page
from ...periods import PeriodKind, period_at
from ...rounds import Mode
from ..auth import own_origin, site, visitor, visitor_id
from ..league_words import invitation, week_standing
from ..problems import PROBLEMS
from ..words import board_rows
from .pages import for_people

SHOWN_ROWS = 10
PERIODS = ((PeriodKind.WEEK, "This week"), (PeriodKind.MONTH, "This month"), (PeriodKind.ALL_TIME, "All time"))

routes = for_people(Blueprint("league_pages", __name__))


@routes.get("/leagues")
def leagues_page() -> str | Response:
    """Show the leagues of the one who looks; with a code, which may be a whole link, lead to its league."""
    code = request.args.get("code")
    if code is not None:
        return redirect(url_for(".league_page", code=code.strip().rstrip("/").rpartition("/")[2][:64]))
    asking = visitor()
    own = [] if asking is None else leagues_of(site(), asking.player_id)
    standings = [] if asking is None else [week_standing(site(), league, asking) for league in own]
    return render_template("leagues.html", leagues=list(zip(own, standings, strict=True)))


@routes.get("/league/<code>")
def league_page(code: str) -> str | Response | tuple[str, int]:
    asking = visitor()
    try:
        league = get_league(site(), code, visitor_id())
    except LeagueCodeExpired as refused:
        present = asking and present_code(site(), code, asking.player_id)
        return redirect(f"/league/{present}") if present else _no_league(refused)
    except (Gone, LeagueNotFound) as refused:
        return _no_league(refused)
    if league.members is None:
        return render_template("league.html", league=league, owns=False)
    return render_template(
        "league.html",
        league=league,
        owns=asking is not None and league.owner.player_id == asking.player_id,
        invitation=invitation(league, own_origin()),
        today_board=_today(league),
        day_at=day_at,
        until=last_closed_day(site()),
        periods=_periods(league),
    )


def _no_league(refused: Gone | LeagueNotFound) -> tuple[str, int]:
    return render_template("no-league.html", code=refused.code), PROBLEMS[refused.code][0]


def _today(league: League) -> dict[str, Any]:
    """Return the board of today's round, as far as this member may see it."""
    viewer_id = visitor_id()
    round_id = get_day(site(), today(site())).rounds[0].round_id
    return _top(lambda wanted: page(site(), round_id, viewer_id, wanted), league)


def _periods(league: League) -> list[dict[str, Any]]:
    viewer_id = visitor_id()
    seasons = [(name, season(site(), period_at(kind, today(site())), "classic", Mode.SEALED)) for kind, name in PERIODS]
    return [{"name": name, **_top(partial(period_page, site(), found, viewer_id), league)} for name, found in seasons]


def _top(read: Callable[[Wanted], Page | PeriodPage], league: League) -> dict[str, Any]:
    """Return the first rows of a board of a league, and the own one where it is not among them."""
    asking, wanted = visitor(), Wanted(limit=SHOWN_ROWS, league_id=league.league_id)
    found, pinned = read(wanted), None
    if asking is not None and all(row.player.player_id != asking.player_id for row in found.rows):
        with suppress(NotRanked):
            pinned = next(iter(board_rows(read(replace(wanted, limit=1, around=asking.player_id)))), None)
    return {"page": found, "rows": board_rows(found), "pinned": pinned}
