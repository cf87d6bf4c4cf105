"""The pages for people, as a browser without scripts and as an outsider sees them."""

from pathlib import Path

import pytest
from flask import Flask
from shutbox.rounds import get_round, seed_of
from shutbox.web.routes import statics
from shutbox.web.routes.statics import static_address, static_files
from werkzeug.test import TestResponse

from tests.conftest import Closer, MovableClock
from tests.players import Api, any_of, legal_turns

pytestmark = pytest.mark.parametrize("database", ["sqlite"])  # what pages ask is asked on both elsewhere

SEALED, PUZZLE = "2026-11-30-classic", "2026-11-30-classic-open"
READ = (
    "/",
    "/leaderboard",
    "/archive",
    "/player/me",
    "/rules",
    "/rules/classic",
    "/settings",
    "/api",
    "/verify",
    f"/verify/{SEALED}",
)
PAGES = (*READ, "/practice", f"/play/{SEALED}", f"/play/{PUZZLE}")
MISSING = (
    *("/nope", "/rules/nope", "/d/x", "/d/20261130", "/play/nope", "/verify/nope", "/leaderboard?round=x"),
    *("/archive?month=x", "/archive?month=2026-01", "/player/nobody", "/player/nobody?before=x"),
    f"/run/{'0' * 8}",
)


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Basic eDp5"}, {"Authorization": "Bearer nobodys"}])
def test_a_page_is_shown_whatever_authorization_a_proxy_sends_along(
    app: Flask, path: str, headers: dict[str, str]
) -> None:
    answer = app.test_client().get(path, headers={"Accept": "text/html", **headers})
    assert (answer.status_code, answer.mimetype) == (200, "text/html")
    assert "Set-Cookie" not in answer.headers, "no cookie before the first roll"
    assert answer.headers["Content-Security-Policy"] == "default-src 'self'; frame-ancestors 'none'"


@pytest.mark.parametrize("path", ["/leagues?code=a%0Ab", "/leagues?code=a%0D%0AX-Y:z"])
def test_an_address_that_is_asked_for_becomes_no_header(app: Flask, path: str) -> None:
    answer = app.test_client().get(path)
    assert (answer.status_code, answer.headers["Location"]) == (302, path.replace("s?code=", "/"))


@pytest.mark.parametrize("path", MISSING)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_a_page_that_is_not_there_says_so(app: Flask, path: str, method: str) -> None:
    browser = app.test_client()
    browser.post("/api/v1/players", headers={"Origin": "http://localhost"})
    for headers in ({}, {"Authorization": "Bearer x"}):
        answer = browser.open(path, method=method, headers={"Accept": "text/html", **headers})
        assert answer.status_code in (404, 405)


def test_a_program_gets_a_problem_where_nothing_is(app: Flask) -> None:
    for headers in ({}, {"Accept": "*/*"}, {"Accept": "application/json"}):
        answer = app.test_client().get("/nope", headers=headers)
        assert (answer.status_code, answer.mimetype) == (404, "application/problem+json")


def test_no_page_tells_of_others_on_a_sealed_round_before_its_close(
    app: Flask, nobody: Api, clock: MovableClock, close_days: Closer
) -> None:
    """As nobody, and as one who plays: no name, no run, no seed, no link of those who have finished."""
    runs = []
    for number in range(4):
        player = nobody.join(name=f"Finisher {number}")
        runs.append((player.player_id, player.play_sealed(SEALED, any_of(number))["run_id"]))
    with app.app_context():
        site = app.extensions["shutbox"]
        seed = seed_of(site, get_round(site, SEALED)).hex()
    hidden = [seed, "Finisher", *(word for pair in runs for word in pair)]
    playing = app.test_client()
    playing.post("/api/v1/players", headers={"Origin": "http://localhost"})
    playing.post(f"/api/v1/rounds/{SEALED}/attempt", headers={"Origin": "http://localhost"})
    asked = [*PAGES, "/d/2026-11-30", f"/leaderboard?round={SEALED}", f"/leaderboard?round={SEALED}&around=me"]
    for browser in (app.test_client(), playing):
        for path in asked:
            text = browser.get(path, follow_redirects=True).text
            assert not [word for word in hidden if word in text], path
        gated = browser.get(f"/run/{runs[0][1]}").text
        assert "Score" not in gated.split("<main")[1].split("</h1>")[0]
    clock.set("2026-12-01T02:00:00")
    close_days()
    assert "Finisher 0" in app.test_client().get(f"/leaderboard?round={SEALED}").text


