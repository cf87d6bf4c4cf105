"""The commands around play: submitting files, leaderboards, days, players and their tokens, and every exit code."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask
from shutbox_client import Client, cli, options
from shutbox_client.reading import plain

from tests.client.conftest import OPEN, SEALED, Command, Connect, Line, joined, turns_on
from tests.client.test_calls import finish, submit
from tests.client.test_play import players
from tests.conftest import MovableClock

# submit


@pytest.fixture
def legal(nameless: Client) -> dict[str, Any]:
    seed = nameless.round(OPEN).seed
    assert seed is not None
    return {"round_id": OPEN, "turns": [plain(turn) for turn in turns_on(seed)]}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "run.json"


def test_a_file_is_submitted(command: Command, connect: Connect, legal: dict[str, Any], file: Path) -> None:
    file.write_text(json.dumps(legal))
    result = command("submit", str(file))
    assert result.exit_code == 0, result.output
    row = connect().leaderboard(OPEN).items[0]
    assert result.stdout.splitlines() == [
        f"Score {row.score} - {row.penalty} left",
        "Rank 1 of 1.",
        f"Run {row.run_id}",
    ]


def test_standard_input_is_submitted_and_answered_as_json(
    command: Command, connect: Connect, legal: dict[str, Any]
) -> None:
    result = command("submit", "-", "--json", typed=json.dumps(legal).encode())
    assert result.exit_code == 0
    run = json.loads(result.stdout)
    assert run == plain(connect(command.token).run(run["run_id"]))
    assert run["turns"] == legal["turns"]


def test_a_run_that_was_printed_can_be_submitted(command: Command, legal: dict[str, Any]) -> None:
    printed = command("submit", "-", "--json", typed=json.dumps(legal).encode()).stdout
    assert command("submit", "-", "--json", typed=printed.encode()).stdout == printed


def test_an_illegal_run_is_refused_with_its_code(command: Command, legal: dict[str, Any], file: Path) -> None:
    file.write_text(json.dumps(legal | {"turns": legal["turns"][:-1]}))
    result = command("submit", str(file))
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.splitlines()[-1].startswith(f"illegal_run: turn {len(legal['turns']) - 1}: ")


@pytest.mark.parametrize(
    "turns", [[{"dice": 2, "shut": [100]}], [{"dice": 2, "shut": []}] * 33, [{"dice": -1, "shut": []}]]
)
def test_what_the_service_finds_misshapen_is_refused(command: Command, turns: list[Any], file: Path) -> None:
    file.write_text(json.dumps({"round_id": OPEN, "turns": turns}))
    result = command("submit", str(file))
    assert (result.exit_code, result.stderr.splitlines()[-1].split(":")[0]) == (1, "invalid_request")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"", "is not JSON"),
        (b"shut 8", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"\x80", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"round_id": "a", "turns": [], "turns": []}', "is not JSON: a key is given twice"),
        (b"[]", ": it must be an object"),
        (b"{}", ": /round_id is missing"),
        (b'{"round_id": "a"}', ": /turns is missing"),
        (b'{"round_id": 7, "turns": []}', ": /round_id must be text"),
        (b'{"round_id": "a", "turns": {}}', ": /turns must be a list"),
        (b'{"round_id": "a", "turns": [{"dice": true, "shut": []}]}', ": /turns/0/dice must be a whole number"),
        (b'{"round_id": "a", "turns": [{"dice": 2, "shut": ["8"]}]}', ": /turns/0/shut/0 must be a whole number"),
        (b'{"round_id": "a", "turns": [{"dice": 2, "shut": [NaN]}]}', ": /turns/0/shut/0 must be a whole number"),
    ],
)
def test_a_file_that_is_no_run_is_wrong_usage(
    app: Flask, command: Command, content: bytes, told: str, file: Path
) -> None:
    file.write_bytes(content)
    result = command("submit", str(file))
    assert result.exit_code == 2
    assert told in result.stderr
    assert players(app) == 0


def test_a_file_that_is_not_there_is_wrong_usage(command: Command, tmp_path: Path) -> None:
    for name in ("missing.json", ""):
        result = command("submit", str(tmp_path / name))
        assert result.exit_code == 2
        assert "Traceback" not in result.output


# leaderboard and day


def test_an_empty_leaderboard_says_so(command: Command) -> None:
    assert command("leaderboard", OPEN).stdout.splitlines() == [
        f"Leaderboard of {OPEN}, provisional, 0 players.",
        "Nobody has finished yet.",
    ]


def test_the_leaderboard_is_that_of_todays_sealed_classic(command: Command) -> None:
    assert command("leaderboard").stdout == command("leaderboard", SEALED).stdout
    assert command("leaderboard", "day", "--mode", "open").stdout == command("leaderboard", OPEN).stdout


def test_a_leaderboard_has_a_line_for_each_player(command: Command, connect: Connect) -> None:
    for name, bot in (("Mara", False), ("Robot", True)):
        submit(joined(connect(), name, bot))
    guest = joined(connect())
    run = submit(guest)
    result = command("leaderboard", OPEN)
    told = f"score {run.score} - {run.penalty} left"
    assert result.stdout.splitlines()[0] == f"Leaderboard of {OPEN}, provisional, 3 players."
    assert sorted(result.stdout.splitlines()[1:]) == sorted(
        [f"1. Mara: {told}", f"1. Robot (bot): {told}", f"1. guest {guest.me().player_id[-4:]}: {told}"]
    )
    assert "Robot" not in command("leaderboard", OPEN, "--bots", "exclude").stdout
    assert "Mara" not in command("leaderboard", OPEN, "--bots", "only").stdout


def test_a_leaderboard_says_that_more_rows_follow_and_gives_all(command: Command, connect: Connect) -> None:
    for _ in range(4):
        submit(joined(connect()))
    short = command("leaderboard", OPEN, "--limit", "3")
    assert len(short.stdout.splitlines()) == 1 + 3 + 1
    assert short.stdout.splitlines()[-1] == "More rows follow: use --all, or --limit up to 200."
    assert len(command("leaderboard", OPEN, "--all").stdout.splitlines()) == 1 + 4


def test_a_leaderboard_is_json_as_the_service_writes_it(app: Flask, command: Command, connect: Connect) -> None:
    for _ in range(3):
        submit(joined(connect()))
    with httpx.Client(transport=httpx.WSGITransport(app), base_url="http://shutbox.test/api/v1") as http:
        answer = http.get(f"/rounds/{OPEN}/leaderboard?limit=2").json()
    assert json.loads(command("leaderboard", OPEN, "--json", "--limit", "2").stdout) == answer
    whole = json.loads(command("leaderboard", OPEN, "--json", "--all").stdout)
    assert (len(whole["items"]), whole["next"], whole["previous"]) == (3, None, None)


def test_all_rows_are_fetched_page_by_page(command: Command, connect: Connect) -> None:
    client = connect()
    for _ in range(201):
        submit(joined(client))
    assert len(command("leaderboard", OPEN, "--all").stdout.splitlines()) == 1 + 201


def test_the_rows_around_a_player_are_shown(command: Command, connect: Connect) -> None:
    own = joined(connect(), "Mara")
    submit(own)
    command.keep(own.token or "")
    for around in ("me", own.me().player_id):
        assert "Mara" in command("leaderboard", OPEN, "--around", around).stdout


def test_a_sealed_leaderboard_is_shown_to_who_has_finished(command: Command, client: Client) -> None:
    assert command("leaderboard", SEALED).stdout.splitlines() == [
        f"Leaderboard of {SEALED}.",
        "The standings are shown when you have finished this round.",
    ]
    finish(client, client.start_attempt(SEALED))
    command.keep(client.token or "")
    assert ", given away " in command("leaderboard", SEALED).stdout.splitlines()[1]


def test_reading_makes_no_guest(app: Flask, command: Command) -> None:
    for arguments in (["leaderboard"], ["leaderboard", SEALED], ["day"]):
        assert command(*arguments).exit_code == 0
    assert players(app) == 0


def test_around_me_needs_a_player(command: Command) -> None:
    result = command("leaderboard", OPEN, "--around", "me")
    assert result.exit_code == 1
    assert result.stderr.startswith("player_required: ")
    assert result.stderr.splitlines()[-1] == "Make a player with: shutbox-client player new"


@pytest.mark.parametrize(
    "arguments",
    [["--all", "--limit", "5"], ["--all", "--around", "me"], ["--limit", "0"], ["--limit", "201"], ["--bots", "some"]],
)
def test_options_that_mean_nothing_are_wrong_usage(command: Command, arguments: list[str]) -> None:
    assert command("leaderboard", *arguments).exit_code == 2


def test_a_day_lists_its_rounds(command: Command, nameless: Client) -> None:
    shown = command("day")
    assert shown.stdout.splitlines()[:2] == [
        "2026-11-30, open.",
        f"{SEALED}: ruleset classic, mode sealed, state open, 0 started, 0 finished.",
    ]
    assert json.loads(command("day", "2026-12-01", "--json").stdout) == plain(nameless.day("2026-12-01"))
    assert command("day", "2020-01-01").stderr.startswith("day_not_found: ")


# player and tokens


def test_a_player_is_made_and_its_token_kept_for_its_owner_only(command: Command, connect: Connect) -> None:
    result = command("player", "new")
    assert result.exit_code == 0
    own = connect(command.token).me()
    assert result.stdout.splitlines() == [
        f"Player guest {own.player_id[-4:]}",
        f"Id {own.player_id}",
        "Without a name; claim one with: shutbox-client --server http://shutbox.test player rename NAME",
    ]
    assert stat.S_IMODE(command.token_file.stat().st_mode) == 0o600
    assert stat.S_IMODE(command.token_file.parent.stat().st_mode) == 0o700
    assert list(command.token_file.parent.iterdir()) == [command.token_file]


def test_the_mode_does_not_depend_on_the_umask(command: Command) -> None:
    before = os.umask(0)
    try:
        command("player", "new")
    finally:
        os.umask(before)
    assert stat.S_IMODE(command.token_file.stat().st_mode) == 0o600


def test_the_same_player_is_shown_again(app: Flask, command: Command) -> None:
    made = command("player", "new").stdout
    assert command("player", "show").stdout == made
    again = command("player", "new")
    assert (again.exit_code, str(command.token_file) in again.stderr) == (2, True)
    assert players(app) == 1


def test_a_name_is_given_at_once_or_later(command: Command) -> None:
    assert command("player", "new", "--name", "Mara", "--bot").stdout.splitlines()[0] == "Player Mara (bot)"
    assert command("player", "rename", "Marla", "--no-bot").stdout.splitlines()[0] == "Player Marla"
    assert command("player", "show").stdout.splitlines()[0] == "Player Marla"
    assert command("player", "rename").exit_code == 2


def test_a_name_that_is_taken_or_impossible_is_refused(command: Command, connect: Connect) -> None:
    joined(connect(), "Mara")
    for name, code in (("Mara", "name_taken"), ("", "invalid_name"), ("a/b", "invalid_name")):
        result = command("player", "new", "--name", name)
        assert (result.exit_code, result.stderr.split(":")[0]) == (1, code)
    assert not command.token_file.exists()
    assert list(command.token_file.parent.iterdir()) == []


def test_the_token_is_printed_only_when_asked_for(command: Command) -> None:
    shown = [
        command("player", "new"),
        command("player", "show", "--json"),
        command("leaderboard", OPEN),
        command("play"),
    ]
    assert all(command.token not in result.output for result in shown)
    assert command("player", "show", "--show-token").stdout.splitlines()[-1] == f"Token {command.token}"
    assert json.loads(command("player", "show", "--json", "--show-token").stdout)["token"] == command.token


def test_a_token_that_is_given_is_used_and_not_kept(app: Flask, command: Command, client: Client) -> None:
    token = client.token or ""
    for result in (
        command("--token", token, "player", "show", "--json"),
        command("player", "show", "--json", "--token", token),
        command("player", "show", "--json", SHUTBOX_CLIENT_TOKEN=token),
    ):
        assert json.loads(result.stdout) == plain(client.me())
    assert not command.token_file.exists()
    assert players(app) == 1


def test_each_server_has_a_token_of_its_own(command: Command) -> None:
    command("player", "new")
    command("--server", "http://other.test/", "player", "new")
    assert command("player", "show", "--server", "http://other.test").exit_code == 0
    assert len(list(command.token_file.parent.iterdir())) == 2


def test_a_kept_token_that_is_not_in_use_is_told_with_its_file(command: Command) -> None:
    command.keep("shutbox_gone")
    result = command("player", "show")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[-1] == f"To begin as a new guest, remove {command.token_file}"


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_a_token_that_others_can_read_is_not_used(command: Command, client: Client, mode: int) -> None:
    command.keep(client.token or "")
    command.token_file.chmod(mode)
    result = command("player", "show")
    assert result.exit_code == 2
    assert "others can read the token in" in result.stderr
    assert "chmod 600" in result.stderr
    command.token_file.chmod(0o600)
    assert command("player", "show").exit_code == 0


@pytest.mark.parametrize("content", ["", "\n", "\u00e4"])
def test_a_token_file_without_a_token_is_written_anew(command: Command, content: str) -> None:
    command.keep(content)
    assert command("player", "new").exit_code == 0
    assert command.token.startswith("shutbox_")


def test_no_player_is_made_where_its_token_cannot_be_kept(app: Flask, command: Command) -> None:
    command.config.write_text("a file where a folder should be")
    result = command("player", "new")
    assert result.exit_code == 2
    assert "cannot be kept in" in result.stderr
    assert players(app) == 0


# Servers and exit codes


@pytest.mark.parametrize("arguments", [["play"], ["puzzle"], ["leaderboard"], ["day"], ["player", "new"]])
def test_an_unreachable_server_is_exit_code_3(command: Command, nobody_there: str, arguments: list[str]) -> None:
    with httpx.HTTPTransport() as network:
        result = command("--server", nobody_there, *arguments, transport=network)
    assert result.exit_code == 3
    assert result.stderr.splitlines()[-2].startswith(f"The service is unreachable: no connection to {nobody_there}: ")
    assert sum(command.slept) < 5


def test_an_address_of_something_else_is_exit_code_3(app: Flask, command: Command) -> None:
    router = Line(app, httpx.Response(200, html="<h1>Router</h1>"))
    result = command("leaderboard", transport=router)
    assert result.exit_code == 3
    assert result.stderr.splitlines()[-2].endswith("answered 200, but not as Shutbox does.")


@pytest.mark.parametrize(
    "arguments", [["--server", "nowhere", "day"], ["day", "--server", "ftp://a"], ["day", "--token", "ä"]]
)
def test_an_address_or_token_that_cannot_be_is_wrong_usage(command: Command, arguments: list[str]) -> None:
    assert command(*arguments).exit_code == 2


def test_a_day_without_rounds_is_refused(command: Command, clock: MovableClock) -> None:
    clock.set("2027-11-30T00:00:00")
    assert command("leaderboard").stderr.startswith("day_not_found: ")


def test_a_service_that_asks_for_patience_says_how_long(app: Flask, command: Command) -> None:
    busy = httpx.Response(429, json={"code": "too_many_requests", "detail": "slow down"}, headers={"Retry-After": "90"})
    result = command("leaderboard", transport=Line(app, busy))
    assert (result.exit_code, command.slept) == (1, [])
    assert result.stderr.splitlines() == ["too_many_requests: slow down", "Try again in 90 seconds."]


def test_the_exit_codes_are_the_same_in_help_and_docstring(command: Command) -> None:
    shown = command("--help").stdout
    codes = {0, options.REFUSED, 2, options.UNREACHABLE, options.LEFT}
    for code in codes:
        assert f"\n    {code}  " in shown
        assert f"\n| {code} |" in (cli.__doc__ or "")


@pytest.mark.parametrize("name", sorted(cli.main.commands))
def test_every_command_explains_itself_in_one_line_of_the_list(command: Command, name: str) -> None:
    listed = next(line for line in command("--help").stdout.splitlines() if line.startswith(f"  {name} "))
    assert listed.endswith(".")
    assert "..." not in listed
    assert command(name, "--help").exit_code == 0


def test_a_name_is_written_as_well_as_the_terminal_can(command: Command, connect: Connect) -> None:
    submit(joined(connect(), "Žofie Ωmega"))
    assert "Žofie Ωmega" in command("leaderboard", OPEN).stdout
