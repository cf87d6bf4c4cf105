"""Values and JSON. The other tests cannot see what happens to answers that the present service does not give."""

from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from typing import Any

import httpx
import pytest
from flask import Flask
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox_client import Analysis, Client, Day, NewPlayer, Player, Round, Ruleset, Run, Turn
from shutbox_client.reading import Unreadable, plain, read
from shutbox_client.values import Submission

from tests.client.conftest import OPEN, SEALED, turns_on

PLAYER = {"player_id": "p", "name": None, "guest": True, "bot": False, "hidden": False}
RUN: dict[str, Any] = {
    "run_id": "r",
    "round_id": OPEN,
    "player": PLAYER,
    "score": 38,
    "penalty": 7,
    "open": [7],
    "shut_the_box": False,
    "given_away_milli": None,
    "turns": [{"dice": 2, "shut": [3, 5]}, {"dice": 2, "shut": []}],
    "ranked": True,
    "rank": 1,
    "total": 1,
    "accepted_at": "2026-11-30T12:00:00.000Z",
    "withdrawn": None,
    "gated": False,
}


def test_fields_that_a_later_service_adds_are_passed_over() -> None:
    later = RUN | {"mood": "good", "player": PLAYER | {"hat": "red"}}
    assert read(Run, later) == read(Run, RUN)


def test_a_value_is_written_as_it_was_read() -> None:
    assert plain(read(Run, RUN)) == RUN


def test_turns_are_those_of_the_game() -> None:
    assert read(Run, RUN).turns == (Turn(2, (3, 5)), Turn(2, ()))


@pytest.mark.parametrize("path", [f"/rounds/{OPEN}", f"/rounds/{SEALED}", "/rounds/2026-12-01-classic-open"])
def test_a_round_of_the_service_is_written_as_the_service_writes_it(app: Flask, path: str) -> None:
    with httpx.Client(transport=httpx.WSGITransport(app), base_url="http://shutbox.test/api/v1") as http:
        content = http.get(path).json()
    assert plain(read(Round, content)) == content


def test_an_analysis_of_the_service_is_written_as_the_service_writes_it(app: Flask, client: Client) -> None:
    round = client.issue_round("digits", "open")
    assert round.seed is not None
    run = client.submit_run(round.round_id, turns_on(round.seed, "digits"))
    headers = {"Authorization": f"Bearer {client.token}"}
    with httpx.Client(transport=httpx.WSGITransport(app), base_url="http://shutbox.test/api/v1") as http:
        content = http.get(f"/runs/{run.run_id}/analysis", headers=headers).json()
    assert content["steps"]
    assert plain(read(Analysis, content)) == content


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"score": "38"}, "/score must be a whole number"),
        ({"score": True}, "/score must be a whole number"),
        ({"score": 38.0}, "/score must be a whole number"),
        ({"gated": 0}, "/gated must be true or false"),
        ({"run_id": 7}, "/run_id must be text"),
        ({"open": 7}, "/open must be a list"),
        ({"open": [7, None]}, "/open/1 must be a whole number"),
        ({"turns": [{"dice": 2}]}, "/turns/0/shut is missing"),
        ({"player": "Mara"}, "/player must be an object"),
        ({"accepted_at": "noon"}, "/accepted_at must be a moment"),
        ({"accepted_at": "2026-11-30T12:00:00"}, "/accepted_at must be a moment"),
        ({"accepted_at": 5}, "/accepted_at must be a moment"),
    ],
)
def test_an_answer_of_another_shape_is_refused_with_the_place(change: dict[str, Any], told: str) -> None:
    with pytest.raises(Unreadable) as raised:
        read(Run, RUN | change)
    assert str(raised.value) == told


@pytest.mark.parametrize("content", [None, [], "text", 3])
def test_what_is_no_object_is_no_value(content: object) -> None:
    with pytest.raises(Unreadable, match=r"^it must be an object$"):
        read(Submission, content)


def test_values_cannot_be_changed() -> None:
    player = read(Player, PLAYER)
    with pytest.raises(FrozenInstanceError):
        player.name = "Mara"  # type: ignore[misc]


def test_a_secret_is_not_shown_by_repr() -> None:
    assert "secret" not in repr(NewPlayer(read(Player, PLAYER), "secret"))


def test_the_rules_of_every_ruleset_come_from_its_document(nameless: Client) -> None:
    found = nameless.rulesets()
    assert [ruleset.id for ruleset in found] == list(CATALOGUE)
    for ruleset in found:
        assert ruleset.rules is rules_of(CATALOGUE[ruleset.id])
        assert ruleset.hash == CATALOGUE[ruleset.id].hash


def test_a_ruleset_under_a_new_name_can_be_played(nameless: Client) -> None:
    renamed = replace(nameless.ruleset("classic"), id="nine", name="Nine")
    assert renamed.rules.dice_allowed == rules_of(CATALOGUE["classic"]).dice_allowed


@pytest.mark.parametrize("document", [b"", b"\0" * 11, bytes.fromhex("01ff0000020900000000000000")[:12]])
def test_a_ruleset_of_rules_that_are_not_known_says_so(nameless: Client, document: bytes) -> None:
    unknown: Ruleset = replace(nameless.ruleset("classic"), document=document)
    with pytest.raises(ValueError, match=r"has not 12 bytes|is not a valid OneDie"):
        _ = unknown.rules


def test_the_exact_values_of_a_ruleset_are_fractions(nameless: Client) -> None:
    classic = nameless.ruleset("classic")
    assert isinstance(classic.min_expected_penalty, Fraction)
    assert 11 < classic.min_expected_penalty < 12


def test_a_day_finds_its_rounds(nameless: Client) -> None:
    day: Day = nameless.day()
    found = day.find("classic", "open")
    assert found is not None
    assert found.round_id == OPEN
    assert day.find("classic", "other") is None


def test_a_shown_run_is_a_submission(client: Client) -> None:
    round = client.issue_round("classic", "open")
    assert round.seed is not None
    run = client.submit_run(round.round_id, turns_on(round.seed))
    assert read(Submission, plain(run)) == Submission(round.round_id, turns_on(round.seed))
