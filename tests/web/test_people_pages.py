"""The pages about players, the archive, settings, and what today's page says to a player: without scripts, gated."""

import re
from datetime import date, timedelta
from typing import Any

import pytest
from flask import Flask
from flask.testing import FlaskClient
from shutbox.archive import Mark
from shutbox.days import close_due_days, make_days
from shutbox.web.auth import COOKIE
from shutbox.web.words import ordinal

from tests.conftest import TODAY, MovableClock
from tests.players import Api, any_of, first, last

SEALED = f"{TODAY}-classic"


def browser_of(player: Api) -> FlaskClient:
    """Return a browser that plays as a player."""
    browser = player.app.test_client()
    browser.set_cookie(COOKIE, player._headers["Authorization"].removeprefix("Bearer "))
    return browser


def content(browser: FlaskClient, path: str) -> str:
    """Return the words of a page, without its header, marks and spaces."""
    answer = browser.get(path)
    assert answer.status_code == 200
    main = answer.text[answer.text.index("<main") :]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", re.sub(r"</(td|th|dt|h1)>", " ", main)))


def come_to(app: Flask, clock: MovableClock, moment: str) -> None:
    """Move to a moment and do what the worker does: days are made, and closed when they are due."""
    clock.set(moment)
    with app.app_context():
        make_days(app.extensions["shutbox"])
        close_due_days(app.extensions["shutbox"])


@pytest.fixture
def run_of_today(mara: Api) -> dict[str, Any]:
    """What Mara has finished today."""
    run: dict[str, Any] = mara.get(f"/runs/{mara.play_sealed(SEALED)['run_id']}").get_json()
    return run


# A player's page


@pytest.mark.parametrize("moment", ["2026-11-30T13:00:00", "2026-12-01T01:00:00"])
def test_the_public_page_tells_nothing_of_a_day_that_has_not_closed(
    app: Flask, clock: MovableClock, mara: Api, finn: Api, run_of_today: dict[str, Any], moment: str
) -> None:
    """To nobody, to another player, to the player, to one who has finished: neither while it runs nor in the grace."""
    idle = content(app.test_client(), "/player/Finn").replace("Finn", "NAME")
    finn.play_sealed(SEALED, last)
    clock.set(moment)
    for browser in (app.test_client(), browser_of(finn), browser_of(mara)):
        page = browser.get("/player/Mara").text
        assert run_of_today["run_id"] not in page
        assert "No finished round on a day that has closed." in page
        assert "30 Nov" not in page.split("<main")[1]
    assert content(app.test_client(), "/player/Mara").replace("Mara", "NAME") == idle


def test_the_public_page_tells_of_closed_days(
    app: Flask, clock: MovableClock, mara: Api, run_of_today: dict[str, Any]
) -> None:
    come_to(app, clock, "2026-12-01T12:00:00")
    mara.play_sealed("2026-12-01-classic", last)
    page = content(app.test_client(), "/player/Mara")
    assert "Days played 1" in page
    assert "Streak 1 day in a row" in page
    assert f"Best result Score {run_of_today['score']} · {run_of_today['penalty']} left, 30 Nov 2026" in page
    assert "1 Dec 2026" not in page
    assert f'href="/run/{run_of_today["run_id"]}"' in app.test_client().get("/player/Mara").text


def test_the_own_page_has_today_too_and_says_what_others_see(mara: Api, run_of_today: dict[str, Any]) -> None:
    page = content(browser_of(mara), "/player/me")
    assert "Others see closed days only" in page
    assert f"30 Nov 2026 not closed yet {run_of_today['score']} {run_of_today['penalty']}" in page
    assert "This is what others see of you" in content(browser_of(mara), "/player/Mara")


def test_a_guest_has_an_own_page_and_a_bot_is_labelled(app: Flask, nobody: Api) -> None:
    assert "a guest has no page of its own" in content(browser_of(nobody.join()), "/player/me")
    assert "Nobody plays in this browser yet." in content(app.test_client(), "/player/me")
    nobody.join(name="Robby", bot=True)
    assert "Robby bot" in content(app.test_client(), "/player/Robby")


@pytest.mark.parametrize("name", ["Ann & Bob <b>", "100% #1?", "Ünï", "a\\b"])
def test_every_name_has_its_page_at_its_link(app: Flask, nobody: Api, name: str) -> None:
    player = nobody.join(name=name)
    link = re.search(r'href="(/player/(?!me)[^"]*)"', browser_of(player).get("/player/me").text)
    assert link is not None
    answer = app.test_client().get(link[1])
    assert answer.status_code == 200
    assert "<b>" not in answer.text


