"""Keys, focus, what is said aloud, motion, and browsers that keep nothing."""

from typing import Any

from playwright.sync_api import expect
from shutbox.game import play
from shutbox.game.rules import RollTable, Rules

from tests.browser.conftest import Opener
from tests.browser.hosting import PUZZLE, SEALED, Host
from tests.browser.people import Keyboard, Mouse, Plain, state_of
from tests.browser.test_network import count_posts
from tests.browser.test_state import begun, hear
from tests.players import table_of


def test_enter_after_a_click_on_a_tile_has_one_effect(host: Host, page: Any) -> None:
    """Report 23. It presses the tile that has the focus, once; nothing is sent."""
    begun(host, page, 1)
    sent = count_posts(page)
    tile = page.get_by_role("button", name="Tile 5")
    tile.click()
    expect(tile).to_have_attribute("aria-pressed", "true")
    for _ in range(10):
        page.keyboard.down("Enter")
    page.keyboard.up("Enter")
    expect(tile).to_have_attribute("aria-pressed", "false")
    assert sent == []


def test_pages_can_be_zoomed_but_not_by_a_double_tap(host: Host, page: Any) -> None:
    """Report 24."""
    page.goto(f"/play/{SEALED}")
    for selector in ("html", "body", "#primary", "#tiles button"):
        style = page.locator(selector).first.evaluate("part => getComputedStyle(part).touchAction")
        assert style == "manipulation", selector
    viewport = page.locator("meta[name=viewport]").get_attribute("content")
    assert "user-scalable" not in viewport
    assert "maximum-scale" not in viewport


def test_a_round_is_played_without_single_keys(host: Host, page: Any) -> None:
    """Report 25. With shortcuts off, by Tab, arrows and Space; digits do nothing."""
    page.goto("/settings")
    page.get_by_role("group", name="Single-key shortcuts").get_by_role("radio", name="Off").check()
    expect(page.locator("#status")).to_have_text("Kept.")
    someone = Plain(page)
    someone.open()
    someone.play(1)
    page.keyboard.press("5")
    page.keyboard.press("n")
    page.keyboard.press("?")
    expect(page.locator("#tiles [aria-pressed=true]")).to_have_count(0)
    expect(page.get_by_role("dialog")).to_be_hidden()
    someone.play()
    expect(page.locator("#where")).to_contain_text("Score 35")


def test_the_list_of_keys_gives_the_focus_back(host: Host, page: Any) -> None:
    """Report 26. A native dialog; Escape closes it."""
    begun(host, page, 1)
    page.locator("#primary").focus()
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keys")).to_be_visible()
    assert page.evaluate("document.querySelector('dialog').matches(':modal')")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    expect(page.locator("#primary")).to_be_focused()
    page.get_by_role("button", name="Keys").click()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("button", name="Keys")).to_be_focused()


def test_tab_leaves_the_board(host: Host, page: Any) -> None:
    """Report 26. No trap: the toolbar is one stop, and 30 Tabs leave the table."""
    begun(host, page, 1)
    page.locator("#tiles [tabindex='0']").focus()
    page.keyboard.press("Tab")
    assert not page.evaluate("document.activeElement.closest('#tiles')")
    for _ in range(29):
        page.keyboard.press("Tab")
    assert not page.evaluate("document.getElementById('table').contains(document.activeElement)")


def test_every_action_is_spoken_also_in_equal_words(host: Host, page: Any) -> None:
    """Report 27. The regions are there and empty at load; each action is a change in one."""
    page.goto(f"/play/{SEALED}")
    expect(page.get_by_role("status").and_(page.locator("#status"))).to_be_empty()
    expect(page.get_by_role("alert")).to_be_empty()
    said = hear(page)
    Mouse(page).play(1)
    expect(page.locator("#status")).to_have_text("Rolled 5 and 4: 9. 8 ways.")
    for key, text in [
        ("5", "Tile 5 chosen, 5 of 9."),
        ("5", "Tile 5 raised again, 0 of 9."),
        ("9", "Tile 9 chosen, 9 of 9."),
        ("2", "11 is more than 9."),
        ("Escape", "Nothing chosen."),
        ("n", "9 chosen."),
        ("s", "Rolled 5 and 4: 9. 8 ways. Open: 1, 2, 3, 4, 5, 6, 7, 8, 9. Chosen 9 of 9."),
        ("s", "Rolled 5 and 4: 9. 8 ways. Open: 1, 2, 3, 4, 5, 6, 7, 8, 9. Chosen 9 of 9."),
    ]:
        before = len(said())
        page.keyboard.press(key)
        expect(page.locator("html")).to_have_attribute("data-said", str(before + 1))
        expect(page.locator("#status")).to_have_text(text)
    page.locator("#primary").click()
    expect(page.locator("#status")).to_contain_text("Rolled")
    state_of(page)
    assert "Day 334. Tiles 1 to 9 open." in said()
    assert "Shut 9. Open: 1, 2, 3, 4, 5, 6, 7, 8. Sum 36." in said()


