"""A sealed round in the terminal, against the real app: to its end, with mistakes, leaving, and trouble on the line."""

import httpx
import pytest
from flask import Flask
from shutbox.store.database import db
from shutbox.store.rows import PlayerRow
from shutbox_client import Client
from sqlalchemy import func, select

from tests.client.conftest import OPEN, SEALED, SEED, Command, Connect, Line, Typing, turns_on, typed
from tests.conftest import Closer, MovableClock
from tests.players import last, table_of


def players(app: Flask) -> int:
    with app.app_context():
        return db.session.scalar(select(func.count()).select_from(PlayerRow)) or 0


@pytest.fixture
def lines(sealed_seed: bytes) -> list[str]:
    """What is typed to play today's sealed classic to its end."""
    return typed("classic", sealed_seed, turns_on(sealed_seed))


def test_a_round_is_played_to_its_end(command: Command, connect: Connect, sealed_seed: bytes, lines: list[str]) -> None:
    result = command("play", typed=lines)
    assert result.exit_code == 0, result.output
    client = connect(command.token)
    row = client.leaderboard(SEALED, around="me").items[0]
    assert client.run(row.run_id).turns == turns_on(sealed_seed)
    assert result.stdout.splitlines()[-4:-3] == ["The round is over."]
    assert result.stdout.splitlines()[-3] == f"Score {row.score} - {row.penalty} left"
    assert result.stdout.splitlines()[-1] == "Rank 1 of 1."


TOLD_SEED = bytes([0]) * 32
ONE_WAY_SEED = bytes.fromhex("6898cf836587d764e02319b821720951a8ee50a301c142776b5d0598fb126301")
TOLD = [
    "You have one attempt.",
    "Type ? for help, q to leave.",
    "Roll 1: 3 and 6, total 9. Open: 1 2 3 4 5 6 7 8 9. "
    "Ways: 9; 1 8; 2 7; 3 6; 4 5; 1 2 6; 1 3 5; 2 3 4. Shut which tiles?",
    "Shut 9.",
    "Roll 2: 6 and 3, total 9. Open: 1 2 3 4 5 6 7 8. Ways: 1 8; 2 7; 3 6; 4 5; 1 2 6; 1 3 5; 2 3 4. Shut which tiles?",
    "Shut 1 and 8.",
    "Roll 3: 4 and 6, total 10. Open: 2 3 4 5 6 7. Ways: 3 7; 4 6; 2 3 5. Shut which tiles?",
    "Shut 3 and 7.",
    "Roll 4. Open: 2 4 5 6. Roll how many dice, 1 or 2?",
    "Roll 4: one die, 6. Open: 2 4 5 6. Ways: 6; 2 4. Shut which tiles?",
    "Shut 6.",
    "Roll 5. Open: 2 4 5. Roll how many dice, 1 or 2?",
    "Roll 5: one die, 1. Open: 2 4 5. Nothing can be shut.",
    "The round is over.",
    "Score 34 - 11 left",
    "Given away 4.946 points.",
    "Rank 1 of 1.",
]


def test_each_decision_is_one_line_that_says_everything(command: Command, client: Client) -> None:
    command.keep(client.token or "")
    round = client.issue_round("classic", "sealed", seed=TOLD_SEED)
    result = command("play", "--round", round.round_id, typed=typed("classic", TOLD_SEED, turns_on(TOLD_SEED)))
    assert [line.rstrip() for line in result.stdout.splitlines()] == [
        f"Round {round.round_id}, ruleset Classic. Its dice are shown roll by roll.",
        *TOLD,
    ]
    assert result.stdout.isascii()
    assert all(character.isprintable() or character == "\n" for character in result.stdout)


def test_wrong_lines_are_explained_and_lose_nothing(
    command: Command, connect: Connect, sealed_seed: bytes, lines: list[str]
) -> None:
    mistakes = ["", "eight", "99 1", "4 4", "?", "u", "w"]
    result = command("play", typed=[one for line in lines for one in (*mistakes, line)])
    assert result.exit_code == 0, result.output
    row = connect(command.token).leaderboard(SEALED, around="me").items[0]
    assert connect(command.token).run(row.run_id).turns == turns_on(sealed_seed)
    for told in (
        "Type the numbers of the tiles to shut",
        "That is not a list of tiles.",
        "There is no tile 99.",
        "Tile 4 is named twice.",
        "A decision cannot be taken back.",
        "Type w to list the ways.",
        "1 tile: ",
    ):
        assert told in result.stdout


