"""The page of a run: what its owner, another player and nobody see, before the close and after it."""

import html
import json
import re
from typing import Any

import pytest
from flask import Flask

from tests.conftest import Closer, MovableClock
from tests.journals import OPENED, SEALED
from tests.players import Api, any_of, last, legal_turns
from tests.web.test_verify_pages import Browser, close

pytestmark = pytest.mark.parametrize("database", ["sqlite"])  # what pages ask is asked on both elsewhere

HIDDEN = (
    "step-",
    "data-steps",
    "still open",
    "🟩",
    "🟨",
    "🟥",
    "blunder",
    'id="share"',
    "Practise",
    "knowing all dice.",
)
TITLE = "Shutbox #334 · 30 Nov 2026"
DAY = "http://localhost/d/2026-11-30"
SQUARES = {"best": "🟩", "fine": "🟨", "slip": "🟨", "blunder": "🟥"}


def text_of(page: str, box: str) -> str:
    """Return the text that a page offers in a box."""
    found = re.search(rf'<textarea id="{box}"[^>]*>(.*?)</textarea>', page, re.DOTALL)
    assert found
    return html.unescape(found[1])


def get(browser: Browser, path: str) -> Any:
    """Return the JSON of an answer of the API."""
    return browser._client.get(f"/api/v1{path}").get_json()


def played(browser: Browser) -> str:
    """Let a browser play the sealed round with the most tiles at each roll; return the id of its run."""
    browser.post("/players")
    state = browser.post(f"/rounds/{SEALED}/attempt")
    while state["state"].startswith("choose"):
        decision = {"shut": last(state["legal"])} if state["legal"] else {"dice": last(state["dice_allowed"])}
        state = browser.post(f"/attempts/{state['attempt_id']}/moves", {"move": state["move"], **decision})
    run_id: str = state["run_id"]
    return run_id


@pytest.fixture
def owner(app: Flask) -> Browser:
    return Browser(app)


@pytest.fixture
def run_id(owner: Browser) -> str:
    """The run of the owner on the sealed round."""
    return played(owner)


def test_before_the_close_the_owner_sees_the_analysis_and_shares_the_result_alone(owner: Browser, run_id: str) -> None:
    page = owner.page(f"/run/{run_id}")
    run = get(owner, f"/runs/{run_id}")
    assert text_of(page, "squares-text") == f"{TITLE}\nScore {run['score']} · {run['penalty']} left\n{DAY}"
    assert f"I scored {run['score']} with {run['penalty']} left. The day is at {DAY}" in text_of(page, "plain-text")
    assert page.count('<tbody id="step-') == len(run["turns"])
    assert "Provisional until" in page
    assert "What could be reached knowing all dice is shown after" in page
    assert "Practise from here" not in page
    assert 'id="claim-title">Your name<' in page


def test_before_the_close_others_see_neither_turns_nor_tiles_nor_analysis_nor_squares(
    app: Flask, owner: Browser, run_id: str
) -> None:
    finished, nobody = Browser(app), Browser(app)
    played(finished)
    for viewer in (finished, nobody):
        page = viewer.page(f"/run/{run_id}")
        for hidden in HIDDEN:
            assert hidden not in page
        assert ("Score" in page, "Given away" in page) == ((True, True) if viewer is finished else (False, False))
    assert "2 have finished. Finish yours to see the standings." in nobody.page(f"/run/{run_id}")


def test_before_the_close_of_a_puzzle_its_owner_alone_sees_the_line(app: Flask, owner: Browser) -> None:
    owner.post("/players")
    seed = get(owner, f"/rounds/{OPENED}")["seed"]
    run = owner.post(f"/rounds/{OPENED}/runs", {"turns": legal_turns("classic", seed, any_of(1))})
    own, other = owner.page(f"/run/{run['run_id']}"), Browser(app).page(f"/run/{run['run_id']}")
    result = f"Score {run['score']} · {run['penalty']} left"
    assert text_of(own, "squares-text") == f"{TITLE} · Classic puzzle\n{result}\n{DAY}"
    assert 'id="step-1"' in own
    assert "In a puzzle all dice are known" in own
    assert f"Score {run['score']}" in other
    for hidden in HIDDEN:
        assert hidden not in other


def test_after_the_close_everyone_sees_everything_and_may_share_it(
    app: Flask, owner: Browser, run_id: str, clock: MovableClock, close_days: Closer
) -> None:
    owner._client.patch("/api/v1/players/me", json={"name": "Mara & Co"}, headers={"Origin": "http://localhost"})
    close(clock, close_days)
    own, page = owner.page(f"/run/{run_id}"), Browser(app).page(f"/run/{run_id}")
    run, found = get(owner, f"/runs/{run_id}"), get(owner, f"/runs/{run_id}/analysis")
    told = f"Score {run['score']} · {run['penalty']} left · {len(run['turns'])} rolls"
    told += f" · {run['given_away_milli'] / 1000:.2f} given away"
    decided = [one for step in found["steps"] for one in (step["dice"], step["shut"]) if one and len(one["ways"]) > 1]
    squares = "".join(SQUARES[one["grade"]] for one in decided)
    assert squares
    assert text_of(own, "squares-text") == f"{TITLE}\n{told}\n{squares}\n{DAY}"
    assert text_of(page, "squares-text") == f"{TITLE}\nMara & Co · {told}\n{squares}\n{DAY}"
    assert text_of(page, "plain-text").startswith("Shutbox number 334 of 30 November 2026. Mara & Co scored")
    assert '<a href="/player/Mara%20%26%20Co">Mara &amp; Co</a>' in page
    assert "<b>0 left</b>, knowing all dice." in page
    assert "Final" in page
    links = re.findall(r'href="(/practice\?round=[^"]*)"', page)
    assert links[0] == f"/practice?round={SEALED}"
    first_shut = ".".join(map(str, run["turns"][0]["shut"]))
    assert links[1] == f"/practice?round={SEALED}#{first_shut}"


