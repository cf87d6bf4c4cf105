"""Leagues: made, joined, left, renamed, closed; and their invite codes."""

from uuid import UUID

from flask import Blueprint

from ...leagues import (
    close_league,
    create_league,
    get_league,
    join,
    leagues_of,
    remove_member,
    rename_league,
    rotate_code,
)
from ..auth import calling, player, site, viewer_id
from ..limited import limited
from ..represent import Json, league_json
from ..schemas import LeagueSchema, body, idempotency_key

routes = Blueprint("leagues", __name__)


@routes.post("/leagues")
@limited("leagues", "league")
def make_league() -> tuple[Json, int]:
    owner = player("league")
    return league_json(create_league(site(), owner.player_id, body(LeagueSchema)["name"], idempotency_key())), 201


@routes.get("/players/me/leagues")
def list_leagues() -> Json:
    return {"items": [league_json(league) for league in leagues_of(site(), player("read").player_id)]}


@routes.get("/leagues/<code>")
def show_league(code: str) -> Json:
    return league_json(get_league(site(), code, viewer_id()))


@routes.patch("/leagues/<code>")
def change_league(code: str) -> Json:
    owner = player("league")
    return league_json(rename_league(site(), code, owner.player_id, body(LeagueSchema)["name"]))


@routes.delete("/leagues/<code>")
def end_league(code: str) -> tuple[str, int]:
    close_league(site(), code, player("league").player_id)
    return "", 204


@routes.post("/leagues/<code>/codes")
@limited("leagues", "league")
def replace_code(code: str) -> tuple[Json, int]:
    return league_json(rotate_code(site(), code, player("league").player_id)), 201


@routes.post("/leagues/<code>/members")
def join_league(code: str) -> tuple[Json, int]:
    league, is_new = join(site(), code, player("league").player_id)
    return league_json(league), 201 if is_new else 200


@routes.delete("/leagues/<code>/members/me")
def leave_league(code: str) -> tuple[str, int]:
    own_id = calling("league", also_banned=True).player.player_id
    remove_member(site(), code, own_id, own_id)
    return "", 204


@routes.delete("/leagues/<code>/members/<uuid:player_id>")
def end_membership(code: str, player_id: UUID) -> tuple[str, int]:
    remove_member(site(), code, player("league").player_id, player_id)
    return "", 204
