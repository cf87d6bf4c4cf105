"""Days and clocks: the service's clock decides, wherever the reader is and whatever the device says."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from shutbox.seeds import Chain, Secrets

from tests.browser.conftest import Opener
from tests.browser.hosting import PUZZLE, SEALED, Host
from tests.browser.people import Mouse, facing, state_of
from tests.browser.test_state import begun

TEN_SECONDS_BEFORE = "2026-11-30T23:59:50"
AFTER_MIDNIGHT = "2026-12-01T00:01:00"
TOMORROW = "2026-12-01-classic"


def test_a_round_begun_before_midnight_is_finished_after_it(host: Host, page: Any) -> None:
    """Report 1. It belongs to the day it was begun; the next day opens fresh."""
    host.go_to(TEN_SECONDS_BEFORE)
    page.clock.install()
    someone = begun(host, page, 2)
    host.go_to(AFTER_MIDNIGHT)
    page.clock.fast_forward(15_000)
    expect(page.locator("#closing")).to_have_text("A new round has begun. Finish this one until 02:00 UTC.")
    someone.play()
    page.get_by_role("button", name="See the result").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Score 35 · 10 left")
    expect(page.locator(".eyebrow")).to_contain_text("Monday 30 November 2026")
    page.goto("/")
    expect(page.locator(".eyebrow")).to_contain_text("Tuesday 1 December 2026 · #335")
    expect(page.get_by_role("link", name="Play today’s round")).to_have_attribute("href", f"/play/{TOMORROW}")


def test_an_unfinished_round_of_yesterday_is_offered_during_the_grace(host: Host, page: Any) -> None:
    begun(host, page, 2)
    host.go_to(AFTER_MIDNIGHT)
    page.goto("/")
    expect(page.get_by_role("main")).to_contain_text("Yesterday’s Classic round is not finished")
    page.get_by_role("link", name="Finish it").click()
    assert state_of(page) == "choose_tiles"


def test_a_round_that_closes_during_play_is_told(host: Host, page: Any) -> None:
    someone = begun(host, page, 2)
    host.go_to("2026-12-01T02:00:01")
    someone.step()
    expect(page.locator("#alert")).to_contain_text("The round is closed.")
    expect(page.locator("#hint")).to_have_text("This round has closed.")
    expect(page.locator("#where")).to_have_text("30 Nov · not finished")
    expect(page.locator("#turns li")).to_have_count(1)


def test_a_page_opened_before_midnight_begins_no_round_after_it(host: Host, page: Any) -> None:
    someone = Mouse(page)
    someone.open()
    host.go_to(AFTER_MIDNIGHT)
    someone.primary()
    expect(page.locator("#alert")).to_contain_text("The round is closed.")
    expect(page.get_by_role("button", name="Closed for new players")).to_be_visible()


def test_a_puzzle_that_has_closed_takes_no_line(host: Host, page: Any) -> None:
    someone = Mouse(page, PUZZLE)
    someone.open()
    someone.play()
    host.go_to(AFTER_MIDNIGHT)
    someone.primary()
    expect(page.locator("#alert")).to_contain_text("The round is closed.")
    expect(page.get_by_role("button", name="Not taken")).to_be_visible()


def test_everyone_on_earth_has_the_same_day(host: Host, open_page: Opener) -> None:
    """Report 2."""
    seen = set()
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago"):
        page = open_page(timezone_id=zone)
        page.goto("/")
        seen.add((page.locator(".eyebrow").inner_text(), page.locator(".hash").first.text_content()))
    assert len(seen) == 1


def test_a_device_clock_that_is_ahead_plays_no_future_day(host: Host, page: Any) -> None:
    """Report 4. Nor does a client that asks for it; and time is in no ranking."""
    page.clock.install(time="2026-12-03T12:00:00Z")
    page.goto("/")
    expect(page.locator(".eyebrow")).to_contain_text("Monday 30 November 2026")
    expect(page.locator("#countdown")).to_contain_text("Next round in 11:59:")
    expect(page.locator("#new-day")).to_be_hidden()
    api = host.player()
    assert api.post("/rounds/2026-12-03-classic/attempt").get_json()["code"] == "round_not_open"
    assert api.post("/rounds/2026-12-08-classic/attempt").status_code == 404
    host.finish_sealed(["Ada", "Ben"])
    someone = begun(host, page, 1)
    someone.play()
    page.goto(f"/leaderboard?round={SEALED}")
    assert page.get_by_role("columnheader").all_inner_texts() == ["Rank", "Player", "Score", "Left", "Given away"]


def test_a_page_left_open_over_midnight_tells_of_the_new_day(host: Host, page: Any) -> None:
    """Report 5. Within a minute, and nothing is thrown away."""
    page.clock.install()
    someone = begun(host, page, 1)
    someone.tile(4)
    before = facing(page)
    host.go_to(AFTER_MIDNIGHT)
    page.clock.fast_forward("12:00:45")
    expect(page.locator("#new-day")).to_contain_text("A new round has begun.")
    assert facing(page) == before
    expect(page.locator("#new-day").get_by_role("link")).to_have_attribute("href", "/")


def test_a_page_that_is_looked_at_again_asks_for_the_day(host: Host, page: Any) -> None:
    """Report 5. After sleep, when timers have stood still, on visibilitychange."""
    page.clock.install()
    page.goto("/")
    host.go_to(AFTER_MIDNIGHT)
    page.clock.fast_forward("12:00:05")
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(page.locator("#new-day")).to_be_visible()


def test_back_after_midnight_shows_the_new_day(host: Host, open_page: Opener) -> None:
    """Report 5. Where the browser brings yesterday's page out of its own cache."""
    host.restart(offline=False)
    page = open_page()
    page.goto("/")
    page.goto("/rules")
    host.go_to(AFTER_MIDNIGHT)
    page.go_back()
    expect(page.locator(".eyebrow")).to_contain_text("Tuesday 1 December 2026")


