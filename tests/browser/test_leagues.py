"""Leagues in the browser: made in one, joined in another, left, and what an owner does."""

import re
from typing import Any

from tests.browser.conftest import Opener
from tests.browser.hosting import Host
from tests.browser.leagues import league, played_today


def heading(page: Any, text: str) -> None:
    page.get_by_role("heading", level=1, name=text, exact=True).wait_for()
    page.wait_for_load_state("load")  # its scripts run before that


def rows(page: Any, table: str) -> list[str]:
    found = page.get_by_role("table", name=table).locator("tbody tr")
    return [" ".join(text.replace("you", "").split()) for text in found.all_inner_texts()]


def test_a_league_is_made_and_joined_in_a_second_browser_without_a_form(host: Host, open_page: Opener) -> None:
    """By guests, who are made with it; the link is what the first one copies."""
    owner = open_page(1280)
    owner.context.grant_permissions(["clipboard-read", "clipboard-write"])
    owner.goto("/leagues")
    owner.get_by_label("Its name").fill("Office")
    owner.get_by_role("button", name="Make it").click()
    heading(owner, "Office")
    owner.get_by_role("button", name="Copy the link").click()
    owner.get_by_text("Link copied.").first.wait_for()
    link = owner.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(re.escape(host.address) + r"/league/[0-9A-Z]{5}-[0-9A-Z]{5}", link)
    owner.get_by_role("button", name="Share", exact=True).click()
    owner.get_by_text("Invitation copied.").first.wait_for()
    assert owner.evaluate("navigator.clipboard.readText()").endswith(
        f"“Office” on Shutbox, the daily Shut the Box: {link}"
    )
    other = open_page()
    other.goto("/leagues")
    other.get_by_label("Invite code or link").fill(link)
    other.get_by_role("button", name="Look at it").click()
    heading(other, "Office")
    assert other.get_by_role("table").count() == 0
    assert other.context.cookies() == []
    other.get_by_role("button", name="Join Office").click()
    other.get_by_role("heading", name="Invite others").wait_for()
    assert len(rows(other, "Members of the league")) == 2


def test_a_name_that_cannot_be_is_refused_beside_its_field(page: Any, host: Host) -> None:
    page.goto("/leagues")
    page.get_by_label("Its name").fill("a/b")
    page.get_by_role("button", name="Make it").click()
    page.get_by_text("a name has no slash").wait_for()
    assert page.get_by_label("Its name").get_attribute("aria-invalid") == "true"
    page.get_by_label("Its name").fill("Office")
    page.get_by_role("button", name="Make it").click()
    heading(page, "Office")


def test_a_member_leaves_after_a_question_that_can_be_taken_back(host: Host, page: Any) -> None:
    code, players = league(host)
    host.sign_in(page, players[1])
    page.goto(f"/league/{code}")
    page.get_by_role("button", name="Leave the league…").click()
    page.get_by_role("dialog", name="Leave Office?").wait_for()
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.textContent") == "Leave the league…"
    page.get_by_role("button", name="Leave the league…").click()
    page.get_by_role("button", name="Leave the league", exact=True).click()
    heading(page, "Your leagues")
    page.get_by_text("You are in no league yet.").wait_for()


def test_an_owner_removes_renames_replaces_the_link_and_closes(host: Host, page: Any, open_page: Opener) -> None:
    code, players = league(host)
    host.sign_in(page, players[0])
    page.goto(f"/league/{code}")
    page.get_by_role("button", name="Remove Finn").click()
    page.get_by_role("dialog", name="Remove Finn?").get_by_role("button", name="Remove").click()
    page.get_by_text("Removed.").first.wait_for()
    assert not any("Finn" in row for row in rows(page, "Members of the league"))
    assert page.evaluate("document.activeElement.id") == "members"
    page.get_by_label("Its name").fill("Kitchen")
    page.get_by_role("button", name="Rename").click()
    heading(page, "Kitchen")
    page.get_by_role("button", name="Make a new link…").click()
    page.get_by_role("button", name="Make a new link", exact=True).click()
    page.wait_for_url(re.compile(rf"/league/(?!{code})"))
    heading(page, "Kitchen")
    late = open_page()
    late.goto(f"/league/{code}")
    heading(late, "This invite was replaced")
    page.goto(f"/league/{code}")  # an owner with an old bookmark
    heading(page, "Kitchen")
    page.get_by_role("button", name="Close the league…").click()
    page.get_by_role("button", name="Close the league", exact=True).click()
    heading(page, "Your leagues")
    late.goto(f"/league/{code}")
    heading(late, "This league is closed")


def test_nothing_of_the_running_day_is_on_the_page_before_the_viewer_has_finished(
    host: Host, open_page: Opener
) -> None:
    """The tables are there without scripts, too."""
    code, players = league(host)
    played_today(host, code, players)
    gated, finished = open_page(java_script_enabled=False), open_page(java_script_enabled=False)
    host.sign_in(gated, players[3])
    gated.goto(f"/league/{code}")
    assert gated.get_by_text("Finish your round to see how the league has played.").count() == 1
    assert [row.split()[-2] for row in rows(gated, "This week in the league")] == ["2"] * 4  # days
    host.sign_in(finished, players[1])
    finished.goto(f"/league/{code}")
    assert len(rows(finished, "Today’s round in the league, so far")) == 3
    assert rows(finished, "This week in the league") == rows(gated, "This week in the league")


def test_the_whole_table_of_a_week_is_a_leaderboard_of_the_members(host: Host, page: Any) -> None:
    code, players = league(host)
    host.player("Outsider")
    host.sign_in(page, players[4])
    page.goto(f"/league/{code}")
    page.get_by_role("link", name="Whole table: This week").click()
    heading(page, "Week 48 leaderboard")
    assert page.get_by_label("League").locator("option:checked").inner_text() == "Office"
    assert len(page.get_by_role("table").locator("tbody tr").all()) == 4
    with page.expect_download() as saved:
        page.get_by_role("link", name="CSV").click()
    assert [line.split(",")[0] for line in saved.value.path().read_text().splitlines()[1:]] == ["1", "2", "3", "4"]


def test_today_says_how_one_stands_in_a_league(host: Host, page: Any) -> None:
    code, players = league(host)
    host.sign_in(page, players[2])
    page.goto("/")
    line = page.get_by_role("list", name="Your leagues").get_by_role("listitem").inner_text()
    assert re.fullmatch(r"League Office: you (shared )?[1-4](st|nd|rd|th) of 4 this week", line)
    page.get_by_role("link", name="Office").click()
    heading(page, "Office")
    assert page.url.endswith(code)
