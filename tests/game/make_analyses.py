"""Makes vectors/analyses.json: `python -m tests.game.make_analyses`. The same file comes out each time."""

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

from shutbox.game.analysis import Decision, analysis, best_line, best_possible_penalty, grade
from shutbox.game.encoding import tiles_of
from shutbox.game.rules import Rules
from shutbox.game.rulesets import CATALOGUE

from tests.players import Policy, any_of, as_json, as_turns, first, last, legal_turns, table_of

FILE = Path(__file__).parent.parent / "vectors" / "analyses.json"


def vectors() -> list[dict[str, Any]]:
    """Return for each ruleset a run by each of three policies, and one that ends on its first roll where one can."""
    policies: tuple[Policy, ...] = (first, last, any_of(1))
    found = []
    for id, ruleset in CATALOGUE.items():
        found += [vector(id, seed_of(id, number), policy) for number, policy in enumerate(policies)]
        if ruleset.first_roll_must_shut:
            seeds = (seed_of(id, number) for number in range(3, 1000))
            found.append(next(one for one in (vector(id, seed, first) for seed in seeds) if len(one["steps"]) == 1))
    return found


def seed_of(id: str, number: int) -> str:
    """Return a seed that nobody chose."""
    return sha256(f"analyses/{id}/{number}".encode()).hexdigest()


def vector(id: str, seed: str, policy: Policy) -> dict[str, Any]:
    """Return a run and its analysis; exact values are text, since they are larger than what JSON readers keep."""
    rules, table = table_of(id, seed)
    turns = legal_turns(id, seed, policy)
    found = analysis(rules, table, as_turns(turns))
    return {
        "ruleset": id,
        "seed": seed,
        "turns": turns,
        "denominator": str(found.denominator),
        "expected": str(found.expected),
        "luck": str(found.luck),
        "given_away": str(found.given_away),
        "penalty": str(found.penalty),
        "steps": [
            {
                "board": tiles_of(step.board),
                "dice": _decision(rules, found.denominator, step.dice),
                "faces": step.faces,
                "luck": str(step.luck),
                "shut": _decision(rules, found.denominator, step.shut),
            }
            for step in found.steps
        ],
        "best_possible_penalty": best_possible_penalty(rules, table),
        "best_line": as_json(best_line(rules, table)),
    }


def _decision(rules: Rules, denominator: int, decision: Decision[Any] | None) -> dict[str, Any] | None:
    if decision is None:
        return None
    return {
        "chosen": decision.chosen,
        "ways": [[way, str(value)] for way, value in decision.ways.items()],
        "best": decision.best,
        "lost": str(decision.lost),
        "grade": grade(rules, decision.lost, denominator),
    }


def text() -> str:
    """Return the file: each run on a line of its own."""
    return "[\n" + ",\n".join(f" {json.dumps(one, separators=(',', ':'))}" for one in vectors()) + "\n]\n"


if __name__ == "__main__":
    FILE.write_text(text())
