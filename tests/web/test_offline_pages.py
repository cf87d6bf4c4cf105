"""What the server gives for times without a connection: the worker, its list, the manifest, and the marks of pages."""

import json
from dataclasses import replace
from urllib.parse import unquote

import pytest
from flask import Flask
from shutbox.config import Settings
from shutbox.seeds import Secrets
from shutbox.web.app import create_app

from tests.conftest import MovableClock
from tests.players import Api

pytestmark = pytest.mark.parametrize("database", ["sqlite"])  # what pages ask is asked on both elsewhere

SEALED = "2026-11-30-classic"


def shell_of(script: str) -> dict[str, list[str]]:
    """Return the list that the server writes in front of the worker."""
    found: dict[str, list[str]] = json.loads(script.partition("const SHELL = ")[2].partition(";\n")[0])
    return found


@pytest.fixture
def switched_off(settings: Settings, secrets: Secrets, clock: MovableClock, app: Flask) -> Flask:
    """The same installation after SHUTBOX_OFFLINE=off."""
    return create_app(replace(settings, offline=False), secrets, clock)


def test_the_worker_is_asked_for_each_time(app: Flask) -> None:
    """Report 31."""
    answer = app.test_client().get("/sw.js")
    assert (answer.status_code, answer.mimetype) == (200, "text/javascript")
    assert answer.headers["Cache-Control"] == "no-cache"
    again = app.test_client().get("/sw.js", headers={"If-None-Match": answer.headers["ETag"]})
    assert (again.status_code, again.headers["Cache-Control"]) == (304, "no-cache")


def test_the_worker_is_the_same_after_a_restart(
    app: Flask, settings: Settings, secrets: Secrets, clock: MovableClock
) -> None:
    first = app.test_client().get("/sw.js").data
    clock.set("2026-12-01T12:00:00")
    assert create_app(settings, secrets, clock).test_client().get("/sw.js").data == first


def test_all_that_the_worker_keeps_is_there_and_of_nobody(app: Flask) -> None:
    browser = app.test_client()
    shell = shell_of(browser.get("/sw.js").text)
    assert {"/practice?ruleset=classic", "/rules", "/rules/classic", "/rules/crafthouse-multiply"} <= set(
        shell["pages"]
    )
    assert not [path for path in shell["pages"] if path == "/" or path.startswith(("/play", "/d/", "/leaderboard"))]
    for path in ("/offline", *shell["pages"]):
        answer = browser.get(path, headers={"Accept": "text/html"})
        assert (answer.status_code, answer.headers["X-Shutbox-Player"]) == (200, "nobody"), path
    assert {"shutbox.css", "js/page.js", "js/away.js", "js/game/play.js", "favicon.svg"} <= set(shell["files"])
    for name in shell["files"]:
        answer = browser.get(f"{shell['static']}{name}", buffered=True)
        assert (answer.status_code, "immutable" in answer.headers["Cache-Control"]) == (200, True), name


def test_a_switched_off_worker_takes_itself_away(switched_off: Flask) -> None:
    """Report 31. The kill switch."""
    answer = switched_off.test_client().get("/sw.js")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert "unregister()" in answer.text
    assert "SHELL" not in answer.text
    assert "fetch" not in answer.text


def test_the_pages_say_of_which_day_and_for_whom_they_are(app: Flask, clock: MovableClock) -> None:
    browser = app.test_client()
    assert browser.get("/").headers["X-Shutbox-Day"] == "30 Nov"
    assert browser.get("/").headers["X-Shutbox-Player"] == "nobody"
    made = browser.post("/api/v1/players", headers={"Origin": "http://localhost"}).get_json()["player"]
    clock.set("2026-12-01T00:00:00")
    assert browser.get("/rules").headers["X-Shutbox-Day"] == "1 Dec"
    assert browser.get("/rules").headers["X-Shutbox-Player"] == made["player_id"]


def test_only_own_results_are_to_be_kept(app: Flask, nobody: Api) -> None:
    ada, ben = nobody.join(name="Ada"), nobody.join(name="Ben")
    runs = [one.play_sealed(SEALED)["run_id"] for one in (ada, ben)]
    browser = app.test_client()
    browser.set_cookie("shutbox", ada._headers["Authorization"].removeprefix("Bearer "))
    kept = {path for path in ("/", "/rules", f"/play/{SEALED}", f"/leaderboard?round={SEALED}", f"/run/{runs[1]}")}
    assert [path for path in kept if "X-Shutbox-Own" in browser.get(path).headers] == []
    own = browser.get(f"/run/{runs[0]}").headers["X-Shutbox-Own"]
    assert unquote(own).startswith("Classic round, 30 Nov 2026: score ")
    assert unquote(browser.get("/player/me").headers["X-Shutbox-Own"]) == "All your results"
    assert "X-Shutbox-Own" not in browser.get("/player/Ada").headers
    assert "X-Shutbox-Own" not in app.test_client().get("/player/me").headers


def test_the_manifest_names_icons_and_shortcuts_that_are_there(app: Flask) -> None:
    browser = app.test_client()
    answer = browser.get("/manifest.webmanifest")
    assert (answer.mimetype, answer.headers["Cache-Control"]) == ("application/manifest+json", "no-cache")
    manifest = json.loads(answer.data)
    assert (manifest["start_url"], manifest["display"]) == ("/", "standalone")
    sizes = {(icon["sizes"], icon["purpose"]) for icon in manifest["icons"]}
    assert {("192x192", "any"), ("512x512", "any"), ("512x512", "maskable"), ("any", "any")} <= sizes
    for icon in manifest["icons"]:
        served = browser.get(icon["src"], buffered=True)
        assert (served.status_code, served.mimetype) == (200, icon["type"])
    for shortcut in manifest["shortcuts"]:
        assert browser.get(shortcut["url"], follow_redirects=True).status_code == 200
