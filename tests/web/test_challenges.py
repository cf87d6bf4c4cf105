"""Challenges: sealed rounds for a few by link, with the gates, board, log and close of every sealed round."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from typing import Any

import pytest
from shutbox.boards import boards_in_use, differences, reconcile
from shutbox.challenges import MOST_RUNNING
from shutbox.days import check_secrets
from shutbox.errors import StartRefused
from shutbox.rounds import close_due_rounds, get_round, seed_of
from shutbox.seeds import Secrets
from shutbox.site import Site
from shutbox.store.rows import AttemptRow, ChallengeRow, EntryRow, RoundRow
from sqlalchemy import select

from tests.conftest import Closer, MovableClock
from tests.journals import check_closed_rounds, end_log, log_all, logged
from tests.players import Api, any_of, first

Json = dict[str, Any]
HOUR = 3600


def made_by(player: Api, players: int = 3, hours: int = 24, ruleset: str = "classic", key: str | None = None) -> Json:
    """Make a challenge."""
    headers = {"Idempotency-Key": key} if key else {}
    body = {"ruleset": ruleset, "players": players, "hours": hours}
    response = player.post("/challenges", body, headers=headers)
    assert response.status_code == 201, response.text
    return response.get_json()  # type: ignore[no-any-return]


def start(player: Api, round_id: str) -> Any:
    return player.post(f"/rounds/{round_id}/attempt")


def stays_open(round: Json) -> tuple[str, None, None]:
    return round["state"], round["seed"], round["best_possible_penalty"]


def test_a_challenge_is_a_sealed_round_for_some_hours_whose_dice_nobody_knows(mara: Api, nobody: Api) -> None:
    made = made_by(mara, hours=3)
    assert made["round_id"].startswith("challenge-")
    assert (made["kind"], made["mode"], made["ruleset"], made["started"]) == ("challenge", "sealed", "classic", 0)
    assert stays_open(made) == ("open", None, None)
    assert (made["opens_at"], made["entries_until"], made["closes_at"]) == (
        "2026-11-30T12:00:00.000Z",
        "2026-11-30T15:00:00.000Z",
        "2026-11-30T17:00:00.000Z",
    )
    assert nobody.get(f"/rounds/{made['round_id']}").get_json() == made


def test_two_challenges_with_the_same_settings_have_other_dice(mara: Api) -> None:
    assert made_by(mara)["commitment"] != made_by(mara)["commitment"]


@pytest.mark.parametrize(
    ("change", "code", "status"),
    [
        ({"players": 1}, "invalid_request", 422),
        ({"players": 51}, "invalid_request", 422),
        ({"players": 2.0}, "invalid_request", 422),
        ({"players": True}, "invalid_request", 422),
        ({"hours": 0}, "invalid_request", 422),
        ({"hours": 169}, "invalid_request", 422),
        ({"seed": "00" * 32}, "invalid_request", 422),
        ({"ruleset": "bridge"}, "ruleset_not_found", 404),
    ],
)
def test_a_challenge_that_cannot_be_is_refused(mara: Api, change: Json, code: str, status: int) -> None:
    response = mara.post("/challenges", {"ruleset": "classic", "players": 2, "hours": 1, **change})
    assert (response.status_code, response.get_json()["code"]) == (status, code)


def test_nobody_makes_none(nobody: Api) -> None:
    assert nobody.post("/challenges", {"ruleset": "classic", "players": 2, "hours": 1}).status_code == 401


def test_the_same_key_makes_one_challenge_and_belongs_to_its_request(mara: Api, finn: Api) -> None:
    made = made_by(mara, key="k")
    assert made_by(mara, key="k") == made
    assert made_by(finn, key="k")["round_id"] != made["round_id"]
    other = {"ruleset": "classic", "players": 4, "hours": 24}
    response = mara.post("/challenges", other, headers={"Idempotency-Key": "k"})
    assert response.get_json()["code"] == "idempotency_key_reused"
    practice = mara.post("/rounds", {"ruleset": "classic", "mode": "open"}, headers={"Idempotency-Key": "k"})
    assert practice.get_json()["code"] == "idempotency_key_reused"


def test_one_key_sent_eight_times_at_once_makes_one_challenge(mara: Api) -> None:
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: made_by(mara, key="k")["round_id"], range(8)))
    assert len(set(made)) == 1
    assert len(mara.get("/players/me/challenges").get_json()["items"]) == 1


def test_so_many_challenges_of_a_player_run_and_no_more(mara: Api, finn: Api, site: Site, clock: MovableClock) -> None:
    body = {"ruleset": "classic", "players": 2, "hours": 1}
    with ThreadPoolExecutor(4) as pool:
        statuses = list(pool.map(lambda _: mara.post("/challenges", body).status_code, range(MOST_RUNNING + 5)))
    assert sorted(statuses) == [201] * MOST_RUNNING + [409] * 5
    assert mara.post("/challenges", body).get_json()["code"] == "too_many_challenges"
    made_by(finn)
    clock.forward(3 * HOUR)
    assert close_due_rounds(site) == MOST_RUNNING
    made_by(mara)


# Playing


def test_as_many_enter_as_there_are_places_also_when_twenty_come_at_once(mara: Api, nobody: Api) -> None:
    made = made_by(mara, players=7)
    comers = [nobody.join() for _ in range(20)]
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda comer: start(comer, made["round_id"]), comers))
    assert sorted(answer.status_code for answer in answers) == [201] * 7 + [409] * 13
    assert {answer.get_json()["code"] for answer in answers if answer.status_code == 409} == {"challenge_full"}
    assert nobody.get(f"/rounds/{made['round_id']}").get_json()["started"] == 7
    entered = next(comer for comer, answer in zip(comers, answers, strict=True) if answer.status_code == 201)
    assert start(entered, made["round_id"]).status_code == 200, "one who has entered goes on"
    assert start(mara, made["round_id"]).get_json()["code"] == "challenge_full", "its maker has no place kept"


def test_all_players_roll_the_same_dice(mara: Api, finn: Api) -> None:
    round_id = made_by(mara)["round_id"]
    one, other = (start(player, round_id).get_json() for player in (mara, finn))
    assert one["attempt_id"] != other["attempt_id"]
    assert [one[name] for name in ("faces", "legal")] == [other[name] for name in ("faces", "legal")]


def test_before_the_close_only_one_who_has_finished_sees_the_standings(mara: Api, finn: Api, nobody: Api) -> None:
    round_id = made_by(mara)["round_id"]
    start(mara, round_id)
    run_id = finn.play_sealed(round_id, any_of(2))["run_id"]
    for reader in (mara, nobody):
        board = reader.get(f"/rounds/{round_id}/leaderboard").get_json()
        assert (board["gated"], board["items"], board["total"]) == (True, [], None)
        run = reader.get(f"/runs/{run_id}").get_json()
        assert (run["gated"], run["player"], run["score"], run["turns"], run["rank"]) == (True, None, None, None, None)
        assert reader.get(f"/runs/{run_id}/analysis").get_json()["gated"]
    assert nobody.get(f"/rounds/{round_id}/bundle").status_code == 409
    assert stays_open(nobody.get(f"/rounds/{round_id}").get_json()) == ("open", None, None)
    mara.play_sealed(round_id, first)
    board = mara.get(f"/rounds/{round_id}/leaderboard").get_json()
    assert (board["state"], board["total"], len(board["items"])) == ("provisional", 2, 2)
    assert mara.get(f"/runs/{run_id}").get_json()["turns"] is None


def test_it_closes_at_once_when_all_have_finished(mara: Api, finn: Api, nobody: Api, site: Site) -> None:
    round_id = made_by(mara, players=2)["round_id"]
    mara.play_sealed(round_id, any_of(1))
    assert nobody.get(f"/rounds/{round_id}").get_json()["state"] == "open"
    last = finn.play_sealed(round_id, any_of(2))
    closed = nobody.get(f"/rounds/{round_id}").get_json()
    assert (closed["state"], closed["started"], closed["finished"]) == ("closed", 2, 2)
    assert closed["seed"] == seed_of(site, get_round(site, round_id)).hex()
    assert closed["best_possible_penalty"] is not None
    board = nobody.get(f"/rounds/{round_id}/leaderboard").get_json()
    assert (board["state"], board["total"]) == ("final", 2)
    assert nobody.get(f"/runs/{last['run_id']}").get_json()["turns"] is not None
    again = finn.post(f"/attempts/{last['attempt_id']}/moves", {"move": 0, "shut": [99]})
    assert again.get_json()["code"] == "move_decided", "what was answered stands after the close"
    assert start(nobody.join(), round_id).get_json()["code"] == "round_closed"


def test_two_who_finish_at_once_close_it_once(mara: Api, finn: Api, site: Site) -> None:
    round_id = made_by(mara, players=2)["round_id"]
    with ThreadPoolExecutor(2) as pool:
        states = list(pool.map(lambda player: player.play_sealed(round_id), (mara, finn)))
    assert all(state["run_id"] for state in states)
    row = site.session.get_one(RoundRow, round_id)
    assert (row.state, row.seed is None) == (3, False)


def test_the_worker_closes_it_when_its_time_is_over(mara: Api, finn: Api, site: Site, clock: MovableClock) -> None:
    round_id = made_by(mara, players=5, hours=2)["round_id"]
    mara.play_sealed(round_id)
    attempt = start(finn, round_id).get_json()
    clock.forward(2 * HOUR)
    assert start(finn.join(), round_id).get_json()["code"] == "round_closed", "no new attempt"
    assert finn.move(attempt, first).status_code == 200, "who has begun goes on"
    assert close_due_rounds(site) == 0
    clock.forward(2 * HOUR)
    assert finn.move(finn.get(f"/attempts/{attempt['attempt_id']}").get_json(), first).status_code == 409
    assert close_due_rounds(site) == 1
    assert close_due_rounds(site) == 0
    assert finn.get(f"/attempts/{attempt['attempt_id']}").get_json()["state"] == "abandoned"
    closed = mara.get(f"/rounds/{round_id}").get_json()
    assert (closed["state"], closed["started"], closed["finished"]) == ("closed", 2, 1)
    clock.set("2026-11-30T12:00:00")
    assert mara.get(f"/rounds/{round_id}").get_json()["state"] == "closed", "a clock that steps back reopens nothing"


def test_a_node_with_another_key_refuses_its_dice(mara: Api, site: Site, secrets: Secrets, clock: MovableClock) -> None:
    round_id = made_by(mara)["round_id"]
    object.__setattr__(secrets, "round_key", b"x" * 32)
    try:
        assert start(mara, round_id).get_json()["code"] == "seed_unavailable"
        with pytest.raises(StartRefused, match="round-key"):
            check_secrets(site)
        clock.forward(48 * HOUR)
        assert close_due_rounds(site) == 0
    finally:
        object.__setattr__(secrets, "round_key", b"k" * 32)
    assert close_due_rounds(site) == 1


# Boards, lists, what counts them


def test_its_board_is_reconciled_while_it_runs_and_read_from_sql_without_redis(
    mara: Api, finn: Api, site: Site, clock: MovableClock
) -> None:
    round_id = made_by(mara)["round_id"]
    for number, player in enumerate((mara, finn)):
        player.play_sealed(round_id, any_of(number))
    held = mara.get(f"/rounds/{round_id}/leaderboard").get_json()
    assert round_id in boards_in_use(site, clock.now, practice=False)
    site.ranking.forget(round_id)
    reconcile(site, [round_id])
    assert differences(site, round_id) == []
    assert mara.get(f"/rounds/{round_id}/leaderboard").get_json() == held
    assert [row["rank"] for row in mara.get(f"/rounds/{round_id}/leaderboard?bots=exclude").get_json()["items"]] == [
        row["rank"] for row in held["items"]
    ]


def test_a_player_finds_the_challenges_made_and_entered_newest_first(mara: Api, finn: Api, clock: MovableClock) -> None:
    own = made_by(mara)["round_id"]
    clock.forward(1)
    others = made_by(finn, players=2, ruleset="twelve")["round_id"]
    made_by(finn)
    run_id = mara.play_sealed(others)["run_id"]
    items = mara.get("/players/me/challenges").get_json()["items"]
    assert [item["round"]["round_id"] for item in items] == [others, own]
    assert [(item["maker"]["name"], item["players"], item["entered"], item["run_id"]) for item in items] == [
        ("Finn", 2, True, run_id),
        ("Mara", 3, False, None),
    ]
    assert [item["round"]["finished"] for item in items] == [1, 0]


def test_challenges_count_in_no_profile(mara: Api, finn: Api, site: Site, close_days: Closer) -> None:
    round_id = made_by(mara, players=2)["round_id"]
    for player in (mara, finn):
        player.play_sealed(round_id)
    for profile in (mara.get("/players/me/profile"), finn.get("/players/Mara")):
        told = profile.get_json()
        assert (told["days_played"], told["streak"], told["results"], told["histogram"]) == (0, 0, [], [])


def test_the_round_stays_when_its_maker_is_deleted(mara: Api, finn: Api, site: Site) -> None:
    unused, round_id = made_by(mara)["round_id"], made_by(mara, players=2)["round_id"]
    for player in (mara, finn):
        player.play_sealed(round_id, any_of(1))
    copy = mara.get("/players/me/export").get_json()
    assert {made["round_id"] for made in copy["challenges"]} == {unused, round_id}
    assert copy["practice_rounds"] == []
    assert mara.delete("/players/me").status_code == 204
    for kept in (unused, round_id):
        assert site.session.get_one(RoundRow, kept, populate_existing=True).owner_id is None
        assert site.session.get(ChallengeRow, kept) is not None
    (item,) = finn.get("/players/me/challenges").get_json()["items"]
    assert item["maker"] is None
    board = finn.get(f"/rounds/{round_id}/leaderboard").get_json()
    assert (board["total"], [row["player"]["name"] for row in board["items"]].count(None)) == (2, 1)
    log_all(site)
    assert check_closed_rounds(site) == 1


# The log


def close_of(site: Site, round_id: str) -> Any:
    return [leaf for leaf in logged(site) if getattr(leaf, "round_id", None) == round_id]


def test_its_round_runs_and_close_are_logged_each_as_it_comes(
    mara: Api, finn: Api, site: Site, clock: MovableClock
) -> None:
    log_all(site)
    round_id = made_by(mara, players=2, ruleset="odds")["round_id"]
    assert log_all(site) == 2, "the ruleset, and the round"
    mara.play_sealed(round_id, any_of(1))
    assert log_all(site) == 1
    clock.forward(5)
    finn.play_sealed(round_id, any_of(2))
    closed_at = clock.now
    clock.forward(60)
    assert log_all(site) == 2
    opening, *runs, close = close_of(site, round_id)
    assert (opening.kind.name, opening.day, opening.link, opening.chain_id) == ("CHALLENGE", 0, 0, bytes(16))
    assert len(runs) == 2
    assert (close.t, close.day_secret, close.ranked) == (closed_at, bytes(32), 2)
    assert check_closed_rounds(site) == 1
    assert log_all(site) == 0


def test_it_is_logged_in_small_batches_and_beside_days_that_close(
    mara: Api, finn: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    ids = [made_by(mara, players=2, hours=hours)["round_id"] for hours in (1, 30)]
    for round_id in (ids[1], ids[0], "2026-11-30-classic"):
        for player in (mara, finn):
            player.play_sealed(round_id, any_of(3))
    left = made_by(finn, players=9, hours=30)["round_id"]
    mara.play_sealed(left)
    clock.set("2026-12-01T02:00:00")
    close_days()
    log_all(site, 1)
    assert check_closed_rounds(site) == 4 + 2
    clock.forward(48 * HOUR)
    close_days()
    close_due_rounds(site)
    log_all(site, 3)
    assert check_closed_rounds(site) == 4 * 3 + 3


def test_a_successor_log_tells_it_again_leaf_by_leaf(mara: Api, finn: Api, site: Site, clock: MovableClock) -> None:
    done, running = (made_by(mara, players=2)["round_id"] for _ in range(2))
    for player in (mara, finn):
        player.play_sealed(done, any_of(4))
    finn.play_sealed(running)
    log_all(site)
    before = [leaf for round_id in (done, running) for leaf in close_of(site, round_id)]
    follower, _ = end_log(site)
    clock.forward(99)
    log_all(follower)
    assert [leaf for round_id in (done, running) for leaf in close_of(follower, round_id)] == before
    assert check_closed_rounds(follower) == 1
    mara.play_sealed(running)
    log_all(follower)
    assert check_closed_rounds(follower) == 2


def test_only_entries_and_nothing_of_dice_is_stored_before_the_close(mara: Api, site: Site) -> None:
    round_id = made_by(mara)["round_id"]
    start(mara, round_id)
    row = site.session.get_one(RoundRow, round_id)
    assert (row.seed, row.given_seed, row.best_possible_penalty) == (None, None, None)
    entries = site.session.scalars(select(EntryRow.entry_id).where(EntryRow.round_id == round_id)).all()
    assert len(site.session.scalars(select(AttemptRow).where(AttemptRow.entry_id.in_(entries))).all()) == 1


# The pages


def page(app: Any, path: str, player: Api | None = None) -> Any:
    """Return an answer to a browser that plays as a player, or as nobody."""
    client = app.test_client()
    if player is not None:
        client.set_cookie("shutbox", player._headers["Authorization"].removeprefix("Bearer "))
    return Context().run(lambda: client.get(path, headers={"Accept": "text/html"}))  # as in Api.request


@pytest.mark.parametrize("path", ["/challenge?made=challenge-x", "/challenge?again=2026-11-30-classic"])
def test_a_page_of_what_is_no_challenge_says_so(app: Any, path: str) -> None:
    answer = page(app, path)
    assert answer.status_code == 404
    assert "There is no such round" in answer.text


def test_the_pages_say_how_a_challenge_stands(
    app: Any, mara: Api, finn: Api, nobody: Api, clock: MovableClock, site: Site
) -> None:
    round_id = made_by(mara, players=2)["round_id"]
    play: Callable[..., str] = lambda player=None: page(app, f"/play/{round_id}", player).text  # noqa: E731
    assert "Challenge by Mara · 0 of 2 players · ends" in play()
    assert f"/play/{round_id}</textarea>" in page(app, f"/challenge?made={round_id}", mara).text
    start(mara, round_id)
    start(finn, round_id)
    assert '"state":"full"' in play()
    assert '"state":"open"' in play(finn)
    assert ">full</span>" in page(app, "/challenge", finn).text
    for player in (mara, finn):
        run_id = player.play_sealed(round_id)["run_id"]
    assert f'href="/challenge?again={round_id}">Challenge them again' in page(app, f"/run/{run_id}", finn).text
    assert "Challenge them again" not in page(app, f"/run/{run_id}").text
    assert "Challenge by Mara · 2 of 2 players · ended · final" in page(app, f"/leaderboard?round={round_id}").text
    again = page(app, f"/challenge?again={round_id}", finn).text
    assert "New dice, with the settings of the Classic challenge by Mara" in again
    assert 'value="2"' in again
    log_all(site)
    assert "This round has closed" in page(app, f"/verify/{round_id}").text
    assert page(app, f"/practice?round={round_id}").status_code == 200


def test_without_scripts_the_page_says_that_making_one_needs_them(app: Any) -> None:
    assert "<noscript>" in (told := page(app, "/challenge?ruleset=twelve").text)
    assert "Making and playing a challenge needs scripts." in told
    assert '<option value="twelve" selected>' in told
