"""Whole rounds in Chromium: sealed and puzzle, on a phone and a desktop, by every kind of input."""

from typing import Any

import pytest
from playwright.sync_api import expect
from shutbox.game.encoding import mask_of
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import CATALOGUE

from tests.browser.conftest import Opener
from tests.browser.hosting import PUZZLE, SEALED, VARIANT, Host
from tests.browser.people import KINDS, Mouse, state_of
from tests.conftest import TODAY
from tests.players import any_of, legal_turns, table_of

EVERY_WAY = pytest.mark.parametrize("kind", list(KINDS))
BOTH_WIDTHS = pytest.mark.parametrize("width", [375, 1280])


def person(open_page: Opener, kind: str, width: int, round_id: str) -> Mouse:
    page = open_page(width, has_touch=kind == "touch")
    return KINDS[kind](page, round_id)


@BOTH_WIDTHS
@EVERY_WAY
def test_a_sealed_round_is_played_to_its_result(host: Host, open_page: Opener, kind: str, width: int) -> None:
    someone = person(open_page, kind, width, SEALED)
    page = someone.page
    someone.open()
    assert page.context.cookies() == []
    someone.play()
    expect(page.locator("#status")).to_contain_text(
        "Rolled 4. No open tiles make 4. Round over, 10 left: tiles 2, 3 and 5."
    )
    expect(page.locator("#turns li")).to_have_count(5)
    someone.press("#primary") if kind != "names" else page.get_by_role("button", name="See the result").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Score 35 · 10 left")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    expect(page.locator(".facts")).to_contain_text("1 of 1")
    [cookie] = page.context.cookies()
    assert cookie["httpOnly"]
    assert cookie["sameSite"] == "Lax"


@BOTH_WIDTHS
@EVERY_WAY
def test_a_puzzle_is_played_submitted_and_ranked(host: Host, open_page: Opener, kind: str, width: int) -> None:
    someone = person(open_page, kind, width, PUZZLE)
    page = someone.page
    someone.open()
    expect(page.get_by_role("list", name="All dice").get_by_role("img")).to_have_count(9)
    someone.play()
    someone.primary()
    expect(page.locator("#verdict")).to_contain_text("Verified. Score 32 · 13 left. Rank 1 of 1.")
    page.get_by_role("link", name="The run").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Score 32 · 13 left")
    expect(page.get_by_role("table", name="Step by step").get_by_role("rowgroup")).to_have_count(6)


def test_a_round_of_twelve_tiles_is_played_by_keyboard(host: Host, open_page: Opener) -> None:
    someone = KINDS["keyboard"](open_page(1280), host.round_id(VARIANT))
    someone.open()
    someone.play()
    assert state_of(someone.page) in ("locked", "shut")


def test_the_same_line_again_is_told_as_such(host: Host, page: Any) -> None:
    someone = Mouse(page, PUZZLE)
    someone.open()
    someone.play()
    someone.primary()
    expect(page.locator("#verdict")).to_contain_text("Verified")
    page.reload()
    someone.play()
    someone.primary()
    expect(page.locator("#verdict")).to_contain_text("You had submitted this line before.")


def test_the_best_score_so_far_stands_beside_a_new_line(host: Host, page: Any) -> None:
    """Also after a worse line, and on the next visit."""
    someone = Mouse(page, PUZZLE)
    someone.open()
    expect(page.locator("#where")).not_to_contain_text("best so far")
    someone.play()
    someone.primary()
    expect(page.locator("#where")).to_have_text("30 Nov · Score 32 · 13 left · best so far 32")
    page.get_by_role("button", name="Restart").click()
    expect(page.locator("#where")).to_have_text("30 Nov · roll 1 · 45 open · best so far 32")
    worse = next(line for line in lines_on(PUZZLE, host) if score_of(line) < 32)
    page.goto("/")
    page.goto(f"/play/{PUZZLE}#{worse}")
    page.get_by_role("button", name="Submit: score").click()
    expect(page.locator("#verdict")).to_contain_text("A better line of yours counts.")
    expect(page.locator("#where")).to_contain_text("best so far 32")


def lines_on(round_id: str, host: Host) -> list[str]:
    """Return lines of a puzzle as an address has them."""
    seed = host.player().get(f"/rounds/{round_id}").get_json()["seed"]
    return [line_of(legal_turns("classic", seed, any_of(number))) for number in range(50)]