def test_the_puzzle_and_the_last_closed_day_are_on_the_front_page(
    app: Flask, nobody: Api, clock: MovableClock, close_days: Closer
) -> None:
    seed = nobody.get(f"/rounds/{PUZZLE}").get_json()["seed"]
    nobody.join(name="Solver").submit(PUZZLE, legal_turns("classic", seed))
    nobody.join(name="Sealed One").play_sealed(SEALED)
    today = app.test_client().get("/").text
    assert "Solver" in today
    assert "Sealed One" not in today
    for commitment in (one["commitment"] for one in nobody.get("/days/today").get_json()["rounds"]):
        assert commitment in today
    clock.set("2026-12-01T12:00:00")
    close_days()
    assert "Sealed One" in app.test_client().get("/").text


@pytest.mark.parametrize(
    ("moment", "sealed", "puzzle"),
    [
        ("2026-11-29T12:00:00", "One attempt, one roll at a time, when", "All dice on the table, when the day has"),
        ("2026-11-30T12:00:00", "One attempt, one roll at a time.", "Submit as often as you like."),
        ("2026-12-01T01:00:00", "No new attempts. What was begun", "No new lines."),
        ("2026-12-01T12:00:00", "Played one roll at a time. Results are final.", "Played with all dice on the table."),
    ],
)
def test_the_cards_of_a_day_say_what_can_be_done_now(
    app: Flask, clock: MovableClock, close_days: Closer, moment: str, sealed: str, puzzle: str
) -> None:
    said = {"One attempt", "Submit as often", "No new attempts", "No new lines", "Played one roll", "Played with all"}
    clock.set(moment)
    close_days()
    page = app.test_client().get("/d/2026-11-30", follow_redirects=True).text
    assert sealed in page
    assert puzzle in page
    assert {one for one in said if one in page} == {one for one in said if one in sealed + puzzle}


def test_static_files_are_compressed_but_never_in_part(app: Flask) -> None:
    def get(**headers: str) -> TestResponse:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        return app.test_client().get(static_address("shutbox.css"), headers=fields, buffered=True)

    whole = get(Accept_Encoding="gzip")
    assert whole.headers["Content-Encoding"] == "gzip"
    assert whole.headers["ETag"].startswith("W/")
    part = get(Accept_Encoding="gzip", Range="bytes=0-99")
    assert (part.status_code, len(part.data)) == (206, 100)
    assert "Content-Encoding" not in part.headers
    assert get(Accept_Encoding="gzip", If_None_Match=whole.headers["ETag"]).status_code == 304
    assert get(Range="bytes=9999999-").status_code == 416


def test_a_static_file_is_kept_for_good_at_the_address_of_its_version_and_at_no_other(app: Flask) -> None:
    page = app.test_client().get("/").text
    address = static_address("shutbox.css")
    assert f'href="{address}"' in page
    kept = app.test_client().get(address, buffered=True)
    assert kept.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    of_an_older_page = app.test_client().get("/static/000000000000/shutbox.css", buffered=True)
    assert of_an_older_page.data == kept.data
    assert of_an_older_page.headers["Cache-Control"] == "no-cache"
    assert app.test_client().get(static_address("js/none.js")).status_code == 404
    assert app.test_client().get(static_address("../templates/base.html")).status_code == 404


def test_a_static_file_is_served_as_it_was_at_the_start(
    app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An update replaces files before the restart: the address names a version that they no longer are."""
    folder = tmp_path / "static"
    folder.mkdir()
    (folder / "one.css").write_text("before")
    monkeypatch.setattr(statics, "STATIC_DIR", folder)
    static_files.cache_clear()
    try:
        address = static_address("one.css")
        (folder / "one.css").write_text("after")
        answer = app.test_client().get(address)
        assert (answer.text, answer.headers["Cache-Control"].endswith("immutable")) == ("before", True)
        assert answer.mimetype == "text/css"
    finally:
        static_files.cache_clear()
