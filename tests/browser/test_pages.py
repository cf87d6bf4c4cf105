"""The pages for reading: gates, leaderboards, rules; most of them without scripts."""

from typing import Any

from playwright.sync_api import expect
from shutbox.game.dice import deal
from shutbox.game.rules import rules_of
from shutbox.rounds import Mode, get_round, seed_of

from tests.browser.conftest import Opener
from tests.browser.hosting import PUZZLE, SEALED, Host
from tests.browser.people import Mouse
from tests.players import any_of, legal_turns


def submit_lines(host: Host, number: int) -> None:
    """Let that many players submit a line to the puzzle."""
    for index in range(number):
        player = host.player(f"Player {index}")
        seed = player.get(f"/rounds/{PUZZLE}").get_json()["seed"]
        assert player.submit(PUZZLE, legal_turns("classic", seed, any_of(index))).status_code == 201


def test_nothing_of_a_running_sealed_round_is_in_what_is_sent(host: Host, page: Any) -> None:
    """Report 8. No answer, page or script holds the seed, a roll to come, or the best possible result."""
    with host.app.app_context():  # type: ignore[union-attr]
        round = get_round(host.site, SEALED)
        seed = seed_of(host.site, round)
        rolls = deal(rules_of(round.ruleset), seed).rolls
    bodies: list[str] = []

    def keep(response: Any) -> None:
        if response.status == 200 or response.status == 201:
            bodies.append(response.text())

    page.on("response", keep)
    host.finish_sealed(["Ada", "Ben"])
    page.goto("/")
    someone = Mouse(page)
    someone.open()
    seen = 0
    while someone.step():
        page.wait_for_timeout(0)
        text = "\n".join(bodies)
        seen = max(seen, text.count('"faces":['))
        for coming in range(page.locator("#turns li").count() + 2, len(rolls) - 1):
            pair = ",".join(str([list(roll) for roll in rolls[coming : coming + 2]]).replace(" ", "").split())
            assert pair not in text
        assert seed.hex() not in text
        assert '"best_possible_penalty":' not in text or '"best_possible_penalty":null' in text
    assert seen > 3


def test_one_who_has_not_finished_sees_only_counts(host: Host, open_page: Opener) -> None:
    host.finish_sealed(["Ada", "Ben", "Cyd"])
    page = open_page(java_script_enabled=False)
    for path in ("/", "/leaderboard", f"/leaderboard?round={SEALED}&around=me"):
        page.goto(path)
        expect(page.get_by_role("main")).not_to_contain_text("Ada")
    expect(page.get_by_role("main")).to_contain_text("3 have finished. Finish yours to see the standings.")
    run_id = host.finish_sealed(["Dot"])[0]["run_id"]
    page.goto(f"/run/{run_id}")
    expect(page.get_by_role("main")).to_contain_text("4 have finished. Finish yours to see the standings.")
    expect(page.get_by_role("main")).not_to_contain_text("Score")
    expect(page.get_by_role("table")).to_have_count(0)


def test_one_who_has_finished_sees_the_standings_but_no_turns_of_others(host: Host, page: Any) -> None:
    other = host.finish_sealed(["Ada"])[0]["run_id"]
    someone = Mouse(page)
    someone.open()
    someone.play()
    page.goto("/leaderboard")
    expect(page.get_by_role("row", name="Ada")).to_be_visible()
    page.goto(f"/run/{other}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score")
    expect(page.get_by_role("main")).to_contain_text("The turns are shown when the round has closed")
    expect(page.get_by_role("table")).to_have_count(0)


