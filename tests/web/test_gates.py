"""Before the close of a sealed round: what one who has not finished it can find out about the others."""

import json
from typing import Any

import pytest
from shutbox.rounds import dice_of, get_round, seed_of
from shutbox.site import Site

from tests.conftest import TODAY, Closer, MovableClock
from tests.contract import DOCUMENT
from tests.players import Api, any_of, first

ROUND = "2026-11-30-classic"


@pytest.fixture
def finished(nobody: Api) -> list[dict[str, Any]]:
    """Six players who have finished, as their runs."""
    runs = []
    for number in range(6):
        player = nobody.join(name=f"Finisher {number}")
        end = player.play_sealed(ROUND, any_of(number))
        runs.append({**player.get(f"/runs/{end['run_id']}").get_json(), "attempt_id": end["attempt_id"]})
    return runs


def addresses(finished: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return every operation of openapi.yaml with every value that an outsider could know, filters included."""
    found = []
    for template, item in DOCUMENT["paths"].items():
        for method in ("get", "post", "patch", "delete"):
            if method not in item:
                continue
            values: dict[str, list[str]] = {
                "round_id": [ROUND],
                "text": ["today", "2026-11-30", "2026-12-01"],
                "ruleset_id": ["classic"],
                "run_id": [run["run_id"] for run in finished],
                "attempt_id": [run["attempt_id"] for run in finished],
                "token_id": ["01900000-0000-7000-8000-000000000000"],
                "name": ["Finisher 0", "Nobody"],
            }
            paths = [template]
            for name, known in values.items():
                paths = [path.replace(f"{{{name}}}", value) for path in paths for value in known]
            if template.endswith("/leaderboard"):
                player = finished[0]["player"]["player_id"]
                queries = ("?limit=200", "?bots=exclude", "?bots=only", f"?around={player}", "?around=me")
                paths += [path + query for path in paths for query in queries]
            found += [(method.upper(), path) for path in dict.fromkeys(paths)]
    return sorted(found, key=lambda one: one == ("DELETE", "/api/v1/players/me"))  # after which nobody asks any more


def strip_allowed(answer: Any) -> Any:
    """Leave out what anyone may know: counts of a round; when a run of a known id was accepted; whose a profile is."""
    if isinstance(answer, dict):
        kept = dict(answer)
        if "days_played" in kept:  # a profile: whose it is was known to one who asks by name
            kept.pop("player", None)
        if "commitment" in kept:
            kept.pop("started"), kept.pop("finished")
        if kept.get("gated") and "run_id" in kept:
            kept = {key: value for key, value in kept.items() if key not in ("run_id", "accepted_at")}
        return {key: strip_allowed(value) for key, value in kept.items()}
    return [strip_allowed(value) for value in answer] if isinstance(answer, list) else answer


@pytest.mark.parametrize("who", ["nobody", "playing", "not started"])
def test_no_answer_tells_of_the_others(
    nobody: Api, site: Site, finished: list[dict[str, Any]], who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer = nobody
    if who != "nobody":
        viewer = nobody.join(name="Outsider")
    if who == "playing":
        state = viewer.post(f"/rounds/{ROUND}/attempt").get_json()
        viewer.move(state, first)
    hidden_seed = seed_of(site, get_round(site, ROUND)).hex()
    (secret,) = (link.hex() for link in site.secrets.links_of(TODAY))
    asked = addresses(finished)
    assert len(asked) > 30
    for method, path in asked:
        full = path.removeprefix("/api/v1")
        answer = viewer.request(method, full, **({"json": {}} if method in ("POST", "PATCH") else {}))
        assert answer.status_code < 500
        if "json" not in (answer.mimetype or ""):
            continue
        text = json.dumps(strip_allowed(answer.get_json()))
        assert hidden_seed not in text
        assert secret not in text
        assert "Finisher" not in text, (method, path)
        for run in finished:
            assert run["run_id"] not in text, (method, path)
            assert run["player"]["player_id"] not in text, (method, path)
        if "gated" in answer.get_json() and answer.get_json().get("round_id") == ROUND:
            shown = answer.get_json()
            assert shown["gated"] is True
            hidden = ("total", "ranked", "rank", "score", "penalty", "open", "turns")
            assert all(shown.get(key) is None for key in hidden)
            assert not shown.get("items")


def test_a_run_that_one_has_the_id_of_is_gated(nobody: Api, finished: list[dict[str, Any]]) -> None:
    outsider = nobody.join()
    for viewer in (nobody, outsider):
        seen = viewer.get(f"/runs/{finished[0]['run_id']}").get_json()
        assert seen["gated"] is True
        for field in (
            "player",
            "score",
            "penalty",
            "open",
            "shut_the_box",
            "given_away_milli",
            "turns",
            "ranked",
            "rank",
            "total",
        ):
            assert seen[field] is None


def test_one_who_has_finished_sees_the_standings_but_no_turns(
    nobody: Api, finished: list[dict[str, Any]], clock: MovableClock, close_days: Closer
) -> None:
    viewer = nobody.join()
    viewer.play_sealed(ROUND)
    board = viewer.get(f"/rounds/{ROUND}/leaderboard").get_json()
    assert (board["gated"], board["total"], board["state"]) == (False, 7, "provisional")
    seen = viewer.get(f"/runs/{finished[0]['run_id']}").get_json()
    assert (seen["gated"], seen["turns"], seen["open"]) == (True, None, None)
    assert (seen["score"], seen["given_away_milli"]) == (finished[0]["score"], finished[0]["given_away_milli"])
    clock.set("2026-12-01T02:00:00")
    close_days()
    after = nobody.get(f"/runs/{finished[0]['run_id']}").get_json()
    assert (after["gated"], after["turns"]) == (False, finished[0]["turns"])
    assert nobody.get(f"/rounds/{ROUND}/leaderboard").get_json()["state"] == "final"


def test_an_owner_sees_the_own_run_whole(nobody: Api) -> None:
    player = nobody.join()
    end = player.play_sealed(ROUND)
    run = player.get(f"/runs/{end['run_id']}").get_json()
    assert run["gated"] is False
    assert run["turns"]


def test_the_cause_of_a_refusal_holds_no_roll_to_come(nobody: Api, site: Site) -> None:
    """A problem carries the state of the attempt: only what was shown already."""
    player = nobody.join()
    state = player.post(f"/rounds/{ROUND}/attempt").get_json()
    refused = player.post(f"/attempts/{state['attempt_id']}/moves", {"move": 7, "shut": [1]}).get_json()
    assert refused["state"] == state
    table = dice_of(site, get_round(site, ROUND))[1]
    assert state["faces"] == list(table.rolls[0])
    for later in table.rolls[1:]:
        assert json.dumps(list(later)) not in json.dumps(refused).replace(json.dumps(state["faces"]), "")
