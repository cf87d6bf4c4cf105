"""The page of a run: replay, analysis by keyboard, sharing in all its ways, and paper."""

import re
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import Opener
from tests.browser.hosting import SEALED, Host
from tests.browser.people import Keyboard
from tests.browser.published import CLOSED
from tests.players import any_of

NINE = "88820462180e5c893eff2ed73f4ec33e205d1cd5acc4d17fa7b2bca2495d3448"  # a seed on which nine turns shut the box
NINE_TURNS = [
    {"dice": dice, "shut": [tile]}
    for dice, tile in ((2, 7), (2, 6), (2, 8), (2, 9), (1, 1), (2, 5), (2, 4), (1, 3), (2, 2))
]
PHONE = {"is_mobile": True, "has_touch": True}


def finished(host: Host, page: Any) -> str:
    """Give a page's browser a player who has finished the sealed round; return the id of the run."""
    player = host.player()
    host.sign_in(page, player)
    run_id: str = player.play_sealed(SEALED, any_of(3))["run_id"]
    return run_id


def closed_run(host: Host) -> tuple[str, list[Any]]:
    """Return the id and turns of a run on a round that has closed."""
    player = host.player("Mara")
    run_id = player.play_sealed(SEALED, any_of(8))["run_id"]
    host.go_to(CLOSED)
    return run_id, player.get(f"/runs/{run_id}").get_json()["turns"]


def replay(page: Any) -> Any:
    return page.get_by_role("region", name="Replay")


def shut_now(page: Any) -> list[int]:
    """Return the tiles that the replay names as shut on this roll."""
    names = replay(page).get_by_role("listitem").all_inner_texts()
    return [int(re.findall(r"\d+", name)[0]) for name in names if "shut now" in name]


def test_a_replay_goes_step_by_step_by_names_and_keeps_its_step_in_the_address(host: Host, page: Any) -> None:
    run_id, turns = closed_run(host)
    last = len(turns)
    page.goto(f"/run/{run_id}")
    for number, turn in enumerate(turns, start=1):
        expect(replay(page)).to_contain_text(f"Step {number} of {last}.")
        assert shut_now(page) == turn["shut"]
        expect(page.get_by_role("img", name=re.compile("^Rolled "))).to_be_visible()
        if number < last:
            replay(page).get_by_role("button", name="Next", exact=True).click()
    assert page.url.endswith(f"#step-{last}")
    expect(page.get_by_role("status").last).to_contain_text(f"Step {last} of {last}.")
    replay(page).get_by_role("button", name="Back", exact=True).click()
    expect(replay(page)).to_contain_text(f"Step {last - 1} of {last}.")
    replay(page).get_by_role("button", name="First step").click()
    assert page.url.endswith("#step-1")
    expect(replay(page).get_by_role("button", name="Back", exact=True)).to_have_attribute("aria-disabled", "true")
    replay(page).get_by_role("button", name="Last step").click()
    assert page.url.endswith(f"#step-{last}")
    expect(page.locator("tbody[data-current]")).to_have_attribute("id", f"step-{last}")


def test_a_permalink_opens_its_step_and_a_link_of_the_table_shows_its_own(host: Host, page: Any) -> None:
    run_id, turns = closed_run(host)
    page.goto(f"/run/{run_id}#step-2")
    expect(replay(page)).to_contain_text(f"Step 2 of {len(turns)}.")
    assert shut_now(page) == turns[1]["shut"]
    page.get_by_role("table").get_by_role("link", name="Step 3").first.click()
    expect(replay(page)).to_contain_text(f"Step 3 of {len(turns)}.")
    expect(replay(page)).to_be_in_viewport()
    replay(page).get_by_role("button", name="Back", exact=True).click()
    page.get_by_role("table").get_by_role("link", name="Step 2").first.click()  # where the address leads already
    expect(replay(page)).to_be_focused()
    expect(replay(page)).to_be_in_viewport()
    page.goto(f"/run/{run_id}#step-99")
    page.reload()
    expect(replay(page)).to_contain_text("Step 1 of")


@pytest.mark.parametrize("width", [320, 375])
def test_the_cards_of_an_analysis_keep_their_parts_apart(host: Host, open_page: Opener, width: int) -> None:
    """Of twelve tiles none stands in a line alone, numbers beside each other have a gap, and no grade sticks out."""
    page = open_page(width)
    player = host.player("Mara")
    host.sign_in(page, player)
    page.goto(f"/run/{player.play_sealed(host.round_id('twelve'), any_of(3))['run_id']}")
    cards = page.locator(".analysis tbody tr")
    assert cards.count() > 2
    for card in cards.all():
        heights = [tile.bounding_box()["y"] for tile in card.locator(".mini").all()]
        lines = Counter(round(height / 10) for height in heights)
        assert len(set(lines.values())) <= 1, lines
        luck, way = (card.locator(f"[data-label='{name}']").bounding_box() for name in ("Luck", "Your way"))
        assert way["x"] - (luck["x"] + luck["width"]) >= 8
        assert card.locator(".graded").evaluate("cell => cell.scrollWidth <= cell.clientWidth")


