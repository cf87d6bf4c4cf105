"""The examples run as they stand."""

import pytest
from click.testing import CliRunner
from shutbox_client import Client

from examples.greedy_bot import main, play_one
from tests.client.conftest import OPEN, Connect


def test_the_greedy_bot_plays_today_and_is_ranked_as_a_bot(nameless: Client) -> None:
    run = play_one(nameless)
    assert (run.round_id, run.rank, run.player and run.player.bot) == (OPEN, 1, True)


@pytest.mark.parametrize(
    "ruleset", ["classic", "low-sum", "crafthouse-multiply", "one-tile", "two-to-go", "ten-three-dice"]
)
def test_the_greedy_bot_plays_practice_rounds_legally(connect: Connect, ruleset: str) -> None:
    assert play_one(connect(), ruleset).total == 1


def test_the_greedy_bot_says_what_went_wrong(nobody_there: str) -> None:
    result = CliRunner().invoke(main, ["--server", nobody_there])
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: no connection to")
