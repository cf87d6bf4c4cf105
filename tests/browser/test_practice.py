"""Practice: any rules on known or fresh dice, played here, sending nothing, with exact values on request."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import expect
from shutbox.game.analysis import analysis
from shutbox.game.rulesets import CATALOGUE
from shutbox.web.analysis_table import identity, sums

from tests.browser.conftest import Opener
from tests.browser.hosting import PUZZLE, SEALED, Host
from tests.browser.people import KINDS, Mouse, facing, state_of
from tests.browser.published import close_round
from tests.browser.test_state import hear
from tests.players import as_turns, first, legal_turns, table_of
from tests.vectors import vectors

SEED = "6898cf836587d764e02319b821720951a8ee50a301c142776b5d0598fb126301"
KNOWN = f"/practice?ruleset=classic&seed={SEED}"

# Plays to the end as quickly as a page can: the first way that is legal, the first number of dice.
PLAY_ON = """async () => {
  const table = document.getElementById("table");
  const shown = [];
  for (;;) {
    while (table.dataset.busy === "true") await new Promise((resolve) => setTimeout(resolve, 5));
    const label = document.getElementById("dice").getAttribute("aria-label");
    if (table.dataset.state === "choose_dice") document.querySelector("#choose button:last-child").click();
    else {
      shown.push(label);
      if (table.dataset.state !== "choose_tiles") return shown;
      const way = document.querySelector("#ways-list input");
      if (!way.checked) way.click();
      document.getElementById("primary").click();
    }
  }
}"""


def rolls_seen(labels: list[str]) -> list[list[int]]:
    """Return the faces of dice by their names: "Rolled 5 and 3, total 8"."""
    return [[int(face) for face in re.findall(r"\d+", label.split(", total")[0])] for label in labels]


def test_every_ruleset_is_played_to_its_end_on_the_dice_of_the_vectors(host: Host, page: Any) -> None:
    """The dice of a seed of one's own are those of the protocol, and the score is that of replay."""
    dealt = {(one["ruleset"], one["seed"]): one["rolls"] for one in vectors("dice")}
    for ruleset in CATALOGUE:
        page.goto(f"/practice?ruleset={ruleset}&seed={SEED}")
        expect(page.get_by_role("heading", level=1)).to_have_text(f"Practice {CATALOGUE[ruleset].name}")
        seen = rolls_seen(page.evaluate(PLAY_ON))
        turns = as_turns(legal_turns(ruleset, SEED, first))
        rules, _ = table_of(ruleset, SEED)
        open_tiles = rules.opening
        for turn in turns:
            open_tiles &= ~sum(1 << (tile - 1) for tile in turn.shut)
        score = rules.opening_penalty - rules.penalties[open_tiles]
        assert seen[: len(turns)] == [
            rolls[: turn.dice] for rolls, turn in zip(dealt[ruleset, SEED], turns, strict=False)
        ], ruleset
        expect(page.locator("#where")).to_have_text(re.compile(f"Score {score} · "))


def test_the_analysis_of_a_line_is_that_of_the_service(host: Host, page: Any) -> None:
    """Report 28. As a table with headings, for the largest rulesets too, and in numbers that add up."""
    for ruleset in ("classic", "digits", "twelve-three-dice"):
        page.goto(f"/practice?ruleset={ruleset}&seed={SEED}")
        page.evaluate(PLAY_ON)
        rules, table = table_of(ruleset, SEED)
        turns = as_turns(legal_turns(ruleset, SEED, first))
        found = page.get_by_role("table", name="Step by step")
        expect(found).to_be_visible(timeout=20_000)
        expect(page.locator(".identity")).to_have_text(identity(sums(analysis(rules, table, turns))))
        expect(found.locator("tbody")).to_have_count(len(turns))
    expect(page.get_by_role("button", name="See the analysis")).to_be_enabled()
    page.get_by_role("button", name="See the analysis").click()
    expect(page.locator("#score")).to_be_focused()


def test_practice_sends_nothing_and_leaves_no_trace(host: Host, page: Any) -> None:
    """Report 38. Static files only after the page; no cookie, no storage; today's attempt is untouched."""
    asked: list[tuple[str, str]] = []
    page.goto("/practice")
    state_of(page)
    page.wait_for_load_state("networkidle")
    page.on("request", lambda request: asked.append((request.method, request.url.removeprefix(host.address))))
    page.get_by_label("Show expected values").check()
    Mouse(page).play()
    expect(page.get_by_role("table", name="Step by step")).to_be_visible()
    page.get_by_role("button", name="Play the same dice again").click()
    Mouse(page).play(1)
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="New dice").first.click()
    Mouse(page).play(1)
    assert {method for method, _ in asked} == {"GET"}
    assert [path for _, path in asked if not path.startswith("/static/")] == []
    assert page.context.cookies() == []
    assert page.evaluate("[Object.keys(localStorage).length, Object.keys(sessionStorage).length]") == [0, 0]
    round = host.player().get(f"/rounds/{SEALED}").get_json()
    assert (round["started"], round["finished"]) == (0, 0)


