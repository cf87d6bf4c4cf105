"""Every message that play has for a screen reader is said, and what a table looks like to one in each state."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import expect
from shutbox import moderation

from tests.browser.hosting import SEALED, Host
from tests.browser.people import Mouse, state_of
from tests.browser.test_state import begun, hear

SEED = "6898cf836587d764e02319b821720951a8ee50a301c142776b5d0598fb126301"
LINE = ["5", "2.9", "7", "4", "6", "1.8", "d1", "3"]  # shuts the box of that seed; 6 and 1 with 8 are only ways

Act = Callable[[Host, Any], None]


def ready(host: Host, page: Any) -> None:
    page.goto(f"/play/{SEALED}")
    state_of(page)


def sealed(steps: int) -> Act:
    def prepare(host: Host, page: Any) -> None:
        begun(host, page, steps)

    return prepare


def practice(decisions: int) -> Act:
    def prepare(host: Host, page: Any) -> None:
        page.goto(f"/practice?seed={SEED}&ruleset=classic#{'_'.join(LINE[:decisions])}")
        state_of(page)

    return prepare


def before_midnight(host: Host, page: Any) -> None:
    page.clock.install()
    begun(host, page, 2)


def keys(*pressed: str) -> Act:
    def act(host: Host, page: Any) -> None:
        for key in pressed:
            page.keyboard.press(key)

    return act


def step(host: Host, page: Any) -> None:
    Mouse(page).step()


def selecting(*pressed: str) -> Act:
    def prepare(host: Host, page: Any) -> None:
        begun(host, page, 1)
        keys(*pressed)(host, page)

    return prepare


def tiles(*chosen: int) -> Act:
    def act(host: Host, page: Any) -> None:
        for tile in chosen:
            page.keyboard.press(f"Digit{tile}")
        page.locator("#primary").click()

    return act


def unanswered(host: Host, page: Any) -> None:
    page.route("**/moves", lambda route: None)
    step(host, page)


def cut(host: Host, page: Any) -> None:
    page.route("**/moves", lambda route: route.abort())
    step(host, page)


def cut_and_back(host: Host, page: Any) -> None:
    cut(host, page)
    again = page.get_by_role("button", name="Try again now")
    again.wait_for()
    page.unroute_all()
    again.click()


def other_tab(host: Host, page: Any) -> None:
    page.context.new_page().goto(f"/play/{SEALED}")


def midnight(host: Host, page: Any) -> None:
    host.go_to("2026-12-01T00:30:00")
    page.clock.fast_forward("12:00:05")


@dataclass(frozen=True)
class Message:
    """What brings a message about, and how it is said."""

    before: Act
    act: Act
    text: str
    region: str = "status"


MESSAGES = {
    "start": Message(ready, step, "Day 334. Tiles 1 to 9 open."),
    "roll": Message(ready, step, "Rolled 5 and 4: 9. 8 ways."),
    "toggle": Message(sealed(1), keys("5"), "Tile 5 chosen, 5 of 9."),
    "toggle-back": Message(sealed(1), keys("5", "5"), "Tile 5 raised again, 0 of 9."),
    "over": Message(sealed(1), keys("9", "2"), "11 is more than 9."),
    "forced": Message(practice(3), tiles(4), "Only one way: 6. Chosen."),
    "commit": Message(sealed(1), tiles(9), "Shut 9. Open: 1, 2, 3, 4, 5, 6, 7, 8. Sum 36."),
    "dice-choice": Message(practice(5), tiles(), "7, 8 and 9 are shut. Choose one die or two."),
    "no-move": Message(sealed(5), step, "Rolled 4. No open tiles make 4. Round over, 10 left: tiles 2, 3 and 5."),
    "shut": Message(practice(7), tiles(), "Box shut. 0 left."),
    "pending": Message(sealed(1), unanswered, "Sending."),
    "lost": Message(sealed(1), cut, "Connection lost. Your move is kept; trying again.", "alert"),
    "back": Message(sealed(1), cut_and_back, "Sent. Round goes on."),
    "other-tab": Message(sealed(2), other_tab, "This round is open in another tab. Continue here?", "alert"),
    "new-day": Message(before_midnight, midnight, "A new round has begun. Finish this one until 02:00 UTC."),
}


@pytest.mark.parametrize("name", list(MESSAGES))
def test_every_message_is_said_in_its_region(host: Host, page: Any, name: str) -> None:
    """Report 27."""
    message = MESSAGES[name]
    message.before(host, page)
    regions = hear_regions(page)
    message.act(host, page)
    page.wait_for_function("text => window.heard.some(([, said]) => said === text)", arg=message.text)
    assert (message.region, message.text) in regions()
    page.unroute_all(behavior="ignoreErrors")


def hear_regions(page: Any) -> Callable[[], list[tuple[str, str]]]:
    """Return a function that returns what was said since, each with the role of its region."""
    page.evaluate(
        """() => {
          window.heard = [];
          for (const region of document.querySelectorAll("#status, #alert")) {
            new MutationObserver(() => {
              if (region.textContent) window.heard.push([region.getAttribute("role"), region.textContent]);
            }).observe(region, {childList: true, characterData: true, subtree: true});
          }
        }"""
    )
    return lambda: [(role, text) for role, text in page.evaluate("window.heard")]


def test_no_words_stand_twice_under_the_table(host: Host, page: Any) -> None:
    """What a screen reader is told is seen once: in the hint, the note, or the picture."""
    someone = Mouse(page)
    someone.open()
    said = hear(page)
    while True:
        state_of(page)
        seen = [page.locator(part).inner_text().strip() for part in ("#hint", "#note", "#alert")]
        shown = [text for text in seen if text]
        assert len(shown) == len(set(shown))
        assert page.locator("#status").evaluate("part => part.getBoundingClientRect().width") <= 1
        if not someone.step():
            break
    assert len(said()) > 5


SNAPSHOTS: dict[str, tuple[Act, str]] = {
    "ready": (
        ready,
        """
