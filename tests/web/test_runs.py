"""POST /rounds/{id}/runs and GET /runs/{id}: submitting to an open round."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from shutbox.boards import rebuild
from shutbox.game.encoding import mask_of, tiles_of
from shutbox.game.replay import Reason
from shutbox.game.rulesets import CATALOGUE
from shutbox.site import Site
from shutbox.store.rows import RunRow
from sqlalchemy import select

from tests.conftest import Closer, MovableClock
from tests.players import Api, any_of, first, last, legal_turns, table_of
from tests.vectors import vectors

TODAYS_PUZZLE = "2026-11-30-classic-open"


def seed_of(api: Api, round_id: str = TODAYS_PUZZLE) -> str:
    return str(api.get(f"/rounds/{round_id}").get_json()["seed"])


@pytest.mark.parametrize("ruleset", CATALOGUE)
def test_a_legal_run_is_verified_scored_and_ranked(mara: Api, ruleset: str) -> None:
    issued = mara.issue(ruleset)
    rules, _ = table_of(ruleset, issued["seed"])
    turns = legal_turns(ruleset, issued["seed"])
    response = mara.submit(issued["round_id"], turns)
    run = response.get_json()
    assert response.status_code == 201
    assert run["turns"] == turns
    shut = {tile for turn in turns for tile in turn["shut"]}
    assert set(run["open"]) == {tile for tile in range(1, 13) if rules.opening >> (tile - 1) & 1} - shut
    assert run["score"] == rules.opening_penalty - run["penalty"]
    assert run["shut_the_box"] == (not run["open"])
    assert (run["ranked"], run["rank"], run["total"], run["gated"]) == (True, 1, 1, False)
    again = mara.submit(issued["round_id"], turns)
    assert again.status_code == 200
    assert again.get_json() == run
    assert mara.get(f"/runs/{run['run_id']}").get_json() == run


@pytest.mark.parametrize("ruleset", CATALOGUE)
def test_every_kind_of_illegal_run_is_refused_with_its_reason_and_turn(mara: Api, ruleset: str) -> None:
    """One faulty run of the vectors for each reason, submitted to a round with the vector's seed."""
    faulty = {vector["reason"]: vector for vector in vectors("runs-invalid") if vector["ruleset"] == ruleset}
    faulty |= {reason.value: made_faulty(ruleset, reason) for reason in Reason if reason.value not in faulty}
    for reason, vector in faulty.items():
        issued = mara.issue(ruleset, seed=vector["seed"])
        response = mara.submit(issued["round_id"], vector["turns"])
        problem = response.get_json()
        assert response.status_code == 422
        assert problem["code"] == "illegal_run"
        assert (problem["reason"], problem["turn"]) == (reason, vector["turn"])
        assert f"turn {vector['turn']}" in problem["detail"]
        assert mara.get(f"/rounds/{issued['round_id']}").get_json()["finished"] == 0
    assert faulty.keys() == {reason.value for reason in Reason}


def made_faulty(ruleset: str, reason: Reason) -> dict[str, Any]:
    """Return a run with one fault where the vectors have none: three rulesets lack one kind each."""
    for number in range(1000):
        seed = f"{number:064x}"
        rules, _ = table_of(ruleset, seed)
        turns = legal_turns(ruleset, seed)
        dice, playable = turns[0]["dice"], bool(turns[0]["shut"])
        if reason is Reason.SHUT_REQUIRED and playable:
            return {"seed": seed, "turns": [{"dice": dice, "shut": []}], "turn": 0}
        if reason is Reason.WRONG_TILES and playable:
            return {"seed": seed, "turns": [{"dice": dice, "shut": list(tiles_of(rules.opening))}], "turn": 0}
        if reason is Reason.NO_LEGAL_SHUT and not turns[-1]["shut"]:
            still_open = rules.opening ^ mask_of(tile for turn in turns for tile in turn["shut"])
            turns[-1]["shut"] = list(tiles_of(still_open))[:1]
            return {"seed": seed, "turns": turns, "turn": len(turns) - 1}
    raise AssertionError(f"no {reason} found in {ruleset}")