def test_practice_of_a_closed_round_leaves_boards_and_today_alone(host: Host, page: Any) -> None:
    """Report 38. By one who has played: the dice are those that were disclosed, the leaderboard stays as it is."""
    close_round(host)
    player = host.player()
    before = player.get(f"/rounds/{SEALED}/leaderboard").get_json()
    seed = player.get(f"/rounds/{SEALED}").get_json()["seed"]
    rolls = [list(faces) for faces in table_of("classic", seed)[1].rolls]
    bundle = [json.loads(line) for line in player.get(f"/rounds/{SEALED}/bundle").text.splitlines()]
    assert bundle[0]["seed"] == seed
    page.goto(f"/practice?round={SEALED}")
    expect(page.locator("#of-round")).to_contain_text("Classic round of Monday 30 November 2026")
    seen = rolls_seen(page.evaluate(PLAY_ON))
    assert [faces == rolls[number][: len(faces)] for number, faces in enumerate(seen)] == [True] * len(seen)
    assert len(seen) > 2
    page.reload()
    expect(page.locator("#where")).to_contain_text("Score")
    page.get_by_role("button", name="New dice").first.click()
    expect(page.locator("#of-round")).to_be_hidden()
    fresh = page.get_by_label("Seed of the dice").input_value()
    page.go_back()
    expect(page.get_by_label("Seed of the dice")).to_have_value(seed)
    expect(page.locator("#of-round")).to_be_visible()
    page.go_forward()
    expect(page.get_by_label("Seed of the dice")).to_have_value(fresh)
    expect(page.locator("#of-round")).to_be_hidden()
    assert player.get(f"/rounds/{SEALED}/leaderboard").get_json() == before
    page.goto("/")
    expect(page.get_by_role("link", name="Play today’s round")).to_be_visible()


def test_a_running_round_cannot_be_practised(host: Host, page: Any) -> None:
    for round_id in (SEALED, PUZZLE):
        assert page.goto(f"/practice?round={round_id}").status == 409
        expect(page.get_by_role("main")).to_contain_text("Its dice are disclosed at its close")


def test_the_address_keeps_dice_and_line(host: Host, page: Any) -> None:
    """Report 9, 10. Fresh dice get into the address; reload, Back and Forward show the same."""
    page.goto("/practice?ruleset=ten")
    state_of(page)
    assert re.search(r"\?ruleset=ten&seed=[0-9a-f]{64}$", page.url)
    Mouse(page).play(2)
    before = facing(page)
    page.reload()
    state_of(page)
    assert facing(page) == before
    page.get_by_role("button", name="New dice").first.click()
    expect(page.locator("#where")).to_contain_text("roll 1")
    other = facing(page)
    page.go_back()
    expect(page.locator("#where")).to_have_text(before[2])
    assert facing(page) == before
    page.go_forward()
    expect(page.locator("#where")).to_have_text(other[2])
    assert facing(page) == other
    page.goto("/rules")
    page.go_back()
    state_of(page)
    assert facing(page) == other


def test_two_visits_have_different_dice(host: Host, page: Any) -> None:
    seeds = set()
    for _ in range(3):
        page.goto("/practice")
        state_of(page)
        seeds.add(page.get_by_label("Seed of the dice").input_value())
    assert len(seeds) == 3


def test_a_wrong_seed_is_explained_and_loses_nothing(host: Host, page: Any) -> None:
    page.goto(KNOWN)
    Mouse(page).play(2)
    before, address = facing(page), page.url
    field = page.get_by_label("Seed of the dice")
    for text, why in ((SEED[:-1], "This has 63."), (SEED[:-1] + "g", "“g” is none of them."), ("", "This has 0.")):
        field.fill(text)
        page.get_by_role("button", name="Deal these dice").click()
        expect(page.locator("#seed-note")).to_contain_text("A seed must have 64 digits, each 0 to 9 or a to f.")
        expect(page.locator("#seed-note")).to_contain_text(why)
        expect(field).to_have_attribute("aria-invalid", "true")
        expect(field).to_be_focused()
        assert field.input_value() == text
        assert (facing(page), page.url) == (before, address)
    field.fill("AB" * 32)
    page.get_by_role("button", name="Deal these dice").click()
    expect(page.locator("#where")).to_contain_text("roll 1")
    expect(field).not_to_have_attribute("aria-invalid", "true")
    assert page.url.endswith("ab" * 32)


def test_an_address_with_a_wrong_seed_says_so_at_the_table_and_offers_new_dice(host: Host, page: Any) -> None:
    page.goto("/practice?seed=zz")
    why = "A seed must have 64 digits, each 0 to 9 or a to f. “z” is none of them."
    expect(page.locator("#hint")).to_have_text(why)
    expect(page.locator("#hint")).to_be_in_viewport()
    expect(page.locator("#status")).to_have_text(why)
    expect(page.get_by_label("Seed of the dice")).to_have_value("zz")
    page.get_by_role("button", name="New dice").first.click()
    expect(page.locator("#where")).to_contain_text("roll 1")
    expect(page.locator("#hint")).not_to_contain_text("seed")
    assert state_of(page) == "choose_tiles"


