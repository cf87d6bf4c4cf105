"""Challenges in the browser: made, handed on, played by another one, closed early, full, over, and verified."""

from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import expect

from tests.browser.challenges import challenge_of, finished_by
from tests.browser.conftest import Opener
from tests.browser.hosting import Host
from tests.browser.people import Mouse, state_of
from tests.browser.test_verify import ended


def made_in(page: Any, players: int = 2) -> str:
    """Make a challenge by the form; return its round."""
    page.goto("/challenge")
    page.get_by_label("Players").fill(str(players))
    page.get_by_label("Open for").select_option(label="3 hours")
    page.get_by_role("button", name="Make the challenge").click()
    page.wait_for_url("**/challenge?made=*")
    return str(page.get_by_label("Link for the players").input_value()).rsplit("/", 1)[1]


def test_one_makes_a_challenge_another_plays_it_by_its_link_and_it_closes(host: Host, open_page: Opener) -> None:
    maker, guest = open_page(permissions=["clipboard-read", "clipboard-write"]), open_page(1280)
    round_id = made_in(maker)
    expect(maker.get_by_role("heading", name="Classic challenge").first).to_be_focused()
    maker.get_by_role("button", name="Copy the link").click()
    expect(maker.locator("#note")).to_have_text("Link copied.")
    link = maker.evaluate("navigator.clipboard.readText()")
    assert link == f"{host.address}/play/{round_id}"

    assert guest.context.cookies() == []
    guest.goto(urlsplit(link).path)
    state_of(guest)
    expect(guest.locator("#challenge")).to_contain_text("Challenge by Guest")
    expect(guest.locator("#challenge")).to_contain_text("0 of 2 players")
    Mouse(guest).play()
    assert [cookie["name"] for cookie in guest.context.cookies()] == ["shutbox"]

    maker.get_by_role("link", name="Play it").first.click()
    Mouse(maker).play()
    maker.get_by_role("button", name="See the result").click()
    expect(maker.get_by_text("Final")).to_be_visible()
    expect(maker.get_by_role("heading", name="Best possible")).to_be_visible()
    maker.get_by_role("link", name="Leaderboard").last.click()
    expect(maker.get_by_role("row")).to_have_count(3)
    maker.get_by_role("link", name="Challenge them again").click()
    expect(maker.get_by_label("Players")).to_have_value("2")
    expect(maker.get_by_label("Open for")).to_have_value("3")
    maker.get_by_role("button", name="Make the challenge").click()
    maker.wait_for_url("**/challenge?made=*")
    assert round_id not in maker.url


def test_a_lost_answer_makes_no_second_challenge(host: Host, page: Any) -> None:
    lost: list[int] = []

    def lose(route: Any) -> None:
        if lost:
            route.continue_()
            return
        lost.append(route.fetch().status)
        route.abort()

    page.route("**/api/v1/challenges", lose)
    made_in(page)
    assert lost == [201]
    assert len(page.evaluate("fetch('/api/v1/players/me/challenges').then(answer => answer.json())")["items"]) == 1


def test_a_refusal_is_said_beside_the_form(host: Host, page: Any) -> None:
    player = host.player("Mara")
    for _ in range(20):
        challenge_of(host, player)
    host.sign_in(page, player)
    page.goto("/challenge")
    page.get_by_role("button", name="Make the challenge").click()
    expect(page.locator("#fault")).to_contain_text("Too many of your challenges run: 20 of your challenges run")


def test_one_who_comes_too_late_is_told_that_it_is_full(host: Host, page: Any) -> None:
    ada, ben = host.player("Ada"), host.player("Ben")
    round_id = challenge_of(host, ada, 2)
    page.goto(f"/play/{round_id}")
    assert state_of(page) == "ready"
    for player in (ada, ben):
        player.post(f"/rounds/{round_id}/attempt")
    page.locator("#primary").click()
    expect(page.get_by_text("The challenge is full.").first).to_be_attached()
    expect(page.locator("#primary")).to_have_text("Full")
    assert page.locator("#table").get_attribute("data-state") != "ready"
    page.reload()
    page.get_by_role("link", name="Make one like it").click()
    expect(page.get_by_label("Players")).to_have_value("2")


def test_one_who_has_begun_may_finish_in_the_grace_and_not_after_it(host: Host, page: Any) -> None:
    round_id = challenge_of(host, host.player("Ada"), 4, 1)
    someone = Mouse(page, round_id)
    someone.open()
    someone.play(2)
    host.go_to("2026-11-30T13:30:00")
    page.reload()
    expect(page.locator("#closing")).to_have_text("Nobody else can join now. Finish this one until 15:00 UTC.")
    assert state_of(page) == "choose_tiles"
    host.go_to("2026-11-30T15:00:00")
    page.reload()
    expect(page.get_by_text("This round has closed.").first).to_be_visible()
    page.goto("/challenge")
    expect(page.locator(".tag", has_text="final")).to_be_visible()


def test_a_closed_challenge_is_verified_in_the_browser(host: Host, page: Any) -> None:
    ada, ben = host.player("Ada"), host.player("Ben")
    round_id = challenge_of(host, ada, 2, ruleset="twelve")
    page.goto(f"/verify/{round_id}")
    expect(page.get_by_text("or when all its players have finished")).to_be_visible()
    finished_by(host, round_id, ada, ben)
    page.reload()
    ended(page)
    expect(page.locator("#verdict")).to_contain_text("It matches. The dice, all 2 runs and the ranking")
