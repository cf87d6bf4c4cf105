"""Players: their names, profiles, tokens and codes; the copy of their data, and deletion."""

from uuid import UUID

from flask import Blueprint, Response, jsonify, stream_with_context

from ...audit import acts_of
from ...clock import rfc3339
from ...codes import make_recovery_code, make_transfer_code
from ...players import (
    SCOPES,
    change_player,
    create_player,
    create_token,
    player_by_name,
    revoke_other_tokens,
    revoke_token,
    tokens_of,
)
from ...privacy import delete_player, export
from ...profiles import profile
from ..auth import calling, clear_cookie, from_own_page, player, set_cookie, site, viewer, viewer_id
from ..limited import limit_address, limit_player, limited
from ..represent import Json, act_json, player_json, profile_json, token_json
from ..schemas import AuditQuery, PlayerSchema, TokenSchema, body, query

routes = Blueprint("players", __name__)


@routes.post("/players")
def make_player() -> tuple[Response, int]:
    """Make a player. A browser on a page of ours gets the token as a cookie, and keeps the player that it has."""
    in_browser = from_own_page()
    known = viewer() if in_browser else None
    if known is not None:
        return jsonify({"player": player_json(known), "token": None}), 200
    limit_address("players")
    wanted = body(PlayerSchema, required=False)
    made, secret = create_player(site(), wanted.get("name"), wanted.get("bot", False), in_browser)
    response = jsonify({"player": player_json(made), "token": None if in_browser else secret})
    if in_browser:
        set_cookie(response, secret)
    return response, 201


@routes.get("/players/me")
def show_me() -> Json:
    return player_json(player("read"))


@routes.patch("/players/me")
def change_me() -> Json:
    own, changes = player(), body(PlayerSchema)
    if "name" in changes:
        limit_player("names")
    return player_json(change_player(site(), own.player_id, changes))


@routes.get("/players/me/tokens")
def list_tokens() -> Json:
    asking = calling("read")
    tokens = tokens_of(site(), asking.player.player_id)
    return {"items": [token_json(token, token.token_id == asking.token.token_id) for token in tokens]}


@routes.post("/players/me/tokens")
@limited("tokens")
def make_token() -> tuple[Json, int]:
    by, wanted = calling(), body(TokenSchema, required=False)
    label, scopes = wanted.get("label", "token"), wanted.get("scopes", SCOPES)
    token, secret = create_token(site(), by.player.player_id, by.token.token_id, label, scopes)
    return {**token_json(token, False), "token": secret}, 201


@routes.delete("/players/me/tokens")
def end_other_tokens() -> tuple[str, int]:
    """End every token but the one that asks."""
    asking = calling()
    revoke_other_tokens(site(), asking.player.player_id, asking.token.token_id)
    return "", 204


@routes.delete("/players/me/tokens/<uuid:token_id>")
def end_token(token_id: UUID) -> Response:
    """End a token; a browser that ends its own is nobody's any more."""
    asking = calling()
    revoke_token(site(), asking.player.player_id, token_id)
    response = Response(status=204)
    if asking.token.browser and token_id == asking.token.token_id:
        clear_cookie(response)
    return response


@routes.get("/players/me/audit")
def show_audit() -> Json:
    """Say what was done to the player, newest first."""
    limit, before = query(AuditQuery)
    acts, more = acts_of(site(), player("read").player_id, limit, before)
    return {"items": [act_json(act) for act in acts], "next": str(acts[-1].audit_id) if more else None}


@routes.get("/players/me/profile")
def show_own_profile() -> Json:
    return profile_json(profile(site(), player("read"), own=True))


@routes.get("/players/<name>")
def show_profile(name: str) -> Json:
    found = player_by_name(site(), name, viewer_id())
    return profile_json(profile(site(), found, own=False))


@routes.post("/players/me/transfer-codes")
@limited("codes")
def start_transfer() -> tuple[Json, int]:
    by = calling()
    code, expires_at = make_transfer_code(site(), by.player.player_id, by.token.token_id)
    return {"code": code, "expires_at": rfc3339(expires_at)}, 201


@routes.post("/players/me/recovery-codes")
@limited("codes")
def replace_recovery_code() -> tuple[Json, int]:
    by = calling()
    return {"code": make_recovery_code(site(), by.player.player_id, by.token.token_id)}, 201


@routes.get("/players/me/export")
def show_export() -> Response:
    """The answer is written while it is read from the database, however much the player has played."""
    own = player("read")
    response = Response(stream_with_context(export(site(), own.player_id)), content_type="application/json")
    response.headers["Content-Disposition"] = f'attachment; filename="shutbox-{own.player_id}.json"'
    return response


@routes.delete("/players/me")
def delete_me() -> Response:
    delete_player(site(), calling(also_banned=True).player.player_id)
    response = Response(status=204)
    clear_cookie(response)
    return response
