"""Who asks: a program by its bearer token, or a browser by the cookie that holds the same kind of token."""

from flask import Response, current_app, g, request

from ..errors import CrossOrigin, PlayerRequired
from ..players import Player, player_by_token
from ..site import Site
from .problems import MalformedRequest

COOKIE = "shutbox"
COOKIE_SECONDS = 400 * 24 * 3600  # the longest that browsers keep one
SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))


def site() -> Site:
    """Return the installation that this app serves."""
    found: Site = current_app.extensions["shutbox"]
    return found


def viewer() -> Player | None:
    """Return who asks, if anyone says so. A bearer token that is nobody's is refused, an old cookie is passed over.

    A write that the cookie vouches for must come from a page of ours: raises CrossOrigin.
    """
    if "viewer" not in g:
        g.viewer = _bearer(request.headers["Authorization"]) if "Authorization" in request.headers else _browser()
    found: Player | None = g.viewer
    return found


def player() -> Player:
    """Return who asks; raises PlayerRequired."""
    found = viewer()
    if found is None:
        raise PlayerRequired("say who you are: POST /api/v1/players gives a token; send Authorization: Bearer TOKEN")
    return found


def visitor() -> Player | None:
    """Return who looks at a page: the cookie alone says so, and one that is nobody's is passed over."""
    secret = request.cookies.get(COOKIE)
    return player_by_token(site(), secret) if secret else None


def from_own_page() -> bool:
    """Tell whether the request says that a page of this service sent it."""
    return request.headers.get("Origin") == own_origin()


def own_origin() -> str:
    """Return the service's own origin: the setting, or what the request was sent to."""
    return site().settings.origin or f"{request.scheme}://{request.host}"


def set_cookie(response: Response, secret: str) -> None:
    """Give the browser a token that no script can read."""
    response.set_cookie(
        COOKIE,
        secret,
        max_age=COOKIE_SECONDS,
        secure=own_origin().startswith("https://"),
        httponly=True,
        samesite="Lax",
    )


def clear_cookie(response: Response) -> None:
    """Take the token away from the browser."""
    response.delete_cookie(COOKIE, secure=own_origin().startswith("https://"), httponly=True, samesite="Lax")


def _bearer(header: str) -> Player:
    scheme, _, secret = header.partition(" ")
    found = player_by_token(site(), secret.strip()) if scheme.lower() == "bearer" else None
    if found is None:
        raise MalformedRequest("invalid_token", "send Authorization: Bearer TOKEN with a token that is in use")
    return found


def _browser() -> Player | None:
    found = visitor()
    if found is not None and request.method not in SAFE_METHODS and not from_own_page():
        raise CrossOrigin(f"a write with the cookie must be sent by a page of {own_origin()}")
    return found
