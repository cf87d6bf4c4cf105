"""Attempts: a sealed round, roll by roll."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from shutbox.game.encoding import mask_of
from shutbox.game.rulesets import CATALOGUE
from shutbox.rounds import dice_of, get_round
from shutbox.site import Site
from sqlalchemy import text

from tests.conftest import Closer, MovableClock
from tests.players import Api, any_of, first, last, legal_turns, table_of

TODAYS_ROUND = "2026-11-30-classic"


def rolls_of(site: Site, round_id: str = TODAYS_ROUND) -> list[list[int]]:
    """Return the hidden rolls, as only the server knows them."""
    return [list(roll) for roll in dice_of(site, get_round(site, round_id))[1].rolls]


def test_a_round_is_played_to_its_end_and_ranked(mara: Api) -> None:
    end = mara.play_sealed(TODAYS_ROUND)
    assert end["state"] in ("locked", "shut")
    assert (end["legal"], end["dice_allowed"]) == ([], [])
    run = mara.get(f"/runs/{end['run_id']}").get_json()
    assert run["open"] == end["open"]
    assert (run["score"], run["penalty"]) == (45 - sum(end["open"]), sum(end["open"]))
    assert (run["ranked"], run["rank"], run["total"], run["gated"]) == (True, 1, 1, False)
    assert len(run["turns"]) == end["roll"] + 1
    assert mara.get(f"/attempts/{end['attempt_id']}").get_json() == end


@pytest.mark.parametrize("ruleset", CATALOGUE)
def test_a_sealed_practice_round_is_disclosed_when_its_owner_has_finished(mara: Api, ruleset: str) -> None:
    issued = mara.issue(ruleset, "sealed")
    assert issued["seed"] is None
    end = mara.play_sealed(issued["round_id"], any_of(7))
    shown = mara.get(f"/rounds/{issued['round_id']}").get_json()
    assert shown["state"] == "closed"
    assert len(shown["seed"]) == 64
    assert shown["best_possible_penalty"] is not None
    run = mara.get(f"/runs/{end['run_id']}").get_json()
    assert run["given_away_milli"] >= 0
    replayed = mara.issue(ruleset, seed=shown["seed"])
    again = mara.submit(replayed["round_id"], run["turns"]).get_json()
    assert (again["score"], again["open"]) == (run["score"], run["open"])


def test_a_round_that_the_first_roll_loses_is_over_when_it_starts(mara: Api) -> None:
    """2 to go, first roll 1 and 3: no set holds tile 2, so there is nothing to decide."""
    lost = next(seed for seed in (f"{number:064x}" for number in range(500)) if first_roll("two-to-go", seed) == (1, 3))
    issued = mara.issue("two-to-go", "sealed", seed=lost)
    started = mara.post(f"/rounds/{issued['round_id']}/attempt")
    state = started.get_json()
    assert (started.status_code, state["state"], state["faces"], state["legal"]) == (201, "locked", [1, 3], [])
    run = mara.get(f"/runs/{state['run_id']}").get_json()
    assert (run["score"], run["penalty"], run["turns"], run["rank"]) == (0, 45, [{"dice": 2, "shut": []}], 1)
    again = mara.post(f"/rounds/{issued['round_id']}/attempt")
    assert (again.status_code, again.get_json()) == (200, state)
    assert mara.get(f"/rounds/{issued['round_id']}").get_json()["state"] == "closed"


def first_roll(ruleset: str, seed: str) -> tuple[int, ...]:
    return table_of(ruleset, seed)[1].rolls[0]


def test_two_players_meet_the_same_dice(mara: Api, finn: Api, site: Site) -> None:
    hidden = rolls_of(site)
    for player, choose in ((mara, first), (finn, last)):
        state = player.post(f"/rounds/{TODAYS_ROUND}/attempt", headers={"X-Whatever": "1"}).get_json()
        while state["state"].startswith("choose"):
            if state["faces"] is not None:
                assert state["faces"] == hidden[state["roll"]][: len(state["faces"])]
            state = player.move(state, choose).get_json()


def test_no_roll_is_shown_before_the_choice_before_it_is_stored(mara: Api, site: Site) -> None:
    """All traffic of an attempt: what is shown is a function of the rolls up to the present one.

    The same decisions are made on two seeds that agree up to roll n and differ behind it: every answer is the same.
    """
    twins = twin_seeds("classic", 3)
    rounds = [mara.issue("classic", "sealed", seed)["round_id"] for seed in twins]
    tables = [rolls_of(site, round_id) for round_id in rounds]
    states = [mara.post(f"/rounds/{round_id}/attempt").get_json() for round_id in rounds]
    agreed = 0
    while tables[0][states[0]["roll"]] == tables[1][states[1]["roll"]]:
        paths = [(f"/attempts/{state['attempt_id']}", f"/rounds/{state['round_id']}") for state in states]
        for asked in zip(*paths, strict=True):
            one, other = (mara.get(path).text for path in asked)
            assert erased(one) == erased(other)
        ahead = [
            mara.post(f"/attempts/{state['attempt_id']}/moves", {"move": state["move"] + 1, "shut": [1]}).text
            for state in states
        ]
        assert erased(ahead[0]) == erased(ahead[1])
        agreed += 1
        states = [mara.move(state, first).get_json() for state in states]
        if not states[0]["state"].startswith("choose"):
            break
    assert agreed == 3


def twin_seeds(ruleset: str, rolls: int) -> tuple[str, str]:
    """Return two seeds whose first rolls are the same, and the next one is not, on a line that goes on so long."""
    seen: dict[object, list[str]] = {}
    for number in range(200_000):
        seed = f"{number:064x}"
        table = table_of(ruleset, seed)[1].rolls
        if len(legal_turns(ruleset, seed)) <= rolls + 1:
            continue
        for other in seen.setdefault(table[:rolls], []):
            if table_of(ruleset, other)[1].rolls[rolls] != table[rolls]:
                return other, seed
        seen[table[:rolls]].append(seed)
    raise AssertionError("no twins found")


def erased(answer: str) -> str:
    """Leave out what differs between two rounds whatever their dice: ids, times and the commitment."""
    return re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{64}|[0-9a-f]{16}|\d{4}-\d\d-\d\dT[0-9:.]+Z", "", answer)


def test_a_move_again_gives_the_identical_answer_and_another_choice_is_refused(mara: Api) -> None:
    state = mara.post(f"/rounds/{TODAYS_ROUND}/attempt").get_json()
    asked, answers = [], []
    while state["state"].startswith("choose"):
        decision = {"shut": state["legal"][0]} if state["legal"] else {"dice": state["dice_allowed"][0]}
        move = {"move": state["move"], **decision}
        answer = mara.post(f"/attempts/{state['attempt_id']}/moves", move)
        asked.append(move)
        answers.append(answer.data)
        state = answer.get_json()
    attempt = f"/attempts/{state['attempt_id']}"
    for move, answer in zip(asked, answers, strict=True):
        assert mara.post(f"{attempt}/moves", move).data == answer
        other = {"move": move["move"], "shut": [9, 8]}
        refused = mara.post(f"{attempt}/moves", other)
        assert (refused.status_code, refused.get_json()["code"]) == (409, "move_decided")
        assert refused.get_json()["state"] == state
    twice = {"move": 0, "shut": asked[0]["shut"] * 2}
    assert mara.post(f"{attempt}/moves", twice).status_code == 409
    after = mara.post(f"{attempt}/moves", {"move": len(asked), "shut": [1]})
    assert (after.status_code, after.get_json()["code"]) == (409, "attempt_ended")


@pytest.mark.parametrize(
    ("decision", "reason"),
    [
        ({"dice": 2}, "tiles-expected"),
        ({"shut": []}, "shut-required"),
        ({"shut": [4, 4]}, "repeated-tile"),
        ({"shut": [10]}, "tile-not-open"),
        ({"shut": [1]}, "wrong-tiles"),
    ],
)
def test_an_illegal_decision_is_refused_and_nothing_is_stored(
    mara: Api, decision: dict[str, object], reason: str
) -> None:
    state = mara.post(f"/rounds/{TODAYS_ROUND}/attempt").get_json()
    refused = mara.post(f"/attempts/{state['attempt_id']}/moves", {"move": 0, **decision})
    assert (refused.status_code, refused.get_json()["code"]) == (422, "illegal_move")
    assert refused.get_json()["reason"] == reason
    assert mara.get(f"/attempts/{state['attempt_id']}").get_json() == state


def test_the_number_of_dice_is_asked_for_only_where_there_is_a_choice(mara: Api) -> None:
    """Three down: 4 to 9 are open; one die is offered once 7, 8 and 9 are shut."""
    offered = []
    for attempt in range(12):
        issued = mara.issue("three-down", "sealed", seed=f"{attempt:064x}")
        state = mara.post(f"/rounds/{issued['round_id']}/attempt").get_json()
        while state["state"].startswith("choose"):
            if state["state"] == "choose_dice":
                assert state["dice_allowed"] == [1, 2]
                assert (state["faces"], state["legal"]) == (None, [])
                assert max(state["open"]) < 7
                wrong = mara.post(f"/attempts/{state['attempt_id']}/moves", {"move": state["move"], "shut": [4]})
                assert wrong.get_json()["reason"] == "dice-expected"
                three = mara.post(f"/attempts/{state['attempt_id']}/moves", {"move": state["move"], "dice": 3})
                assert three.get_json()["reason"] == "dice-not-allowed"
                offered.append(state)
            else:
                assert (len(state["faces"]) == 2) or max(state["open"]) < 7
            state = mara.move(state, first).get_json()
    assert offered, "no round came to the choice"


def test_fifty_threads_that_start_get_one_attempt(mara: Api) -> None:
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda _: mara.post(f"/rounds/{TODAYS_ROUND}/attempt"), range(50)))
    assert sorted(answer.status_code for answer in answers) == [200] * 49 + [201]
    assert len({answer.data for answer in answers}) == 1
    assert mara.get(f"/rounds/{TODAYS_ROUND}").get_json()["started"] == 1


def test_of_fifty_different_choices_for_a_move_one_is_stored(mara: Api, site: Site) -> None:
    issued = mara.issue("crafthouse-multiply", "sealed", seed=widest_first_roll())
    state = mara.post(f"/rounds/{issued['round_id']}/attempt").get_json()
    choices = state["legal"]
    assert len(choices) >= 25
    moves = [{"move": 0, "shut": choices[index % len(choices)]} for index in range(50)]
    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(lambda move: mara.post(f"/attempts/{state['attempt_id']}/moves", move), moves))
    accepted = [move["shut"] for move, answer in zip(moves, answers, strict=True) if answer.status_code == 200]
    assert accepted
    assert all(shut == accepted[0] for shut in accepted)
    assert {answer.status_code for answer in answers} == {200, 409}
    assert sum(answer.status_code == 409 for answer in answers) == sum(move["shut"] != accepted[0] for move in moves)
    rows = site.session.execute(text("SELECT shut FROM moves")).scalars().all()
    assert rows == [mask_of(accepted[0])]


def widest_first_roll() -> str:
    """Return a seed whose first roll in crafthouse-multiply leaves the most ways."""

    def ways(number: int) -> int:
        rules, table = table_of("crafthouse-multiply", f"{number:064x}")
        return len(rules.ways(rules.opening, table.matches[0][2]))

    return f"{max(range(200), key=ways):064x}"


def test_an_attempt_cannot_be_started_over(mara: Api, clock: MovableClock, close_days: Closer) -> None:
    """Leaving is no restart: the same attempt with the same dice, and at the close it is abandoned."""
    begun = mara.post(f"/rounds/{TODAYS_ROUND}/attempt").get_json()
    state = mara.move(begun, first).get_json()
    assert mara.post(f"/rounds/{TODAYS_ROUND}/attempt").get_json() == state
    clock.set("2026-12-01T02:00:00")
    close_days()
    ended = mara.get(f"/attempts/{state['attempt_id']}").get_json()
    assert ended == {**state, "state": "abandoned", "legal": [], "dice_allowed": []}
    again = mara.post(f"/attempts/{state['attempt_id']}/moves", {"move": 0, "shut": begun["legal"][0]})
    assert (again.status_code, again.get_json()) == (200, state)
    late = mara.post(f"/attempts/{state['attempt_id']}/moves", {"move": state["move"], "shut": [1]})
    assert (late.status_code, late.get_json()["code"]) == (409, "round_closed")
    assert mara.get(f"/rounds/{TODAYS_ROUND}").get_json()["finished"] == 0


def test_an_attempt_started_before_midnight_counts_for_its_own_day(mara: Api, finn: Api, clock: MovableClock) -> None:
    clock.set("2026-11-30T23:59:59")
    state = mara.post(f"/rounds/{TODAYS_ROUND}/attempt").get_json()
    clock.set("2026-12-01T00:00:00")
    late = finn.post(f"/rounds/{TODAYS_ROUND}/attempt")
    assert (late.status_code, late.get_json()["code"]) == (409, "round_closed")
    assert finn.post("/rounds/2026-12-01-classic/attempt").status_code == 201
    assert mara.get(f"/rounds/{TODAYS_ROUND}").get_json()["state"] == "closing"
    clock.set("2026-12-01T01:59:59")
    while state["state"].startswith("choose"):
        state = mara.move(state, first).get_json()
    run = mara.get(f"/runs/{state['run_id']}").get_json()
    assert (run["round_id"], run["rank"]) == (TODAYS_ROUND, 1)


def test_an_attempt_is_its_players_only(mara: Api, finn: Api, nobody: Api) -> None:
    attempt = mara.post(f"/rounds/{TODAYS_ROUND}/attempt").get_json()["attempt_id"]
    for method, path, body in (
        ("GET", f"/attempts/{attempt}", None),
        ("POST", f"/attempts/{attempt}/moves", {"move": 0, "shut": [1]}),
    ):
        assert finn.request(method, path, json=body).get_json()["code"] == "not_yours"
        assert nobody.request(method, path, json=body).get_json()["code"] == "player_required"
    practice = mara.issue("classic", "sealed")["round_id"]
    assert finn.post(f"/rounds/{practice}/attempt").get_json()["code"] == "not_yours"
    assert nobody.post(f"/rounds/{TODAYS_ROUND}/attempt").get_json()["code"] == "player_required"


def test_rounds_that_cannot_be_attempted(mara: Api) -> None:
    for round_id, status, code in (
        ("2026-11-30-classic-open", 409, "wrong_mode"),
        ("2026-12-01-classic", 409, "round_not_open"),
        ("2026-12-31-classic", 404, "round_not_found"),
    ):
        answer = mara.post(f"/rounds/{round_id}/attempt")
        assert (answer.status_code, answer.get_json()["code"]) == (status, code)
    unknown = "01900000-0000-7000-8000-000000000000"
    assert mara.get(f"/attempts/{unknown}").get_json()["code"] == "attempt_not_found"
    assert mara.get("/attempts/1").get_json()["code"] == "not_found"