def test_a_replay_obeys_keys_where_it_has_the_focus(host: Host, page: Any) -> None:
    run_id, turns = closed_run(host)
    last = len(turns)
    page.goto(f"/run/{run_id}")
    page.keyboard.press("End")  # the page has the focus, not the replay
    expect(replay(page)).to_contain_text(f"Step 1 of {last}.")
    Keyboard(page).reach("[data-act=first]")
    for key, step in (("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", last), ("Home", 1)):
        page.keyboard.press(key)
        expect(replay(page)).to_contain_text(f"Step {step} of {last}.")
    page.keyboard.press("ArrowLeft")
    expect(replay(page)).to_contain_text(f"Step 1 of {last}.")
    page.keyboard.press("p")
    expect(replay(page).get_by_role("button", name="Pause")).to_be_visible()
    page.keyboard.press("p")
    expect(replay(page).get_by_role("button", name="Play")).to_be_visible()
    page.evaluate("document.documentElement.dataset.shortcuts = 'off'")
    page.keyboard.press("p")
    page.keyboard.press("ArrowRight")  # not a single character: it works as before
    expect(replay(page)).to_contain_text(f"Step 2 of {last}.")
    expect(replay(page).get_by_role("button", name="Play")).to_be_visible()


def test_a_replay_plays_to_its_end_when_asked_and_stops_at_any_other_act(host: Host, page: Any) -> None:
    run_id, turns = closed_run(host)
    last = len(turns)
    page.clock.install()
    page.goto(f"/run/{run_id}")
    page.clock.run_for(60_000)
    expect(replay(page)).to_contain_text(f"Step 1 of {last}.")
    page.get_by_label("Speed").select_option("fast")
    replay(page).get_by_role("button", name="Play").click()
    page.clock.run_for(950)
    expect(replay(page)).to_contain_text(f"Step 2 of {last}.")
    replay(page).get_by_role("button", name="Back", exact=True).click()
    page.clock.run_for(60_000)
    expect(replay(page)).to_contain_text(f"Step 1 of {last}.")
    replay(page).get_by_role("button", name="Play").click()
    page.clock.run_for(900 * last + 500)
    expect(replay(page)).to_contain_text(f"Step {last} of {last}.")
    expect(replay(page).get_by_role("button", name="Play")).to_be_visible()
    assert page.evaluate("document.getAnimations().length") == 0  # reduced motion


def test_the_analysis_is_read_and_worked_by_keyboard_alone(host: Host, page: Any) -> None:
    """Report 28. A table with headings, a link for each step, and every control of the page reached by Tab."""
    run_id, turns = closed_run(host)
    page.goto(f"/run/{run_id}")
    table = page.get_by_role("table", name="Step by step")
    heads = table.get_by_role("columnheader").all_inner_texts()
    assert [head.upper() for head in heads] == [
        "STEP",
        "BOARD BEFORE",
        "ROLL",
        "LUCK OF THE ROLL",
        "WAY PLAYED",
        "BEST WAY",
        "LEFT AFTER THE BEST",
        "LOST",
        "GRADE",
        "ALL WAYS",
    ]
    for number in range(1, len(turns) + 1):
        header = table.get_by_role("rowheader", name=re.compile(rf"^Step {number}\b")).first
        expect(header.get_by_role("link")).to_have_attribute("href", f"#step-{number}")
    for level, count in ((1, 1), (2, 4)):
        expect(page.get_by_role("main").get_by_role("heading", level=level)).to_have_count(count)
    keyboard = Keyboard(page)
    keyboard.reach("#step-2 th a")
    page.keyboard.press("Enter")
    expect(replay(page)).to_contain_text("Step 2 of")
    expect(replay(page)).to_be_focused()
    keyboard.reach(".more summary")
    page.keyboard.press("Enter")
    expect(page.locator(".more details[open] li").first).to_contain_text("left")
    keyboard.reach(".from-here")
    keyboard.reach("main .actions:last-of-type a")


def test_without_scripts_the_table_is_whole_and_nothing_asks_for_scripts(host: Host, open_page: Opener) -> None:
    run_id, turns = closed_run(host)
    page = open_page(java_script_enabled=False)
    page.goto(f"/run/{run_id}")
    expect(page.get_by_role("table", name="Step by step").get_by_role("rowgroup")).to_have_count(len(turns) + 1)
    for name in ("Share", "Copy as plain text", "Next", "Play"):
        expect(page.get_by_role("button", name=name)).to_have_count(0)
    page.get_by_text("Show the texts").click()
    expect(page.get_by_label("As plain text")).to_have_value(re.compile("^Shutbox number 334 .*/d/2026-11-30$"))


# Sharing


def shared_text(page: Any) -> str:
    return str(page.locator("#squares-text").input_value())


