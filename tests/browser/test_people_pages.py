"""Players in the browser: moving to another device, recovery, export, deletion, the archive, and today's page."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import ARGUMENTS, Opener, chromium_binary
from tests.browser.hosting import SEALED, Host
from tests.browser.people import Mouse
from tests.players import Api

AFTER_THE_CLOSE = "2026-12-01T03:00:00"
CACHED = """async () => {
  const texts = [];
  for (const name of await caches.keys())
    for (const kept of await (await caches.open(name)).matchAll()) texts.push(await kept.text());
  return texts;
}"""
STILL_HERE = {"theme": "dark", "sound": "on", "shortcuts": "off"}


@pytest.fixture
def mara(host: Host, page: Any) -> Api:
    """A player with a streak of two days, who plays in the browser of `page`."""
    player = host.player("Mara")
    host.play_days(player, "2026-11-29", "2026-11-30")
    host.sign_in(page, player)
    return player


def code_of(page: Any, kind: str) -> str:
    """Make a code and return it as it is shown."""
    page.goto("/settings")
    page.get_by_role("button", name="recovery code" if kind == "recovery" else "Make a transfer code").first.click()
    shown = page.get_by_label(f"{kind.title()} code", exact=True)
    expect(shown).not_to_have_value("")
    return str(shown.input_value())


def use(page: Any, code: str) -> None:
    page.goto("/settings")
    page.get_by_label("Transfer or recovery code").fill(code)
    page.get_by_role("button", name="Use this code").click()


def expect_mara(page: Any) -> None:
    """The browser plays as Mara, with her streak and her round of today."""
    page.goto("/player/me")
    expect(page.get_by_role("heading", level=1)).to_have_text("Mara")
    expect(page.get_by_role("term").filter(has_text="Streak").first.locator("xpath=..")).to_contain_text("2 days")
    page.goto("/")
    expect(page.get_by_role("link", name="See your result")).to_be_visible()


# Other devices


def test_a_transfer_code_moves_the_player_to_another_browser_once(
    host: Host, mara: Api, page: Any, open_page: Opener
) -> None:
    """Report 15. Statistics come along; the code fails the second time, in words, and nothing typed is lost."""
    code = code_of(page, "transfer")
    other = open_page()
    use(other, f"  {code.lower()} ")
    expect(other.get_by_text("This browser plays as Mara now.")).to_be_visible()
    assert other.url.endswith("/player/me#moved")
    assert other.evaluate("document.cookie") == ""  # no script can read it
    for both in (other, page):
        expect_mara(both)
    third = open_page()
    use(third, code)
    expect(third.locator("#code-fault")).to_have_text(
        "The code does not work any more: this code was used already, or its time is over: make a new one."
    )
    expect(third.get_by_label("Transfer or recovery code")).to_have_value(code)
    assert third.context.cookies() == []


def test_a_transfer_code_ends_after_ten_minutes(host: Host, mara: Api, page: Any, open_page: Opener) -> None:
    """Report 15."""
    page.clock.install()
    code = code_of(page, "transfer")
    expect(page.locator("#transfer-left")).to_contain_text("Works for ")
    page.clock.fast_forward("05:00")
    expect(page.locator("#transfer-left")).to_contain_text("Works for 4:5")
    page.clock.fast_forward("05:01")
    expect(page.locator("#transfer-shown")).to_be_hidden()
    expect(page.locator("#status")).to_have_text("The time of the transfer code is over. Make a new one.")
    host.clock.forward(601)
    other = open_page()
    use(other, code)
    expect(other.locator("#code-fault")).to_contain_text("its time is over")


def test_a_recovery_code_is_shown_once_and_brings_the_player_back(
    host: Host, mara: Api, page: Any, open_page: Opener
) -> None:
    """Report 15. Also to a browser that plays as somebody else, who is told what becomes of that player."""
    code = code_of(page, "recovery")
    page.reload()
    expect(page.locator("#recovery-shown")).to_be_hidden()
    assert code not in page.content()
    expect(page.locator("#recovery-state")).to_have_text("You have a recovery code of 30 Nov 2026, not used yet.")
    page.context.clear_cookies()
    other = open_page()
    host.seat(other, 2)
    other.goto("/settings")
    expect(other.get_by_text("and cannot come back to this browser")).to_be_visible()
    other.get_by_role("button", name="Make a recovery code").click()
    expect(other.get_by_text("; the recovery code brings this player back.")).to_be_visible()
    expect(other.get_by_text("and cannot come back to this browser")).to_be_hidden()
    own = other.get_by_label("Recovery code", exact=True).input_value()
    use(other, code)
    expect(other.get_by_text("This browser plays as Mara now.")).to_be_visible()
    expect_mara(other)
    use(other, own)
    expect(other.get_by_role("heading", level=1)).to_contain_text("Guest")
    other.goto("/")
    expect(other.get_by_role("link", name="Resume today’s round")).to_be_visible()


def test_a_code_is_copied_or_else_selected(mara: Api, page: Any) -> None:
    page.add_init_script("delete Navigator.prototype.clipboard")
    code = code_of(page, "recovery")
    page.get_by_role("button", name="Copy the recovery code").click()
    expect(page.locator("#status")).to_contain_text("The text is selected")
    selected = "box => box.value.slice(box.selectionStart, box.selectionEnd)"
    assert page.get_by_label("Recovery code", exact=True).evaluate(selected) == code


def test_a_code_is_pasted_and_a_wrong_one_refused_in_words(mara: Api, page: Any) -> None:
    page.goto("/settings")
    field = page.get_by_label("Transfer or recovery code")
    expect(field).to_have_attribute("autocomplete", "off")
    field.focus()
    page.evaluate(
        """() => document.activeElement.dispatchEvent(new ClipboardEvent("paste", {cancelable: true}))
          && document.execCommand("insertText", false, "7KQ2-M4XD-9RTW")"""
    )
    page.keyboard.press("Enter")
    expect(page.locator("#code-fault")).to_contain_text("There is no such code")
    expect(field).to_have_value("7KQ2-M4XD-9RTW")
    expect(field).to_have_attribute("aria-invalid", "true")
    expect(field).to_be_focused()
    expect_mara(page)


def test_what_scripts_have_stored_may_vanish(mara: Api, page: Any) -> None:
    """Report 14. Storage, databases, caches and workers are cleared; player, round and streak are in the cookie."""
    page.goto("/settings")
    page.evaluate(
        """async () => {
          localStorage.clear();
          sessionStorage.clear();
          for (const {name} of await indexedDB.databases()) indexedDB.deleteDatabase(name);
          for (const name of await caches.keys()) await caches.delete(name);
          for (const worker of await navigator.serviceWorker.getRegistrations()) await worker.unregister();
        }"""
    )
    expect_mara(page)


# My data


def test_an_export_is_downloaded(mara: Api, page: Any) -> None:
    page.goto("/settings")
    with page.expect_download() as download:
        page.get_by_role("link", name="Export my data").click()
    assert json.loads(download.value.path().read_text())["player"]["player_id"] == mara.player_id
    assert download.value.suggested_filename == f"shutbox-{mara.player_id}.json"


def test_a_deleted_player_leaves_no_name_and_no_trace_in_the_browser(
    host: Host, mara: Api, page: Any, open_page: Opener
) -> None:
    """Report 36. No name, cookie, token or cache is left; boards keep their order, run pages say "deleted player"."""
    other = host.player("Ben")
    other.play_sealed(SEALED)
    run_id = mara.get("/players/me/profile").get_json()["results"][0]["run_id"]
    board = [item["run_id"] for item in other.get(f"/rounds/{SEALED}/leaderboard").get_json()["items"]]
    page.goto("/settings")
    page.evaluate(
        """async settings => {
          for (const [name, value] of Object.entries(settings)) localStorage.setItem(name, value);
          localStorage.setItem("other", "Mara");
          await (await caches.open("pages")).put("/player/me", new Response("Mara"));
        }""",
        STILL_HERE,
    )
    page.get_by_role("button", name="Delete my player…").click()
    expect(page.get_by_role("button", name="Keep it")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="Delete my player…")).to_be_focused()
    assert mara.get("/players/me").status_code == 200
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Delete my player", exact=True).click()
    expect(page.get_by_text("Your player is gone.")).to_be_visible()
    expect(page.get_by_role("main")).to_contain_text("Nobody plays in this browser yet.")
    assert page.context.cookies() == []
    assert not [text for text in page.evaluate(CACHED) if "Mara" in text]
    assert page.evaluate("({...localStorage})") == STILL_HERE
    assert mara.get("/players/me").status_code == 401
    assert page.goto("/player/Mara").status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("No player has this name")
    assert [item["run_id"] for item in other.get(f"/rounds/{SEALED}/leaderboard").get_json()["items"]] == board
    host.go_to(AFTER_THE_CLOSE)
    reader = open_page()
    for path in (f"/run/{run_id}", f"/leaderboard?round={SEALED}"):
        reader.goto(path)
        expect(reader.get_by_role("main")).to_contain_text("deleted player")
        expect(reader.get_by_role("main")).not_to_contain_text("Mara")


def test_a_deletion_that_is_answered_too_late_is_sent_again(host: Host, mara: Api, page: Any) -> None:
    host.restart(offline=False)  # a worker would send it, unseen by the route below
    page.goto("/settings")
    tries = []

    def lose_the_first(route: Any) -> None:
        tries.append(route.request.method)
        if len(tries) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/players/me", lose_the_first)
    page.get_by_role("button", name="Delete my player…").click()
    page.get_by_role("button", name="Delete my player", exact=True).click()
    expect(page.get_by_text("Your player is gone.")).to_be_visible()
    assert tries == ["DELETE", "DELETE"]


# The archive


def test_archive_play_leaves_everything_as_it_was(host: Host, mara: Api, page: Any) -> None:
    """Report 38. Streak, boards and today's attempt; and done days are marked."""
    host.go_to(AFTER_THE_CLOSE)

    def everything() -> list[str]:
        found = []
        for path in ("/", "/player/me", f"/leaderboard?round={SEALED}", "/archive?month=2026-11"):
            page.goto(path)
            found.append(page.get_by_role("main").aria_snapshot().split("Next round in")[0])
        return found

    before = everything()
    page.goto("/archive?month=2026-11")
    score = mara.get("/players/me/profile").get_json()["results"][0]["score"]
    page.get_by_role("cell", name=f"30 November, finished, score {score}").get_by_role("link").click()
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.get_by_role("link", name="Practise these dice: Classic round").click()
    someone = Mouse(page)
    someone.play()
    expect(page.locator("#end")).to_be_visible()
    assert set(sent) == {"GET"}
    assert everything() == before