@pytest.mark.parametrize("path", ["/player/Nobody", "/player/Mara", "/player/me%20", "/player/%2e%2e"])
def test_a_name_that_nobody_has_is_answered_404_and_so_is_a_deleted_player(app: Flask, mara: Api, path: str) -> None:
    assert mara.delete("/players/me").status_code == 204
    answer = app.test_client().get(path, headers={"Accept": "text/html"})
    assert answer.status_code == 404
    if "2e" not in path:
        assert "No player has this name" in answer.text
        assert "deleted player" in answer.text


def test_results_come_thirty_a_page(app: Flask, clock: MovableClock, mara: Api) -> None:
    for ahead in range(32):
        day = TODAY + timedelta(days=ahead)
        come_to(app, clock, f"{day}T12:00:00")
        mara.play_sealed(f"{day}-classic", any_of(ahead))
    newest = TODAY + timedelta(days=31)
    browser = browser_of(mara)
    page = browser.get("/player/me").text
    assert page.count('scope="row"><a href="/run/') == 30
    older = re.search(r'href="(/player/me\?before=[-0-9]+)#results" rel="next"', page)
    assert older is not None
    assert older[1].endswith(str(newest - timedelta(days=29)))
    rest = browser.get(older[1]).text
    assert rest.count('scope="row"><a href="/run/') == 2
    assert 'href="/player/me#results">Newest' in rest
    assert 'rel="next"' not in rest
    assert "Streak 32" in content(browser, older[1])
    assert browser.get("/player/me?before=x").status_code == 404
    assert "No results before this day." in content(browser, "/player/me?before=0001-01-01")


def test_ranks_are_said_as_ordinals() -> None:
    said = [ordinal(number) for number in (1, 2, 3, 4, 11, 12, 13, 21, 102, 111, 1203)]
    assert said == ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "102nd", "111th", "1,203rd"]


# Today


def test_today_says_to_a_player_what_it_is_to_the_player(
    app: Flask, clock: MovableClock, mara: Api, finn: Api, run_of_today: dict[str, Any]
) -> None:
    result = f"Score {run_of_today['score']} · {run_of_today['penalty']} left"
    mine = f"Today: {result}, 1st of 1 so far"
    assert mine in content(browser_of(mara), "/")
    finn.play_sealed(SEALED)
    assert mine.replace("1st of 1", "shared 1st of 2") in content(browser_of(mara), "/")
    assert "Streak" not in content(app.test_client(), "/")
    clock.set("2026-12-01T01:00:00")
    assert f"Yesterday: {result}, shared 1st of 2 so far" in content(browser_of(mara), "/")
    come_to(app, clock, "2026-12-01T12:00:00")
    page = content(browser_of(mara), "/")
    assert f"Yesterday: {result}, shared 1st of 2 Analysis" in page
    assert "Streak 1 Days played 1" in page
    assert f'href="/run/{run_of_today["run_id"]}">Analysis' in browser_of(mara).get("/").text


def test_one_who_has_begun_is_told_no_result(mara: Api, finn: Api) -> None:
    finn.play_sealed(SEALED)
    mara.move(mara.post(f"/rounds/{SEALED}/attempt").get_json(), first)
    page = content(browser_of(mara), "/")
    assert "Today:" not in page
    assert "Resume today’s round" in page


def test_a_closed_days_dice_can_be_practised_and_no_others(app: Flask, clock: MovableClock) -> None:
    for path in ("/", "/d/2026-12-01"):
        assert "/practice?round=" not in app.test_client().get(path).text
    clock.set("2026-12-01T01:00:00")
    assert "/practice?round=" not in app.test_client().get(f"/d/{TODAY}").text
    come_to(app, clock, "2026-12-01T12:00:00")
    page = app.test_client().get(f"/d/{TODAY}").text
    assert page.count("/practice?round=2026-11-30-") == 4
    assert 'href="/archive?month=2026-11"' in page


# The archive


