"""The page of practice: any ruleset, on dice that may be known. It is played wholly in the browser."""

import re
from typing import Any

from flask import Blueprint, render_template, request

from ...clock import day_at
from ...errors import RoundNotClosed, RulesetNotFound
from ...game.encoding import tiles_of
from ...game.rulesets import CATALOGUE, Ruleset
from ...rounds import Round, State, get_round, seed_of
from ..auth import site
from ..words import long_date, rule_sentences, utc_time
from .pages import for_people
from .play_pages import table_rules

SEED_DIGITS = 64
_SEED = re.compile(rf"[0-9a-f]{{{SEED_DIGITS}}}\Z")

routes = for_people(Blueprint("practice_pages", __name__))


@routes.get("/practice")
def practice_page() -> str | tuple[str, int]:
    """Show a table for practice: on fresh dice, on those of a seed, or on those of a closed round."""
    round_id = request.args.get("round")
    if round_id is not None:
        round = _closed(round_id)
        return _page(round.ruleset, round, seed_of(site(), round).hex())
    ruleset = CATALOGUE.get(request.args.get("ruleset", "classic"))
    if ruleset is None:
        raise RulesetNotFound("there is no such ruleset")
    text = request.args.get("seed", "").strip().lower()
    if text and not _SEED.match(text):
        return _page(ruleset, None, text, wrong=True), 400
    return _page(ruleset, None, text)


def _closed(round_id: str) -> Round:
    """Return a round whose dice everyone may know. Raises RoundNotClosed, also for a puzzle that is still ranked."""
    round = get_round(site(), round_id)
    if round.state is not State.CLOSED:
        when = f"{long_date(day_at(round.closes_at))} at {utc_time(round.closes_at)}"
        raise RoundNotClosed(f"Its dice are disclosed at its close, which is due on {when}")
    return round


def _page(ruleset: Ruleset, round: Round | None, seed: str, wrong: bool = False) -> str:
    facts: dict[str, Any] = {
        "ruleset": ruleset.id,
        "rules": table_rules(ruleset),
        "round_id": round.round_id if round else None,
        "seed": seed if seed and not wrong else None,
        "wrong": wrong,
    }
    return render_template(
        "practice.html",
        ruleset=ruleset,
        rulesets=CATALOGUE.values(),
        round=round,
        seed=seed,
        wrong=wrong,
        sentences=rule_sentences(ruleset),
        facts=facts,
        opening=tiles_of(ruleset.opening),
        box=tiles_of(ruleset.box),
    )
