"""An open round as a puzzle: its dice are shown, a line is tried and taken back, and submitted at the end."""

import json
from collections.abc import Iterator

import httpx
import pytest
from flask import Flask
from shutbox.game import play
from shutbox.game.dice import deal
from shutbox.game.replay import End
from shutbox.game.rules import RollTable, Rules, rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox_client import Client
from shutbox_client.puzzle import dice_lines, rolls_that_matter

from tests.client.conftest import OPEN, SEALED, SEED, Command, Connect, Line, Typing, joined, turns_on, typed
from tests.client.test_play import players
from tests.conftest import MovableClock
from tests.players import last


@pytest.fixture
def seed(nameless: Client) -> bytes:
    found = nameless.round(OPEN).seed
    assert found is not None
    return found


@pytest.fixture
def lines(seed: bytes) -> list[str]:
    """What is typed to play today's open classic to the end of a line."""
    return typed("classic", seed, turns_on(seed))


def test_a_puzzle_is_solved_and_submitted(command: Command, connect: Connect, seed: bytes, lines: list[str]) -> None:
    result = command("puzzle", typed=[*lines, "s"])
    assert result.exit_code == 0, result.output
    row = connect().leaderboard(OPEN).items[0]
    assert connect(command.token).run(row.run_id).turns == turns_on(seed)
    assert result.stdout.splitlines()[-3:] == ["Submitted.", f"Score {row.score} - {row.penalty} left", "Rank 1 of 1."]


def test_decisions_are_taken_back_one_by_one_to_the_first(
    command: Command, connect: Connect, seed: bytes, lines: list[str]
) -> None:
    other = typed("classic", seed, turns_on(seed, choose=last))
    assert other[0] != lines[0]
    result = command("puzzle", typed=["u", other[0], *other[1:3], "u", "undo", "U", *lines, "u", lines[-1], "s"])
    assert result.exit_code == 0, result.output
    assert "There is no decision to take back.\n" in result.stdout
    assert result.stdout.count("Taken back.\n") == 4
    run_id = connect().leaderboard(OPEN).items[0].run_id
    assert connect(command.token).run(run_id).turns == turns_on(seed)


def test_all_dice_that_matter_are_shown_first(command: Command, client: Client) -> None:
    command.keep(client.token or "")
    round = client.issue_round("classic", "open", seed=SEED)
    result = command("puzzle", "--round", round.round_id)
    rules = rules_of(CATALOGUE["classic"])
    shown = dice_lines(rules, deal(rules, SEED))
    assert shown[0].startswith("Roll 1: ")
    assert result.stdout.splitlines()[1 : 1 + len(shown)] == shown


def lines_of_play(rules: Rules, table: RollTable, position: play.Position) -> Iterator[play.Position]:
    """Yield every position that can be reached."""
    yield position
    if isinstance(position.state, End):
        return
    choices: list[play.Decision] = [play.ShutChoice(way) for way in play.legal_ways(rules, table, position)]
    if position.dice is None:
        choices = [play.DiceChoice(dice) for dice in rules.dice_allowed[position.open]]
    for choice in choices:
        following = play.decide(rules, table, position, choice)
        assert isinstance(following, play.Position)
        yield from lines_of_play(rules, table, following)


@pytest.mark.parametrize("ruleset", ["three-down", "odds", "evens", "low-sum"])
def test_the_dice_that_matter_are_those_that_some_line_meets(ruleset: str) -> None:
    rules = rules_of(CATALOGUE[ruleset])
    for number in range(8):
        table = deal(rules, bytes([number]) * 32)
        met = {
            (position.roll, position.dice)
            for position in lines_of_play(rules, table, play.start(rules, table))
            if position.dice is not None and position.state is not End.SHUT
        }
        told = {(roll, dice) for roll, numbers in enumerate(rolls_that_matter(rules, table)) for dice in numbers}
        assert told == met


def test_the_dice_of_a_roll_with_a_choice_are_told_for_both(command: Command) -> None:
    rules = rules_of(CATALOGUE["classic"])
    told = [line for number in range(20) for line in dice_lines(rules, deal(rules, bytes([number]) * 32))]
    assert any("; one die, " in line for line in told)