def cells(browser: FlaskClient, path: str) -> dict[str, tuple[str, str]]:
    """Return what the month says of each day that has a link: the mark, and its words."""
    page = browser.get(path).text
    return {
        href: (mark, re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", inner)).strip())
        for mark, href, inner in re.findall(r'<a class="day ([a-z]+)" href="([^"]+)"[^>]*>(.*?)</a>', page, re.DOTALL)
    }


def test_the_archive_marks_what_days_are_to_the_player(
    app: Flask, clock: MovableClock, mara: Api, run_of_today: dict[str, Any]
) -> None:
    """Report 38. Done days are marked, by text and not by colour alone."""
    done = f"30 November, finished, score {run_of_today['score']}"
    assert cells(browser_of(mara), "/archive") == {"/": (Mark.DONE, done)}
    come_to(app, clock, "2026-12-01T12:00:00")
    mara.post("/rounds/2026-12-01-classic/attempt")
    assert cells(browser_of(mara), "/archive") == {"/": (Mark.STARTED, "1 December, started, not finished")}
    come_to(app, clock, "2026-12-03T01:00:00")
    assert cells(browser_of(mara), "/archive?month=2026-12") == {
        "/d/2026-12-01": (Mark.STARTED, "1 December, started, not finished"),
        "/d/2026-12-02": (Mark.CLOSING, "2 December, not closed yet"),
        "/": (Mark.RUNNING, "3 December, running"),
    }
    come_to(app, clock, "2026-12-03T03:00:00")
    assert cells(browser_of(mara), "/archive")["/d/2026-12-02"] == (Mark.MISSED, "2 December, not played")
    assert cells(browser_of(mara), "/archive?month=2026-11") == {f"/d/{TODAY}": (Mark.DONE, done)}


def test_the_archive_is_the_same_whatever_others_have_finished(app: Flask, nobody: Api, mara: Api) -> None:
    browsers = (app.test_client(), browser_of(mara))
    before = [content(browser, "/archive") for browser in browsers]
    for number in range(3):
        nobody.join(name=f"Finisher {number}").play_sealed(SEALED, any_of(number))
    assert [content(browser, "/archive") for browser in browsers] == before


def test_the_archive_reaches_from_the_first_day_to_today(app: Flask, clock: MovableClock) -> None:
    page = app.test_client().get("/archive").text
    assert "<caption>November 2026</caption>" in page
    assert 'aria-label="Months">\n\n\n</nav>' in page
    come_to(app, clock, "2027-01-15T12:00:00")
    page = app.test_client().get("/archive?month=2026-12").text
    assert 'href="/archive?month=2026-11" rel="prev"' in page
    assert 'href="/archive?month=2027-01" rel="next"' in page
    for month in ("2026-10", "2027-02", "2026-13", "0000-01", "9999-12", "2026-1", "november", "2026-11-01"):
        answer = app.test_client().get(f"/archive?month={month}", headers={"Accept": "text/html"})
        assert answer.status_code == 404, month


@pytest.fixture
def first_of_december(clock: MovableClock) -> None:
    """The installation is first started on the first of a month."""
    clock.set("2026-12-01T12:00:00")


def test_there_is_no_month_before_one_that_begins_with_the_first_day(first_of_december: None, app: Flask) -> None:
    page = app.test_client().get("/archive").text
    assert "<caption>December 2026</caption>" in page
    assert 'rel="prev"' not in page


@pytest.mark.parametrize("month", ["2026-11", "2026-12"])
def test_a_week_is_a_row_and_begins_on_monday(app: Flask, clock: MovableClock, month: str) -> None:
    clock.set("2026-12-31T12:00:00")
    page = app.test_client().get(f"/archive?month={month}").text
    rows = page[page.index("<tbody>") : page.index("</tbody>")].split("</tr>")[:-1]
    year, number = map(int, month.split("-"))
    for row in rows:
        days = re.findall(r'class="date">(\d+)', row)
        assert row.count("<td>") == 7
        assert len({date(year, number, int(day)).isocalendar().week for day in days}) == 1


# Settings


def test_settings_list_browsers_and_programs_and_show_no_secret(mara: Api) -> None:
    assert "data-token=" not in browser_of(mara).get("/settings").text  # the only one cannot be ended
    made = mara.post("/players/me/tokens", {"label": "bot on the shelf"}).get_json()
    page = browser_of(mara).get("/settings").text
    assert f'data-token="{made["token_id"]}"' in page
    assert page.count("data-token=") == 2
    assert made["token"] not in page
    shown = content(browser_of(mara), "/settings")
    assert "The first one this browser made 30 Nov 2026" in shown
    assert "bot on the shelf May play, read, league" in shown
    assert "A token was made: bot on the shelf (play, read, league)" in shown


def test_settings_say_what_recovery_code_there_is_and_never_the_code(
    app: Flask, nobody: Api, mara: Api, clock: MovableClock
) -> None:
    browser = browser_of(mara)
    assert "You have no recovery code." in content(browser, "/settings")
    code = mara.post("/players/me/recovery-codes").get_json()["code"]
    page = content(browser, "/settings")
    assert "You have a recovery code of 30 Nov 2026, not used yet." in page
    assert code not in page
    clock.set("2026-12-02T12:00:00")
    nobody.post("/transfers", {"code": code})
    page = content(browser, "/settings")
    assert "Your recovery code of 30 Nov 2026 was used on 2 Dec 2026: make a new one." in page
    assert "recovery" in page
    assert "Nobody plays in it yet, so nothing is left behind." in content(app.test_client(), "/settings")
