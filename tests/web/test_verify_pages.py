"""The Verify pages without scripts: nothing undisclosed before the close, everything after it, and where links lead."""

import re
from contextvars import Context
from hashlib import sha256
from hmac import digest
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from shutbox.game.encoding import lp, tag
from shutbox.rounds import get_round, seed_of
from shutbox.runs import get_run
from shutbox.site import Site
from shutbox.tlog.disclosure import earlier_link

from tests.conftest import LOG_KEY, Closer, MovableClock
from tests.journals import OPENED, SEALED, fill, log_all
from tests.players import Api, any_of, first, last, legal_turns

pytestmark = pytest.mark.parametrize("database", ["sqlite"])  # what pages ask is asked on both elsewhere

COMING = "2026-12-01-classic"
LONG_HEX = re.compile(r"[0-9a-f]{32,}")


class Browser:
    """Keeps its cookie; requests are in a context of their own, whatever the test has around it."""

    def __init__(self, app: Flask) -> None:
        self._client = app.test_client()

    def post(self, path: str, body: Any = None) -> Any:
        """Return the JSON of an answer of the API."""
        headers = {"Origin": "http://localhost"}
        return Context().run(lambda: self._client.post(f"/api/v1{path}", json=body or {}, headers=headers)).get_json()

    def status(self, path: str) -> int:
        return Context().run(lambda: self._client.get(path, headers={"Accept": "text/html"})).status_code

    def page(self, path: str) -> str:
        """Return a page that is there."""
        answer = Context().run(lambda: self._client.get(path))
        assert (answer.status_code, answer.mimetype) == (200, "text/html"), path
        return answer.text


@pytest.fixture
def browser(app: Flask) -> Browser:
    """A browser of nobody."""
    return Browser(app)


def close(clock: MovableClock, close_days: Closer) -> None:
    clock.set("2026-12-01T02:00:00")
    close_days()


def played(browser: Browser) -> str:
    """Let a browser play the sealed round to its end; return the id of its run."""
    browser.post("/players")
    state = browser.post(f"/rounds/{SEALED}/attempt")
    while state["state"].startswith("choose"):
        decision = {"shut": first(state["legal"])} if state["legal"] else {"dice": last(state["dice_allowed"])}
        state = browser.post(f"/attempts/{state['attempt_id']}/moves", {"move": state["move"], **decision})
    run_id: str = state["run_id"]
    return run_id


@pytest.mark.parametrize("logged", [True, False])
def test_before_the_close_a_round_shows_its_commitment_and_nothing_else(
    browser: Browser, site: Site, clock: MovableClock, logged: bool
) -> None:
    fill(site, 3, SEALED)
    fill(site, 3, OPENED)
    if logged:
        log_all(site)
    for moment in ("2026-11-30T12:00:00", "2026-12-01T00:00:00", "2026-12-01T01:59:59"):
        clock.set(moment)
        for round_id in (SEALED, OPENED, COMING, f"{COMING}-open"):
            text = browser.page(f"/verify/{round_id}")
            assert set(LONG_HEX.findall(text)) == {get_round(site, round_id).commitment.hex()}
            assert "02:00 UTC" in text
            assert "<script" not in text.split("<main")[1]
            assert "/js/verify/" not in text


