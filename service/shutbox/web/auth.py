"""Who asks: a program by its bearer token, or a browser by the cookie that holds the same kind of token."""

from collections.abc import Callable
from uuid import UUID

from flask import Response, after_this_request, current_app, g, request

from ..errors import CrossOrigin, InsufficientScope, PlayerBanned, PlayerRequired
from ..players import SCOPES, Caller, Player, find_caller
from ..site import Site
from .problems import MalformedRequest

COOKIE = "shutbox"
COOKIE_SECONDS = 400 * 24 * 3600  # the longest that browsers keep one
SAFE_METHODS = frozenset(("GET", "HEAD", "OPTIONS"))


def site() -> Site:
    """Return the installation that this app serves."""
    found: Site = current_app.extensions["shutbox"]
    return found


def caller() -> Caller | None:
    """Return who asks and by which token, if anyone says so.

    A bearer token that is nobody's is refused, an old cookie is passed over. A write that the cookie vouches for must
    come from a page of ours: raises CrossOrigin.
    """
    if "caller" not in g:
        g.caller = _bearer(request.headers["Authorization"]) if "Authorization" in request.headers else _browser()
    found: Caller | None = g.caller
    return found


def viewer() -> Player | None:
    """Return who reads, if anyone says so. Raises CrossOrigin, and InsufficientScope for a token that may not read."""
    return player("read") if caller() is not None else None


def viewer_id() -> UUID | None:
    """Return the id of who reads, as `viewer` does."""
    found = viewer()
    return found.player_id if found else None


def player(*scopes: str) -> Player:
    """Return who asks with a token that may do this; without scopes named, one that may do everything.

    Raises PlayerRequired, InsufficientScope and PlayerBanned.
    """
    return calling(*scopes).player


def calling(*scopes: str, also_banned: bool = False) -> Caller:
    """Return who asks and by which token. Raises as `player` does, and PlayerBanned for what a banned player writes."""
    found = caller()
    if found is None:
        raise PlayerRequired("say who you are: POST /api/v1/players gives a token; send Authorization: Bearer TOKEN")
    missing = [scope for scope in scopes or SCOPES if scope not in found.token.scopes]
    if missing:
        raise InsufficientScope(f"this needs a token with: {', '.join(missing)}")
    if found.player.banned and request.method not in SAFE_METHODS and not also_banned:
        raise PlayerBanned("the operator has banned this player: you can read, export, leave leagues and delete")
    return found


def visitor() -> Player | None:
    """Return who looks at a page: the cookie alone says so, and one that is nobody's is passed over."""
    found = visiting()
    return found.player if found else None


def visitor_id() -> UUID | None:
    """Return the id of who looks at a page, as `visitor` does."""
    found = visitor()
    return found.player_id if found else None


def visiting() -> Caller | None:
    """Return who looks at a page, and by which session. Its first page of a day makes the cookie last anew."""
    if "visiting" not in g:
        secret = request.cookies.get(COOKIE)
        g.visiting = _session(secret) if secret else None
        if secret and g.visiting and g.visiting.first_today and request.method in SAFE_METHODS:
            after_this_request(_renewing(secret))
    found: Caller | None = g.visiting
    return found


def _session(secret: str) -> Caller | None:
    """Return who has a token that a browser may hold: pages show all, so it is one that may do all."""
    found = find_caller(site(), secret)
    return found if found is not None and set(SCOPES) <= set(found.token.scopes) else None


def _renewing(secret: str) -> Callable[[Response], Response]:
    """Return what gives the cookie again with a private answer: one that is kept for others must not carry it."""

    def renew(response: Response) -> Response:
        if not response.cache_control.public:
            set_cookie(response, secret)
        return response

    return renew


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


def _bearer(header: str) -> Caller:
    scheme, _, secret = header.partition(" ")
    found = find_caller(site(), secret.strip()) if scheme.lower() == "bearer" else None
    if found is None:
        raise MalformedRequest("invalid_token", "send Authorization: Bearer TOKEN with a token that is in use")
    return found


def _browser() -> Caller | None:
    found = visiting()
    if found is not None and request.method not in SAFE_METHODS and not from_own_page():
        raise CrossOrigin(f"a write with the cookie must be sent by a page of {own_origin()}")
    return found
