"""CSV and NDJSON of leaderboards and of a player's own runs."""

import csv
import io
import json
from typing import Any
from uuid import UUID

import pytest
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import PlayerRow

from tests.conftest import Closer, MovableClock
from tests.players import Api, any_of, legal_turns
from tests.web.test_leaderboards import BOARD, ROUND, Field
from tests.web.test_period_boards import MONDAY, WEEK, Weeks

SEALED = "2026-11-30-classic"


@pytest.fixture
def field(site: Site, clock: MovableClock, nobody: Api) -> Field:
    return Field(site, clock, nobody)


@pytest.fixture
def weeks(site: Site, clock: MovableClock) -> Weeks:
    return Weeks(site, clock)


def rows_of(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_file_has_the_whole_leaderboard_in_the_same_order(field: Field, nobody: Api) -> None:
    """More rows than are read at once."""
    penalties = sorted(field.lines)
    for number in range(520):
        field.submit(field.join(bot=number % 3 == 0), penalties[number % 5])
    expected = field.expected()
    answer = nobody.get(f"{BOARD}?format=csv")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    assert answer.headers["Content-Disposition"] == f'attachment; filename="{ROUND}.csv"'
    assert [(int(row["rank"]), row["player_id"]) for row in rows_of(answer.text)] == expected
    lines = nobody.get(BOARD, headers={"Accept": "application/x-ndjson"}).text.splitlines()
    items = [json.loads(line) for line in lines]
    assert [(item["rank"], item["player"]["player_id"]) for item in items] == expected
    first = nobody.get(f"{BOARD}?limit=20").get_json()
    assert items[:20] == first["items"]
    some = rows_of(nobody.get(f"{BOARD}?format=csv&limit=7&after={first['next']}").text)
    assert [row["player_id"] for row in some] == [player for _, player in expected[20:27]]
    bots = rows_of(nobody.get(f"{BOARD}?format=csv&bots=only").text)
    assert [(int(row["rank"]), row["player_id"]) for row in bots] == field.expected(bots=True)
    around = rows_of(nobody.get(f"{BOARD}?format=csv&around={expected[300][1]}&limit=3").text)
    assert [row["player_id"] for row in around] == [player for _, player in expected[299:302]]


def test_the_name_of_a_format_overrules_accept(field: Field, nobody: Api) -> None:
    field.submit(field.join(), min(field.lines))
    assert nobody.get(BOARD, headers={"Accept": "text/csv"}).mimetype == "text/csv"
    assert nobody.get(f"{BOARD}?format=json", headers={"Accept": "text/csv"}).mimetype == "application/json"
    assert nobody.get(BOARD, headers={"Accept": "text/html,*/*;q=0.8"}).mimetype == "application/json"
    assert nobody.get(f"{BOARD}?format=pdf").get_json()["code"] == "invalid_request"


def test_a_gated_leaderboard_is_no_empty_file(nobody: Api, mara: Api, clock: MovableClock, close_days: Closer) -> None:
    nobody.join().play_sealed(SEALED)
    for format in ("csv", "ndjson"):
        answer = mara.get(f"/rounds/{SEALED}/leaderboard?format={format}")
        assert (answer.status_code, answer.get_json()["code"]) == (403, "standings_gated")
    mara.play_sealed(SEALED)
    assert len(rows_of(mara.get(f"/rounds/{SEALED}/leaderboard?format=csv").text)) == 2
    clock.set("2026-12-01T02:00:00")
    close_days()
    assert len(rows_of(nobody.get(f"/rounds/{SEALED}/leaderboard?format=csv").text)) == 2


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("=1+2", "'=1+2"),
        ("--1", "'--1"),
        ("@sum", "'@sum"),
        ("＝1", "'＝1"),
        ("x;=1", "x;'=1"),
        ("a;@SUM(1)", "a;'@SUM(1)"),
        ("a； +1", "a； '+1"),
        ("a|-1", "a|'-1"),
        ("a\t=1", "a\t'=1"),
        ('a;"=1"', 'a;"\'=1"'),
        ("Jean-Luc C++ a@b", "Jean-Luc C++ a@b"),
        ('Ada, the "first"', 'Ada, the "first"'),
        ("Ünal", "Ünal"),
    ],
)
def test_no_name_is_a_formula_in_a_spreadsheet(site: Site, field: Field, nobody: Api, name: str, written: str) -> None:
    """Whatever it separates cells by. Stored the short way, since a name need not be one that can be claimed today."""
    player = field.join()
    with writing(site.session):
        site.session.get_one(PlayerRow, UUID(player)).name = name
    field.submit(player, min(field.lines))
    cell = rows_of(nobody.get(f"{BOARD}?format=csv").text)[0]["name"]
    assert cell == written
    assert nobody.get(BOARD).get_json()["items"][0]["player"]["name"] == name