def test_a_worse_run_shows_that_the_earlier_one_counts(command: Command, seed: bytes, lines: list[str]) -> None:
    rules = rules_of(CATALOGUE["classic"])
    scores = {}
    for choose in (lambda ways: ways[0], lambda ways: ways[-1]):
        turns = turns_on(seed, choose=choose)
        scores[sum(sum(turn.shut) for turn in turns)] = typed("classic", seed, turns)
    assert rules.opening_penalty == 45
    best, worst = max(scores), min(scores)
    assert best != worst
    command("puzzle", typed=[*scores[best], "s"])
    result = command("puzzle", typed=[*scores[worst], "s"])
    assert result.stdout.splitlines()[-4:] == [
        "Submitted.",
        f"Score {worst} - {45 - worst} left",
        f"Another run of yours counts: Score {best} - {45 - best} left",
        "Rank 1 of 1.",
    ]


@pytest.mark.parametrize("leaving", [["q"], []])
def test_a_puzzle_that_is_left_submits_nothing_and_makes_no_guest(
    app: Flask, command: Command, lines: list[str], leaving: list[str]
) -> None:
    for before in (lines[:1], lines, [*lines, "maybe"]):
        result = command("puzzle", typed=[*before, *leaving])
        assert result.exit_code == 4
        assert "Nothing was submitted. Begin again with:" in result.stdout
    assert players(app) == 0


def test_a_line_is_not_lost_with_the_connection(
    app: Flask, command: Command, connect: Connect, lines: list[str]
) -> None:
    line = Line(app)
    broken = [httpx.ConnectError("refused")] * 6
    steps = Typing(*lines, lambda: line.troubles.extend(broken), "s", "", "q")
    result = command("puzzle", typed=steps, transport=line)
    assert result.exit_code == 4
    kept = result.stdout.splitlines()[-1]
    assert json.loads(kept)["round_id"] == OPEN
    assert command("submit", "-", typed=[kept]).exit_code == 0
    assert connect().leaderboard(OPEN).total == 1


def test_a_submission_is_sent_again_after_a_break(
    app: Flask, command: Command, connect: Connect, lines: list[str]
) -> None:
    command.keep(joined(connect()).token or "")
    line = Line(app)
    steps = Typing(*lines, lambda: line.troubles.extend(["lost"] * 5), "s", "")
    result = command("puzzle", typed=steps, transport=line)
    assert result.exit_code == 0
    assert "Still no answer." in result.stdout
    assert connect().leaderboard(OPEN).total == 1


def test_a_new_practice_round_can_be_come_back_to(command: Command, connect: Connect) -> None:
    result = command("practice", "--open", "twelve")
    assert result.exit_code == 4
    round_id = result.stdout.splitlines()[-1].rsplit(" ", 1)[1]
    seed = connect().round(round_id).seed
    assert seed is not None
    again = command("puzzle", "--round", round_id, typed=[*typed("twelve", seed, turns_on(seed, "twelve")), "s"])
    assert again.exit_code == 0


def test_a_round_that_is_no_puzzle_is_refused(command: Command, clock: MovableClock) -> None:
    sealed = command("puzzle", "--round", SEALED)
    assert (sealed.exit_code, sealed.stderr.splitlines()[0]) == (1, f"wrong_mode: round {SEALED} is sealed")
    coming = command("puzzle", "--round", "2026-12-01-classic-open")
    assert (coming.exit_code, coming.stderr.split(":")[0]) == (1, "round_not_open")
    clock.set("2026-12-01T00:00:00")
    late = command("puzzle", "--round", OPEN)
    assert (late.exit_code, late.stderr.split(":")[0]) == (1, "round_closed")


def test_a_ruleset_that_is_not_there_is_refused(command: Command) -> None:
    result = command("practice", "--open", "chess")
    assert (result.exit_code, result.stderr.splitlines()[-1].split(":")[0]) == (1, "ruleset_not_found")


def test_a_puzzle_that_ends_with_its_day_is_refused(command: Command, lines: list[str], clock: MovableClock) -> None:
    steps = Typing(*lines, lambda: clock.set("2026-12-01T00:00:00"), "s")
    result = command("puzzle", typed=steps)
    assert (result.exit_code, result.stderr.splitlines()[-1].split(":")[0]) == (1, "round_closed")
