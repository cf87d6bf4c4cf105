"""The pages for people: the day, leaderboards, rules. The gates hold here as they do in the API."""

from datetime import timedelta
from typing import Any

from flask import Blueprint, Response, redirect, render_template, request
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from ...clock import day_at, end_of
from ...cursors import Wanted
from ...days import Day, get_day, last_closed_day, today
from ...errors import DayNotFound, Refused, RoundNotFound, RulesetNotFound
from ...game.rulesets import CATALOGUE
from ...leaderboards import page, standing
from ...profiles import profile
from ...rounds import Mode, Round, State, counts, disclosed_seed, get_round
from ...runs import get_run
from .. import reference
from ..auth import own_origin, site, visitor
from ..league_words import week_standings
from ..offline import tell_worker
from ..own import Own, own_on
from ..problems import PROBLEMS, problem
from ..represent import ruleset_json
from ..words import (
    board_rows,
    dated,
    day_number,
    long_date,
    month_name,
    ordinal,
    period_name,
    player_name,
    round_name,
    rule_sentences,
    short_date,
    utc_date_time,
    utc_time,
    withdrawal_words,
)
from .days import parsed_day

SHOWN_ROWS = 5
PAGE_ROWS = 50


def for_people(blueprint: Blueprint) -> Blueprint:
    """Give a blueprint of pages the words, the headers and the refusals that all pages have."""
    blueprint.context_processor(_everywhere)
    blueprint.after_request(_private)
    blueprint.after_request(tell_worker)
    blueprint.register_error_handler(Refused, _refused)
    return blueprint


def _everywhere() -> dict[str, Any]:
    """Return what every page needs: who asks, the time, and the words for both."""
    now = site().clock()
    return {
        "viewer": visitor(),
        "now": now,
        "today": day_at(now),
        "next_day": end_of(day_at(now)),
        "offline": site().settings.offline,
        "day_number": day_number,
        "long_date": long_date,
        "player_name": player_name,
        "round_name": round_name,
        "short_date": short_date,
        "dated": dated,
        "month_name": month_name,
        "ordinal": ordinal,
        "period_name": period_name,
        "utc_date_time": utc_date_time,
        "utc_time": utc_time,
        "withdrawal_words": withdrawal_words,
        "Mode": Mode,
        "State": State,
    }


def _private(response: Response) -> Response:
    """Let the browser keep a page for going back, and ask each time whether it still holds."""
    response.headers["Cache-Control"] = "private, no-cache"
    response.vary.add("Cookie")
    return response


def _refused(refused: Refused) -> tuple[str, int]:
    status, title = PROBLEMS[refused.code]
    detail = refused.detail if not isinstance(refused, RoundNotFound | RulesetNotFound | DayNotFound) else ""
    return render_template("error.html", title=title, detail=detail), status


routes = for_people(Blueprint("pages", __name__))

# The day


@routes.get("/")
def front_page() -> str:
    try:
        day = get_day(site(), today(site()))
    except DayNotFound:
        return render_template("day.html", day=None)
    closed = last_closed_day(site())
    return _day_page(day, get_day(site(), closed) if closed else None)


@routes.get("/d/<text>")
def day_page(text: str) -> str | AnyResponse:
    wanted = parsed_day(text)
    if wanted == today(site()):
        return redirect("/")
    day = get_day(site(), wanted)
    return _day_page(day, day if day.state is State.CLOSED else None)


def _day_page(day: Day, closed: Day | None) -> str:
    """Show a day's rounds, its puzzles' leaderboards, and the final ones of a closed day."""
    return render_template(
        "day.html",
        day=day,
        cards=[_card(round) for round in day.rounds],
        unfinished=[card for card in _cards_of_yesterday(day) if _can_be_finished(card)],
        boards=[_top(round) for round in day.rounds if round.mode is Mode.OPEN and day.state is not State.UPCOMING],
        closed=closed,
        mine=_mine(day),
        closed_boards=[_top(round) for round in closed.rounds if round.mode is Mode.SEALED] if closed else [],
    )


def _mine(day: Day) -> dict[str, Any] | None:
    """Return what today's page says to a player: profile, runs of today and yesterday, leagues."""
    asking = visitor()
    if asking is None or day.day != today(site()):
        return None
    found = profile(site(), asking, own=True)
    by_day = {result.day: result.run_id for result in found.results}
    recent = [(word, by_day.get(day.day - timedelta(days=back))) for back, word in enumerate(("Today", "Yesterday"))]
    runs = [(word, get_run(site(), run_id, asking.player_id)) for word, run_id in recent if run_id]
    return {
        "profile": found,
        "runs": [(word, run, get_round(site(), run.round_id)) for word, run in runs],
        "leagues": week_standings(site(), asking),
    }


def _card(round: Round) -> dict[str, Any]:
    started, finished = counts(site(), round.round_id)
    own = own_on(site(), round, visitor())
    return {
        "round": round,
        "started": started,
        "finished": finished,
        "own": own,
        "seed": disclosed_seed(site(), round),
        "standing": _own_standing(round, own),
    }


def _own_standing(round: Round, own: Own) -> Any:
    asking = visitor()
    return standing(site(), round, asking.player_id) if asking and own.run_id else None


def _cards_of_yesterday(day: Day) -> list[dict[str, Any]]:
    if visitor() is None or day.day != today(site()):
        return []
    try:
        return [_card(round) for round in get_day(site(), day.day - timedelta(days=1)).rounds]
    except DayNotFound:
        return []


def _can_be_finished(card: dict[str, Any]) -> bool:
    own: Own = card["own"]
    return bool(card["round"].moves_taken and own.attempt and not own.run_id)


def _top(round: Round) -> dict[str, Any]:
    found = page(site(), round.round_id, None, Wanted(limit=SHOWN_ROWS))
    return {"page": found, "rows": board_rows(found)}


# Rules, the API


@routes.get("/rules")
def rules_page() -> str:
    return render_template(
        "rules.html", rulesets=[(ruleset, rule_sentences(ruleset)) for ruleset in CATALOGUE.values()]
    )


@routes.get("/rules/<ruleset_id>")
def ruleset_page(ruleset_id: str) -> str:
    if ruleset_id not in CATALOGUE:
        raise RulesetNotFound(f"there is no ruleset {ruleset_id!r}")
    ruleset = CATALOGUE[ruleset_id]
    return render_template(
        "ruleset.html", ruleset=ruleset, values=ruleset_json(ruleset), sentences=rule_sentences(ruleset)
    )


@routes.get("/api")
def api_page() -> str:
    return render_template("api.html", calls=reference.calls(), problems=reference.problems(), server=own_origin())


@routes.app_errorhandler(404)
def _not_found(error: NotFound) -> Response | tuple[str, int]:
    """Answer a browser that asks for no page of ours with one; programs get the problem as ever."""
    wants_page = request.accept_mimetypes.best_match(("application/problem+json", "text/html")) == "text/html"
    if request.path.startswith("/api/v1/") or not wants_page or "text/html" not in request.headers.get("Accept", ""):
        return problem("not_found", error.description or "")
    return render_template("error.html", title=PROBLEMS["not_found"][1], detail="", **_everywhere()), 404