def test_enter_alone_takes_the_only_way_and_decides_nothing_else(command: Command, client: Client) -> None:
    """On a seed whose line has rolls with one way, rolls with several, and choices of dice."""
    command.keep(client.token or "")
    turns = turns_on(ONE_WAY_SEED)
    lines, only = [], 0
    rules, table = table_of("classic", ONE_WAY_SEED.hex())
    board = rules.opening
    for number, (dice, shut) in enumerate(turns):
        lines += ["", str(dice)] if len(rules.dice_allowed[board]) > 1 else []
        ways = rules.ways(board, table.matches[number][dice])
        only += len(ways) == 1
        lines += [""] if len(ways) == 1 else ["", " ".join(map(str, shut))] if shut else []
        board ^= ways.get(shut, 0)
    assert only > 1
    round = client.issue_round("classic", "sealed", seed=ONE_WAY_SEED)
    result = command("play", "--round", round.round_id, typed=lines)
    assert result.exit_code == 0, result.output
    assert result.stdout.count("Press Enter to take it.") == only
    row = client.leaderboard(round.round_id, around="me").items[0]
    assert client.run(row.run_id).turns == turns


def test_a_round_that_was_left_goes_on_where_it_was_left(
    command: Command, sealed_seed: bytes, lines: list[str]
) -> None:
    left = command("play", typed=[*lines[:2], "q", *lines[2:]])
    assert left.exit_code == 4
    assert left.stderr.splitlines()[-1] == "Left before the end."
    assert left.stdout.splitlines()[-2:] == [
        "The round waits for you until 2026-12-01 02:00 UTC. Go on with:",
        f"shutbox-client --server http://shutbox.test play --round {SEALED}",
    ]
    resumed = command("play", typed=lines[2:])
    assert resumed.exit_code == 0
    assert "You go on where you left." in resumed.stdout
    assert left.stdout.splitlines()[-3].startswith("Roll 3")
    assert resumed.stdout.splitlines()[3] == left.stdout.splitlines()[-3]


@pytest.mark.parametrize("leaving", [["q"], ["Q"], ["quit"], []])
def test_leaving_is_polite_by_q_and_at_the_end_of_the_input(command: Command, leaving: list[str]) -> None:
    result = command("play", typed=leaving)
    assert result.exit_code == 4
    assert "The round waits for you until" in result.stdout


def test_leaving_is_polite_by_ctrl_c(command: Command, lines: list[str]) -> None:
    result = command("play", typed=Typing(lines[0], KeyboardInterrupt()))
    assert result.exit_code == 4
    assert "The round waits for you until" in result.stdout


def test_ctrl_c_while_a_decision_is_sent_is_polite(app: Flask, command: Command, lines: list[str]) -> None:
    command("play")
    line = Line(app)
    interrupt = Typing(lambda: line.troubles.append(KeyboardInterrupt()), lines[0])
    result = command("play", typed=interrupt, transport=line)
    assert result.exit_code == 4
    assert "The round waits for you until" in result.stdout
    assert command("play", typed=lines).exit_code == 0


def test_a_finished_round_shows_its_result_again(command: Command, lines: list[str]) -> None:
    played = command("play", typed=lines)
    again = command("play")
    assert again.exit_code == 0
    assert again.stdout.splitlines() == [f"You have finished round {SEALED}.", *played.stdout.splitlines()[-3:]]


def test_a_short_break_of_the_connection_is_told_and_nothing_is_sent_twice(
    app: Flask, command: Command, lines: list[str]
) -> None:
    line = Line(app)
    breaks = Typing(lambda: line.troubles.extend(["lost", httpx.ConnectError("refused")]), *lines)
    result = command("play", typed=breaks, transport=line)
    assert result.exit_code == 0
    assert result.stdout.count("Connection lost. Your decisions are kept; trying again.\n") == 1
    assert result.stdout.count("The connection is back.\n") == 1
    moves = [body for _, path, body, _ in line.sent if path.endswith("/moves")]
    assert len(set(moves)) == len(moves) - 2


def test_a_long_break_of_the_connection_keeps_the_decision(app: Flask, command: Command, lines: list[str]) -> None:
    line = Line(app)
    breaks = Typing(lambda: line.troubles.extend([httpx.ConnectError("refused")] * 10), lines[0], "", "", *lines[1:])
    result = command("play", typed=breaks, transport=line)
    assert result.exit_code == 0
    assert result.stdout.count("Press Enter to send the same again, or type q to leave.") == 2
    assert result.stdout.count("The connection is back.\n") == 1


def test_one_may_leave_while_the_connection_is_lost(app: Flask, command: Command, lines: list[str]) -> None:
    line = Line(app)
    breaks = Typing(lambda: line.troubles.extend([httpx.ConnectError("refused")] * 5), lines[0], "q")
    result = command("play", typed=breaks, transport=line)
    assert result.exit_code == 4
    assert command("play", typed=lines).exit_code == 0


def test_a_busy_service_is_told_apart_from_a_lost_connection(app: Flask, command: Command, lines: list[str]) -> None:
    line = Line(app)
    busy = httpx.Response(503, json={"code": "database_unavailable"})
    result = command("play", typed=Typing(lambda: line.troubles.append(busy), *lines), transport=line)
    assert result.exit_code == 0
    assert "The service cannot answer now. Your decisions are kept; trying again." in result.stdout


