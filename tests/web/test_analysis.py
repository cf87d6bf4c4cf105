"""GET /runs/{id}/analysis: exact parts that add up, for whom they may be seen, and how many did worse."""

from collections import Counter
from fractions import Fraction
from typing import Any
from uuid import UUID

import pytest
from shutbox.analyses import get_analysis
from shutbox.boards import note_missed
from shutbox.game.analysis import grade
from shutbox.game.encoding import mask_of, tiles_of
from shutbox.game.replay import replay
from shutbox.game.rulesets import CATALOGUE
from shutbox.leaderboards import place, standing
from shutbox.rounds import dice_of, get_round
from shutbox.runs import get_run
from shutbox.site import Site

from tests.conftest import Closer, MovableClock
from tests.players import Api, any_of, as_turns, first, last, legal_turns, table_of

Json = dict[str, Any]
SEALED = "2026-11-30-classic"
OPEN = "2026-11-30-classic-open"
GATED = ("penalty", "expected", "luck", "given_away", "steps", "best_possible", "better_than", "total")


def analysis_of(api: Api, run_id: str) -> Json:
    response = api.get(f"/runs/{run_id}/analysis")
    assert response.status_code == 200, response.text
    return response.get_json()  # type: ignore[no-any-return]


def exact(value: Json) -> Fraction:
    """Return an exact value, which its decimal is the rounding of."""
    fraction = Fraction(value["fraction"])
    assert abs(fraction - Fraction(value["decimal"])) <= Fraction(1, 2 * 10**9)
    return fraction


def assert_adds_up(found: Json, run: Json) -> None:
    """Every sum is exact, and what each decision lost is what its ways say."""
    assert (found["run_id"], found["round_id"], found["penalty"]) == (run["run_id"], run["round_id"], run["penalty"])
    rules, _ = table_of(found["ruleset"], "00" * 32)
    expected, luck, given_away = (exact(found[part]) for part in ("expected", "luck", "given_away"))
    assert expected + luck + given_away == run["penalty"]
    assert sum(exact(step["luck"]) for step in found["steps"]) == luck
    lost = Fraction(0)
    for step in found["steps"]:
        for kind in ("dice", "shut"):
            if step[kind] is None:
                continue
            values = [(exact(way["value"]), way[kind]) for way in step[kind]["ways"]]
            least, best = min(values, key=lambda way: way[0])
            (chosen,) = (value for value, way in values if way == step[kind]["chosen"])
            assert step[kind]["best"] == best
            assert exact(step[kind]["lost"]) == chosen - least
            assert step[kind]["grade"] == grade(rules, (chosen - least).numerator, (chosen - least).denominator)
            lost += chosen - least
    assert lost == given_away
    if run["given_away_milli"] is not None:
        assert run["given_away_milli"] == 1000 * given_away // 1
    assert [step["shut"]["chosen"] if step["shut"] else [] for step in found["steps"]] == [
        turn["shut"] for turn in run["turns"]
    ]
    assert [len(step["faces"]) for step in found["steps"]] == [turn["dice"] for turn in run["turns"]]
    assert found["steps"][0]["open"] == list(tiles_of(rules.opening))


def submitted(api: Api, round_id: str, choose: Any = first) -> Json:
    round = api.get(f"/rounds/{round_id}").get_json()
    run: Json = api.submit(round_id, legal_turns(round["ruleset"], round["seed"], choose)).get_json()
    return run


def sealed_run(api: Api, choose: Any = first) -> Json:
    run: Json = api.get(f"/runs/{api.play_sealed(SEALED, choose)['run_id']}").get_json()
    return run


@pytest.mark.parametrize("ruleset", CATALOGUE)
def test_the_parts_of_a_practice_run_add_up_to_its_penalty(mara: Api, ruleset: str) -> None:
    """It is alone on its board, and a sealed one is closed when it ends: the best possible is told at once."""
    played = mara.play_sealed(mara.issue(ruleset, "sealed")["round_id"], any_of(3))
    run = mara.get(f"/runs/{played['run_id']}").get_json()
    found = analysis_of(mara, run["run_id"])
    assert_adds_up(found, run)
    assert (found["gated"], found["ruleset"], found["better_than"], found["total"]) == (False, ruleset, 0, 1)
    assert found["best_possible"]["penalty"] <= run["penalty"]


def test_a_round_that_ends_on_its_first_roll_has_one_step(mara: Api) -> None:
    """2 to go: a first roll of 1 and 3 loses everything, and all of it is luck."""
    seed = next(seed for seed in (f"{n:064x}" for n in range(500)) if table_of("two-to-go", seed)[1].rolls[0] == (1, 3))
    run = submitted(mara, mara.issue("two-to-go", seed=seed)["round_id"])
    found = analysis_of(mara, run["run_id"])
    assert_adds_up(found, run)
    (step,) = found["steps"]
    assert (step["dice"], step["shut"], step["faces"]) == (None, None, [1, 3])
    assert exact(found["expected"]) + exact(step["luck"]) == 45


def test_an_owner_sees_the_analysis_before_the_close_without_the_best_possible(mara: Api, finn: Api) -> None:
    """It would tell coming dice to a second account, or the solution of a puzzle. Report 8."""
    finn.play_sealed(SEALED, last)
    for run in (sealed_run(mara), submitted(mara, OPEN)):
        found = analysis_of(mara, run["run_id"])
        assert_adds_up(found, run)
        assert (found["gated"], found["best_possible"]) == (False, None)


