"""Who asks: a bearer token of a program."""

from flask import current_app, g, request

from ..errors import PlayerRequired
from ..players import Player, player_by_token
from ..site import Site
from .problems import MalformedRequest


def site() -> Site:
    """Return the installation that this app serves."""
    found: Site = current_app.extensions["shutbox"]
    return found


def viewer() -> Player | None:
    """Return who asks, if anyone says so; a token that is nobody's is refused."""
    if "viewer" not in g:
        g.viewer = _bearer()
    found: Player | None = g.viewer
    return found


def player() -> Player:
    """Return who asks; raises PlayerRequired."""
    found = viewer()
    if found is None:
        raise PlayerRequired("say who you are: POST /api/v1/players gives a token; send Authorization: Bearer TOKEN")
    return found


def _bearer() -> Player | None:
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, secret = header.partition(" ")
    found = player_by_token(site(), secret.strip()) if scheme.lower() == "bearer" else None
    if found is None:
        raise MalformedRequest("invalid_token", "send Authorization: Bearer TOKEN with a token that is in use")
    return found
