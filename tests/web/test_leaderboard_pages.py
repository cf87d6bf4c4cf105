"""The page of leaderboards, as a browser without scripts sees it."""

import re
from contextvars import Context
from html import unescape

import pytest
from flask import Flask
from shutbox.site import Site

from tests.conftest import MovableClock
from tests.players import Api
from tests.web.test_period_boards import MONDAY, Weeks

pytestmark = pytest.mark.parametrize("database", ["sqlite"])  # what pages ask is asked on both elsewhere

SEALED, PUZZLE = "2026-11-30-classic", "2026-11-30-classic-open"


@pytest.fixture
def weeks(site: Site, clock: MovableClock) -> Weeks:
    return Weeks(site, clock)


def shown(app: Flask, path: str, player: Api | None = None) -> str:
    """Return the main part of a page, as its player or as nobody."""
    browser = app.test_client()
    if player:
        browser.set_cookie("shutbox", player._headers["Authorization"].removeprefix("Bearer "))
    answer = Context().run(lambda: browser.get(path))  # else it would share the g of the test
    assert answer.status_code == 200, path
    return unescape(answer.text.split("<main")[1].split("</main>")[0])


def ranks(page: str) -> list[str]:
    """Return the ranks in the table, with their sign of a tie."""
    body = "".join(re.findall(r"<tbody.*?</tbody>", page, re.DOTALL))
    cells = re.findall(r"<tr[^>]*>\s*<td class=\"number\">([\d,]+)(<span aria-hidden=\"true\">=</span>)?", body)
    return [rank + ("=" if tie else "") for rank, tie in cells]


def link(page: str, text: str) -> str:
    found = re.search(rf'<a href="([^"]*)"[^>]*>{re.escape(text)}', page)
    assert found is not None, text
    return found[1]


@pytest.mark.parametrize(
    ("penalties", "expected"), [([1, 2, 2, 4], ["1", "2=", "2=", "4"]), ([1, 2, 2, 2, 5], ["1", "2=", "2=", "2=", "5"])]
)
def test_ties_are_shown_on_the_page_of_a_week(
    app: Flask, weeks: Weeks, penalties: list[int], expected: list[str]
) -> None:
    """Report 33."""
    for penalty in penalties:
        weeks.finish(weeks.join(), MONDAY, penalty)
    weeks.close("2026-12-01T03:00:00")
    assert ranks(shown(app, "/leaderboard?period=week&of=2026-W49")) == expected
    assert ranks(shown(app, f"/leaderboard?round={SEALED}")) == expected


def test_a_tie_over_the_edge_of_a_part_is_marked_on_both_sides(app: Flask, weeks: Weeks) -> None:
    for number in range(52):
        weeks.finish(weeks.join(), MONDAY, number if number < 49 else 49)
    weeks.close("2026-12-01T03:00:00")
    first = shown(app, "/leaderboard?period=week&of=2026-W49")
    assert ranks(first)[-2:] == ["49", "50="]
    second = shown(app, link(first, "Further"))
    assert ranks(second) == ["50=", "50="]
    assert ranks(shown(app, link(second, "← Better"))) == ranks(first)


def test_many_who_share_the_first_rank_are_one_row_until_all_are_asked_for(app: Flask, weeks: Weeks) -> None:
    for number in range(13):
        weeks.finish(weeks.join(), MONDAY, 0 if number < 12 else 3)
    weeks.close("2026-12-01T03:00:00")
    for path in (f"/leaderboard?round={SEALED}", "/leaderboard?period=week&of=2026-W49"):
        page = shown(app, path)
        assert "1st, shared by 12" in page
        assert ranks(page) == ["1=", "13"]
        assert ranks(shown(app, link(page, "Show all"))) == ["1="] * 12 + ["13"]


