"""Without a connection: what works goes on, a ranked round waits, and an old day is never shown as today."""

import shutil
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from shutbox.web import offline
from shutbox.web.routes import statics
from shutbox_web import STATIC_DIR

from tests.browser.conftest import Opener
from tests.browser.hosting import PUZZLE, SEALED, Host
from tests.browser.people import Mouse, facing, state_of
from tests.browser.test_state import begun

TOMORROW = "2026-12-01T12:00:00"
INSTALLED = "() => navigator.serviceWorker.controller?.state === 'activated'"
REGISTERED = "async () => (await navigator.serviceWorker.getRegistrations()).length"
CACHES = "async () => (await caches.keys()).sort()"
FORGOTTEN = "async () => !(await caches.has('shutbox-own'))"
OWN = "async () => (await (await caches.open('shutbox-own')).keys()).map(one => new URL(one.url).pathname)"


def until(page: Any, condition: str, argument: Any = None) -> None:
    """Wait until a condition holds on the page, a function that may be asynchronous; its policy forbids other ways."""
    page.evaluate(
        f"""async (argument) => {{
          const holds = {condition};
          const begun = performance.now();
          while (!(await holds(argument))) {{
            if (performance.now() - begun > 8000) throw new Error(`never: ${{holds}}`);
            await new Promise((resolve) => setTimeout(resolve, 20));
          }}
        }}""",
        argument,
    )


def installed(host: Host, page: Any, steps: int = 2) -> Mouse:
    """Return someone who has made that many decisions and whose browser has the worker."""
    someone = begun(host, page, steps)
    until(page, INSTALLED)
    return someone


def finished(host: Host, page: Any) -> str:
    """Let someone finish the round, look at the result, and return its path."""
    someone = installed(host, page)
    someone.play()
    page.get_by_role("button", name="See the result").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score 35")
    path = str(page.evaluate("location.pathname"))
    until(page, "async (path) => Boolean(await caches.match(path))", path)
    return path


class SlowAnswer:
    """Has the service answer what is asked at one path when it is told to, and not before."""

    def __init__(self, host: Host, path: str) -> None:
        self.asked = threading.Event()
        self.answered = threading.Event()
        assert host.app is not None
        answer = host.app.wsgi_app

        def wsgi_app(environ: Any, start_response: Any) -> Iterable[bytes]:
            body = answer(environ, start_response)
            if environ["PATH_INFO"] == path:
                self.asked.set()
                assert self.answered.wait(8)
            return body

        host.app.wsgi_app = wsgi_app  # type: ignore[method-assign]

    def arrive(self) -> None:
        """Let the answers pass."""
        self.answered.set()


def code_of_cem(host: Host) -> str:
    """Return a code by which a browser plays as Cem."""
    made = host.player("Cem").post("/players/me/transfer-codes")
    return str(made.get_json()["code"])


def use(page: Any, code: str) -> None:
    """Use a code, and do not wait for the answer."""
    page.evaluate(
        """(code) => void fetch("/api/v1/transfers", {
          method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify({ code })
        }).then(({ ok }) => { document.title = ok ? "Used" : "Refused"; })""",
        code,
    )


