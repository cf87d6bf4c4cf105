"""Settings: where the player plays, which programs may do what, and what happened, in a real browser."""

from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser import sessions
from tests.browser.conftest import Opener
from tests.browser.hosting import Host
from tests.players import Api


@pytest.fixture
def mara(host: Host, page: Any) -> Api:
    """A player who plays in the browser of `page`."""
    player = host.player("Mara")
    host.sign_in(page, player)
    return player


def moved(player: Api, other: Any) -> None:
    """Let another browser play as the player, by a transfer code."""
    other.goto("/settings")
    other.get_by_label("Transfer or recovery code").fill(player.post("/players/me/transfer-codes").get_json()["code"])
    other.get_by_role("button", name="Use this code").click()
    other.wait_for_url("**/player/me#moved")


def row(page: Any, name: str) -> Any:
    return page.get_by_role("row", name=name)


def test_another_browser_is_listed_and_ended(mara: Api, page: Any, open_page: Opener) -> None:
    other = open_page()
    moved(mara, other)
    page.goto("/settings")
    expect(row(page, "this browser")).to_contain_text("The first one")
    row(page, "By a transfer code").get_by_role("button", name="End").click()
    expect(row(page, "By a transfer code")).to_have_count(0)
    expect(page.get_by_role("heading", name="Where you play")).to_be_focused()
    expect(page.locator("#status")).to_have_text("Ended.")
    other.goto("/settings")
    expect(other.get_by_text("Nobody plays in this browser yet.")).to_be_visible()


def test_a_browser_logs_itself_out(mara: Api, page: Any, open_page: Opener) -> None:
    other = open_page()
    moved(mara, other)
    other.goto("/settings")
    row(other, "this browser").get_by_role("button", name="Log out").click()
    other.wait_for_url("**/")
    assert other.context.cookies() == []
    assert mara.get("/players/me").status_code == 200
    page.goto("/settings")
    expect(row(page, "this browser").get_by_role("button")).to_have_count(0)  # the only one left


def test_all_others_are_ended_at_once(mara: Api, page: Any, open_page: Opener) -> None:
    other = open_page()
    moved(mara, other)
    made = mara.post("/players/me/tokens", {"label": "bot on the shelf"}).get_json()
    page.goto("/settings", wait_until="networkidle")
    page.get_by_role("button", name="End all others").click()
    expect(page.get_by_role("button", name="End all others")).to_have_count(0)
    expect(page.get_by_text("All other browsers and programs were ended")).to_be_visible()
    assert Api(mara.app, made["token"]).get("/players/me").status_code == 401
    other.goto("/settings")
    expect(other.get_by_text("Nobody plays in this browser yet.")).to_be_visible()


def test_a_token_is_made_for_what_was_ticked_shown_once_and_ended(mara: Api, page: Any) -> None:
    page.goto("/settings")
    page.get_by_label("What it is for").fill("bot on the shelf")
    for scope in ("play", "read what only you may see", "make, join and leave leagues"):
        page.get_by_label(scope, exact=True).uncheck()
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator("#token-fault")).to_have_text("Choose what the token may do.")
    page.get_by_label("read what only you may see", exact=True).check()
    page.get_by_role("button", name="Make a token").click()
    shown = page.get_by_label("Token", exact=True)
    expect(shown).to_be_focused()
    secret = shown.input_value()
    reader = Api(mara.app, secret)
    assert reader.get("/players/me").get_json()["name"] == "Mara"
    assert reader.patch("/players/me", {"bot": True}).get_json()["code"] == "insufficient_scope"
    page.reload()
    assert secret not in page.content()
    expect(row(page, "bot on the shelf")).to_contain_text("May read")
    row(page, "bot on the shelf").get_by_role("button", name="End").click()
    expect(row(page, "bot on the shelf")).to_have_count(0)
    assert reader.get("/players/me").status_code == 401


def test_a_code_that_was_stolen_shows_in_what_happened(host: Host, page: Any) -> None:
    sessions.several(host, page)
    trail = page.get_by_role("region", name="What happened to your player").get_by_role("listitem")
    expect(trail.nth(0)).to_contain_text("A code that works no more was tried: transfer, by a program")
    expect(trail.nth(1)).to_contain_text("A code was used: transfer, by a program")
    expect(trail.filter(has_text="The name was changed: Mara → Mara Lind")).to_have_count(1)


def test_an_answer_that_was_lost_on_the_way_does_not_lose_the_code(
    host: Host, mara: Api, page: Any, open_page: Opener
) -> None:
    code = mara.post("/players/me/recovery-codes").get_json()["code"]
    other = open_page()
    other.goto("/settings")
    answered: list[int] = []

    def lose_the_first(route: Any) -> None:
        answer = route.fetch()
        answered.append(answer.status)
        if len(answered) == 1:
            route.abort()
        else:
            route.fulfill(response=answer)

    other.route("**/api/v1/transfers", lose_the_first)
    other.get_by_label("Transfer or recovery code").fill(code)
    other.get_by_role("button", name="Use this code").click()
    other.wait_for_url("**/player/me#moved")
    assert answered == [200, 200]
    expect(other.get_by_role("heading", level=1)).to_have_text("Mara")