@pytest.mark.parametrize("who", ["nobody", "one who has not played", "one who has finished"])
def test_before_the_close_the_analysis_of_another_is_gated(nobody: Api, mara: Api, finn: Api, who: str) -> None:
    runs = [sealed_run(mara), submitted(mara, OPEN)]
    viewer = nobody if who == "nobody" else finn
    if who == "one who has finished":
        sealed_run(finn, last)
        submitted(finn, OPEN, last)
    for run in runs:
        found = analysis_of(viewer, run["run_id"])
        assert found == {
            "run_id": run["run_id"],
            "round_id": run["round_id"],
            "ruleset": "classic",
            "gated": True,
            **dict.fromkeys(GATED),
        }


def test_after_the_close_everyone_sees_the_same_with_the_best_possible_run(
    nobody: Api, mara: Api, finn: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    runs = [sealed_run(mara), submitted(mara, OPEN)]
    sealed_run(finn, last)
    clock.set("2026-12-01T02:00:00")
    close_days()
    for run in runs:
        found = analysis_of(nobody, run["run_id"])
        assert found == analysis_of(mara, run["run_id"]) == analysis_of(finn, run["run_id"])
        assert_adds_up(found, run)
        best = found["best_possible"]
        rules, table = dice_of(site, get_round(site, run["round_id"]))
        replayed = replay(rules, table, as_turns(best["turns"]))
        assert replayed.refusal is None
        assert rules.penalties[replayed.open] == best["penalty"]
        assert nobody.get(f"/rounds/{run['round_id']}").get_json()["best_possible_penalty"] == best["penalty"]


def test_better_than_counts_those_who_are_ranked_with_a_worse_result(nobody: Api, site: Site) -> None:
    """Twelve players, ties among them: from Redis, and from SQL where Redis has lost the board, the same."""
    players = [nobody.join() for _ in range(12)]
    runs = [sealed_run(player, any_of(number % 8)) for number, player in enumerate(players)]
    results = [(run["penalty"], run["given_away_milli"]) for run in runs]
    assert len(set(results)) < len(results)
    expected = [(sum(other > result for other in results), 12) for result in results]

    def told() -> list[tuple[int, int]]:
        shown = [analysis_of(player, run["run_id"]) for player, run in zip(players, runs, strict=True)]
        return [(found["better_than"], found["total"]) for found in shown]

    assert told() == expected
    site.ranking._client.flushall()
    note_missed(site, SEALED)
    assert told() == expected


def test_a_standing_tells_how_many_share_its_rank_from_redis_and_from_sql(nobody: Api, site: Site) -> None:
    players = [nobody.join() for _ in range(9)]
    runs = [submitted(player, OPEN, any_of(number % 4)) for number, player in enumerate(players)]
    sharing = Counter(run["penalty"] for run in runs)
    assert max(sharing.values()) > 1
    expected = [sharing[run["penalty"]] for run in runs]
    keys = {UUID(run["run_id"]): run for run in runs}
    round = get_round(site, OPEN)
    owners = [UUID(player.player_id) for player in players]

    from_redis = [standing(site, round, owner) for owner in owners]
    assert [found.tied for found in from_redis if found] == expected
    placed = []
    for player_id, run_id, key in list(site.ranking.rows(OPEN)):
        assert run_id in keys
        placed.append(place(site, round, player_id, run_id, key))
        assert placed[-1] == standing(site, round, player_id)
        assert get_run(site, run_id, None).tied == sharing[keys[run_id]["penalty"]]
    note_missed(site, OPEN)
    site.session.rollback()
    assert [standing(site, get_round(site, OPEN), owner) for owner in owners] == from_redis


def test_a_run_that_does_not_rank_its_player_is_not_compared(mara: Api, finn: Api) -> None:
    runs = sorted((submitted(mara, OPEN, any_of(number)) for number in range(6)), key=lambda run: run["penalty"])
    assert runs[0]["penalty"] < runs[-1]["penalty"]
    submitted(finn, OPEN, last)
    worst = analysis_of(mara, runs[-1]["run_id"])
    assert_adds_up(worst, runs[-1])
    assert (worst["better_than"], worst["total"]) == (None, 2)


def test_a_practice_run_on_an_open_round_is_its_owners_until_the_close(nobody: Api, mara: Api) -> None:
    run = submitted(mara, mara.issue("twelve-three-dice")["round_id"])
    assert_adds_up(analysis_of(mara, run["run_id"]), run)
    assert analysis_of(nobody, run["run_id"])["gated"] is True


def test_a_run_that_does_not_exist_has_no_analysis(mara: Api) -> None:
    missing = mara.get("/runs/01900000-0000-7000-8000-000000000000/analysis")
    assert (missing.status_code, missing.get_json()["code"]) == (404, "run_not_found")


def test_the_faces_and_the_boards_of_the_steps_are_those_that_were_played(mara: Api, site: Site) -> None:
    run = sealed_run(mara, any_of(5))
    _, table = dice_of(site, get_round(site, SEALED))
    board = mask_of(range(1, 10))
    for number, step in enumerate(analysis_of(mara, run["run_id"])["steps"]):
        dice, shut = run["turns"][number]["dice"], run["turns"][number]["shut"]
        assert step["faces"] == list(table.rolls[number][:dice])
        assert step["open"] == list(tiles_of(board))
        board ^= mask_of(shut)


def test_the_use_case_holds_nothing_of_a_run_that_is_gated(mara: Api, site: Site) -> None:
    found = get_analysis(site, UUID(sealed_run(mara)["run_id"]), None)
    assert found.gated
    assert (found.analysis, found.best_line, found.better_than, found.total) == (None, None, None, None)
    assert (found.run.penalty, found.run.tied) == (None, None)
