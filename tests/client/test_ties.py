"""Equal results share a rank: the same on the client, in its iterator, and in CSV."""

import csv
from itertools import pairwise
from pathlib import Path

import pytest
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox_client import Client, Turn

from tests.client.conftest import Connect, joined, turns_on
from tests.players import any_of

MANY_ENDS = b"\1" * 32  # the seed of dice on which random play ends in many ways


def three_runs(seed: bytes) -> list[tuple[Turn, ...]]:
    """Return three runs, each with a better penalty than the one behind it."""
    found: dict[int, tuple[Turn, ...]] = {}
    rules = rules_of(CATALOGUE["classic"])
    for number in range(200):
        turns = turns_on(seed, choose=any_of(number))
        shut = sum(sum(turn.shut) for turn in turns)
        found.setdefault(rules.penalties[rules.opening] - shut, turns)
    assert len(found) >= 3
    return [found[penalty] for penalty in sorted(found)[:3]]


@pytest.mark.parametrize(("group", "ranks"), [((1, 2, 1), [1, 2, 2, 4]), ((1, 3, 1), [1, 2, 2, 2, 5])])
def test_ranks_of_ties(
    connect: Connect, client: Client, group: tuple[int, int, int], ranks: list[int], tmp_path: Path
) -> None:
    round = client.issue_round("classic", "open", seed=MANY_ENDS)
    for turns, count in zip(three_runs(MANY_ENDS), group, strict=True):
        for _ in range(count):
            joined(connect()).submit_run(round.round_id, turns)
    page = client.leaderboard(round.round_id)
    assert [row.rank for row in page.items] == ranks
    assert [row.rank for row in client.iter_leaderboard(round.round_id, page_size=2)] == ranks
    assert all((one.rank == other.rank) == (one.score == other.score) for one, other in pairwise(page.items))
    client.save_leaderboard(round.round_id, tmp_path / "board.csv")
    with (tmp_path / "board.csv").open(newline="") as file:
        assert [int(row["rank"]) for row in csv.DictReader(file)] == ranks