def test_nothing_is_disclosed_until_the_log_discloses_it(
    browser: Browser, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    close(clock, close_days)
    text = browser.page(f"/verify/{SEALED}")
    assert set(LONG_HEX.findall(text)) == {get_round(site, SEALED).commitment.hex()}
    assert "on its way into the log" in text
    log_all(site)
    assert seed_of(site, get_round(site, SEALED)).hex() in browser.page(f"/verify/{SEALED}")


@pytest.mark.parametrize("round_id", [SEALED, OPENED])
def test_after_the_close_all_that_is_disclosed_is_read_without_scripts(
    browser: Browser, site: Site, clock: MovableClock, close_days: Closer, round_id: str
) -> None:
    fill(site, 3, round_id)
    close(clock, close_days)
    log_all(site)
    text = browser.page(f"/verify/{round_id}")
    round, chain = get_round(site, round_id), site.secrets.chains[0]
    seed, secret = seed_of(site, round), chain.link(8)
    for value in (round.commitment, round.ruleset.hash, seed, secret, chain.anchor, chain.chain_id):
        assert f">{value.hex()}</code>" in text
    assert earlier_link(chain.chain_id, 8, secret, 0) == chain.anchor
    assert "Link 8 of the chain" in text
    assert "3 ranked" in text
    assert f"verify round {round_id}</code>" in text
    assert "verify day 2026-11-30</code>" in text
    assert f'href="/api/v1/rounds/{round_id}/bundle"' in text


def test_what_is_printed_by_hand_is_the_commitment_and_the_seed(
    browser: Browser, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    close(clock, close_days)
    log_all(site)
    for round_id in (SEALED, OPENED):
        text = browser.page(f"/verify/{round_id}")
        round = get_round(site, round_id)
        hashed, named = (bytes.fromhex(found) for found in re.findall(r"echo ([0-9a-f]+) \|", text))
        (key,) = re.findall(r"hexkey:([0-9a-f]{64})", text)
        assert sha256(hashed).digest() == round.commitment
        assert digest(bytes.fromhex(key), named, "sha256") == seed_of(site, round)
        assert named.startswith(tag("day-seed"))
        assert lp(round.mode.encode()) in named


def test_practice_and_unknown_rounds_have_no_page(browser: Browser, mara: Api) -> None:
    for round_id in (mara.issue()["round_id"], "2026-11-30-checkers", "nope"):
        assert browser.status(f"/verify/{round_id}") == 404, round_id


def test_the_page_says_what_is_proven_and_what_is_not(browser: Browser, site: Site) -> None:
    text = browser.page("/verify")
    assert LOG_KEY.verifier.text in text.replace("&#43;", "+")
    assert "0 leaves are logged" in text
    for said in ("second account", "is no bot", "does not know the dice", "pick among", "sent nowhere"):
        assert said in text
    log_all(site)
    assert "0 leaves are logged" not in browser.page("/verify")


def test_the_newest_days_are_listed_and_a_closed_one_stands_in_the_commands(
    browser: Browser, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    assert "verify day DATE" in browser.page("/verify")
    close(clock, close_days)
    text = browser.page("/verify")
    assert "verify day 2026-11-30</code>" in text
    for round_id in (SEALED, OPENED, COMING):
        assert f'href="/verify/{round_id}"' in text
        browser.page(f"/verify/{round_id}")
    assert text.index(COMING) < text.index(SEALED)


# Where links lead


def test_a_receipt_is_offered_to_its_owner_before_the_close_and_to_all_after_it(
    app: Flask, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    owner, other, nobody = Browser(app), Browser(app), Browser(app)
    run_id = played(owner)
    played(other)
    address = f"/run/{run_id}"
    receipt = f'href="/api/v1/runs/{run_id}/receipt"'
    pending = owner.page(address)
    assert "on its way into the" in pending
    assert receipt not in pending
    log_all(site)
    assert receipt in owner.page(address)
    assert f"leaf {get_run(site, UUID(run_id), None).leaf_index} of the" in owner.page(address)
    assert owner.status(f"/api/v1/runs/{run_id}/receipt") == 200
    for stranger in (other, nobody):
        text = stranger.page(address)
        assert receipt not in text
        assert 'id="logged"' not in text
        assert "/verify/" not in text
    close(clock, close_days)
    log_all(site)
    for anyone in (owner, other, nobody):
        text = anyone.page(address)
        assert receipt in text
        assert f'href="/verify/{SEALED}"' in text


def test_a_run_that_is_not_logged_says_so_and_a_practice_run_says_nothing(
    browser: Browser, nobody: Api, site: Site
) -> None:
    browser.post("/players")
    seed = nobody.get(f"/rounds/{OPENED}").get_json()["seed"]
    ways = [legal_turns("classic", seed, any_of(number)) for number in range(9)]
    runs = [browser.post(f"/rounds/{OPENED}/runs", {"turns": turns}) for turns in ways]
    logged = {run["run_id"]: get_run(site, UUID(run["run_id"]), None).to_log for run in runs}
    assert sorted(set(logged.values())) == [False, True]
    log_all(site)
    for run_id, is_logged in logged.items():
        text = browser.page(f"/run/{run_id}")
        assert ("/receipt" in text, "this one has no receipt" in text) == (is_logged, not is_logged)
    issued = browser.post("/rounds", {"ruleset": "classic", "mode": "open"})
    run = browser.post(f"/rounds/{issued['round_id']}/runs", {"turns": legal_turns("classic", issued["seed"])})
    text = browser.page(f"/run/{run['run_id']}")
    assert 'id="logged"' not in text
    assert "/verify/" not in text


def test_the_leaderboard_of_a_closed_round_leads_to_its_verification(
    browser: Browser, clock: MovableClock, close_days: Closer
) -> None:
    link = f'href="/verify/{SEALED}"'
    assert link not in browser.page(f"/leaderboard?round={SEALED}")
    close(clock, close_days)
    assert link in browser.page(f"/leaderboard?round={SEALED}")


@pytest.mark.parametrize("path", ["/", f"/play/{SEALED}", f"/play/{OPENED}", "/leaderboard", "/rules"])
def test_other_pages_load_nothing_of_the_verification(browser: Browser, path: str) -> None:
    text = browser.page(path)
    assert 'href="/verify"' in text
    for part in ("/js/verify/", "/js/tlog/", "/verify.css"):
        assert part not in text
