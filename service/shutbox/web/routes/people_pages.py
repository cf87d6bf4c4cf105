"""The pages about players: a player's results, the own ones, and the settings of the one who looks."""

from datetime import date
from http import HTTPStatus
from typing import Any

from flask import Blueprint, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from ...audit import acts_of
from ...clock import day_at
from ...codes import recovery_state
from ...errors import PlayerNotFound
from ...players import SCOPES, former_owner, player_by_name, tokens_of
from ...profiles import Profile, profile
from ..auth import site, visiting, visitor, visitor_id
from ..histogram import bars
from ..offline import keep_as_own
from ..words import act_words
from .days import parsed_day
from .pages import for_people

SHOWN_RESULTS = 30
SHOWN_ACTS = 20
SESSION_WORDS = {"first": "The first one", "transfer": "By a transfer code", "recovery": "By the recovery code"}
SCOPE_WORDS = {"play": "play", "read": "read what only you may see", "league": "make, join and leave leagues"}

routes = for_people(Blueprint("people_pages", __name__))


@routes.get("/player/me")
def own_page() -> str:
    """Show the results of the one who looks, those of days that have not closed among them."""
    asking = visitor()
    if asking is None:
        return render_template("player.html", profile=None)
    if not request.args:
        keep_as_own("All your results")
    return _player_page(profile(site(), asking, own=True), own=True)


@routes.get("/player/<name>")
def player_page(name: str) -> str | tuple[str, int] | Response:
    """Show a player's results on days that have closed: the same to everyone, the player included.

    A name that was given up leads to the new one as long as nobody else may take it.
    """
    try:
        found = player_by_name(site(), name, visitor_id())
    except PlayerNotFound:
        renamed = former_owner(site(), name)
        if renamed is not None and renamed.name is not None:
            return redirect(url_for(".player_page", name=renamed.name), HTTPStatus.MOVED_PERMANENTLY)
        return render_template("player-not-found.html", name=name), 404
    return _player_page(profile(site(), found, own=False), own=False)


def _player_page(found: Profile, own: bool) -> str:
    before = request.args.get("before")
    limit = parsed_day(before) if before else date.max
    results = [result for result in found.results if result.day < limit]
    return render_template(
        "player.html",
        profile=found,
        own=own,
        bars=bars(found.histogram),
        results=results[:SHOWN_RESULTS],
        older=results[SHOWN_RESULTS - 1].day if len(results) > SHOWN_RESULTS else None,
        from_newest=len(results) == len(found.results),
    )


@routes.get("/settings")
def settings_page() -> str:
    asking = visiting()
    known: dict[str, Any] = {}
    if asking is not None:
        player_id = asking.player.player_id
        tokens, own_id = tokens_of(site(), player_id), asking.token.token_id
        acts, more_acts = acts_of(site(), player_id, SHOWN_ACTS)
        known = {
            "recovery": recovery_state(site(), player_id),
            "sessions": [token for token in tokens if token.browser or token.token_id == own_id],
            "programs": [token for token in tokens if not token.browser and token.token_id != own_id],
            "own_token_id": own_id,
            "scopes": SCOPES,
            "may_leave": any(token.scopes == SCOPES and token.token_id != own_id for token in tokens),
            "session_words": SESSION_WORDS,
            "scope_words": SCOPE_WORDS,
            "acts": acts,
            "more_acts": more_acts,
            "act_words": act_words,
        }
    return render_template("settings.html", day_at=day_at, **known)
