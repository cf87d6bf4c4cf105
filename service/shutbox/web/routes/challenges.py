"""Challenges: made, and listed to those who play them."""

from flask import Blueprint

from ...challenges import challenges_of, make_challenge
from ...rounds import disclosed_seed
from ..auth import player, site
from ..limited import limited
from ..represent import Json, challenge_json
from ..schemas import ChallengeSchema, body, idempotency_key
from .rounds import as_json

routes = Blueprint("challenges", __name__)


@routes.post("/challenges")
@limited("challenges", "play")
def make() -> tuple[Json, int]:
    maker = player("play")
    ruleset_id, players, hours = body(ChallengeSchema)
    return as_json(make_challenge(site(), maker.player_id, ruleset_id, players, hours, idempotency_key())), 201


@routes.get("/players/me/challenges")
def list_challenges() -> Json:
    found = challenges_of(site(), player("read").player_id)
    return {"items": [challenge_json(one, disclosed_seed(site(), one.round)) for one in found]}
