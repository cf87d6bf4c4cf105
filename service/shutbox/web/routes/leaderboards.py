"""The leaderboard of a round."""

from dataclasses import replace

from flask import Blueprint, Response, jsonify, request

from ...leaderboards import page
from ..auth import player, site, viewer
from ..represent import leaderboard_json
from ..schemas import LeaderboardQuery, query

routes = Blueprint("leaderboards", __name__)


@routes.get("/rounds/<round_id>/leaderboard")
def show_leaderboard(round_id: str) -> Response:
    wanted, own = query(LeaderboardQuery)
    if own:
        wanted = replace(wanted, around=player().player_id)
    asking = viewer()
    response = jsonify(leaderboard_json(page(site(), round_id, asking.player_id if asking else None, wanted)))
    response.add_etag()
    response.vary.update(("Authorization", "Cookie"))
    response.cache_control.no_cache = True
    response.make_conditional(request)
    return response
