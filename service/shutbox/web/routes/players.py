"""Players and their tokens."""

from uuid import UUID

from flask import Blueprint, Response, jsonify

from ...players import change_player, create_player, create_token, revoke_token, tokens_of
from ..auth import from_own_page, player, set_cookie, site, viewer
from ..represent import Json, player_json, token_json
from ..schemas import PlayerSchema, TokenSchema, body

routes = Blueprint("players", __name__)


@routes.post("/players")
def make_player() -> tuple[Response, int]:
    """Make a player. A browser on a page of ours gets the token as a cookie, and keeps the player that it has."""
    in_browser = from_own_page()
    known = viewer() if in_browser else None
    if known is not None:
        return jsonify({"player": player_json(known), "token": None}), 200
    wanted = body(PlayerSchema, required=False)
    made, secret = create_player(site(), wanted.get("name"), wanted.get("bot", False))
    response = jsonify({"player": player_json(made), "token": None if in_browser else secret})
    if in_browser:
        set_cookie(response, secret)
    return response, 201


@routes.get("/players/me")
def show_me() -> Json:
    return player_json(player())


@routes.patch("/players/me")
def change_me() -> Json:
    own = player()
    return player_json(change_player(site(), own.player_id, body(PlayerSchema)))


@routes.get("/players/me/tokens")
def list_tokens() -> Json:
    return {"items": [token_json(token) for token in tokens_of(site(), player().player_id)]}


@routes.post("/players/me/tokens")
def make_token() -> tuple[Json, int]:
    own = player()
    token, secret = create_token(site(), own.player_id, body(TokenSchema, required=False).get("label", "token"))
    return {**token_json(token), "token": secret}, 201


@routes.delete("/players/me/tokens/<uuid:token_id>")
def end_token(token_id: UUID) -> tuple[str, int]:
    revoke_token(site(), player().player_id, token_id)
    return "", 204