def test_the_archive_is_read_without_scripts(host: Host, open_page: Opener) -> None:
    host.go_to("2027-01-01T12:00:00")
    page = open_page(java_script_enabled=False)
    page.goto("/archive")
    expect(page.get_by_role("table", name="January 2027").get_by_role("columnheader").first).to_have_text("MoMonday")
    page.get_by_role("link", name="← December 2026").click()
    page.get_by_role("link", name="← November 2026").click()
    expect(page.get_by_role("link", name="← October 2026")).to_have_count(0)
    page.get_by_role("table", name="November 2026").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Day 334")
    page.get_by_role("link", name="Archive").last.click()
    expect(page.get_by_role("table", name="November 2026")).to_be_visible()


# Today


def not_played(host: Host, page: Any) -> None:
    pass


def in_progress(host: Host, page: Any) -> None:
    host.seat(page, 2)


def done(host: Host, page: Any) -> None:
    player = host.player()
    player.play_sealed(SEALED)
    host.sign_in(page, player)


def done_yesterday(host: Host, page: Any) -> None:
    done(host, page)
    host.go_to(AFTER_THE_CLOSE)


def begun_yesterday(host: Host, page: Any) -> None:
    host.seat(page, 2)
    host.go_to("2026-12-01T01:00:00")


@pytest.mark.parametrize(
    ("prepare", "first", "said"),
    [
        (not_played, "Play today’s round", "Everyone gets the same dice."),
        (in_progress, "Resume today’s round", "Everyone gets the same dice."),
        (done, "See your result", "Today: Score 35 · 10 left, 1st of 1 so far"),
        (done_yesterday, "Play today’s round", "Yesterday: Score 35 · 10 left, 1st of 1"),
        (begun_yesterday, "Play today’s round", "Yesterday’s Classic round is not finished: you have until 02:00 UTC"),
    ],
)
def test_todays_page_begins_with_what_there_is_to_do(
    host: Host, page: Any, prepare: Callable[[Host, Any], None], first: str, said: str
) -> None:
    prepare(host, page)
    page.goto("/")
    expect(page.get_by_role("main").get_by_role("link").first).to_have_text(first)
    expect(page.get_by_role("main")).to_contain_text(said)
    expect(page.locator("#countdown")).to_contain_text("Next round in ")


