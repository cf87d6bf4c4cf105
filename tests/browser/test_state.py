"""The server holds the state: reloads, the back button, new tabs, other tabs, other browsers, a restart."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ARGUMENTS, Opener, chromium_binary
from tests.browser.hosting import PUZZLE, SEALED, Host, body_of
from tests.browser.people import DECIDING, Mouse, facing, state_of


def begun(host: Host, page: Any, steps: int) -> Mouse:
    """Return someone who has made that many decisions in the sealed round."""
    host.seat(page, steps)
    someone = Mouse(page)
    someone.open()
    state_of(page)
    return someone


def test_a_reload_shows_the_same_dice_and_rolls_nothing(host: Host, page: Any) -> None:
    """Report 10. In every state of the round, and the round goes on to the same end."""
    someone = Mouse(page)
    someone.open()
    going = True
    while going:
        state_of(page)
        before, turns = facing(page), page.locator("#turns").inner_text()
        rolled: list[str] = []
        page.once("request", lambda request, rolled=rolled: rolled.append(request.method))
        page.reload()
        state_of(page)
        assert facing(page) == before
        assert page.locator("#turns").inner_text() == turns
        assert rolled == ["GET"]
        going = someone.step()
    expect(page.locator("#where")).to_contain_text("Score 35")


def test_a_selection_is_all_that_a_reload_loses(host: Host, page: Any) -> None:
    """Report 10."""
    someone = begun(host, page, 1)
    someone.tile(3)
    expect(page.locator("#hint")).to_have_text("Chosen 3 of 9.")
    page.reload()
    expect(page.locator("#hint")).to_have_text("Choose tiles that make 9.")


@pytest.mark.parametrize("cached", [False, True])
def test_the_back_button_keeps_the_round(host: Host, open_page: Opener, chromium: Any, cached: bool) -> None:
    """Report 9. Also through the back/forward cache, where the browser has one."""
    browser = chromium
    if cached:
        browser = chromium.browser_type.launch(
            executable_path=chromium_binary(),
            args=list(ARGUMENTS),
            ignore_default_args=["--disable-back-forward-cache"],
        )
    context = browser.new_context(base_url=host.address, reduced_motion="reduce")
    page = context.new_page()
    someone = begun(host, page, 2)
    before = facing(page)
    page.goto("/rules")
    page.evaluate("void setTimeout(() => history.back())")
    expect(page.locator("#where")).to_have_text(before[2])
    state_of(page)
    assert facing(page) == before
    page.evaluate("void setTimeout(() => history.forward())")
    expect(page.get_by_role("heading", level=1)).to_have_text("Rules")
    page.evaluate("void setTimeout(() => history.back())")
    expect(page.locator("#where")).to_have_text(before[2])
    someone.play()
    expect(page.locator("#where")).to_contain_text("Score 35")
    context.close()
    if cached:
        browser.close()


def test_back_to_a_page_from_before_the_first_roll_shows_the_round_as_it_stands(host: Host, open_page: Opener) -> None:
    """Report 9. Where the browser brings the page out of its own cache, as it was when it was opened."""
    host.restart(offline=False)
    page = open_page()
    someone = Mouse(page)
    someone.open()
    someone.play(3)
    before = facing(page)
    page.goto("/rules")
    page.go_back()
    expect(page.locator("#where")).to_have_text(before[2])
    state_of(page)
    assert facing(page) == before


def test_a_closed_tab_is_resumed_in_a_new_one(host: Host, page: Any) -> None:
    """Report 12."""
    begun(host, page, 2)
    before = facing(page)
    context = page.context
    page.close()
    other = context.new_page()
    other.goto("/")
    other.get_by_role("link", name="Resume today’s round").click()
    state_of(other)
    assert facing(other) == before


def test_the_cookie_alone_keeps_the_player(host: Host, page: Any) -> None:
    """Report 14. All storage that scripts can write is cleared."""
    begun(host, page, 2)
    before = facing(page)
    page.evaluate("localStorage.clear(); sessionStorage.clear()")
    page.evaluate("indexedDB.databases().then(all => all.forEach(one => indexedDB.deleteDatabase(one.name)))")
    page.reload()
    state_of(page)
    assert facing(page) == before
    assert page.evaluate("Object.keys(localStorage).length") == 0


def test_one_tab_at_a_time_plays(host: Host, page: Any) -> None:
    begun(host, page, 2)
    other = page.context.new_page()
    other.goto(f"/play/{SEALED}")
    expect(page.locator("#alert")).to_have_text("This round is open in another tab. Continue here?")
    Mouse(other).play(1)
    page.get_by_role("button", name="Continue here").click()
    expect(page.locator("#parked")).to_be_hidden()
    expect(other.locator("#parked")).to_be_visible()
    expect(page.locator("#turns li")).to_have_count(2)
    assert facing(page) == facing(other)


def test_two_browsers_with_one_cookie_agree(host: Host, open_page: Opener) -> None:
    """Report 16. The cookie is copied to a second browser; a stale move is caught up with and said so."""
    page, other = open_page(), open_page(1280)
    someone = begun(host, page, 1)
    other.context.add_cookies(page.context.cookies())
    Mouse(other).open()
    Mouse(other).play(2)
    someone.tile(4)
    someone.tile(5)
    said = hear(page)
    with page.expect_response("**/moves") as answer:
        someone.primary()
    assert answer.value.status == 409
    expect(page.locator("#turns li")).to_have_count(2)
    assert facing(page) == facing(other)
    expect(page.locator("#status")).to_contain_text("Open: ")
    assert "This round went on elsewhere. Caught up." in said()
    someone.play()
    expect(page.locator("#where")).to_contain_text("Score 35")


def test_of_twenty_moves_at_once_one_counts(host: Host, page: Any) -> None:
    """Report 11. The others are told the present state."""
    begun(host, page, 1)
    answers = page.evaluate(
        """async () => {
          const { attempt } = JSON.parse(new DOMParser().parseFromString(
            await (await fetch(location.pathname)).text(), "text/html").getElementById("main").dataset.facts);
          const send = (shut) => fetch(`/api/v1/attempts/${attempt.attempt_id}/moves`, {
            method: "POST", headers: {"Content-Type": "application/json"},
            body: JSON.stringify({move: attempt.move, shut})});
          const chosen = Array.from({length: 20}, (_, index) => attempt.legal[index % attempt.legal.length]);
          return Promise.all(chosen.map(async (shut) => {
            const answer = await send(shut);
            return [answer.status, await answer.json(), shut];
          }));
        }"""
    )
    taken = {tuple(shut) for status, _, shut in answers if status == 200}
    assert len(taken) == 1
    refused = [body for status, body, _ in answers if status != 200]
    assert {body["code"] for body in refused} == {"move_decided"}
    assert {body["state"]["move"] for body in refused} == {1}
    page.reload()
    expect(page.locator("#turns li")).to_have_count(1)


def test_the_service_is_restarted_at_each_step(host: Host, page: Any) -> None:
    """The page says so, sends the same request again by itself, and the round goes on to the same end."""
    someone = Mouse(page)
    someone.open()
    sent: list[Any] = []
    page.on("request", lambda request: sent.append(body_of(request)) if request.url.endswith("/moves") else None)
    while state_of(page) in DECIDING:
        sent.clear()
        host.stop()
        someone.step()
        expect(page.locator("#alert")).to_contain_text("Connection lost. Your move is kept; trying again.")
        host.restart()
        expect(page.locator("#alert")).to_be_empty()
        assert all(body == sent[0] for body in sent)
    expect(page.locator("#where")).to_contain_text("Score 35")
    expect(page.locator("#turns li")).to_have_count(5)


def test_a_puzzle_survives_reload_and_back(host: Host, page: Any) -> None:
    someone = Mouse(page, PUZZLE)
    someone.open()
    someone.play(3)
    before = facing(page)
    page.reload()
    state_of(page)
    assert facing(page) == before
    page.goto("/rules")
    page.go_back()
    state_of(page)
    assert facing(page) == before


def hear(page: Any) -> Any:
    """Return a function that returns everything said in the live regions from now on."""
    page.evaluate(
        """() => {
          window.said = [];
          for (const id of ["status", "alert"]) {
            const region = document.getElementById(id);
            new MutationObserver(() => {
              if (region.textContent) window.said.push(region.textContent);
              document.documentElement.dataset.said = window.said.length;
            }).observe(region, {childList: true, characterData: true, subtree: true});
          }
        }"""
    )
    return lambda: page.evaluate("window.said")
