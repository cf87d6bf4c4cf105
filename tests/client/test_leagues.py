"""Leagues, challenges, periods and the audit, through the client and its command."""

import csv
import io
import json
from pathlib import Path

import pytest
from flask import Flask
from shutbox_client import (
    ChallengeFull,
    Client,
    InsufficientScope,
    LeagueClosed,
    LeagueCodeExpired,
    NotAMember,
    PeriodNotFound,
    StandingsGated,
)
from shutbox_client.reading import plain

from tests.client.conftest import OPEN, SEALED, Command, Connect, Line, joined
from tests.client.test_calls import finish, submit
from tests.conftest import Closer, MovableClock


@pytest.fixture
def mara(connect: Connect) -> Client:
    return joined(connect(), "Mara")


def test_a_league_is_made_joined_led_and_closed(mara: Client, connect: Connect) -> None:
    league = mara.create_league("Office")
    tom = joined(connect(), "Tom")
    assert tom.league(league.code).members is None
    both = tom.join_league(league.code)
    assert both == tom.join_league(league.code)
    assert {member.player.name for member in both.members or ()} == {"Mara", "Tom"}
    assert [one.code for one in tom.leagues()] == [league.code]
    assert mara.rename_league(league.code, "The office").name == "The office"
    replaced = mara.rotate_league_code(league.code)
    with pytest.raises(LeagueCodeExpired):
        tom.league(league.code)
    mara.remove_member(replaced.code, tom.me().player_id)
    assert mara.league(replaced.code).size == 1
    tom.join_league(replaced.code)
    tom.leave_league(replaced.code)
    mara.close_league(replaced.code)
    with pytest.raises(LeagueClosed):
        mara.league(replaced.code)


def test_a_league_is_made_once_though_its_answer_is_lost(app: Flask, mara: Client, connect: Connect) -> None:
    line = Line(app, "lost")
    made = connect(mara.token, line, sleep=list[float]().append).create_league("Office")
    assert len(line.sent) == 2
    assert [one.code for one in mara.leagues()] == [made.code]


def test_a_league_is_closed_though_its_answer_is_lost(app: Flask, mara: Client, connect: Connect) -> None:
    code = mara.create_league("Office").code
    connect(mara.token, Line(app, "lost"), sleep=list[float]().append).close_league(code)
    assert mara.leagues() == ()


def test_the_leaderboard_of_a_league_has_its_members(mara: Client, connect: Connect) -> None:
    league = mara.create_league("Office")
    tom = joined(connect(), "Tom")
    for player in (mara, tom):
        submit(player)
    assert [row.player.name for row in mara.iter_leaderboard(OPEN, league=league.code)] == ["Mara"]
    with pytest.raises(NotAMember):
        tom.leaderboard(OPEN, league=league.code)


def test_a_challenge_takes_as_many_as_it_has_places(mara: Client, connect: Connect) -> None:
    round = mara.create_challenge("classic", players=2, hours=1)
    assert (round.kind, round.mode) == ("challenge", "sealed")
    for player in (mara, joined(connect())):
        player.start_attempt(round.round_id)
    with pytest.raises(ChallengeFull):
        joined(connect()).start_attempt(round.round_id)
    (found,) = mara.challenges()
    assert (found.round.round_id, found.players, found.entered) == (round.round_id, 2, True)


def test_the_board_of_a_week_adds_up_closed_days(
    mara: Client, nameless: Client, clock: MovableClock, close_days: Closer, tmp_path: Path
) -> None:
    ended = finish(mara, mara.start_attempt(SEALED))
    assert nameless.period("week").items == ()
    clock.set("2026-12-01T12:00:00")
    close_days()
    score = mara.run(ended.run_id or "").score
    page = nameless.period("week", of="2026-W49")
    assert [(row.rank, row.player.name, row.score, row.days) for row in page.items] == [(1, "Mara", score, 1)]
    assert (page.from_.isoformat(), page.total) == ("2026-11-30", 1)
    assert plain(page)["from"] == "2026-11-30"
    assert list(nameless.iter_period("all-time")) == list(page.items)
    nameless.save_period("month", tmp_path / "month.csv", of="2026-11")
    (row,) = csv.DictReader((tmp_path / "month.csv").read_text().splitlines())
    assert (row["rank"], row["score"]) == ("1", str(score))
    with pytest.raises(PeriodNotFound):
        nameless.period("month", of="2031-01")


def test_the_runs_of_a_player_are_followed_page_by_page(mara: Client, tmp_path: Path) -> None:
    made = [submit(mara, mara.issue_round("classic", "open").round_id) for _ in range(5)]
    assert {run.run_id for run in mara.iter_runs(page_size=2)} == {run.run_id for run in made}
    mara.save_runs(tmp_path / "runs.ndjson", "ndjson")
    assert len((tmp_path / "runs.ndjson").read_text().splitlines()) == 5


