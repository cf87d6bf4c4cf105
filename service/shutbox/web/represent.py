"""Values as JSON objects: the shapes that programs rely on (openapi.yaml), built by hand since they are hot."""

from typing import Any

from ..attempts import Attempt
from ..clock import rfc3339
from ..days import Day
from ..game.encoding import tiles_of
from ..game.rules import rules_of
from ..game.rulesets import Ruleset
from ..game.solver import greatest_chance_to_shut, least_expected_penalty
from ..leaderboards import Page
from ..players import Player, Token
from ..rounds import Round, State
from ..runs import Run

Json = dict[str, Any]


def ruleset_json(ruleset: Ruleset) -> Json:
    """Return a ruleset with its exact values, fractions as text."""
    least = least_expected_penalty(ruleset).fraction(ruleset.opening)
    chance = greatest_chance_to_shut(ruleset).fraction(ruleset.opening)
    return {
        "id": ruleset.id,
        "name": ruleset.name,
        "box": tiles_of(ruleset.box),
        "start_shut": tiles_of(ruleset.start_shut),
        "dice": ruleset.dice,
        "one_die": {
            "mode": ruleset.one_die.name.lower(),
            "tiles_shut": tiles_of(ruleset.one_die_tiles_shut) or None,
            "open_sum_below": ruleset.one_die_open_sum_below or None,
        },
        "match": ruleset.match.name.lower(),
        "first_roll_must_shut": ruleset.first_roll_must_shut or None,
        "scoring": ruleset.scoring.name.lower(),
        "document": ruleset.document.hex(),
        "hash": ruleset.hash.hex(),
        "opening_penalty": rules_of(ruleset).opening_penalty,
        "min_expected_penalty": str(least),
        "min_expected_penalty_decimal": f"{float(least):.9f}",
        "max_shut_probability": str(chance),
        "max_shut_probability_decimal": f"{float(chance):.12f}",
    }


def round_json(round: Round, seed: bytes | None, started: int, finished: int) -> Json:
    """Return a round; the caller says whether its seed may be shown."""
    return {
        "round_id": round.round_id,
        "ruleset": round.ruleset.id,
        "mode": round.mode,
        "kind": round.kind,
        "state": round.state.name.lower(),
        "commitment": round.commitment.hex(),
        "seed": seed.hex() if seed else None,
        "opens_at": rfc3339(round.opens_at),
        "entries_until": rfc3339(round.entries_until),
        "closes_at": rfc3339(round.closes_at),
        "started": started,
        "finished": finished,
        "best_possible_penalty": round.best_possible_penalty,
    }


def day_json(day: Day, rounds: list[Json]) -> Json:
    """Return a day with its rounds."""
    return {"date": day.day.isoformat(), "state": day.state.name.lower(), "rounds": rounds}


def player_json(player: Player) -> Json:
    """Return a player as everyone sees one."""
    return {"player_id": str(player.player_id), "name": player.name, "guest": player.guest, "bot": player.bot}


def token_json(token: Token) -> Json:
    """Return a token without its secret."""
    return {"token_id": str(token.token_id), "label": token.label, "created_at": rfc3339(token.created_at)}


def run_json(run: Run) -> Json:
    """Return a run as far as its viewer may see it."""
    return {
        "run_id": str(run.run_id),
        "round_id": run.round_id,
        "player": player_json(run.player) if run.player else None,
        "score": run.score,
        "penalty": run.penalty,
        "open": run.open,
        "shut_the_box": run.shut_the_box,
        "given_away_milli": run.given_away_milli,
        "turns": None if run.turns is None else [{"dice": dice, "shut": shut} for dice, shut in run.turns],
        "ranked": run.ranked,
        "rank": run.rank,
        "total": run.total,
        "accepted_at": rfc3339(run.accepted_at),
        "gated": run.gated,
    }


def attempt_json(attempt: Attempt) -> Json:
    """Return the state of an attempt."""
    return {
        "attempt_id": str(attempt.attempt_id),
        "round_id": attempt.round_id,
        "move": attempt.move,
        "open": attempt.open,
        "roll": attempt.roll,
        "faces": attempt.faces,
        "legal": list(attempt.legal),
        "dice_allowed": attempt.dice_allowed,
        "state": attempt.state,
        "run_id": str(attempt.run_id) if attempt.run_id else None,
    }


def leaderboard_json(page: Page) -> Json:
    """Return a part of a round's leaderboard."""
    return {
        "round_id": page.round.round_id,
        "state": "final" if page.round.state is State.CLOSED else "provisional",
        "gated": page.gated,
        "total": page.total,
        "items": [
            {
                "rank": row.rank,
                "player": player_json(row.player),
                "score": row.score,
                "penalty": row.penalty,
                "given_away_milli": row.given_away_milli,
                "run_id": str(row.run_id),
                "accepted_at": rfc3339(row.accepted_at),
            }
            for row in page.rows
        ],
        "next": page.next,
        "previous": page.previous,
    }
