"""The examples run as they stand."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from click.testing import CliRunner
from shutbox.game.analysis import best_possible_penalty
from shutbox.game.dice import deal
from shutbox_client import Client

from examples import greedy_bot, league_table, optimal_bot
from tests.client.conftest import OPEN, SEALED, SEED, Connect, joined
from tests.client.test_calls import finish
from tests.conftest import Closer, MovableClock


@pytest.fixture
def channel() -> Iterator[tuple[str, list[str]]]:
    """A webhook, and the texts that were posted to it."""
    texts: list[str] = []

    class Channel(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts.append(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["text"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Channel) as listening:
        thread = threading.Thread(target=listening.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{listening.server_port}", texts
        listening.shutdown()
        thread.join()


def test_the_greedy_bot_plays_today_and_is_ranked_as_a_bot(nameless: Client) -> None:
    run = greedy_bot.play_one(nameless)
    assert (run.round_id, run.rank, run.player and run.player.bot) == (OPEN, 1, True)


@pytest.mark.parametrize(
    "ruleset", ["classic", "low-sum", "crafthouse-multiply", "one-tile", "two-to-go", "ten-three-dice"]
)
def test_the_greedy_bot_plays_practice_rounds_legally(connect: Connect, ruleset: str) -> None:
    assert greedy_bot.play_one(connect(), ruleset).total == 1


@pytest.mark.parametrize("bot", [greedy_bot, optimal_bot])
def test_a_bot_says_what_went_wrong(nobody_there: str, bot: object) -> None:
    result = CliRunner().invoke(bot.main, ["--server", nobody_there])  # type: ignore[attr-defined]
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: no connection to")


def test_the_optimal_bot_gives_nothing_away(client: Client) -> None:
    assert optimal_bot.play_round(client, SEALED).given_away_milli == 0


@pytest.mark.parametrize("ruleset", ["classic", "crafthouse-multiply"])
def test_the_optimal_bot_finds_the_best_possible_line(client: Client, ruleset: str) -> None:
    round = client.issue_round(ruleset, "open", seed=SEED)
    rules = client.ruleset(ruleset).rules
    assert optimal_bot.play_round(client, round.round_id).penalty == best_possible_penalty(rules, deal(rules, SEED))


def test_the_optimal_bot_plays_all_rounds_of_today(server: str) -> None:
    result = CliRunner().invoke(optimal_bot.main, ["--server", server], env={"SHUTBOX_CLIENT_TOKEN": None})
    assert result.exit_code == 0, result.output
    assert [line.split(":")[0] for line in result.stdout.splitlines()][:2] == [SEALED, OPEN]
    assert all(line.endswith("rank 1 of 1") for line in result.stdout.splitlines())


def test_a_league_table_is_printed_or_posted(
    server: str,
    channel: tuple[str, list[str]],
    connect: Connect,
    clock: MovableClock,
    close_days: Closer,
) -> None:
    mara = joined(connect(), "Mara")
    code = mara.create_league("Office").code
    finish(mara, mara.start_attempt(SEALED))
    reader = mara.create_token("channel", ["read"]).token
    arguments = ["--server", server, "--token", reader, code]
    before = CliRunner().invoke(league_table.main, arguments)
    assert before.stdout.splitlines() == ["Office, week 2026-W49, before the first close", "Nobody has a result yet."]
    clock.set("2026-12-01T12:00:00")
    close_days()
    after = CliRunner().invoke(league_table.main, arguments)
    (row,) = mara.period("week").items
    assert after.stdout.splitlines() == [
        "Office, week 2026-W49, up to 2026-11-30",
        f"1. Mara: {row.score} in 1 day",
    ]
    url, texts = channel
    assert CliRunner().invoke(league_table.main, ["--webhook", url, *arguments]).stdout == ""
    assert texts == [after.stdout.rstrip("\n")]
    assert CliRunner().invoke(league_table.main, [*arguments[:-1], "0000000000"]).exit_code == 1
