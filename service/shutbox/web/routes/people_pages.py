"""The pages about players: a player's results, the own ones, and the settings of the one who looks."""

from datetime import date
from typing import Any

from flask import Blueprint, render_template, request

from ...clock import day_at
from ...codes import recovery_state
from ...errors import PlayerNotFound
from ...players import player_by_name, token_id_of, tokens_of
from ...profiles import Profile, profile
from ..auth import COOKIE, site, visitor
from ..histogram import bars
from ..offline import keep_as_own
from .days import parsed_day
from .pages import for_people

SHOWN_RESULTS = 30

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
def player_page(name: str) -> str | tuple[str, int]:
    """Show a player's results on days that have closed: the same to everyone, the player included."""
    try:
        found = player_by_name(site(), name)
    except PlayerNotFound:
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
    asking = visitor()
    known: dict[str, Any] = {}
    if asking is not None:
        known = {
            "recovery": recovery_state(site(), asking.player_id),
            "tokens": tokens_of(site(), asking.player_id),
            "own_token_id": token_id_of(site(), request.cookies[COOKIE]),
        }
    return render_template("settings.html", day_at=day_at, **known)