def test_the_buttons_of_the_rounds_stand_on_one_line(host: Host, open_page: Opener) -> None:
    page = open_page(1280)
    done(host, page)
    page.goto("/")
    buttons = page.locator(".rounds .actions .button:first-child")
    assert len({round(box["y"]) for box in (button.bounding_box() for button in buttons.all())}) == 1
    expect(buttons).to_have_count(4)


def test_sound_is_off_until_it_is_switched_on(host: Host, page: Any) -> None:
    page.goto("/settings")
    expect(page.get_by_role("radio", name="Off").first).to_be_checked()
    page.get_by_role("radio", name="Dice and tiles are heard").check()
    page.goto("/")
    expect(page.locator("html")).to_have_attribute("data-sound", "on")
    page.goto("/settings")
    expect(page.get_by_role("radio", name="Dice and tiles are heard")).to_be_checked()


def test_back_shows_nothing_of_the_player_before(host: Host, chromium: Any) -> None:
    """The browser's page cache has the page of another player's running round, and brings it out as it was."""
    browser = chromium.browser_type.launch(
        executable_path=chromium_binary(),
        args=list(ARGUMENTS),
        ignore_default_args=["--disable-back-forward-cache"],
    )
    page = browser.new_context(base_url=host.address).new_page()
    before, after = host.player(), host.player()
    run_id = before.play_sealed(SEALED)["run_id"]
    host.sign_in(page, before)
    page.goto(f"/run/{run_id}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score")
    page.goto("/rules")
    host.sign_in(page, after)
    page.evaluate("void setTimeout(() => history.back())")
    expect(page.get_by_role("heading", level=1)).to_have_text("A result, for later")
    browser.close()
