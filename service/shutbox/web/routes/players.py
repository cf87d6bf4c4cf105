"""Players and their tokens."""

from uuid import UUID

from flask import Blueprint

from ...players import change_player, create_player, create_token, revoke_token, tokens_of
from ..auth import player, site
from ..represent import Json, player_json, token_json
from ..schemas import PlayerSchema, TokenSchema, body

routes = Blueprint("players", __name__)


@routes.post("/players")
def make_player() -> tuple[Json, int]:
    wanted = body(PlayerSchema, required=False)
    made, secret = create_player(site(), wanted.get("name"), wanted.get("bot", False))
    return {"player": player_json(made), "token": secret}, 201


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