def test_the_vectors_hold_every_reason() -> None:
    assert {vector["reason"] for vector in vectors("runs-invalid")} == {reason.value for reason in Reason}


def test_valid_runs_of_the_vectors_get_their_score(mara: Api) -> None:
    for vector in vectors("runs-valid")[::4]:
        issued = mara.issue(vector["ruleset"], seed=vector["seed"])
        run = mara.submit(issued["round_id"], vector["turns"]).get_json()
        assert (run["score"], run["penalty"], run["open"]) == (vector["score"], vector["penalty"], vector["open"])


def test_the_order_of_tiles_in_a_turn_makes_no_other_run(mara: Api) -> None:
    seed = seed_of(mara)
    turns = legal_turns("classic", seed, last)
    assert any(len(turn["shut"]) > 1 for turn in turns)
    run = mara.submit(TODAYS_PUZZLE, turns).get_json()
    turned = [{**turn, "shut": turn["shut"][::-1]} for turn in turns]
    again = mara.submit(TODAYS_PUZZLE, turned)
    assert (again.status_code, again.get_json()["run_id"]) == (200, run["run_id"])


def test_the_same_submission_ten_times_in_parallel_is_one_run(mara: Api) -> None:
    turns = legal_turns("classic", seed_of(mara))
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: mara.submit(TODAYS_PUZZLE, turns), range(10)))
    assert sorted(answer.status_code for answer in answers) == [200] * 9 + [201]
    assert len({answer.data for answer in answers}) == 1
    assert mara.get(f"/rounds/{TODAYS_PUZZLE}/leaderboard").get_json()["total"] == 1


def test_the_best_run_counts_and_an_equal_one_changes_neither_rank_nor_time(
    mara: Api, finn: Api, clock: MovableClock, site: Site
) -> None:
    seed = seed_of(mara)
    by_penalty: dict[int, list[Any]] = {}
    for turns in {
        str(turns): turns for turns in (legal_turns("classic", seed, any_of(n)) for n in range(200))
    }.values():
        shut = sum(tile for turn in turns for tile in turn["shut"])
        by_penalty.setdefault(45 - shut, []).append(turns)
    best = min(penalty for penalty, lines in by_penalty.items() if len(lines) > 1)
    worse = max(by_penalty)
    assert worse > best
    runs = []
    for turns in (by_penalty[worse][0], *by_penalty[best], by_penalty[worse][0]):
        clock.forward(1)
        runs.append(mara.submit(TODAYS_PUZZLE, turns).get_json())
    earliest = runs[1]
    finn.submit(TODAYS_PUZZLE, earliest["turns"])
    board = mara.get(f"/rounds/{TODAYS_PUZZLE}/leaderboard").get_json()
    assert board["items"][0]["run_id"] == earliest["run_id"]
    assert [row["rank"] for row in board["items"]] == [1, 1]
    assert board["items"][0]["accepted_at"] == earliest["accepted_at"]
    shown = [mara.get(f"/runs/{run['run_id']}").get_json() for run in runs]
    assert [run["run_id"] for run in shown if run["ranked"]] == [earliest["run_id"]]
    assert all(run["rank"] is None for run in shown if not run["ranked"])
    logged = site.session.scalars(select(RunRow.score).where(RunRow.to_log).order_by(RunRow.run_id)).all()
    assert logged == [45 - worse, 45 - best, 45 - best], "a run is logged only if it improves its player's best"