def test_the_page_says_what_the_api_says(
    app: Flask, owner: Browser, run_id: str, clock: MovableClock, close_days: Closer
) -> None:
    played(Browser(app))
    close(clock, close_days)
    page, found = owner.page(f"/run/{run_id}"), get(owner, f"/runs/{run_id}/analysis")
    parts = re.search(r'class="identity"><b>([\d.,]+) \+ ([\d.,]+) ([−+]) ([\d.,]+) = (\d+)</b>', page)
    assert parts
    assert f"{float(found['expected']['decimal']):.3f}" == parts[1]
    assert abs(float(found["given_away"]["decimal"]) - float(parts[2])) < 0.001
    luck = float(parts[4]) * (-1 if parts[3] == "−" else 1)
    assert abs(float(found["luck"]["decimal"]) - luck) < 0.002
    assert '1<span aria-hidden="true">=</span> <span class="muted">shared by 2, of 2' in page
    assert "<dt>Better than</dt>" not in page
    steps = json.loads(html.unescape(page.split("data-steps='")[1].split("'")[0]))
    run = get(owner, f"/runs/{run_id}")
    assert [step["shut"] for step in steps] == [turn["shut"] for turn in run["turns"]]
    assert [len(step["faces"]) for step in steps] == [turn["dice"] for turn in run["turns"]]


def test_a_deleted_player_is_called_so_and_not_linked_nor_shared(
    app: Flask, owner: Browser, run_id: str, clock: MovableClock, close_days: Closer
) -> None:
    owner._client.patch("/api/v1/players/me", json={"name": "Mara"}, headers={"Origin": "http://localhost"})
    close(clock, close_days)
    assert owner._client.delete("/api/v1/players/me", headers={"Origin": "http://localhost"}).status_code == 204
    page = Browser(app).page(f"/run/{run_id}")
    assert "deleted player" in page
    assert "Mara" not in page
    assert 'href="/player/' not in page.split("<main")[1]
    assert 'id="share"' not in page
    assert 'id="step-1"' in page


def test_only_the_sealed_classic_round_has_the_owners_other_results_beside_it(owner: Browser, run_id: str) -> None:
    page = owner.page(f"/run/{run_id}")
    assert "Streak 1 · days played 1" in page
    assert page.count("this one") == 1
    seed = get(owner, f"/rounds/{OPENED}")["seed"]
    run = owner.post(f"/rounds/{OPENED}/runs", {"turns": legal_turns("classic", seed)})
    assert "Your results" not in owner.page(f"/run/{run['run_id']}")


def test_a_practice_run_is_analysed_but_neither_ranked_nor_shared(owner: Browser) -> None:
    owner.post("/players")
    issued = owner.post("/rounds", {"ruleset": "classic", "mode": "open"})
    run = owner.post(f"/rounds/{issued['round_id']}/runs", {"turns": legal_turns("classic", issued["seed"])})
    page = owner.page(f"/run/{run['run_id']}")
    assert 'id="step-1"' in page
    for absent in ("<dt>Rank", "<dt>Standing", 'id="share"'):
        assert absent not in page


def test_the_shared_address_is_the_one_that_the_page_was_read_at(owner: Browser, run_id: str) -> None:
    cookie = owner._client.get_cookie("shutbox")
    assert cookie
    owner._client.set_cookie("shutbox", cookie.value, domain="play.example")
    page = owner._client.get(f"/run/{run_id}", base_url="https://play.example").text
    assert text_of(page, "squares-text").splitlines()[-1] == "https://play.example/d/2026-11-30"


def test_better_than_counts_the_others_and_not_the_reader(
    app: Flask, clock: MovableClock, close_days: Closer, owner: Browser, run_id: str
) -> None:
    """A sole winner of two is better than all others; the other one, and one who played alone, than nobody."""
    assert "<dt>Better than</dt>" not in owner.page(f"/run/{run_id}")
    state = Api(app).join().play_sealed(SEALED, any_of(1))
    close(clock, close_days)
    found = {one: get(owner, f"/runs/{one}/analysis") for one in (run_id, state["run_id"])}
    assert {one["better_than"] for one in found.values()} == {0, 1}
    for one, analysis in found.items():
        page = owner.page(f"/run/{one}")
        said = '<dt>Better than</dt><dd>100 % <span class="muted">of the one other</span>'
        assert said in page if analysis["better_than"] else "<dt>Better than</dt>" not in page


def test_tiles_are_listed_as_the_table_lists_them(
    clock: MovableClock, close_days: Closer, owner: Browser, run_id: str
) -> None:
    close(clock, close_days)
    page = owner.page(f"/run/{run_id}")
    *most, highest = get(owner, f"/runs/{run_id}")["open"]
    assert f"tiles {', '.join(map(str, most))} and {highest} still open" in page
    assert re.search(r"<li>\d \+ \d, shut \d", page)
    assert not re.search(r"<b>\d, \d</b>", page)
