"""Rounds, and practice rounds on request."""

from flask import Blueprint, Response, request, stream_with_context

from ...bundles import bundle, disclosure
from ...rounds import Round, counts, disclosed_seed, get_round, issue_practice
from ..auth import player, site
from ..limited import limited
from ..represent import Json, round_json
from ..schemas import PracticeSchema, body, idempotency_key

routes = Blueprint("rounds", __name__)


def as_json(round: Round) -> Json:
    """Return a round with what is public of it now."""
    return round_json(round, disclosed_seed(site(), round), *counts(site(), round.round_id))


@routes.get("/rounds/<round_id>")
def show_round(round_id: str) -> Json:
    return as_json(get_round(site(), round_id))


@routes.get("/rounds/<round_id>/bundle")
def show_bundle(round_id: str) -> Response:
    """The answer is written while it is read from the database, however large the round was.

    It never changes in one log; in its successor the runs stand elsewhere.
    """
    found = disclosure(site(), round_id)
    etag = f"{site().secrets.log_key.verifier.key_id.hex()}-{found.close_index}"
    is_known = request.if_none_match.contains(etag)
    lines = () if is_known or request.method == "HEAD" else stream_with_context(bundle(site(), found))
    # not by make_conditional, which makes the whole of it to know its length
    response = Response(lines, 304 if is_known else 200, content_type="application/x-ndjson")
    response.set_etag(etag)
    response.headers["Cache-Control"] = "public, no-cache"
    response.headers["Content-Disposition"] = f'attachment; filename="{round_id}.ndjson"'
    return response


@routes.post("/rounds")
@limited("practice rounds", "play")
def issue_round() -> tuple[Json, int]:
    owner = player("play")
    ruleset_id, mode, seed = body(PracticeSchema)
    return as_json(issue_practice(site(), owner.player_id, ruleset_id, mode, seed, idempotency_key())), 201