def test_a_closed_day_is_final_and_open_to_all(host: Host, open_page: Opener) -> None:
    run_id = host.finish_sealed(["Ada", "Ben"])[0]["run_id"]
    host.go_to("2026-12-01T02:00:01")
    page = open_page(java_script_enabled=False)
    page.goto("/")
    expect(page.get_by_role("table", name="Final leaderboard of Classic round").get_by_role("row")).to_have_count(3)
    page.goto(f"/run/{run_id}")
    expect(page.get_by_role("main")).to_contain_text("Best possible")
    expect(page.get_by_role("table", name="Step by step")).to_be_visible()
    page.goto("/d/2026-11-30")
    expect(page.get_by_role("main")).to_contain_text("This day has closed: its results are final.")
    page.goto("/leaderboard")
    page.get_by_role("link", name="← 30 Nov").click()
    expect(page.get_by_role("table")).to_contain_text("Ada")


def test_a_leaderboard_is_paged_by_links_and_finds_its_reader(host: Host, open_page: Opener) -> None:
    submit_lines(host, 60)
    page = open_page(1280, java_script_enabled=False)
    address = f"/leaderboard?round={PUZZLE}"
    page.goto(address)
    rows = page.get_by_role("table").get_by_role("row")
    expect(rows).to_have_count(51)
    first = rows.nth(1).inner_text()
    expect(
        page.get_by_role("rowheader").locator("xpath=preceding-sibling::td[contains(., 'shared')]").first
    ).to_be_visible()
    page.get_by_role("link", name="Further →").click()
    expect(rows).to_have_count(11)
    expect(page.get_by_role("link", name="Further →")).to_have_count(0)
    page.get_by_role("link", name="← Better").click()
    assert rows.nth(1).inner_text() == first
    page.goto(f"{address}&around=me")
    expect(page.get_by_role("main")).to_contain_text("You are not on this leaderboard")
    other = open_page(1280)
    someone = Mouse(other, PUZZLE)
    someone.open()
    someone.play()
    someone.primary()
    expect(other.locator("#verdict")).to_contain_text("Verified")
    other.goto(address)
    other.get_by_role("link", name="Find me").click()
    expect(other.locator("tr[aria-current]")).to_have_count(1)


def test_an_empty_leaderboard_says_so(host: Host, page: Any) -> None:
    page.goto(f"/leaderboard?round={PUZZLE}")
    expect(page.get_by_role("main")).to_contain_text("Nobody is ranked yet.")


def test_rules_are_read_without_scripts(host: Host, open_page: Opener) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/rules")
    expect(page.get_by_role("heading", level=2)).to_have_count(17)
    page.get_by_role("link", name="Classic", exact=True).click()
    expect(page.get_by_role("main")).to_contain_text("You may roll one die instead of two once 7 to 9 are shut.")
    expect(page.get_by_role("main")).to_contain_text("431363714383/39182082048")


def test_play_says_that_it_needs_scripts(host: Host, page: Any) -> None:
    for round_id in (SEALED, PUZZLE):
        text = page.request.get(f"/play/{round_id}").text()
        assert "Playing needs scripts." in text[text.index("<noscript>") : text.index("</noscript>")]


def test_the_first_roll_needs_no_form_and_sets_one_cookie(host: Host, page: Any) -> None:
    page.goto("/")
    page.get_by_role("link", name="Play today’s round").click()
    assert page.context.cookies() == []
    assert page.evaluate("document.cookie") == ""
    Mouse(page).play(1)
    assert [cookie["name"] for cookie in page.context.cookies()] == ["shutbox"]
    assert page.evaluate("document.cookie") == ""  # no script can read it


def test_an_unknown_address_is_a_page_for_people(host: Host, page: Any) -> None:
    for path in ("/nothing", "/play/nothing", "/run/0192f000-0000-7000-8000-000000000000", "/rules/x", "/d/2020-01-01"):
        answer = page.goto(path)
        assert answer.status == 404, path
        expect(page.get_by_role("link", name="Today’s rounds")).to_be_visible()
    answer = page.request.get("/api/v1/nothing", headers={"Accept": "text/html"})
    assert answer.headers["content-type"] == "application/problem+json"


def test_another_players_practice_round_is_not_shown(host: Host, page: Any) -> None:
    issued = host.player().issue(mode=Mode.SEALED.value)
    assert page.goto(f"/play/{issued['round_id']}").status == 404
