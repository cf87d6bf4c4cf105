"""The page of practice: what it is asked for, what it refuses in words, and that it leaves nothing behind."""

import json
import re
from html import unescape

import pytest
from flask import Flask
from shutbox.game.rulesets import CATALOGUE
from shutbox.rounds import get_round, seed_of
from shutbox.store.database import db
from shutbox.store.rows import EntryRow, PlayerRow
from sqlalchemy import func, select
from werkzeug.test import TestResponse

from tests.conftest import Closer, MovableClock
from tests.players import Api

pytestmark = pytest.mark.parametrize("database", ["sqlite"])  # what pages ask is asked on both elsewhere

SEALED, PUZZLE = "2026-11-30-classic", "2026-11-30-classic-open"


def ask(app: Flask, query: str) -> TestResponse:
    return app.test_client().get(f"/practice{query}", headers={"Accept": "text/html"})


def facts_of(answer: TestResponse) -> dict[str, object]:
    found = re.search(r"data-facts='([^']*)'", answer.text)
    assert found is not None
    facts: dict[str, object] = json.loads(unescape(found[1]))
    return facts


def test_every_ruleset_can_be_practised_and_is_offered_by_name(app: Flask) -> None:
    for ruleset in CATALOGUE.values():
        answer = ask(app, f"?ruleset={ruleset.id}")
        assert (answer.status_code, facts_of(answer)["ruleset"]) == (200, ruleset.id)
        assert f'<option value="{ruleset.id}" selected>{ruleset.name}</option>' in unescape(answer.text)
    assert answer.text.count("<option ") == len(CATALOGUE)
    assert facts_of(ask(app, ""))["ruleset"] == "classic"
    assert ask(app, "?ruleset=chess").status_code == 404


@pytest.mark.parametrize(
    ("text", "taken"),
    [("ab" * 32, "ab" * 32), (" " + "AB" * 32 + " ", "ab" * 32), ("", None), ("ab" * 31, None), ("xy" * 32, None)],
)
def test_a_seed_is_64_digits_and_a_wrong_one_is_shown_again(app: Flask, text: str, taken: str | None) -> None:
    answer = ask(app, f"?ruleset=twelve&seed={text}")
    wrong = bool(text) and taken is None
    assert answer.status_code == (400 if wrong else 200)
    assert facts_of(answer)["seed"] == taken
    assert facts_of(answer)["wrong"] is wrong
    assert f'name="seed" value="{text.strip().lower()}"' in answer.text
    assert ("must have 64 digits" in answer.text) is wrong


@pytest.mark.parametrize("round_id", [SEALED, PUZZLE, "2026-12-01-classic", "2026-12-03-classic-open"])
def test_a_round_that_has_not_closed_is_refused_with_the_moment_of_its_disclosure(app: Flask, round_id: str) -> None:
    with app.app_context():
        site = app.extensions["shutbox"]
        seed = seed_of(site, get_round(site, round_id)).hex()
    answer = ask(app, f"?round={round_id}")
    assert answer.status_code == 409
    assert "Its dice are disclosed at its close, which is due on " in answer.text
    assert seed not in answer.text
    if round_id in (SEALED, PUZZLE):
        assert "Tuesday 1 December 2026 at 02:00 UTC." in answer.text


def test_a_round_that_is_closing_is_refused_too(app: Flask, clock: MovableClock) -> None:
    clock.set("2026-12-01T01:59:59")
    assert ask(app, f"?round={SEALED}").status_code == 409


def test_a_closed_round_is_dealt_again(app: Flask, nobody: Api, clock: MovableClock, close_days: Closer) -> None:
    clock.set("2026-12-01T02:00:00")
    close_days()
    for round_id in (SEALED, PUZZLE):
        facts = facts_of(ask(app, f"?round={round_id}"))
        assert facts["seed"] == nobody.get(f"/rounds/{round_id}").get_json()["seed"]
        assert (facts["ruleset"], facts["round_id"]) == ("classic", round_id)


def test_a_round_that_does_not_exist_is_not_found(app: Flask) -> None:
    for text in ("x", "", "2026-11-30-chess", "a" * 200):
        assert ask(app, f"?round={text}").status_code == 404


def test_nothing_is_kept_of_practice(app: Flask) -> None:
    """Report 38. No player, no entry in any round, no cookie."""
    for query in ("", "?ruleset=twelve", f"?seed={'ab' * 32}", f"?round={SEALED}"):
        assert "Set-Cookie" not in ask(app, query).headers
    with app.app_context():
        for row in (PlayerRow, EntryRow):
            assert db.session.scalar(select(func.count()).select_from(row)) == 0