def test_a_mouse_copies_and_the_text_ends_with_the_address_of_the_day(host: Host, open_page: Opener) -> None:
    """Reports 20 and 21. On the permalink of the run, also where the browser has a sheet."""
    page = open_page(1280, permissions=["clipboard-read", "clipboard-write"])
    page.add_init_script("navigator.canShare = () => true; navigator.share = () => { throw new Error('the sheet'); };")
    run_id = finished(host, page)
    page.goto(f"/run/{run_id}")
    page.get_by_role("button", name="Share").click()
    expect(page.locator("#note")).to_have_text("Copied.")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text == shared_text(page)
    assert text.endswith(f"{host.address}/d/2026-11-30")
    page.get_by_role("button", name="Copy as plain text").click()
    expect(page.get_by_role("status").last).to_have_text("Copied as plain text.")
    assert page.evaluate("navigator.clipboard.readText()") == page.locator("#plain-text").input_value()
    page.goto(text.splitlines()[-1])  # the day, and nothing of the run
    expect(page.get_by_role("main")).not_to_contain_text("Given away")


@pytest.mark.parametrize("ended", ["shared", "AbortError", "NotAllowedError"])
def test_a_finger_gets_the_sheet_and_one_that_is_put_away_does_nothing(
    host: Host, open_page: Opener, ended: str
) -> None:
    """Report 20. A sheet that fails for another reason than its reader leaves the copy."""
    page = open_page(permissions=["clipboard-read", "clipboard-write"], **PHONE)
    page.add_init_script(
        f"""window.sheets = [];
        navigator.canShare = ({{text}}) => Boolean(text);
        navigator.share = async ({{text}}) => {{
          window.sheets.push(text);
          if ("{ended}" !== "shared") throw new DOMException("", "{ended}");
        }};
        navigator.clipboard.writeText = async (text) => {{ window.copied = text; }};"""
    )
    run_id = finished(host, page)
    page.goto(f"/run/{run_id}")
    page.get_by_role("button", name="Share").tap()
    said = {"shared": "Shared.", "AbortError": "", "NotAllowedError": "Copied."}[ended]
    page.wait_for_function("window.sheets.length")
    expect(page.locator("#note")).to_have_text(said)
    assert page.evaluate("window.sheets") == [shared_text(page)]
    assert page.evaluate("window.copied ?? ''") == (shared_text(page) if said == "Copied." else "")
    expect(page.locator("#share-texts[open]")).to_have_count(0)


def test_without_clipboard_and_sheet_the_text_is_selected_and_the_page_says_how(host: Host, page: Any) -> None:
    """Report 19. As on a page that was not read over HTTPS."""
    page.add_init_script(
        """for (const name of ["clipboard", "share", "canShare"])
          Object.defineProperty(Navigator.prototype, name, {value: undefined});"""
    )
    run_id = finished(host, page)
    page.goto(f"/run/{run_id}")
    for button, box in (("Share", "squares-text"), ("Copy as plain text", "plain-text")):
        page.get_by_role("button", name=button).click()
        expect(page.get_by_role("status").last).to_contain_text("The text is selected")
        expect(page.locator(f"#{box}")).to_be_focused()
        chosen = page.evaluate("getSelection().toString()")
        assert chosen == page.locator(f"#{box}").input_value()
    replay(page).get_by_role("button", name="Copy link").click()
    expect(page.get_by_label("The link to this step")).to_be_focused()
    expect(page.get_by_label("The link to this step")).to_have_value(f"{host.address}/run/{run_id}#step-1")


def test_the_heading_of_the_name_holds_before_and_after_it_was_claimed(host: Host, page: Any) -> None:
    run_id = finished(host, page)
    page.goto(f"/run/{run_id}")
    expect(page.get_by_role("heading", name="Your name")).to_be_visible()
    page.get_by_label("Your name on the leaderboards").fill("Mara")
    page.get_by_role("button", name="Claim name").click()
    expect(page.locator("#claim-note")).to_have_text("You play as Mara.")
    expect(page.get_by_role("button", name="Change name")).to_be_visible()
    expect(page.get_by_role("heading", name="Claim")).to_have_count(0)


# Paper


def test_a_run_of_nine_turns_prints_white_on_one_page_in_the_dark_scheme(host: Host, page: Any) -> None:
    """Report 32. On A4 and on Letter."""
    player = host.player()
    host.sign_in(page, player)
    issued = player.issue(seed=NINE)
    run_id = player.submit(issued["round_id"], NINE_TURNS).get_json()["run_id"]
    page.emulate_media(color_scheme="dark")
    page.goto(f"/run/{run_id}")
    expect(page.locator(".analysis tbody")).to_have_count(9)
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    for paper in ("A4", "Letter"):
        printed = page.pdf(format=paper, print_background=True)
        assert len(re.findall(rb"/Type\s*/Page\b(?!s)", printed)) == 1
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(page.get_by_role("table", name="Step by step")).to_be_visible()
    expect(page.get_by_role("navigation")).to_be_hidden()
    expect(page.get_by_role("button")).to_have_count(0)
