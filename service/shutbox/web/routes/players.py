"""Players: their names, profiles, tokens and codes; the copy of their data, and deletion."""

from uuid import UUID

from flask import Blueprint, Response, jsonify, stream_with_context

from ...clock import rfc3339
from ...codes import make_recovery_code, make_transfer_code
from ...players import change_player, create_player, create_token, player_by_name, revoke_token, tokens_of
from ...privacy import delete_player, export
from ...profiles import profile
from ..auth import clear_cookie, from_own_page, player, set_cookie, site, viewer
from ..represent import Json, player_json, profile_json, token_json
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


@routes.get("/players/me/profile")
def show_own_profile() -> Json:
    return profile_json(profile(site(), player(), own=True))


@routes.get("/players/<name>")
def show_profile(name: str) -> Json:
    return profile_json(profile(site(), player_by_name(site(), name), own=False))


@routes.post("/players/me/transfer-codes")
def start_transfer() -> tuple[Json, int]:
    code, expires_at = make_transfer_code(site(), player().player_id)
    return {"code": code, "expires_at": rfc3339(expires_at)}, 201


@routes.post("/players/me/recovery-codes")
def replace_recovery_code() -> tuple[Json, int]:
    return {"code": make_recovery_code(site(), player().player_id)}, 201


@routes.get("/players/me/export")
def show_export() -> Response:
    """The answer is written while it is read from the database, however much the player has played."""
    own = player()
    response = Response(stream_with_context(export(site(), own.player_id)), content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="shutbox-{own.player_id}.json"'
    return response


@routes.delete("/players/me")
def delete_me() -> Response:
    delete_player(site(), player().player_id)
    response = Response(status=204)
    clear_cookie(response)
    return response