def line_of(turns: list[Any]) -> str:
    rules, open_tiles, words = rules_of(CATALOGUE["classic"]), CATALOGUE["classic"].opening, []
    for turn in turns:
        words += [f"d{turn['dice']}"] if len(rules.dice_allowed[open_tiles]) > 1 else []
        words += [".".join(map(str, turn["shut"]))] if turn["shut"] else []
        open_tiles ^= mask_of(turn["shut"])
    return "_".join(words)


def score_of(line: str) -> int:
    return sum(int(tile) for word in line.split("_") if not word.startswith("d") for tile in word.split("."))


def test_undo_and_restart_take_the_line_back(host: Host, page: Any) -> None:
    someone = Mouse(page, PUZZLE)
    someone.open()
    opening = page.locator("#where").inner_text()
    someone.play(2)
    expect(page.locator("#turns li")).to_have_count(2)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#turns li")).to_have_count(1)
    page.reload()
    expect(page.locator("#turns li")).to_have_count(1)  # the line is in the address
    page.get_by_role("button", name="Restart").click()
    expect(page.locator("#where")).to_have_text(opening)


def test_a_name_is_claimed_between_two_rolls_and_the_round_goes_on(host: Host, page: Any) -> None:
    """Report 35."""
    someone = Mouse(page)
    someone.open()
    expect(page.get_by_label("Your name on the leaderboards")).to_be_hidden()
    someone.play(2)
    page.get_by_label("Your name on the leaderboards").fill("Ida")
    page.get_by_role("button", name="Claim name").click()
    expect(page.locator("#claim-note")).to_have_text("You play as Ida.")
    someone.play()
    page.goto(f"/leaderboard?round={SEALED}")
    expect(page.get_by_role("row", name="Ida")).to_have_attribute("aria-current", "true")


def test_a_name_that_is_taken_is_told(host: Host, page: Any) -> None:
    host.player("Ida")
    someone = Mouse(page)
    someone.open()
    someone.play(1)
    page.get_by_label("Your name on the leaderboards").fill("ida")
    page.get_by_role("button", name="Claim name").click()
    expect(page.locator("#claim-note")).to_contain_text("The name is taken")


def test_the_result_of_an_ended_round_is_where_it_was_played(host: Host, page: Any) -> None:
    someone = Mouse(page)
    someone.open()
    someone.play()
    page.goto(f"/play/{SEALED}")
    expect(page.locator("#status")).to_have_text("You have played this round. Score 35 · 10 left.")
    page.get_by_role("button", name="See the result").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score 35")


def test_a_round_that_the_first_roll_loses_is_told(host: Host, page: Any) -> None:
    """2 to go: a first roll of 1 and 3 leaves no set with tile 2, so there is nothing to decide."""
    lost = next(seed for seed in (f"{n:064x}" for n in range(500)) if table_of("two-to-go", seed)[1].rolls[0] == (1, 3))
    page.goto("/")
    wanted = {"ruleset": "two-to-go", "mode": "sealed", "seed": lost}
    round_id = page.evaluate(
        """async (wanted) => {
            await fetch("/api/v1/players", {method: "POST"});
            const body = JSON.stringify(wanted), headers = {"Content-Type": "application/json"};
            return (await (await fetch("/api/v1/rounds", {method: "POST", headers, body})).json()).round_id;
        }""",
        wanted,
    )
    page.goto(f"/play/{round_id}")
    page.get_by_role("button", name="Roll 2 dice").click()
    expect(page.locator("#status")).to_contain_text("Round over, 45 left")
    expect(page.locator("#turns li")).to_have_text(["1 + 3, no move"])
    page.get_by_role("button", name="See the result").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score 0")


def test_a_round_that_is_not_open_yet_cannot_be_begun(host: Host, page: Any) -> None:
    day = TODAY.replace(month=12, day=2)
    page.goto(f"/play/{host.round_id('classic', day=day)}")
    expect(page.get_by_role("button", name="Not open yet")).to_have_attribute("aria-disabled", "true")


def test_where_a_puzzle_cannot_be_derived_the_page_says_why(host: Host, page: Any) -> None:
    page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', {get: () => undefined})")
    page.goto(f"/play/{PUZZLE}")
    expect(page.get_by_role("alert")).to_contain_text("only over HTTPS or on localhost")
    expect(page.locator("#primary")).to_have_attribute("aria-disabled", "true")
    someone = Mouse(page)
    someone.open()
    someone.play()  # a sealed round needs no cryptography
    expect(page.locator("#where")).to_contain_text("Score 35")
