"""What tools can measure of the looks, in every page and state: axe, targets, overflow, shifts."""

import importlib.util
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Opener
from tests.browser.hosting import PUZZLE, SEALED, Host
from tests.browser.people import Mouse
from tests.browser.states import STATES

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
RUN_AXE = "tags => axe.run({runOnly: {type: 'tag', values: tags}, resultTypes: ['violations', 'incomplete']})"
EXPLAINED = {
    # Text on felt, wood and rail lies on gradients, which axe cannot measure: tests/web/test_contrast.py does.
    # The note of a page lies over what is beside it; it is paper on ink.
    # The dialog of keys lies in the top layer over the page; its words are ink on sheet as everywhere.
    "color-contrast": (
        ".makes",
        ".numeral",
        "#makes",
        "> text",
        "dd:nth-child",
        "dt:nth-child",
        "dialog",
        "#confirm",
        "#note",
    ),
}


@cache
def axe_source() -> str:
    """Return axe-core, which the package axe-playwright-python ships."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.origin is None:
        pytest.skip("axe-core is not installed (pip install axe-playwright-python): accessibility is not checked")
    return Path(found.origin).with_name("axe.min.js").read_text()


PLAY = [name for name in STATES if name.startswith(("play", "puzzle"))]


@pytest.fixture(params=list(STATES))
def state(request: pytest.FixtureRequest, host: Host, open_page: Opener) -> Iterator[tuple[str, Any]]:
    """A page in each of its states."""
    page = open_page(bypass_csp=True)  # axe is brought in as a script; the policy itself is held by all other tests
    STATES[request.param](host, page)
    yield request.param, page
    with suppress(Exception):
        page.unroute_all(behavior="ignoreErrors")


def test_a_page_passes_the_tools_in_both_widths_and_schemes(state: tuple[str, Any]) -> None:
    """Report 29. axe finds nothing; nothing is too wide at 320 px or with text at 200 %; targets are large enough."""
    name, page = state
    page.add_script_tag(content=axe_source())
    for width, height in ((375, 740), (1280, 860)):
        page.set_viewport_size({"width": width, "height": height})
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = page.evaluate(RUN_AXE, TAGS)
            assert _told(found["violations"]) == [], f"{width} {scheme}"
            assert [told for told in _told(found["incomplete"]) if not _explained(told)] == [], f"{width} {scheme}"
    for width, text in ((320, "100%"), (375, "200%"), (1280, "200%")):
        page.set_viewport_size({"width": width, "height": 700})
        page.evaluate("size => { document.documentElement.style.fontSize = size; }", text)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, text
    page.evaluate("document.documentElement.style.fontSize = ''")
    for width in (320, 375, 1280):
        page.set_viewport_size({"width": width, "height": 740})
        assert _small_targets(page, name in PLAY) == [], width
    assert page.evaluate("document.getAnimations().length") == 0


def _told(results: Any) -> list[tuple[str, str]]:
    return [(rule["id"], " ".join(map(str, node["target"]))) for rule in results for node in rule["nodes"]]


def _explained(told: tuple[str, str]) -> bool:
    rule, target = told
    return any(part in target for part in EXPLAINED.get(rule, ()))


def _small_targets(page: Any, play: bool) -> list[str]:
    """Return controls of the table below 44 px, and others below 24 px but for links within text."""
    return page.evaluate(  # type: ignore[no-any-return]
        """() => [...document.querySelectorAll("a, button, input, summary")].filter((one) => {
          const box = (one.closest("label") ?? one).getBoundingClientRect();
          const inline = one.matches("a, .link") && one.closest("p, li, td, th");
          const least = one.closest("#table") ? 44 : 24;
          const seen = box.width > 1 && one.checkVisibility({visibilityProperty: true}) && !one.matches(".skip");
          return seen && !inline && (box.width < least - 0.01 || box.height < least - 0.01);
        }).map((one) => `${one.outerHTML.slice(0, 80)} ${JSON.stringify(one.getBoundingClientRect())}`)"""
    )


def test_nothing_shifts_while_a_page_loads_and_a_round_begins(host: Host, open_page: Opener) -> None:
    page = open_page(reduced_motion="no-preference")
    page.add_init_script(
        """window.shifted = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
        }).observe({type: "layout-shift", buffered: true});"""
    )
    for path in ("/", f"/play/{PUZZLE}", "/leaderboard", "/settings"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate("window.shifted") <= 0.02, path
    someone = Mouse(page)
    someone.open()
    someone.play()
    assert page.evaluate("window.shifted") <= 0.02


def test_the_policy_allows_nothing_inline(host: Host, page: Any) -> None:
    answer = page.goto(f"/play/{SEALED}")
    assert answer.headers["content-security-policy"] == "default-src 'self'; frame-ancestors 'none'"
    assert page.locator("script:not([src]), style, [style]").count() == 0
    hosts = page.evaluate("performance.getEntriesByType('resource').map(entry => new URL(entry.name).host)")
    assert set(hosts) == {page.url.split("/")[2]}


def test_a_chosen_scheme_holds_from_the_first_paint(host: Host, page: Any) -> None:
    page.goto("/settings")
    page.get_by_role("radio", name="Dark").check()
    page.goto("/")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(18, 23, 21)"
