"""Slow lines, lost requests, lost answers, impatient hands: one decision is one decision."""

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.hosting import PUZZLE, Host, body_of
from tests.browser.people import DECIDING, Mouse, state_of
from tests.browser.test_state import begun, hear


def count_posts(page: Any) -> list[Any]:
    """Return a list that grows with every write that the page sends: its path and its body."""
    sent: list[Any] = []

    def note(request: Any) -> None:
        if request.method != "GET":
            sent.append((request.url.split("/api/v1")[1], body_of(request)))

    page.on("request", note)
    return sent


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_a_double_click_sends_one_request(host: Host, open_page: Opener, motion: str) -> None:
    """Report 17. At the first roll, at a choice of tiles and at a choice of dice."""
    page = open_page(reduced_motion=motion)
    someone = Mouse(page)
    someone.open()
    sent = count_posts(page)
    page.locator("#primary").dblclick(force=True)
    assert state_of(page) == "choose_tiles"
    assert [path.rsplit("/", 1)[1] for path, _ in sent] == ["players", "attempt"]
    while state_of(page) in DECIDING:
        sent.clear()
        if state_of(page) == "choose_dice":
            page.locator("#choose [data-dice='1']").dblclick(force=True)
        else:
            page.keyboard.press("n") if page.locator("#primary[aria-disabled=true]").count() else None
            page.locator("#primary").dblclick(force=True)
        state_of(page)
        assert len(sent) == 1
    assert "/run/" not in page.url


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_a_key_held_down_decides_once(host: Host, page: Any, key: str) -> None:
    """Report 23. Also where the next roll has only one way, which is chosen already."""
    someone = begun(host, page, 1)
    sent = count_posts(page)
    page.keyboard.press("n")
    page.locator("#primary").focus()
    for _ in range(20):
        page.keyboard.down(key)
    state_of(page)
    for _ in range(20):
        page.keyboard.down(key)
    page.keyboard.up(key)
    state_of(page)
    assert len(sent) == 1
    someone.play()
    expect(page.locator("#where")).to_contain_text("Score")


def test_a_held_enter_picks_no_number_of_dice(host: Host, page: Any) -> None:
    begun(host, page, 4)
    page.keyboard.press("n")
    page.locator("#primary").focus()
    page.keyboard.down("Enter")
    assert state_of(page) == "choose_dice"
    sent = count_posts(page)
    expect(page.get_by_role("group", name="How many dice")).to_be_focused()
    for _ in range(20):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    assert sent == []
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Roll 2 dice")).to_be_focused()


def test_a_slow_line_is_told_at_once(host: Host, page: Any) -> None:
    """Report 18. With 2 s of latency the page is busy within 100 ms and says so after a second."""
    begun(host, page, 1)
    network = page.context.new_cdp_session(page)
    conditions = {"offline": False, "latency": 2000, "downloadThroughput": -1, "uploadThroughput": -1}
    network.send("Network.emulateNetworkConditions", conditions)
    said = hear(page)
    page.keyboard.press("n")
    label, waited = page.evaluate(
        """() => {
          const begun = performance.now();
          const primary = document.getElementById("primary");
          primary.click();
          return [primary.textContent, performance.now() - begun];
        }"""
    )
    assert label == "Sending…"
    assert waited < 100
    expect(page.locator("#status")).to_have_text("Sending.")
    expect(page.locator("#turns li")).to_have_count(1)
    assert "Sending." in said()


def _before(route: Any) -> None:
    """The request is lost on its way."""
    route.abort("connectionfailed")


def _after(route: Any) -> None:
    """The request arrives, its answer is lost."""
    route.fetch()
    route.abort("connectionreset")


@pytest.mark.parametrize("lose", [_before, _after])
def test_a_connection_lost_at_each_step_loses_no_move(host: Host, page: Any, lose: Callable[[Any], None]) -> None:
    """The same request is sent until it is answered; no move is lost or doubled."""
    someone = Mouse(page)
    someone.open()
    said = hear(page)
    while state_of(page) in DECIDING:
        page.route("**/api/v1/**", lose)
        sent = count_posts(page)
        someone.step()
        expect(page.locator("#alert")).to_have_text("Connection lost. Your move is kept; trying again.")
        expect(page.locator("#hint")).to_have_text("Not recorded yet.")
        page.unroute_all()
        page.get_by_role("button", name="Try again now").click()
        expect(page.locator("#alert")).to_be_empty()
        state_of(page)
        moves = [body for path, body in sent if path.endswith("/moves")]
        assert all(body == moves[0] for body in moves)
    expect(page.locator("#where")).to_contain_text("Score 35")
    expect(page.locator("#turns li")).to_have_count(5)
    assert "Sent. Round goes on." in said()


def test_a_last_move_that_fails_three_times_is_not_recorded_yet_and_then_is(host: Host, page: Any) -> None:
    """Report 18."""
    someone = begun(host, page, 5)
    said = hear(page)
    tries: list[Any] = []

    def fail_three_times(route: Any) -> None:
        tries.append(body_of(route.request))
        route.abort() if len(tries) <= 3 else route.continue_()

    page.route("**/moves", fail_three_times)
    assert state_of(page) == "choose_dice"
    someone.dice(1)
    expect(page.locator("#hint")).to_have_text("Not recorded yet.")
    expect(page.locator("#where")).to_contain_text("Score 35", timeout=10_000)
    assert tries == [tries[0]] * 4
    state_of(page)
    expect(page.locator("#status")).to_contain_text("Round over, 10 left")
    assert "Sent. Your round is recorded." in said()


def test_a_puzzle_that_is_lost_on_its_way_is_submitted_again(host: Host, page: Any) -> None:
    """Report 18. The first run is the one; its answer was lost."""
    someone = Mouse(page, PUZZLE)
    someone.open()
    someone.play()
    page.route("**/runs", _after)
    someone.primary()
    expect(page.locator("#hint")).to_have_text("Not recorded yet.")
    page.unroute_all()
    page.get_by_role("button", name="Try again now").click()
    expect(page.locator("#verdict")).to_contain_text("Verified. Score 32 · 13 left. Rank 1 of 1.")


def test_an_overloaded_service_is_asked_again(host: Host, page: Any) -> None:
    someone = begun(host, page, 1)
    asked: list[int] = []

    def busy_once(route: Any) -> None:
        asked.append(1)
        if len(asked) > 1:
            route.continue_()
        else:
            route.fulfill(status=503, headers={"Retry-After": "1"}, body="{}")

    page.route("**/moves", busy_once)
    someone.step()
    expect(page.locator("#turns li")).to_have_count(1)
    assert len(asked) == 2


def test_seven_tabs_that_watch_leave_an_eighth_to_play(host: Host, page: Any) -> None:
    """Report 37. A browser opens six connections to a host; no page of ours holds one."""
    someone = begun(host, page, 1)
    for _ in range(7):
        page.context.new_page().goto("/leaderboard")
    page.bring_to_front()
    someone.play()
    expect(page.get_by_role("button", name="See the result")).to_be_visible()