- 'region "Classic #334"':
  - img "Dice not rolled yet"
  - paragraph
  - toolbar "Tiles":
    - button "Tile 1" [disabled]
    - button "Tile 2" [disabled]
    - button "Tile 3" [disabled]
    - button "Tile 4" [disabled]
    - button "Tile 5" [disabled]
    - button "Tile 6" [disabled]
    - button "Tile 7" [disabled]
    - button "Tile 8" [disabled]
    - button "Tile 9" [disabled]
  - paragraph: The dice are ready.
  - status
  - alert
  - button "Roll 2 dice"
""",
    ),
    "choose-dice": (
        sealed(5),
        """
- 'region "Classic #334"':
  - img "Dice not rolled yet"
  - paragraph
  - toolbar "Tiles":
    - button "Tile 1, shut" [disabled]
    - button "Tile 2" [disabled]
    - button "Tile 3" [disabled]
    - button "Tile 4, shut" [disabled]
    - button "Tile 5" [disabled]
    - button "Tile 6, shut" [disabled]
    - button "Tile 7, shut" [disabled]
    - button "Tile 8, shut" [disabled]
    - button "Tile 9, shut" [disabled]
  - paragraph: 7, 8 and 9 are shut. Choose one die or two.
  - status
  - alert
  - group "How many dice":
    - button "Roll 2 dice"
    - button "Roll 1 die"
""",
    ),
    "selecting": (
        selecting("5"),
        """
- 'region "Classic #334"':
  - img "Rolled 5 and 4, total 9"
  - paragraph: makes 9
  - toolbar "Tiles":
    - button "Tile 1"
    - button "Tile 2"
    - button "Tile 3"
    - button "Tile 4"
    - button "Tile 5" [pressed]
    - button "Tile 6"
    - button "Tile 7"
    - button "Tile 8"
    - button "Tile 9"
  - paragraph: Chosen 5 of 9.
  - status: Tile 5 chosen, 5 of 9.
  - alert
  - group: Ways to make 9 (8)
  - button "Clear"
  - button "Shut 5" [disabled]
""",
    ),
    "over": (
        selecting("9", "2"),
        """
- 'region "Classic #334"':
  - img "Rolled 5 and 4, total 9"
  - paragraph: makes 9
  - toolbar "Tiles":
    - button "Tile 1"
    - button "Tile 2" [pressed]
    - button "Tile 3"
    - button "Tile 4"
    - button "Tile 5"
    - button "Tile 6"
    - button "Tile 7"
    - button "Tile 8"
    - button "Tile 9" [pressed]
  - paragraph: 11 is more than 9.
  - status: 11 is more than 9.
  - alert
  - group: Ways to make 9 (8)
  - button "Clear"
  - button "Shut 2 and 9" [disabled]
""",
    ),
    "ended": (
        sealed(6),
        """
- 'region "Classic #334"':
  - img "Rolled 4"
  - paragraph: makes 4
  - toolbar "Tiles":
    - button "Tile 1, shut" [disabled]
    - button "Tile 2" [disabled]
    - button "Tile 3" [disabled]
    - button "Tile 4, shut" [disabled]
    - button "Tile 5" [disabled]
    - button "Tile 6, shut" [disabled]
    - button "Tile 7, shut" [disabled]
    - button "Tile 8, shut" [disabled]
    - button "Tile 9, shut" [disabled]
  - paragraph: "Rolled 4. No open tiles make 4. Round over, 10 left: tiles 2, 3 and 5."
  - status: You have played this round. Score 35 · 10 left.
  - alert
  - button "See the result"
""",
    ),
}


@pytest.mark.parametrize("name", list(SNAPSHOTS))
def test_a_table_reads_as_it_should_in_each_state(host: Host, page: Any, name: str) -> None:
    """The names, roles and states of the whole table, as assistive technology gets them."""
    prepare, golden = SNAPSHOTS[name]
    prepare(host, page)
    [status] = [line for line in golden.splitlines() if line.startswith("  - status")]
    expect(page.locator("#status")).to_have_text(status.removeprefix("  - status").removeprefix(": "))
    assert page.locator("#table").aria_snapshot() == golden.strip()


def test_a_banned_player_is_told_who_has_banned_and_what_is_left(host: Host, page: Any) -> None:
    player = host.player("Ada")
    host.sign_in(page, player)
    page.goto(f"/play/{SEALED}")
    state_of(page)
    assert host.app is not None
    with host.app.app_context():
        moderation.ban(host.site, UUID(player.player_id), "")
    Mouse(page).primary()
    expect(page.locator("#alert")).to_have_text(
        "The player is banned: the operator has banned this player: you can read, export, leave leagues and delete."
    )