def test_a_file_of_a_period_has_its_sums(weeks: Weeks, nobody: Api) -> None:
    for number in range(5):
        weeks.finish(weeks.join(), MONDAY, number // 2, 250)
    assert rows_of(nobody.get(f"{WEEK}&format=csv").text) == [], "nothing of a day before its close"
    weeks.close("2026-12-01T03:00:00")
    answer = nobody.get(f"{WEEK}&format=csv")
    assert answer.headers["Content-Disposition"] == 'attachment; filename="2026-W49-classic-sealed.csv"'
    rows: list[Any] = [
        (int(row["rank"]), row["player_id"], int(row["score"]), int(row["given_away_milli"]), int(row["days"]))
        for row in rows_of(answer.text)
    ]
    assert rows == weeks.expected(MONDAY, MONDAY)
    items = [json.loads(line) for line in nobody.get(f"{WEEK}&format=ndjson").text.splitlines()]
    assert items == nobody.get(WEEK).get_json()["items"]


def test_own_runs_are_listed_newest_first_forwards_and_backwards(mara: Api, finn: Api, clock: MovableClock) -> None:
    made = []
    for number in range(7):
        clock.forward(1)
        seed = f"{number:064x}"
        issued = mara.issue(mode="sealed" if number % 2 else "open", seed=seed)
        if number % 2:
            made.append(mara.play_sealed(issued["round_id"], any_of(number))["run_id"])
        else:
            made.append(mara.submit(issued["round_id"], legal_turns("classic", seed)).get_json()["run_id"])
    clock.forward(1)
    made.append(mara.play_sealed(SEALED)["run_id"])
    finn.play_sealed(SEALED)
    newest_first = made[::-1]
    everything = mara.get("/players/me/runs").get_json()
    assert [run["run_id"] for run in everything["items"]] == newest_first
    assert (everything["total"], everything["next"], everything["previous"]) == (len(made), None, None)
    assert everything["items"][0]["kind"] == "daily"
    pages = [mara.get("/players/me/runs?limit=2").get_json()]
    while pages[-1]["next"]:
        pages.append(mara.get(f"/players/me/runs?limit=2&after={pages[-1]['next']}").get_json())
    assert [run["run_id"] for page in pages for run in page["items"]] == newest_first
    backwards = [pages[-1]]
    while backwards[-1]["previous"]:
        backwards.append(mara.get(f"/players/me/runs?limit=2&before={backwards[-1]['previous']}").get_json())
    assert [run["run_id"] for page in backwards[::-1] for run in page["items"]] == newest_first
    rows = rows_of(mara.get("/players/me/runs?format=csv").text)
    assert [row["run_id"] for row in rows] == newest_first
    assert rows[0]["open"] == " ".join(map(str, everything["items"][0]["open"]))
    lines = mara.get("/players/me/runs?format=ndjson").text.splitlines()
    assert [json.loads(line) for line in lines] == everything["items"]
    cursor = pages[0]["next"]
    assert finn.get(f"/players/me/runs?after={cursor}").get_json()["code"] == "invalid_cursor"


def test_own_runs_need_a_player(nobody: Api, mara: Api) -> None:
    assert nobody.get("/players/me/runs").get_json()["code"] == "player_required"
    assert mara.get("/players/me/runs").get_json() == {"total": 0, "items": [], "next": None, "previous": None}
    assert rows_of(mara.get("/players/me/runs?format=csv").text) == []
    assert mara.get("/players/me/runs?around=me").get_json()["code"] == "invalid_request"