def test_an_equal_run_after_the_clock_stepped_back_ranks_nobody_anew(
    mara: Api, clock: MovableClock, site: Site
) -> None:
    """Its id is lower, but it did not improve on the logged run, so neither Redis nor SQL ranks it."""
    seed = seed_of(mara)
    by_penalty: dict[int, list[Any]] = {}
    for turns in {str(turns): turns for turns in (legal_turns("classic", seed, any_of(n)) for n in range(99))}.values():
        by_penalty.setdefault(45 - sum(tile for turn in turns for tile in turn["shut"]), []).append(turns)
    one, other = next(lines for lines in by_penalty.values() if len(lines) > 1)[:2]
    first_run = mara.submit(TODAYS_PUZZLE, one).get_json()
    clock.forward(-10)
    second = mara.submit(TODAYS_PUZZLE, other).get_json()
    assert second["run_id"] < first_run["run_id"]
    assert (second["ranked"], second["rank"], second["total"]) == (False, None, 1)
    board = mara.get(f"/rounds/{TODAYS_PUZZLE}/leaderboard").get_json()
    assert [row["run_id"] for row in board["items"]] == [first_run["run_id"]]
    rebuild(site, TODAYS_PUZZLE)
    assert mara.get(f"/rounds/{TODAYS_PUZZLE}/leaderboard").get_json() == board


def test_turns_of_another_player_count_as_ones_own_play(mara: Api, finn: Api) -> None:
    turns = legal_turns("classic", seed_of(mara))
    theirs, own = mara.submit(TODAYS_PUZZLE, turns).get_json(), finn.submit(TODAYS_PUZZLE, turns).get_json()
    assert theirs["run_id"] != own["run_id"]
    assert own["player"]["name"] == "Finn"
    mara.patch("/players/me", {"name": "Mara the second"})
    assert mara.submit(TODAYS_PUZZLE, turns).get_json()["run_id"] == theirs["run_id"]


def test_turns_on_an_open_round_are_their_owners_until_the_close(
    mara: Api, finn: Api, nobody: Api, clock: MovableClock, close_days: Closer
) -> None:
    run = mara.submit(TODAYS_PUZZLE, legal_turns("classic", seed_of(mara))).get_json()
    for viewer in (finn, nobody):
        seen = viewer.get(f"/runs/{run['run_id']}").get_json()
        assert (seen["turns"], seen["open"], seen["gated"]) == (None, None, True)
        assert (seen["score"], seen["rank"], seen["total"]) == (run["score"], 1, 1)
    clock.set("2026-12-01T02:00:00")
    close_days()
    assert nobody.get(f"/runs/{run['run_id']}").get_json() == run


def test_an_upcoming_round_takes_no_run(mara: Api) -> None:
    response = mara.submit("2026-12-01-classic-open", [{"dice": 2, "shut": []}])
    assert (response.status_code, response.get_json()["code"]) == (409, "round_not_open")
    assert mara.submit("2026-12-09-classic-open", []).status_code == 404


def test_a_late_run_is_refused_and_a_stored_one_is_answered_as_before(
    mara: Api, clock: MovableClock, close_days: Closer
) -> None:
    seed = seed_of(mara)
    stored, other = legal_turns("classic", seed, first), legal_turns("classic", seed, last)
    assert stored != other
    run = mara.submit(TODAYS_PUZZLE, stored).get_json()
    for moment in ("2026-12-01T00:00:00", "2026-12-01T02:00:00"):
        clock.set(moment)
        close_days()
        late = mara.submit(TODAYS_PUZZLE, other)
        assert (late.status_code, late.get_json()["code"]) == (409, "round_closed")
        illegal = mara.submit(TODAYS_PUZZLE, [{"dice": 2, "shut": [1]}])
        assert (illegal.status_code, illegal.get_json()["code"]) == (409, "round_closed")
        again = mara.submit(TODAYS_PUZZLE, stored)
        assert (again.status_code, again.get_json()) == (200, run)


def test_a_sealed_round_takes_no_run(mara: Api) -> None:
    response = mara.submit("2026-11-30-classic", [])
    assert (response.status_code, response.get_json()["code"]) == (409, "wrong_mode")


def test_a_run_needs_a_player(nobody: Api) -> None:
    response = nobody.submit(TODAYS_PUZZLE, [])
    assert (response.status_code, response.get_json()["code"]) == (401, "player_required")
    assert response.headers["WWW-Authenticate"] == "Bearer"
