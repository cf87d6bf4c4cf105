"""Rounds, and practice rounds on request."""

from flask import Blueprint

from ...rounds import Round, counts, disclosed_seed, get_round, issue_practice
from ..auth import player, site
from ..represent import Json, round_json
from ..schemas import PracticeSchema, body, idempotency_key

routes = Blueprint("rounds", __name__)


def as_json(round: Round) -> Json:
    """Return a round with what is public of it now."""
    return round_json(round, disclosed_seed(site(), round), *counts(site(), round.round_id))


@routes.get("/rounds/<round_id>")
def show_round(round_id: str) -> Json:
    return as_json(get_round(site(), round_id))


@routes.post("/rounds")
def issue_round() -> tuple[Json, int]:
    owner = player()
    ruleset_id, mode, seed = body(PracticeSchema)
    return as_json(issue_practice(site(), owner.player_id, ruleset_id, mode, seed, idempotency_key())), 201