def test_an_evening_in_new_york_keeps_the_round(host: Host, open_page: Opener) -> None:
    """Report 6. 20:00 there is the next UTC day; a reload shows the same round."""
    host.go_to("2026-12-01T01:00:00")
    page = open_page(timezone_id="America/New_York")
    page.goto("/")
    expect(page.locator("#countdown")).to_contain_text("(19:00 here)")
    page.get_by_role("link", name="Play today’s round").click()
    Mouse(page, TOMORROW).play(2)
    before = facing(page)
    page.reload()
    state_of(page)
    assert facing(page) == before
    assert page.url.endswith(TOMORROW)


@pytest.fixture
def host_for_a_year(
    redis_url: str, secrets: Secrets, migrated_sqlite: Path, tmp_path: Path, host: Host
) -> Iterator[Host]:
    """The service on a chain that reaches over both changes of the clocks."""
    year = Secrets((Chain(bytes(16), date(2026, 11, 23), 400, 400, b"y" * 32),), secrets.round_key, secrets.log_key)
    folder = tmp_path / "year"
    folder.mkdir()
    found = Host(redis_url, year, migrated_sqlite, 2)
    found.begin(folder)
    yield found
    found.end()


def test_a_change_of_the_clocks_moves_no_day(host_for_a_year: Host, open_page: Opener) -> None:
    """Report 3. On each day of a change the countdown runs to 00:00 UTC, which is told as it is there then."""
    for zone, day, there in (
        ("America/New_York", "2027-03-14", "20:00"),
        ("Europe/Berlin", "2027-03-28", "02:00"),
        ("Europe/Berlin", "2027-10-31", "01:00"),
        ("America/New_York", "2027-11-07", "19:00"),
    ):
        host_for_a_year.go_to(f"{day}T00:30:00")
        page = open_page(timezone_id=zone)
        page.goto(host_for_a_year.address)
        expect(page.locator("#countdown"), day).to_contain_text("Next round in 23:29:")
        expect(page.locator("#countdown"), day).to_contain_text(f"({there} here)")