def test_a_decision_made_elsewhere_is_shown_and_play_goes_on(
    app: Flask, command: Command, connect: Connect, lines: list[str]
) -> None:
    def elsewhere() -> None:
        client = connect(command.token)
        begun = client.start_attempt(SEALED)
        client.make_move(begun.attempt_id, 0, shut=begun.legal[-1])

    result = command("play", typed=Typing(elsewhere, lines[0], "?"))
    assert "This roll was decided already, perhaps in another window. Here is where the round stands." in result.stdout
    assert "\nRoll 2: " in result.stdout


def test_a_decision_that_the_service_refuses_is_asked_for_again(app: Flask, command: Command, lines: list[str]) -> None:
    line = Line(app)
    refusal = httpx.Response(422, json={"code": "illegal_move", "detail": "these tiles do not match the roll"})
    result = command("play", typed=Typing(lambda: line.troubles.append(refusal), lines[0], *lines), transport=line)
    assert result.exit_code == 0
    assert "The service refuses this: these tiles do not match the roll. Nothing was decided." in result.stdout


def test_a_new_practice_round_can_be_come_back_to(command: Command) -> None:
    result = command("practice", "twelve")
    assert "Go on with:\nshutbox-client --server http://shutbox.test play --round practice-" in result.stdout
    assert command(*result.stdout.splitlines()[-1].split()[1:]).exit_code == 4


def test_the_tile_that_the_first_roll_must_shut_is_told(command: Command, client: Client) -> None:
    command.keep(client.token or "")
    round = client.issue_round("two-to-go", "sealed", seed=bytes(32))
    assert "The first roll must shut tile 2.\n" in command("play", "--round", round.round_id).stdout


def test_a_round_that_is_lost_on_its_first_roll_is_over_without_a_question(command: Command, client: Client) -> None:
    command.keep(client.token or "")
    round = client.issue_round("two-to-go", "sealed", seed=bytes(31) + b"\x27")  # 3 and 1: tile 2 cannot be shut
    result = command("play", "--round", round.round_id)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "The first roll must shut tile 2.",
        "Roll 1: 3 and 1, total 4. Open: 1 2 3 4 5 6 7 8 9. Nothing can be shut.",
        "The round is over.",
        "Score 0 - 45 left",
        "Given away 0.000 points.",
        "Rank 1 of 1.",
    ]


@pytest.mark.parametrize("ruleset", ["twelve", "crafthouse", "crafthouse-multiply", "one-tile", "digits", "three-down"])
def test_every_kind_of_ruleset_can_be_played(command: Command, client: Client, ruleset: str) -> None:
    command.keep(client.token or "")
    round = client.issue_round(ruleset, "sealed", seed=SEED)
    turns = turns_on(SEED, ruleset, last)
    result = command("play", "--round", round.round_id, typed=typed(ruleset, SEED, turns))
    assert result.exit_code == 0, result.output
    run = client.run(client.leaderboard(round.round_id, around="me").items[0].run_id)
    assert f"Score {run.score} - {run.penalty} left" in result.stdout


def test_a_round_that_was_not_finished_is_told(
    command: Command, lines: list[str], clock: MovableClock, close_days: Closer
) -> None:
    command("play", typed=lines[:1])
    clock.set("2026-12-01T02:00:00")
    close_days()
    result = command("play", "--round", SEALED)
    assert result.exit_code == 4
    assert result.stdout == f"You did not finish round {SEALED} before its close.\n"


def test_an_attempt_can_be_finished_in_the_grace(command: Command, lines: list[str], clock: MovableClock) -> None:
    command("play", typed=lines[:1])
    clock.set("2026-12-01T01:59:59")
    assert command("play", "--round", SEALED, typed=lines[1:]).exit_code == 0


@pytest.mark.parametrize(
    ("round_id", "told"),
    [
        (OPEN, f"wrong_mode: round {OPEN} is open"),
        ("2026-12-01-classic", "round_not_open: round 2026-12-01-classic opens at 2026-12-01 00:00 UTC"),
        ("2026-11-30-chess", "round_not_found: there is no round '2026-11-30-chess'"),
    ],
)
def test_no_guest_is_made_for_a_round_that_cannot_be_played(
    app: Flask, command: Command, round_id: str, told: str
) -> None:
    result = command("play", "--round", round_id)
    assert (result.exit_code, result.stderr.splitlines()[0]) == (1, told)
    assert players(app) == 0


def test_no_guest_is_made_after_the_end_of_a_round(app: Flask, command: Command, clock: MovableClock) -> None:
    clock.set("2026-12-01T00:00:00")
    result = command("play", "--round", SEALED)
    told = f"round_closed: round {SEALED} took players until 2026-12-01 00:00 UTC\n"
    assert (result.exit_code, result.stderr) == (1, told)
    assert players(app) == 0


def test_no_guest_is_made_for_a_wish_that_means_nothing(app: Flask, command: Command) -> None:
    assert command("practice", "chess").exit_code == 1
    assert players(app) == 0
