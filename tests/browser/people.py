"""People at a page: the same round by mouse, by touch, by keyboard only, and by accessibility names only."""

import re
from typing import Any

from tests.browser.hosting import SEALED

SETTLED = "#table[data-busy='false']"
DECIDING = ("ready", "choose_dice", "choose_tiles")


def state_of(page: Any) -> str:
    """Return what the table waits for, once the dice lie still."""
    page.wait_for_selector(SETTLED)
    return str(page.locator("#table").get_attribute("data-state"))


def legal_ways(page: Any) -> list[list[int]]:
    """Return the ways that the page lists."""
    values = page.eval_on_selector_all("#ways-list input", "inputs => inputs.map(input => input.value)")
    return [[int(tile) for tile in value.split(",")] for value in values]


def facing(page: Any) -> tuple[str | None, list[str], str]:
    """Return what a person sees of the state: the dice, the tiles, and where the round is."""
    tiles = page.eval_on_selector_all("#tiles button", "tiles => tiles.map(tile => tile.getAttribute('aria-label'))")
    return page.locator("#dice").get_attribute("aria-label"), tiles, page.locator("#where").inner_text()


class Mouse:
    """Presses with the mouse what is seen at a place."""

    def __init__(self, page: Any, round_id: str = SEALED) -> None:
        self.page = page
        self.round_id = round_id

    def open(self) -> None:
        self.page.goto(f"/play/{self.round_id}")

    def press(self, selector: str) -> None:
        """Press the middle of a part."""
        found = self.page.locator(selector)
        found.scroll_into_view_if_needed()
        box = found.bounding_box()
        self.point(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def point(self, x: float, y: float) -> None:
        self.page.mouse.click(x, y)

    def primary(self) -> None:
        self.press("#primary")

    def tile(self, tile: int) -> None:
        self.press(f"[data-tile='{tile}']")

    def dice(self, number: int) -> None:
        self.press(f"#choose [data-dice='{number}']")

    def ways(self) -> list[list[int]]:
        return legal_ways(self.page)

    def step(self) -> bool:
        """Make one decision, the way of the fewest tiles and one die; tell whether there was one to make."""
        match state_of(self.page):
            case "ready":
                self.primary()
            case "choose_dice":
                self.dice(1)
            case "choose_tiles":
                ways = self.ways()
                if len(ways) > 1:  # the only way is chosen already
                    for tile in ways[0]:
                        self.tile(tile)
                self.primary()
            case _:
                return False
        return True

    def play(self, steps: int = 99) -> None:
        """Make decisions until the round is over, or that many."""
        while steps and self.step():
            steps -= 1
        state_of(self.page)


class Touch(Mouse):
    """Taps with a finger."""

    def point(self, x: float, y: float) -> None:
        self.page.touchscreen.tap(x, y)


class Keyboard(Mouse):
    """Has no pointer: Tab, digits and Enter."""

    def press(self, selector: str) -> None:
        self.reach(selector)
        self.page.keyboard.press("Enter")

    def tile(self, tile: int) -> None:
        self.page.keyboard.press({10: "Digit0", 11: "Minus", 12: "Equal"}.get(tile, f"Digit{tile}"))

    def reach(self, selector: str) -> None:
        """Press Tab until the part has the focus."""
        for _ in range(60):
            if self.page.evaluate("part => document.activeElement?.matches(part)", selector):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"Tab does not reach {selector}")


class Plain(Keyboard):
    """Has single keys switched off: Tab, arrows and Space."""

    def tile(self, tile: int) -> None:
        self.reach("#tiles button")
        self.page.keyboard.press("Home")
        while not self.page.evaluate("tile => document.activeElement.dataset.tile === tile", str(tile)):
            self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("Space")

    def press(self, selector: str) -> None:
        self.reach(selector)
        self.page.keyboard.press("Space")


class Names(Mouse):
    """Finds everything by role and name, and hears what is said."""

    def button(self, name: str | re.Pattern[str]) -> Any:
        return self.page.get_by_role("button", name=name)

    def primary(self) -> None:
        self.button(re.compile(r"^(Roll 2 dice|Shut \d.*|Submit: score \d+)$")).click()

    def tile(self, tile: int) -> None:
        self.button(f"Tile {tile}").and_(self.page.locator("[aria-pressed]")).click()

    def dice(self, number: int) -> None:
        self.button("Roll 1 die" if number == 1 else f"Roll {number} dice").click()

    def ways(self) -> list[list[int]]:
        summary = self.page.get_by_text(re.compile(r"^Ways to make"))
        summary.click()
        names = self.page.get_by_role("radio").evaluate_all("all => all.map(one => one.labels[0].textContent)")
        summary.click()
        return [[int(tile) for tile in re.findall(r"\d+", name)] for name in names]


KINDS = {"mouse": Mouse, "touch": Touch, "keyboard": Keyboard, "names": Names}
