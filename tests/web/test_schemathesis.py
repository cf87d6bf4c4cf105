"""Requests that schemathesis makes from openapi.yaml: none of them may meet what the document does not say."""

from collections.abc import Iterator
from contextvars import Context
from typing import Any

import pytest
import schemathesis
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import load_all_checks
from schemathesis.core.result import Ok
from schemathesis.specs.openapi import checks
from shutbox.site import Site

from tests import contract
from tests.conftest import Closer, MovableClock
from tests.journals import log_all
from tests.players import Api, Json, last, legal_turns

SEALED, OPENED = "2026-11-30-classic", "2026-11-30-classic-open"
NEXT_SEALED, NEXT_OPENED = "2026-12-01-classic", "2026-12-01-classic-open"
PENDING = ("receipt_pending", "bundle_pending")
"""What is not in the log yet is no fault of the service, though its status is 503."""

EXAMPLES = 25
ENDINGS = ("DELETE /api/v1/players/me", "DELETE /api/v1/players/me/tokens")
"""Who has done one of these can ask nothing more, or no program of the player's can."""
CHECKS = [
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
]

Known = dict[str, list[Any]]
"""Real values of parameters and members, by their names."""

# of the document itself, schemathesis would hold what it says to the shape of its text
SCHEMA = schemathesis.openapi.from_dict(contract.DOCUMENT).exclude(operation_id="openapi")


@pytest.fixture
def database() -> str:
    """What is asked here, the other tests ask on both databases."""
    return "sqlite"


@pytest.fixture
def known(nobody: Api, mara: Api, finn: Api, site: Site, clock: MovableClock, close_days: Closer) -> Known:
    """A closed day with runs and a running one, an attempt in play, practice, a challenge, a league: to be named."""
    runs = [api.play_sealed(SEALED, last)["run_id"] for api in (mara, finn)]
    runs += [submitted(api, OPENED) for api in (mara, finn)]
    clock.set("2026-12-01T03:00:00")
    close_days()
    log_all(site)
    runs += [finn.play_sealed(NEXT_SEALED)["run_id"], submitted(finn, NEXT_OPENED)]
    puzzle, sealed = (mara.issue(mode=mode)["round_id"] for mode in ("open", "sealed"))
    challenge = mara.post("/challenges", {"ruleset": "classic", "players": 3, "hours": 24}).get_json()["round_id"]
    played = [NEXT_SEALED, sealed, challenge]
    league = mara.post("/leagues", {"name": "Night shift"}, headers={"Idempotency-Key": "1"}).get_json()["code"]
    players = [mara.player_id, finn.player_id, "me"]
    return {
        "round_id": [SEALED, OPENED, NEXT_OPENED, "2026-12-02-classic-open", puzzle, *played],
        "run_id": runs,
        "attempt_id": [mara.post(f"/rounds/{id}/attempt").get_json()["attempt_id"] for id in played],
        "ruleset_id": ["classic", "crafthouse-multiply"],
        "ruleset": ["classic", "crafthouse-multiply"],
        "text": ["today", "2026-11-30", "2026-12-07"],
        "of": ["2026-W49", "2026-11-30", "2026-12", "all"],
        "name": ["Mara", "Finn", "mara"],
        "player_id": players,
        "around": players,
        "after": [nobody.get(f"/rounds/{OPENED}/leaderboard?limit=1").get_json()["next"]],
        "tile_path": ["0/000.p/12", "entries/000.p/12", "0/000"],
        "token_id": [mara.post("/players/me/tokens").get_json()["token_id"] for _ in range(5)],
        "code": [league, league, mara.post("/players/me/transfer-codes").get_json()["code"]],
        "league": [league],
        "turns": [turns_of(nobody, NEXT_OPENED), turns_of(nobody, puzzle)],
        "move": [0, 1, 2],
    }


def submitted(api: Api, round_id: str) -> str:
    run_id: str = api.submit(round_id, turns_of(api, round_id)).get_json()["run_id"]
    return run_id


def turns_of(api: Api, round_id: str) -> list[Json]:
    seed = api.get(f"/rounds/{round_id}").get_json()["seed"]
    return legal_turns("classic", seed)


@st.composite
def cases(draw: st.DrawFn, operation: Any, known: Known) -> tuple[Any, bool]:
    """Draw a request of an operation, right or wrong, and whether values that we know took the place of drawn ones."""
    mode = draw(st.sampled_from(list(schemathesis.GenerationMode)))
    case, mended = draw(operation.as_strategy(generation_mode=mode)), False
    for values in (case.path_parameters, case.query, case.body):
        if isinstance(values, dict):
            for name in sorted(values.keys() & known.keys()):
                if draw(st.booleans()):
                    values[name] = draw(st.sampled_from(known[name]))
                    mended = True
    return case, mended


def operations() -> Iterator[Any]:
    """Yield every operation, those that end something last."""
    found = []
    for result in SCHEMA.get_all_operations():
        assert isinstance(result, Ok), result
        found.append(result.ok())
    ending = ("/leagues/{code}/codes", "/players/me/tokens/{token_id}")
    yield from sorted(
        found, key=lambda one: (one.method == "delete" or one.path.endswith(ending), one.method, one.path)
    )


def faults_of(app: Flask, operation: Any, known: Known, asking: Api) -> list[str]:
    """Send requests of an operation; return what is wrong with their answers, each kind once."""
    found: dict[str, str] = {}

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(cases(operation, known))
    def send(drawn: tuple[Any, bool]) -> None:
        case, mended = drawn
        ends = operation.label in ENDINGS and asking.player_id
        headers = (asking.join() if ends else asking)._headers
        try:
            response = Context().run(lambda: case.call(app=app, headers=headers))
            # a wrong request may have become a right one
            case.validate_response(response, checks=CHECKS if mended else [*CHECKS, checks.negative_data_rejection])
            if response.status_code >= 500:
                assert response.json()["code"] in PENDING, response.text
        except (Exception, BaseExceptionGroup) as fault:
            found.setdefault(str(fault)[:90], f"{operation.label}: {fault}")

    send()
    return list(found.values())


@pytest.mark.parametrize("who", ["a player", "nobody"])
def test_no_request_meets_what_the_document_does_not_say(
    app: Flask, known: Known, nobody: Api, mara: Api, who: str
) -> None:
    load_all_checks()
    asking = mara if who == "a player" else nobody
    faults = [fault for operation in operations() for fault in faults_of(app, operation, known, asking)]
    assert not faults, "\n\n".join(faults)
