"""A round with any number of players, written into SQL in bulk: as the service would have stored it, not played."""

import random
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from typing import Any
from uuid import UUID

from shutbox.game.rules import Rules, rules_of
from shutbox.ranking import rank_key
from shutbox.rounds import Mode, get_round
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import EntryRow, PlayerRow, RunRow
from sqlalchemy import insert

BOTS = 10
"""One player of so many is a bot."""


def results(rules: Rules, sealed: bool, draw: random.Random) -> Iterator[tuple[int, int]]:
    """Yield (penalty, given away) for ever: as people spread them, with a few at the top and many in the middle."""
    penalties = sorted(rules.distinct_penalties)
    while True:
        penalty = penalties[min(int(draw.betavariate(1.5, 3) * len(penalties)), len(penalties) - 1)]
        yield penalty, int(draw.gammavariate(2, 2500)) if sealed else 0


def fill(site: Site, round_id: str, players: int, runs: int = 1) -> None:
    """Give a round that many players with that many runs each."""
    round = get_round(site, round_id)
    rules, draw, now = rules_of(round.ruleset), random.Random(round_id), site.clock()
    drawn = results(rules, round.mode is Mode.SEALED, draw)
    for first in range(0, players, 5000):
        made: dict[Any, list[dict[str, Any]]] = {PlayerRow: [], EntryRow: [], RunRow: []}
        for number in range(first, min(first + 5000, players)):
            player_id, entry_id = site.new_id(), site.new_id()
            made[PlayerRow].append({"player_id": player_id, "bot": number % BOTS == 0, "created_at": now})
            made[EntryRow].append(
                {
                    "entry_id": entry_id,
                    "round_id": round_id,
                    "player_id": player_id,
                    "player_tag": player_id.bytes,
                    "created_at": now,
                }
            )
            for penalty, given_away in islice(drawn, runs):
                run_id = site.new_id()
                made[RunRow].append(_run(round_id, rules, run_id, entry_id, penalty, given_away, now))
        with writing(site.session):
            for table, rows in made.items():
                site.session.execute(insert(table), rows)


def _run(
    round_id: str, rules: Rules, run_id: UUID, entry_id: UUID, penalty: int, given_away: int, now: int
) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "entry_id": entry_id,
        "round_id": round_id,
        "turns": sha256(run_id.bytes).digest()[:8],
        "open": 0,
        "score": rules.opening_penalty - penalty,
        "penalty": penalty,
        "given_away_milli": given_away,
        "rank_key": rank_key(rules, penalty, given_away),
        "accepted_at": now,
        "salt": run_id.bytes * 2,
        "to_log": True,
    }