def test_a_file_of_a_gated_leaderboard_is_refused(mara: Client, tmp_path: Path) -> None:
    with pytest.raises(StandingsGated):
        mara.save_leaderboard(SEALED, tmp_path / "board.csv")


def test_a_token_for_reading_cannot_play(mara: Client, connect: Connect) -> None:
    made = mara.create_token("screen", ["read"])
    assert made.scopes == ("read",)
    reader = connect(made.token)
    assert reader.me().name == "Mara"
    with pytest.raises(InsufficientScope):
        reader.start_attempt(SEALED)
    mara.revoke_other_tokens()
    assert [token.current for token in mara.tokens()] == [True]
    assert "token_made" in [act.act for act in mara.iter_audit(page_size=1)]


# The command


def test_a_league_is_led_from_the_terminal(command: Command, connect: Connect) -> None:
    command("player", "new", "--name", "Mara")
    made = json.loads(command("league", "create", "Office", "--json").stdout)
    code = made["code"]
    told = f"Office: code {code}, 1 of {made['most']} members, owner Mara."
    assert command("league", "list").stdout.splitlines() == [told]
    assert command("league", "show", code).stdout.splitlines() == [told, "Mara"]
    assert json.loads(command("league", "rename", code, "Home", "--json").stdout)["name"] == "Home"
    rotated = json.loads(command("league", "rotate", code, "--json").stdout)["code"]
    tom = joined(connect(), "Tom")
    tom.join_league(rotated)
    submit(tom)
    assert "Tom" in command("leaderboard", OPEN, "--league", rotated).stdout
    assert command("league", "remove", rotated, tom.me().player_id).exit_code == 0
    assert command("league", "close", rotated, typed=["n"]).exit_code == 1
    assert command("league", "close", rotated, "--yes").exit_code == 0
    assert command("league", "show", rotated).stderr.startswith("league_closed: ")
    assert command("league", "list").stdout == "You are in no league.\n"


def test_a_league_is_joined_and_left_from_the_terminal(command: Command, mara: Client) -> None:
    code = mara.create_league("Office").code
    assert "owner Mara" in command("league", "join", code).stdout
    assert command("league", "leave", code).exit_code == 0
    assert mara.league(code).size == 1


def test_a_challenge_is_made_and_told_how_to_take_up(command: Command) -> None:
    result = command("challenge", "create", "--players", "3", "--hours", "2")
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert command(*lines[-1].split("shutbox-client ")[1].split()).exit_code == 4
    assert "challenge-" in command("challenge", "list").stdout


def test_boards_of_periods_are_shown(command: Command, mara: Client, clock: MovableClock, close_days: Closer) -> None:
    assert command("leaderboard", "week").stdout.splitlines()[1] == "No day has closed yet."
    finish(mara, mara.start_attempt(SEALED))
    clock.set("2026-12-01T12:00:00")
    close_days()
    for board in ("week", "month", "all-time"):
        arguments = ["leaderboard", board, "--of", "2026-11-30"]
        shown = command(*arguments)
        assert "1. Mara: score " in shown.stdout, shown.output
        assert json.loads(command(*arguments, "--json").stdout)["items"][0]["days"] == 1
        (row,) = csv.DictReader(io.StringIO(command(*arguments, "--csv").stdout))
        assert row["days"] == "1"
    assert command("leaderboard", OPEN, "--of", "2026-11-30").exit_code == 2


def test_a_day_is_chosen_by_date_ruleset_and_mode(command: Command) -> None:
    assert command("leaderboard", "day", "--of", "2026-11-30", "--mode", "sealed").stdout.splitlines()[0] == (
        f"Leaderboard of {SEALED}."
    )
    assert command("leaderboard", "day", "--ruleset", "chess").exit_code == 1


def test_a_player_moves_makes_tokens_and_leaves_from_the_terminal(command: Command, tmp_path: Path) -> None:
    command("player", "new", "--name", "Mara")
    token = command("player", "tokens", "--make", "laptop", "--scope", "read").stdout
    assert token.startswith("Token shutbox_")
    assert "laptop (read)" in command("player", "tokens").stdout
    assert "laptop" not in command("player", "tokens", "--revoke", "others").stdout
    assert "token made, by the player" in command("player", "audit").stdout
    code = json.loads(command("player", "code", "recovery", "--json").stdout)["code"]
    assert command("player", "redeem", code).exit_code == 2
    command.token_file.unlink()
    assert command("player", "redeem", code).stdout.splitlines()[0] == "Player Mara"
    assert command("player", "profile").stdout.splitlines()[0] == "Player Mara"
    assert command("player", "export", "--output", str(tmp_path / "me.json")).exit_code == 0
    assert json.loads((tmp_path / "me.json").read_text())["player"]["name"] == "Mara"
    assert command("player", "delete", typed=["n"]).exit_code == 1
    assert command("player", "delete", "--yes").stdout == "Player Mara is deleted.\n"
    assert not command.token_file.exists()