def expect_offline(page: Any, seen: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text("You are offline")
    expect(page.locator("#seen")).to_have_text(f"Last seen: {seen}")


@pytest.fixture
def newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Puts other static files in the place of those that the service has, as an update does."""

    def update(host: Host) -> None:
        folder = tmp_path / "static"
        shutil.copytree(STATIC_DIR, folder)
        (folder / "shutbox.css").write_text((folder / "shutbox.css").read_text() + "\n:root { --newer: 1; }\n")
        for module in (statics, offline):
            monkeypatch.setattr(module, "STATIC_DIR", folder)
        statics.static_files.cache_clear()
        host.restart()

    yield update
    monkeypatch.undo()
    statics.static_files.cache_clear()


# What is installed, and when


def test_nothing_is_installed_before_the_first_round_is_over(host: Host, page: Any) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    for path in ("/", "/rules", "/practice", f"/play/{PUZZLE}", f"/play/{SEALED}"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate(REGISTERED) == 0, path
        assert page.evaluate(CACHES) == [], path
    assert [url for url in asked if url.endswith(("sw.js", "offline.js"))] == []
    assert page.context.cookies() == []
    someone = Mouse(page)
    someone.play(2)
    state_of(page)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(REGISTERED) == 0
    someone.play()
    until(page, INSTALLED)
    assert page.url.endswith(f"/play/{SEALED}")


def test_what_is_installed_holds_nothing_of_the_player(host: Host, page: Any) -> None:
    installed(host, page)
    players = page.evaluate(
        """async () => {
          const name = (await caches.keys()).find((name) => name.startsWith("shutbox-shell-"));
          const kept = await (await caches.open(name)).matchAll();
          return kept.map((one) => one.headers.get("X-Shutbox-Player")).filter(Boolean);
        }"""
    )
    assert len(players) > 20
    assert set(players) == {"nobody"}


def test_a_new_version_takes_the_place_of_the_old_one(host: Host, page: Any, newer: Any) -> None:
    """A result that was kept before the update is shown with what there is now."""
    result = finished(host, page)
    before = page.evaluate(CACHES)
    newer(host)
    page.goto("/rules")
    until(
        page,
        """async (before) => {
          const now = await caches.keys();
          return now.length === before.length && !now.every((name) => before.includes(name));
        }""",
        before,
    )
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--newer')") == "1"
    host.stop()
    page.context.new_cdp_session(page).send("Network.clearBrowserCache")  # which would have the older files
    page.goto(result)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score 35")
    expect(page.get_by_text("You are offline. This page is as it was on 30 Nov.")).to_be_visible()
    assert page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--newer')") == "1"


def test_files_of_another_version_are_not_kept_as_this_one(
    host: Host, page: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """During an update a node that is still the old one may answer for them: it says so, as here."""
    monkeypatch.setattr(statics, "FOR_GOOD", "no-cache")
    page.goto("/rules")
    state = page.evaluate(
        """async () => {
          const worker = (await navigator.serviceWorker.register("/sw.js")).installing;
          return new Promise((resolve) => worker.addEventListener("statechange", () => resolve(worker.state)));
        }"""
    )
    assert state == "redundant"
    assert page.evaluate(CACHES) == []


def test_the_worker_can_be_switched_off(host: Host, page: Any) -> None:
    """Report 31. It removes what it has kept and itself, and reloads no page."""
    finished(host, page)
    host.restart(offline=False)
    page.goto("/rules")
    page.evaluate("window.untouched = true")
    until(page, f"async () => (await ({REGISTERED})()) === 0")
    until(page, f"async () => (await ({CACHES})()).length === 0")
    assert page.evaluate("window.untouched")
    page.goto(f"/play/{SEALED}")
    state_of(page)
    page.wait_for_load_state("networkidle")
    assert page.evaluate(REGISTERED) == 0
    assert page.evaluate(CACHES) == []


def test_a_browser_whose_caches_were_emptied_fills_them_again(host: Host, page: Any) -> None:
    installed(host, page)
    shell = next(name for name in page.evaluate(CACHES) if name.startswith("shutbox-shell-"))
    page.evaluate("async () => { for (const name of await caches.keys()) await caches.delete(name); }")
    page.goto("/")
    until(page, "async (cacheName) => Boolean(await caches.match('/offline', { cacheName }))", shell)
    host.stop()
    page.goto("/")
    expect_offline(page, "30 Nov")


def test_a_player_survives_the_loss_of_worker_and_caches(host: Host, page: Any) -> None:
    """Report 14. The cookie is all that counts."""
    installed(host, page)
    before = facing(page)
    page.evaluate(
        """async () => {
          for (const one of await navigator.serviceWorker.getRegistrations()) await one.unregister();
          for (const name of await caches.keys()) await caches.delete(name);
        }"""
    )
    page.reload()
    state_of(page)
    assert facing(page) == before
    until(page, INSTALLED)


# Days


def test_a_worker_of_yesterday_shows_today(host: Host, page: Any) -> None:
    """Report 31."""
    installed(host, page)
    page.goto("/")
    expect(page.locator(".eyebrow").first).to_contain_text("30 November 2026")
    host.go_to(TOMORROW)
    page.goto("/")
    expect(page.locator(".eyebrow").first).to_contain_text("1 December 2026")
    page.goto("/play")
    assert page.url.endswith("/play/2026-12-01-classic")
    page.evaluate("void setTimeout(() => history.back())")
    expect(page.locator(".eyebrow").first).to_contain_text("1 December 2026")


@pytest.mark.parametrize("path", ["/", "/d/2026-11-30", "/leaderboard", f"/play/{SEALED}", "/archive", "/settings"])
def test_an_old_day_is_never_shown_without_a_connection(host: Host, page: Any, path: str) -> None:
    """Report 31. Everything of a day says when the service was seen last instead."""
    installed(host, page)
    page.goto(path)
    page.goto("/rules")
    host.stop()
    host.clock.set(TOMORROW)
    page.goto(path)
    expect_offline(page, "30 Nov")
    expect(page.get_by_role("main")).not_to_contain_text("2026")
    host.restart()


def test_going_back_without_a_connection_shows_no_old_day(host: Host, page: Any) -> None:
    """Report 31. The browser would take it from its own cache."""
    installed(host, page)
    page.goto("/")
    page.goto("/rules")
    host.stop()
    page.evaluate("void setTimeout(() => history.back())")
    expect_offline(page, "30 Nov")


def test_the_day_that_was_seen_last_is_the_newest_one(host: Host, page: Any) -> None:
    installed(host, page)
    host.go_to(TOMORROW)
    page.goto("/rules")
    page.context.set_offline(True)
    page.goto("/")
    expect_offline(page, "1 Dec")


# What works


def test_rules_are_read_without_a_connection(host: Host, page: Any) -> None:
    installed(host, page)
    host.stop()
    page.goto("/rules")
    expect(page.get_by_role("heading", level=1)).to_have_text("Rules")
    for name in ("Classic", "Missionary"):
        page.get_by_role("link", name=name, exact=True).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        expect(page.get_by_role("main")).to_contain_text("Least expected left")
        page.goto("/rules")


@pytest.mark.parametrize("ruleset", ["", "ten", "twelve"])
def test_practice_is_played_to_the_end_without_a_connection(host: Host, page: Any, ruleset: str) -> None:
    """Also by an address with a seed and a line, which a reload keeps."""
    installed(host, page)
    page.context.set_offline(True)
    page.goto(f"/practice?ruleset={ruleset}&seed={'5a' * 32}" if ruleset else "/practice")
    someone = Mouse(page)
    state_of(page)
    assert someone.step()
    state_of(page)
    before = facing(page)
    assert page.evaluate("location.hash")
    page.reload()
    state_of(page)
    assert facing(page) == before
    if ruleset:
        assert f"seed={'5a' * 32}" in page.url
    someone.play()
    expect(page.locator("#score")).to_contain_text("Score")
    expect(page.locator("#end").get_by_role("table").first).to_be_visible()


def test_the_dice_of_a_round_need_a_connection(host: Host, page: Any) -> None:
    installed(host, page)
    host.stop()
    page.goto(f"/practice?round={SEALED}")
    expect_offline(page, "30 Nov")


def test_an_own_result_is_shown_as_it_was(host: Host, page: Any) -> None:
    other = host.finish_sealed(["Ada"])[0]["run_id"]
    result = finished(host, page)
    page.goto(f"/run/{other}")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score")
    page.goto("/player/me")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    host.stop()
    page.goto(f"/run/{other}")
    expect_offline(page, "30 Nov")
    links = page.locator("#results").get_by_role("link")
    expect(links).to_have_text(["All your results", "Classic round, 30 Nov 2026: score 35"])
    links.last.click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score 35")
    expect(page.get_by_text("You are offline. This page is as it was on 30 Nov.")).to_be_visible()
    assert page.url.endswith(result)
    page.goto("/player/me")
    expect(page.get_by_text("You are offline. This page is as it was on 30 Nov.")).to_be_visible()


def test_a_result_is_kept_once_whatever_a_link_has_added_to_its_address(host: Host, page: Any) -> None:
    """As sites do on which links are shared."""
    result = finished(host, page)
    page.evaluate("caches.delete('shutbox-own')")
    page.goto(f"{result}?fbclid=abc")
    until(page, "async (path) => Boolean(await caches.match(path))", result)
    host.stop()
    page.goto("/")
    page.locator("#results").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score 35")
    page.goto(f"{result}?fbclid=def")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score 35")


def test_a_kept_page_is_asked_for_again_when_the_service_is_back(host: Host, page: Any) -> None:
    result = finished(host, page)
    page.clock.install()
    host.stop()
    page.goto(result)
    expect(page.get_by_text("You are offline.")).to_be_visible()
    host.restart()
    page.clock.fast_forward(10_000)
    expect(page.get_by_text("You are offline.")).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score 35")


def test_only_the_newest_own_results_are_kept(host: Host, page: Any) -> None:
    result = finished(host, page)
    page.evaluate(
        """async () => {
          const own = await caches.open("shutbox-own");
          const kept = await own.match(location.pathname);
          for (let number = 0; number < 70; number++) await own.put(`/run/${number}`, kept.clone());
        }"""
    )
    page.reload()
    until(page, f"async () => (await ({OWN})()).length === 60")
    kept = page.evaluate(OWN)
    assert kept[-1] == result
    assert kept[0] == "/run/11"


# Whose results


def test_results_of_another_player_are_not_shown(host: Host, page: Any) -> None:
    result = finished(host, page)
    host.seat(page, 0)
    page.goto("/rules")
    until(page, FORGOTTEN)
    host.stop()
    page.goto(result)
    expect_offline(page, "30 Nov")
    expect(page.locator("#results")).to_be_hidden()


@pytest.mark.parametrize("write", ["DELETE players/me", "POST transfers"])
def test_a_write_that_changes_the_player_forgets_the_results(host: Host, page: Any, write: str) -> None:
    """At once: no page has to be loaded in between."""
    result = finished(host, page)
    method, path = write.split()
    page.evaluate(
        """([method, path]) => fetch(`/api/v1/${path}`, {
          method, headers: {"Content-Type": "application/json"}, body: method === "POST" ? '{"code": "x"}' : null})""",
        [method, path],
    )
    until(page, FORGOTTEN)
    host.stop()
    page.goto(result)
    expect_offline(page, "30 Nov")


def test_a_result_that_arrives_after_the_player_has_changed_is_not_kept(host: Host, page: Any) -> None:
    """It was asked for as the player before, in another tab."""
    result = finished(host, page)
    other = page.context.new_page()
    other.goto("/rules")
    slow = SlowAnswer(host, result)
    page.evaluate("void setTimeout(() => location.reload())")
    assert slow.asked.wait(8)
    use(other, code_of_cem(host))
    expect(other).to_have_title("Used")
    slow.arrive()
    expect(page.locator("#who")).to_be_attached()
    page.wait_for_load_state("networkidle")
    host.stop()
    other.goto(result)
    expect_offline(other, "30 Nov")


def test_a_result_that_is_seen_while_the_player_changes_is_not_kept(host: Host, page: Any) -> None:
    """The answer brings the new cookie: until then pages are asked for as the player before."""
    result = finished(host, page)
    other = page.context.new_page()
    other.goto("/rules")
    slow = SlowAnswer(host, "/api/v1/transfers")
    use(other, code_of_cem(host))
    assert slow.asked.wait(8)
    page.reload()
    until(page, "async (path) => Boolean(await caches.match(path))", result)
    slow.arrive()
    expect(other).to_have_title("Used")
    host.stop()
    page.goto(result)
    expect_offline(page, "30 Nov")


def test_nothing_stays_installed_when_the_player_is_deleted(host: Host, page: Any) -> None:
    finished(host, page)
    page.goto("/settings")
    page.get_by_role("button", name="Delete my player…").click()
    page.get_by_role("button", name="Delete my player", exact=True).click()
    expect(page.get_by_text("Your player is gone.")).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate(REGISTERED) == 0
    assert page.evaluate(CACHES) == []


def test_a_claimed_name_keeps_the_results(host: Host, page: Any) -> None:
    result = finished(host, page)
    page.locator("#name").fill("Mara")
    page.locator("#name").press("Enter")
    expect(page.locator("#who")).to_have_text("Mara")
    host.stop()
    page.goto(result)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Score 35")


# A ranked round


def test_a_ranked_round_waits_and_goes_on_by_itself(host: Host, page: Any) -> None:
    someone = installed(host, page)
    before = facing(page)
    page.context.set_offline(True)
    page.reload()
    expect_offline(page, "30 Nov")
    expect(page.locator("#ranked")).to_contain_text("A ranked round needs the network")
    expect(page.locator("#ranked")).to_contain_text("Nothing is lost.")
    page.context.set_offline(False)
    state_of(page)
    assert facing(page) == before
    someone.play()
    expect(page.locator("#where")).to_contain_text("Score 35")


def test_a_service_that_is_back_is_noticed(host: Host, page: Any) -> None:
    """The device was never offline, so no event tells: the page asks again, by itself and when it is pressed."""
    installed(host, page)
    before = facing(page)
    page.clock.install()
    host.stop()
    page.goto(f"/play/{SEALED}")
    expect_offline(page, "30 Nov")
    page.get_by_role("button", name="Try again now").click()
    expect(page.locator("#status")).to_have_text("Still no connection.")
    host.restart()
    page.clock.fast_forward(10_000)
    state_of(page)
    assert facing(page) == before


def test_going_back_to_a_ranked_round_shows_it_as_it_stands(host: Host, page: Any) -> None:
    """Report 9. The browser's own copy is of the page before its first roll; the worker asks for the page instead."""
    someone = Mouse(page)
    someone.open()
    someone.play(3)
    page.reload()
    someone.play(1)
    until(page, INSTALLED)
    before = facing(page)
    page.goto("/rules")
    page.evaluate("void setTimeout(() => history.back())")
    expect(page.locator("#where")).to_have_text(before[2])
    state_of(page)
    assert facing(page) == before


def test_a_move_that_is_lost_is_sent_again_with_a_worker_too(host: Host, page: Any) -> None:
    """Report 18. The worker answers no request of the API."""
    someone = installed(host, page)
    page.context.set_offline(True)
    someone.step()
    expect(page.locator("#alert")).to_have_text("Connection lost. Your move is kept; trying again.")
    page.context.set_offline(False)
    expect(page.locator("#alert")).to_be_empty()
    someone.play()
    expect(page.locator("#where")).to_contain_text("Score 35")


def test_the_page_itself_leads_to_today_when_there_is_a_connection(host: Host, page: Any) -> None:
    page.goto("/offline")
    page.evaluate("dispatchEvent(new Event('online'))")
    page.wait_for_url(f"{host.address}/")


def test_the_offline_page_is_read_without_scripts(host: Host, open_page: Opener) -> None:
    page = open_page(java_script_enabled=False)
    page.goto("/offline")
    for name in ("Practice", "Rules"):
        expect(page.get_by_role("main").get_by_role("link", name=name)).to_be_visible()


# The app


def test_the_app_can_be_installed(host: Host, page: Any) -> None:
    page.goto("/")
    tools = page.context.new_cdp_session(page)
    told = tools.send("Page.getAppManifest")
    assert told["url"] == f"{host.address}/manifest.webmanifest"
    assert told["errors"] == []
    found = tools.send("Page.getInstallabilityErrors")["installabilityErrors"]
    assert [error["errorId"] for error in found if error["errorId"] != "in-incognito"] == []  # as all test pages are
