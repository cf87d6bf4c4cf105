"""Attempts on sealed rounds, roll by roll."""

from uuid import UUID

from flask import Blueprint

from ...attempts import get_attempt, make_move, start_attempt
from ..auth import player, site
from ..represent import Json, attempt_json
from ..schemas import MoveSchema, body

routes = Blueprint("attempts", __name__)


@routes.post("/rounds/<round_id>/attempt")
def start(round_id: str) -> tuple[Json, int]:
    attempt, created = start_attempt(site(), player("play").player_id, round_id)
    return attempt_json(attempt), 201 if created else 200


@routes.get("/attempts/<uuid:attempt_id>")
def show_attempt(attempt_id: UUID) -> Json:
    return attempt_json(get_attempt(site(), player("read").player_id, attempt_id))


@routes.post("/attempts/<uuid:attempt_id>/moves")
def move(attempt_id: UUID) -> Json:
    owner = player("play")
    number, decision = body(MoveSchema)
    return attempt_json(make_move(site(), owner.player_id, attempt_id, number, decision))