def test_the_primary_button_says_why_it_does_nothing(host: Host, page: Any) -> None:
    begun(host, page, 1)
    page.get_by_role("button", name="Tile 5").click()
    primary = page.get_by_role("button", name="Shut 5")
    expect(primary).to_have_attribute("aria-disabled", "true")
    expect(primary).to_have_accessible_description("Chosen 5 of 9.")
    primary.click(force=True)
    expect(page.locator("#status")).to_have_text("Chosen 5 of 9.")


def test_the_only_way_is_chosen_already(host: Host, page: Any) -> None:
    """Found on the dice of the puzzle: a line whose next roll has one way."""
    seed = host.player().get(f"/rounds/{PUZZLE}").get_json()["seed"]
    rules, table = table_of("classic", seed)
    line, way = line_to_a_forced_roll(rules, table, play.start(rules, table), [])
    page.goto(f"/play/{PUZZLE}#{'_'.join('.'.join(map(str, shut)) for shut in line[:-1])}")
    said = hear(page)
    for tile in line[-1]:
        Keyboard(page).tile(tile)
    page.locator("#primary").click()
    words = join(way)
    expect(page.locator("#status")).to_have_text(f"Only one way: {words}. Chosen.")
    expect(page.get_by_role("button", name=f"Shut {words}")).to_have_attribute("aria-disabled", "false")
    assert any(text.endswith("1 way.") for text in said())


def line_to_a_forced_roll(rules: Rules, table: RollTable, at: play.Position, line: list[Any]) -> tuple[list[Any], Any]:
    """Return the sets to shut before a roll that has one way, and that way."""
    ways = play.legal_ways(rules, table, at)
    if line and len(ways) == 1:
        return line, ways[0]
    for way in ways:
        following = play.decide(rules, table, at, play.ShutChoice(way))
        if isinstance(following, play.Position):
            found = line_to_a_forced_roll(rules, table, following, [*line, way])
            if found[0]:
                return found
    return [], None


def join(tiles: Any) -> str:
    """Return tiles as the page names them."""
    return " and ".join(filter(None, [", ".join(map(str, tiles[:-1])), str(tiles[-1])]))


def test_ways_are_chosen_from_the_list(host: Host, page: Any) -> None:
    begun(host, page, 1)
    page.get_by_text("Ways to make 9 (8)").click()
    page.get_by_role("radio", name="2 and 7").check()
    expect(page.get_by_role("button", name="Shut 2 and 7")).to_have_attribute("aria-disabled", "false")
    expect(page.get_by_role("button", name="Tile 7")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("button", name="Tile 7").click()
    expect(page.get_by_role("radio", name="2 and 7")).not_to_be_checked()


def test_the_number_pad_and_the_arrows_work(host: Host, page: Any) -> None:
    begun(host, page, 1)
    press = "key => document.body.dispatchEvent(new KeyboardEvent('keydown', {code: 'Numpad4', key, bubbles: true}))"
    page.evaluate(press, "4")
    expect(page.get_by_role("button", name="Tile 4")).to_have_attribute("aria-pressed", "true")
    page.evaluate(press, "ArrowLeft")  # what the key sends without NumLock
    expect(page.get_by_role("button", name="Tile 4")).to_have_attribute("aria-pressed", "true")
    page.locator("#tiles [tabindex='0']").focus()
    for key, tile in [("End", 9), ("Home", 1), ("ArrowRight", 2), ("ArrowDown", 7), ("ArrowUp", 2)]:
        page.keyboard.press(key)
        expect(page.get_by_role("button", name=f"Tile {tile}")).to_be_focused()


def test_denied_storage_does_not_stop_play(host: Host, page: Any) -> None:
    """Report 13. A note tells that settings are not kept."""
    page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('', 'SecurityError'); }});"
    )
    someone = Mouse(page)
    someone.open()
    expect(page.locator("#not-kept")).to_be_visible()
    someone.play()
    expect(page.locator("#where")).to_contain_text("Score 35")
    page.goto("/settings")
    page.get_by_role("radio", name="Dark").check()
    expect(page.locator("#status")).to_contain_text("does not keep settings")


