"""Transfers: a code that was made on one device lets another one act for its player."""

from flask import Blueprint, Response, jsonify

from ...codes import redeem
from ...errors import CodeNotFound, CodeSpent
from ..auth import from_own_page, set_cookie, site
from ..limited import limit_address
from ..problems import MalformedRequest
from ..represent import player_json
from ..schemas import CodeSchema, body, idempotency_key

routes = Blueprint("transfers", __name__)


@routes.post("/transfers")
def use_code() -> Response:
    """Use up a code, which alone says who: a browser on a page of ours gets the token as its cookie."""
    limit_address("failed codes", count=False)
    in_browser = from_own_page()
    try:
        player, secret = redeem(site(), body(CodeSchema)["code"], in_browser, idempotency_key())
    except (CodeNotFound, CodeSpent, MalformedRequest):
        limit_address("failed codes")
        raise
    response = jsonify({"player": player_json(player), "token": None if in_browser else secret})
    if in_browser:
        set_cookie(response, secret)
    return response
