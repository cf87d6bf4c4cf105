"""The pages where a round is played."""

from typing import Any

from flask import Blueprint, redirect, render_template
from werkzeug.wrappers import Response

from ...attempts import turns_so_far
from ...challenges import Challenge, find_challenge
from ...days import daily_round_id, today
from ...errors import RoundNotFound
from ...game.encoding import tiles_of
from ...game.rules import rules_of
from ...game.rulesets import CATALOGUE, Ruleset
from ...rounds import Kind, Mode, Round, State, counts, disclosed_seed, get_round
from ...runs import get_run
from ..auth import site, visitor, visitor_id
from ..own import Own, own_on
from ..represent import attempt_json
from ..words import day_number, rule_sentences, short_date
from .pages import for_people

routes = for_people(Blueprint("play_pages", __name__))


@routes.get("/play")
def play_today() -> Response:
    return redirect(f"/play/{daily_round_id(today(site()), CATALOGUE['classic'], Mode.SEALED)}")


@routes.get("/play/<round_id>")
def play_page(round_id: str) -> str:
    """Show the table of a round as it stands for the one who asks; scripts take it from there."""
    round = get_round(site(), round_id)
    asking = visitor()
    if round.kind is Kind.PRACTICE and (asking is None or round.owner_id != asking.player_id):
        raise RoundNotFound(f"there is no round {round_id!r} of yours")
    own = own_on(site(), round, asking)
    challenge = find_challenge(site(), round, visitor_id())
    started, finished = counts(site(), round_id)
    return render_template(
        "play.html" if round.mode is Mode.SEALED else "puzzle.html",
        round=round,
        own=own,
        challenge=challenge,
        started=started,
        finished=finished,
        sentences=rule_sentences(round.ruleset),
        facts=_facts(round, own, challenge),
        opening=tiles_of(round.ruleset.opening),
        box=tiles_of(round.ruleset.box),
    )


def _facts(round: Round, own: Own, challenge: Challenge | None) -> dict[str, Any]:
    """Return what the scripts of a table need: the rules to explain, the times, and what the player has."""
    seed = disclosed_seed(site(), round) if round.mode is Mode.OPEN else None
    asking = visitor()
    return {
        "round_id": round.round_id,
        "ruleset": round.ruleset.id,
        "label": short_date(round.day) if round.day else "Your attempt" if challenge else "Practice",
        "number": day_number(round.day) if round.day else None,
        "state": "full" if _is_full(round, challenge) else round.state.name.lower(),
        "entries_until": round.entries_until,
        "closes_at": round.closes_at,
        "rules": table_rules(round.ruleset),
        "known": asking is not None,
        "player": str(asking.player_id) if asking else None,
        "attempt": attempt_json(own.attempt) if own.attempt else None,
        "run_id": str(own.run_id) if own.run_id else None,
        "turns": [{"faces": turn.faces, "shut": turn.shut} for turn in turns_so_far(site(), round, own.attempt)]
        if own.attempt
        else [],
        "seed": seed.hex() if seed else None,
        "best": _best_score(round, own),
    }


def _is_full(round: Round, challenge: Challenge | None) -> bool:
    return challenge is not None and round.state is State.OPEN and challenge.full and not challenge.entered


def _best_score(round: Round, own: Own) -> int | None:
    """Return the player's best score on a puzzle so far."""
    asking = visitor()
    if round.mode is not Mode.OPEN or own.run_id is None or asking is None:
        return None
    return get_run(site(), own.run_id, asking.player_id).score


def table_rules(ruleset: Ruleset) -> dict[str, Any]:
    """Return what a table needs of a ruleset to explain it."""
    return {
        "match": ruleset.match.name.lower(),
        "scoring": ruleset.scoring.name.lower(),
        "dice": ruleset.dice,
        "first_roll_must_shut": ruleset.first_roll_must_shut,
        "one_die_tiles": tiles_of(ruleset.one_die_tiles_shut),
        "opening": tiles_of(ruleset.opening),
        "opening_penalty": rules_of(ruleset).opening_penalty,
    }
