"""The page where a challenge is made, handed on and found again."""

from flask import Blueprint, render_template, request

from ...challenges import FEWEST_PLAYERS, MOST_HOURS, MOST_PLAYERS, Challenge, challenges_of, find_challenge
from ...errors import RoundNotFound
from ...game.rulesets import CATALOGUE
from ...rounds import get_round
from ..auth import own_origin, site, visitor, visitor_id
from .pages import for_people

HOURS = (1, 3, 12, 24, 48, 72, MOST_HOURS)

routes = for_people(Blueprint("challenge_pages", __name__))


@routes.get("/challenge")
def challenge_page() -> str:
    """Show the form with the settings of an earlier challenge if one is named, the one just made, and the own ones."""
    asking = visitor()
    made, earlier = _named("made"), _named("again")
    return render_template(
        "challenge.html",
        made=made,
        link=f"{own_origin()}/play/{made.round.round_id}" if made else "",
        earlier=earlier,
        wanted=earlier.round.ruleset.id if earlier else request.args.get("ruleset", "classic"),
        rulesets=CATALOGUE.values(),
        fewest_players=FEWEST_PLAYERS,
        most_players=MOST_PLAYERS,
        hours=sorted({*HOURS, earlier.hours}) if earlier else HOURS,
        challenges=challenges_of(site(), asking.player_id) if asking else [],
    )


def _named(argument: str) -> Challenge | None:
    """Return the challenge that an argument of the address names. Raises RoundNotFound."""
    round_id = request.args.get(argument)
    if round_id is None:
        return None
    found = find_challenge(site(), get_round(site(), round_id), visitor_id())
    if found is None:
        raise RoundNotFound(f"round {round_id!r} is no challenge")
    return found
