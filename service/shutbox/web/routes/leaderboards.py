"""Leaderboards of rounds and of periods, and a player's own runs: in parts, or as files."""

from dataclasses import replace

from flask import Blueprint, Response, jsonify, request

from ...cursors import Wanted
from ...days import today
from ...errors import PeriodNotFound
from ...histories import all_runs, history
from ...leaderboards import Page, all_rows, gated, page
from ...leagues import league_of_member
from ...period_boards import SUMMED, season
from ...period_boards import all_rows as all_period_rows
from ...period_boards import page as period_page
from ...periods import Period, PeriodKind, parse_period, period_at
from ..auth import player, site, viewer_id
from ..exports import chosen_format, file_of
from ..represent import Json, board_row_json, leaderboard_json, own_run_json, period_json, period_row_json
from ..schemas import AskedPart, LeaderboardQuery, PartQuery, PeriodQuery, invalid_query, query

_PLAYER = ("player_id", "name", "guest", "bot")
ROUND_COLUMNS = ("rank", *_PLAYER, "score", "penalty", "given_away_milli", "run_id", "accepted_at")
PERIOD_COLUMNS = ("rank", *_PLAYER, "score", "given_away_milli", "days")
RUN_COLUMNS = (
    *("run_id", "round_id", "ruleset", "mode", "kind"),
    *("score", "penalty", "open", "given_away_milli", "accepted_at", "withdrawn"),
)

routes = Blueprint("leaderboards", __name__)


@routes.get("/rounds/<round_id>/leaderboard")
def show_leaderboard(round_id: str) -> Response:
    asked: AskedPart = query(LeaderboardQuery)
    wanted, reader_id = _looked_up(asked), viewer_id()
    format = chosen_format(asked.format)
    if format == "json":
        return _revalidated(leaderboard_json(page(site(), round_id, reader_id, wanted)))
    if asked.whole:
        rows = all_rows(site(), round_id, reader_id, wanted)
    else:
        rows = iter(_shown(page(site(), round_id, reader_id, wanted)).rows)
    return file_of(round_id, format, ROUND_COLUMNS, map(board_row_json, rows))


@routes.get("/leaderboards/<kind>")
def show_period(kind: str) -> Response:
    asked, ruleset, mode, of = query(PeriodQuery)
    found = season(site(), period_of(kind, of), ruleset, mode)
    wanted, reader_id = _looked_up(asked), viewer_id()
    format = chosen_format(asked.format)
    if format == "json":
        return _revalidated(period_json(period_page(site(), found, reader_id, wanted)))
    if asked.whole:
        rows = all_period_rows(site(), found, reader_id, wanted)
    else:
        rows = iter(period_page(site(), found, reader_id, wanted).rows)
    return file_of(f"{found.period.id}-{ruleset}-{mode}", format, PERIOD_COLUMNS, map(period_row_json, rows))


@routes.get("/players/me/runs")
def list_runs() -> Response:
    asked: AskedPart = query(PartQuery)
    own_id = player("read").player_id
    format = chosen_format(asked.format)
    if format == "json":
        found = history(site(), own_id, asked.wanted)
        items = [own_run_json(run) for run in found.runs]
        return _revalidated({"total": found.total, "items": items, "next": found.next, "previous": found.previous})
    runs = all_runs(site(), own_id, asked.wanted) if asked.whole else history(site(), own_id, asked.wanted).runs
    return file_of(f"runs-{own_id}", format, RUN_COLUMNS, map(own_run_json, runs))


def period_of(kind: str, of: str | None) -> Period:
    """Return the period that is asked for, or the present one. Raises PeriodNotFound and MalformedRequest."""
    if kind not in SUMMED:
        raise PeriodNotFound(
            f"there are leaderboards of a {', a '.join(SUMMED[:2])} and of {SUMMED[2]}, not of {kind[:80]!r}"
        )
    asked = PeriodKind(kind)
    found = period_at(asked, today(site())) if of is None else parse_period(asked, of)
    if found is None:
        example = {PeriodKind.WEEK: "2026-W48", PeriodKind.MONTH: "2026-11", PeriodKind.ALL_TIME: "all"}[asked]
        invalid_query("of", f"must be written as {example}, or be a date as 2026-11-30")
    return found


def _looked_up(asked: AskedPart) -> Wanted:
    """Return the wanted part, with the player and the league that were named by who asks."""
    wanted = asked.wanted
    if asked.around_me:
        wanted = replace(wanted, around=player("read").player_id)
    if asked.league is not None:
        wanted = replace(wanted, league_id=league_of_member(site(), asked.league, viewer_id()))
    return wanted


def _shown(found: Page) -> Page:
    if found.gated:
        raise gated()
    return found


def _revalidated(content: Json) -> Response:
    """Return JSON that a client keeps and asks about. Names are in it, so that it is not known before it is read."""
    response = jsonify(content)
    response.add_etag()
    response.vary.update(("Accept", "Authorization", "Cookie"))
    response.cache_control.no_cache = True
    response.make_conditional(request)
    return response