def test_the_own_row_is_pinned_where_it_is_not_among_the_rows(app: Flask, weeks: Weeks, mara: Api) -> None:
    """Report 34. With what share of the others is worse."""
    weeks.results[mara.player_id] = {}
    for number in range(70):
        weeks.finish(mara.player_id if number == 60 else weeks.join(), MONDAY, number)
    weeks.close("2026-12-01T03:00:00")
    address = "/leaderboard?period=week&of=2026-W49"
    page = shown(app, address, mara)
    assert "You are 61 of 70, better than 13 %." in page
    assert ranks(page)[0] == "61"
    assert page.count('aria-current="true"') == 1
    found = link(page, "Find me")
    assert found.endswith("#me")
    around = shown(app, found.removesuffix("#me"), mara)
    assert around.count('id="me"') == 1
    assert "pinned" not in around
    assert "61" in ranks(around)
    assert "pinned" not in shown(app, address)
    assert "You are not on this leaderboard" in shown(app, f"{address}&around=me")


def test_names_lead_to_players_on_sums_and_to_runs_on_rounds(app: Flask, weeks: Weeks, mara: Api) -> None:
    weeks.results[mara.player_id] = {}
    weeks.finish(mara.player_id, MONDAY, 3)
    weeks.close("2026-12-01T03:00:00")
    assert link(shown(app, "/leaderboard?period=all-time"), "Mara") == "/player/Mara"
    assert link(shown(app, f"/leaderboard?round={SEALED}"), "Mara") == f"/run/{weeks.runs[mara.player_id, MONDAY]}"


def test_periods_lead_to_each_other_and_to_their_neighbours(app: Flask, weeks: Weeks) -> None:
    weeks.finish(weeks.join(), MONDAY, 3)
    weeks.close("2026-12-08T03:00:00")
    week = shown(app, "/leaderboard?period=week")
    assert "running, 1 closed day" in week
    assert "Week 50" in week
    earlier = shown(app, link(week, "← Week 49"))
    assert "· final" in earlier
    assert "Week 48" not in earlier, "there were no days"
    assert link(earlier, "Week 50 →") == "/leaderboard?period=week&of=2026-W50&ruleset=classic&mode=sealed"
    month = shown(app, link(earlier, "Month"))
    assert "December 2026" in month
    assert "← November 2026" in month
    assert "All time" in shown(app, link(month, "All time"))
    day = shown(app, link(earlier, "Day"))
    assert "Sunday 6 December 2026" in day
    assert "Week 49" in shown(app, link(day, "Week"))


def test_a_filter_is_kept_from_page_to_page(app: Flask, weeks: Weeks) -> None:
    for number in range(120):
        weeks.finish(weeks.join(bot=number % 2 == 0), MONDAY, number)
    weeks.close("2026-12-01T03:00:00")
    page = shown(app, "/leaderboard?period=week&of=2026-W49&bots=only")
    assert "60 players" in page
    for text in ("Further", "Day", "Month", "CSV"):
        assert "bots=only" in link(page, text)
    assert len(ranks(shown(app, link(page, "Further")))) == 10
    assert app.test_client().get(link(page, "CSV")).text.count("\n") == 61
    assert app.test_client().get(link(page, "JSON")).get_json()["total"] == 60


def test_nothing_of_a_running_day_is_on_the_page_of_a_period(app: Flask, weeks: Weeks, mara: Api) -> None:
    weeks.results[mara.player_id] = {}
    weeks.finish(mara.player_id, MONDAY, 3)
    for moment in ("2026-11-30T23:00:00", "2026-12-01T00:30:00"):
        weeks.close(moment)
        for period in ("week&of=2026-W49", "month&of=2026-11", "all-time"):
            page = shown(app, f"/leaderboard?period={period}")
            assert "Mara" not in page
            assert "has closed yet" in page
            assert "1 Dec, 02:00 UTC" in page
    weeks.close("2026-12-01T02:00:00")
    assert "Mara" in shown(app, "/leaderboard?period=week&of=2026-W49")


def test_a_period_that_there_is_not_says_so(app: Flask) -> None:
    for query, status in (
        ("period=year", 404),
        ("period=week&of=2027-W01", 404),
        ("period=week&ruleset=digits", 422),
        ("period=week&ruleset=x", 404),
        ("period=week&of=x", 422),
    ):
        assert app.test_client().get(f"/leaderboard?{query}", headers={"Accept": "text/html"}).status_code == status