def test_nothing_moves_under_reduced_motion(host: Host, page: Any) -> None:
    """Report 30."""
    page.add_init_script(
        """window.moved = 0;
        const animate = Element.prototype.animate;
        Element.prototype.animate = function (...all) { window.moved += 1; return animate.apply(this, all); };
        addEventListener("transitionrun", () => { window.moved += 1; });"""
    )
    someone = Mouse(page)
    someone.open()
    while someone.step():
        assert page.evaluate("document.getAnimations().length") == 0
    assert page.evaluate("window.moved") == 0


def test_nothing_tells_of_a_roll_before_its_dice_lie_still(host: Host, open_page: Opener) -> None:
    """Words, ways and the chosen only way come with the end of the throw, also where the round ends."""
    page = open_page(reduced_motion="no-preference")
    page.goto(f"/play/{SEALED}")
    page.evaluate(
        """() => {
          window.early = [];
          const dice = document.getElementById("dice");
          const rolling = () => dice.getAnimations({subtree: true}).some((one) => one.playState === "running");
          for (const id of ["makes", "hint", "where", "ways-title", "turns", "primary"]) {
            const watched = document.getElementById(id);
            new MutationObserver(() => {
              if (rolling() && /[0-9]/.test(watched.textContent)) window.early.push(`${id}: ${watched.textContent}`);
            }).observe(watched, {childList: true, characterData: true, subtree: true});
          }
          window.thrown = 0;
          new MutationObserver(() => { window.thrown += rolling(); }).observe(dice, {childList: true});
        }"""
    )
    Mouse(page).play()
    assert page.evaluate("window.thrown") == 5
    assert page.evaluate("window.early") == []


def test_sound_is_off_until_it_is_wished_and_waits_for_a_press(host: Host, page: Any) -> None:
    """What is counted is what the browser's own Web Audio is told to play."""
    page.add_init_script(
        """window.contexts = 0;
        window.started = 0;
        window.AudioContext = class extends AudioContext { constructor() { super(); window.contexts += 1; } };
        const start = AudioScheduledSourceNode.prototype.start;
        AudioScheduledSourceNode.prototype.start = function (...all) { window.started += 1; start.apply(this, all); };
        const begin = AudioBufferSourceNode.prototype.start;
        AudioBufferSourceNode.prototype.start = function (...all) { window.started += 1; begin.apply(this, all); };"""
    )
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    Mouse(page).open()
    Mouse(page).play(1)
    assert [url for url in asked if "sound" in url] == []
    page.evaluate("localStorage.setItem('sound', 'on')")
    page.reload()
    state_of(page)
    expect(page.locator("html")).to_have_attribute("data-sound", "on")
    assert page.evaluate("[window.contexts, window.started]") == [0, 0]
    Mouse(page).play(1)
    assert page.evaluate("window.contexts") == 1
    assert page.evaluate("window.started") > 0


def test_a_browser_without_web_audio_plays_silently(host: Host, page: Any) -> None:
    page.add_init_script("delete window.AudioContext; try { localStorage.setItem('sound', 'on'); } catch {}")
    someone = Mouse(page)
    someone.open()
    someone.play()
    expect(page.locator("#where")).to_contain_text("Score 35")


def test_dice_are_usable_within_700_ms_and_at_once_by_a_key(host: Host, open_page: Opener) -> None:
    """Report 30."""
    page = open_page(reduced_motion="no-preference")
    page.goto(f"/play/{SEALED}")
    took = page.evaluate(
        """() => new Promise((resolve) => {
          const dice = document.getElementById("dice");
          let rolled = 0;
          new MutationObserver(() => { rolled ||= performance.now(); }).observe(dice, {childList: true});
          const primary = document.getElementById("primary");
          const table = document.getElementById("table");
          new MutationObserver(() => {
            if (rolled && table.dataset.busy === "false") resolve(performance.now() - rolled);
          }).observe(table, {attributes: true});
          primary.click();
        })"""
    )
    assert took <= 700 + 50  # 50 ms for the timer of a busy machine
    page.keyboard.press("n")
    with page.expect_response("**/moves"):
        page.locator("#primary").click()
    page.wait_for_selector("#table[data-state='choose_tiles']")
    page.keyboard.press("x")
    page.wait_for_timeout(0)
    assert page.evaluate("document.getElementById('dice').getAnimations({subtree: true}).length") == 0