def test_values_are_shown_only_when_they_are_asked_for(host: Host, page: Any) -> None:
    page.goto(KNOWN)
    state_of(page)
    expect(page.locator(".worth")).to_have_count(0)
    page.get_by_label("Show expected values").check()
    worth = page.locator("#ways-list label")
    expect(worth).to_have_text(["512.39 left, best", "1 and 419.73 left", "2 and 319.39 left"])
    expect(page.locator("#running")).to_have_text("Given away so far: 0.00.")
    page.get_by_role("radio", name="1 and 4").check()
    page.get_by_role("button", name="Shut 1 and 4").click()
    expect(page.locator("#running")).to_have_text("Given away so far: 7.35.")
    page.get_by_label("Show expected values").uncheck()
    expect(page.locator(".worth")).to_have_count(0)
    expect(page.locator("#running")).to_be_hidden()


def test_what_dice_to_roll_is_worth_is_said(host: Host, page: Any) -> None:
    page.goto(f"{KNOWN}#5_2.9_7_4_6_1.8")
    assert state_of(page) == "choose_dice"
    said = hear(page)
    page.get_by_label("Show expected values").check()
    expect(page.locator("#status")).to_have_text("On the average, 1 die: 2.50 left, best; 2 dice: 2.83 left.")
    assert len(said()) == 1


def test_practise_from_a_step_of_the_analysis(host: Host, page: Any) -> None:
    page.goto(KNOWN)
    page.evaluate(PLAY_ON)
    ended = page.url
    page.get_by_role("link", name="Practise from here").nth(2).click()
    expect(page.locator("#turns li")).to_have_count(2)
    expect(page.locator("#primary")).to_be_focused()
    assert page.url.endswith("#5_2.9")
    expect(page.locator("#end")).to_be_hidden()
    page.go_back()
    expect(page.locator("#end")).to_be_visible()
    assert page.url == ended


def test_an_end_offers_the_same_dice_and_others(host: Host, page: Any) -> None:
    page.goto(KNOWN)
    page.evaluate(PLAY_ON)
    expect(page.locator("#score")).to_have_text("Box shut! Score 45 · 0 left")
    expect(page.get_by_role("heading", name="Best possible")).to_be_visible()
    page.get_by_role("button", name="Play the same dice again").click()
    expect(page.locator("#end")).to_be_hidden()
    expect(page.get_by_role("img", name="Rolled 4 and 1, total 5")).to_be_visible()
    page.evaluate(PLAY_ON)
    page.locator("#others").click()
    expect(page.locator("#end")).to_be_hidden()
    expect(page.get_by_label("Seed of the dice")).not_to_have_value(SEED)


def test_other_rules_are_chosen_by_name(host: Host, page: Any) -> None:
    page.goto(KNOWN)
    page.get_by_label("Rules", exact=True).select_option("Crafthouse")
    page.get_by_role("button", name="Play these rules").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Practice Crafthouse")
    expect(page.get_by_role("toolbar", name="Tiles").get_by_role("button")).to_have_count(12)


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_practice_round_is_played_by_every_kind_of_input(host: Host, open_page: Opener, kind: str) -> None:
    page = open_page(375, has_touch=kind == "touch")
    page.goto(KNOWN)
    someone = KINDS[kind](page)
    someone.play()
    expect(page.locator("#where")).to_have_text("Score 45 · 0 left")
    someone.press("#primary") if kind != "names" else page.get_by_role("button", name="See the analysis").click()
    expect(page.get_by_role("heading", name="Box shut! Score 45 · 0 left")).to_be_focused()
    expect(page.get_by_role("table", name="Step by step")).to_be_visible()


def test_coming_dice_are_nowhere_on_the_page(host: Host, page: Any) -> None:
    """One roll at a time, like a sealed round: only the seed tells more, to those who compute."""
    page.goto(KNOWN)
    assert state_of(page) == "choose_tiles"
    expect(page.get_by_role("img", name=re.compile("^(Rolled|Roll)"))).to_have_count(1)
    expect(page.get_by_role("list", name="All dice")).to_have_count(0)


def test_where_dice_cannot_be_derived_the_page_says_why(host: Host, page: Any) -> None:
    page.add_init_script("Object.defineProperty(Crypto.prototype, 'subtle', {get: () => undefined})")
    page.goto("/practice")
    expect(page.get_by_role("alert")).to_contain_text("only over HTTPS or on localhost")
    expect(page.locator("#primary")).to_have_attribute("aria-disabled", "true")


def test_practice_without_scripts_says_that_it_needs_them(host: Host, open_page: Opener) -> None:
    page = open_page(java_script_enabled=False)
    text = page.goto("/practice").text()
    assert "Practice needs scripts." in text[text.index("<noscript>") : text.index("</noscript>")]
    page.get_by_label("Rules", exact=True).select_option("Ten tiles")
    page.get_by_role("button", name="Play these rules").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Practice Ten tiles")
