"""Deletion, and the copy of everything that is stored about a player."""

import json
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest
from flask import Flask
from shutbox import players, privacy
from shutbox.attempts import make_move, start_attempt
from shutbox.boards import reconcile, stale_boards
from shutbox.codes import make_recovery_code, make_transfer_code
from shutbox.errors import PlayerRequired
from shutbox.game.play import ShutChoice
from shutbox.journal import integrate
from shutbox.players import HELD_DAYS, change_player, create_token, player_by_name, tokens_of
from shutbox.privacy import delete_player, export
from shutbox.rounds import Mode, get_round, issue_practice, seed_of
from shutbox.runs import submit
from shutbox.site import Site
from shutbox.store.rows import Base, PlayerRow
from sqlalchemy import event, select
from sqlalchemy.orm import Session

from tests.conftest import Closer, MovableClock
from tests.players import Api, Json, any_of, as_turns, first, last, legal_turns

OWN = "http://localhost"
SEALED = "2026-11-30-classic"
PUZZLE = "2026-11-30-classic-open"


def play_all(player: Api) -> Json:
    """Leave something of everything: runs, an attempt that runs, practice of each kind, keys, tokens and codes."""
    player.play_sealed(SEALED, any_of(3))
    for choose in (any_of(5), last):
        seed = player.get(f"/rounds/{PUZZLE}").get_json()["seed"]
        assert player.submit(PUZZLE, legal_turns("classic", seed, choose)).status_code in (200, 201)
    variant = player.get("/days/today").get_json()["rounds"][2]["round_id"]
    state = player.post(f"/rounds/{variant}/attempt").get_json()
    player.play_sealed(player.issue("classic", "sealed")["round_id"])
    player.post(f"/rounds/{player.issue('classic', 'sealed', 'ab' * 32)['round_id']}/attempt")
    opened = player.post("/rounds", {"ruleset": "odds", "mode": "open"}, headers={"Idempotency-Key": "k"}).get_json()
    player.submit(opened["round_id"], legal_turns("odds", opened["seed"], first))
    player.post("/players/me/tokens", {"label": "laptop"})
    for kind in ("transfer", "recovery"):
        player.post(f"/players/me/{kind}-codes")
    return dict(state)


def tables(site: Site) -> dict[str, list[Any]]:
    site.session.rollback()
    return {table.name: list(site.session.execute(select(table))) for table in Base.metadata.sorted_tables}


# Deletion


def test_after_deletion_there_is_no_name_no_token_and_no_code(
    mara: Api, finn: Api, site: Site, clock: MovableClock
) -> None:
    """Report 36."""
    play_all(mara)
    play_all(finn)
    secret = mara.post("/players/me/tokens").get_json()["token"]
    codes = [mara.post(f"/players/me/{kind}-codes").get_json()["code"] for kind in ("transfer", "recovery")]
    assert mara.delete("/players/me").status_code == 204
    assert mara.get("/players/me").get_json()["code"] == "invalid_token"
    assert Api(mara.app, secret).get("/players/me").get_json()["code"] == "invalid_token"
    for code in codes:
        assert finn.post("/transfers", {"code": code}).get_json()["code"] == "code_not_found"
    assert finn.get("/players/Mara").get_json()["code"] == "player_not_found"
    left = tables(site)
    player_id = UUID(mara.player_id)
    for table in ("tokens", "codes", "idempotency_keys"):
        assert {row.player_id for row in left[table]} == {UUID(finn.player_id)}
    assert "mara" not in str(left).lower()
    (row,) = (row for row in left["players"] if row.player_id == player_id)
    assert (row.name, row.name_key, row.deleted_at is not None) == (None, None, True)
    assert finn.patch("/players/me", {"name": "Mara"}).status_code == 409  # nobody poses as the one who was deleted
    clock.forward((HELD_DAYS + 1) * 24 * 3600)  # to the end of the day
    finn.patch("/players/me", {"name": "Mara"})
    assert finn.get("/players/Mara").get_json()["player"]["player_id"] == finn.player_id


def test_boards_keep_their_order_and_runs_say_that_the_player_is_deleted(mara: Api, finn: Api, nobody: Api) -> None:
    """Report 36. What was ranked stays ranked, with the same id, name null and no guest."""
    others = [nobody.join(name=f"Other {number}") for number in range(3)]
    for number, player in enumerate((mara, *others)):
        play_all(player) if player is mara else player.play_sealed(SEALED, any_of(number + 10))
    others[0].submit(PUZZLE, legal_turns("classic", nobody.get(f"/rounds/{PUZZLE}").get_json()["seed"], last))
    before = {round_id: others[0].get(f"/rounds/{round_id}/leaderboard").get_json() for round_id in (SEALED, PUZZLE)}
    mara.delete("/players/me")
    for round_id, board in before.items():
        after = others[0].get(f"/rounds/{round_id}/leaderboard").get_json()
        for row in board["items"]:
            if row["player"]["player_id"] == mara.player_id:
                row["player"] |= {"name": None, "guest": False, "bot": False, "hidden": False}
                run = others[0].get(f"/runs/{row['run_id']}").get_json()
                assert (run["player"], run["rank"]) == (row["player"], row["rank"])
        assert after == board
    counts = nobody.get(f"/rounds/{SEALED}").get_json()
    assert (counts["started"], counts["finished"]) == (4, 4)


def test_all_practice_of_the_player_is_gone(mara: Api, nobody: Api, site: Site) -> None:
    play_all(mara)
    mine = [row.round_id for row in tables(site)["rounds"] if str(row.owner_id) == mara.player_id]
    held = [round_id for round_id in mine if site.ranking.holds(round_id)]
    assert len(mine) == 3
    assert held
    mara.delete("/players/me")
    left = tables(site)
    assert not [row for name in left for row in left[name] if "practice-" in str(row)]
    assert len(left["attempts"]) == 2  # of the two sealed rounds of the day
    assert {row.attempt_id for row in left["moves"]} <= {row.attempt_id for row in left["attempts"]}
    assert len(left["entries"]) == len(nobody.get("/days/today").get_json()["rounds"]) - 1
    assert not [round_id for round_id in mine if site.ranking._client.exists(*site.ranking.keys(round_id))]
    for round_id in mine:
        assert nobody.get(f"/rounds/{round_id}").get_json()["code"] == "round_not_found"


def test_a_practice_round_in_which_others_have_played_stays_theirs(mara: Api, finn: Api, site: Site) -> None:
    """Their runs and their ranks among each other, without the player who has gone."""
    shared, theirs = mara.issue("classic", "open"), finn.issue("classic", "open")
    for player, choose in ((mara, last), (finn, first)):
        for one in (shared, theirs):
            assert player.submit(one["round_id"], legal_turns("classic", one["seed"], choose)).status_code == 201
    mara.delete("/players/me")
    for one in (shared, theirs):
        board = finn.get(f"/rounds/{one['round_id']}/leaderboard").get_json()
        assert [(row["rank"], row["player"]["name"]) for row in board["items"]] == [(1, "Finn")]
    assert not [row for row in tables(site)["rounds"] if str(row.owner_id) == mara.player_id]
    again = finn.post(f"/rounds/{shared['round_id']}/runs", {"turns": legal_turns("classic", shared["seed"], last)})
    assert again.status_code == 201


def test_practice_boards_are_right_when_redis_was_away_meanwhile(
    mara: Api, finn: Api, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = finn.issue("classic", "open")
    for player, choose in ((mara, last), (finn, first)):
        player.submit(shared["round_id"], legal_turns("classic", shared["seed"], choose))
    monkeypatch.setattr(site.ranking, "_alone_until", float("inf"))
    mara.delete("/players/me")
    monkeypatch.setattr(site.ranking, "_alone_until", 0.0)
    board = finn.get(f"/rounds/{shared['round_id']}/leaderboard").get_json()
    assert [row["player"]["name"] for row in board["items"]] == ["Finn"]
    site.session.rollback()
    reconcile(site, stale_boards(site))  # as the worker does
    assert not stale_boards(site)


def test_closed_days_stay_checkable_and_a_running_attempt_is_abandoned(
    mara: Api, finn: Api, nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    """The bundle of a closed round is the same before and after; the day on which one leaves closes as every other."""
    for player in (mara, finn):
        player.play_sealed(SEALED, any_of(1))
    clock.set("2026-12-01T12:00:00")
    close_days()
    state = mara.post("/rounds/2026-12-01-classic/attempt").get_json()
    finn.play_sealed("2026-12-01-classic")
    while integrate(site):
        pass
    before = nobody.get(f"/rounds/{SEALED}/bundle").data, nobody.get("/log/checkpoint").data
    mara.delete("/players/me")
    assert integrate(site) == 0
    assert (nobody.get(f"/rounds/{SEALED}/bundle").data, nobody.get("/log/checkpoint").data) == before
    run_id = nobody.get(f"/rounds/{SEALED}/leaderboard").get_json()["items"][0]["run_id"]
    assert nobody.get(f"/runs/{run_id}/receipt").status_code == 200
    clock.set("2026-12-02T12:00:00")
    close_days()
    while integrate(site):
        pass
    assert nobody.get("/rounds/2026-12-01-classic/bundle").status_code == 200
    (attempt,) = (row for row in tables(site)["attempts"] if str(row.attempt_id) == state["attempt_id"])
    assert attempt.abandoned_at is not None


def test_deletion_clears_the_cookie_and_needs_a_page_of_ours(app: Flask) -> None:
    """Report 36."""
    browser = app.test_client()
    browser.post("/api/v1/players", headers={"Origin": OWN})
    for origin in (None, "null", "https://elsewhere.example"):
        refused = browser.delete("/api/v1/players/me", headers={"Origin": origin} if origin else {})
        assert (refused.status_code, refused.get_json()["code"]) == (403, "cross_origin")
    gone = browser.delete("/api/v1/players/me", headers={"Origin": OWN})
    assert gone.status_code == 204
    assert browser.get_cookie("shutbox") is None
    assert "HttpOnly" in gone.headers["Set-Cookie"]
    assert browser.get("/api/v1/players/me").get_json()["code"] == "player_required"


def test_nothing_is_made_for_a_player_who_was_deleted_after_the_request_was_let_in(
    mara: Api, nobody: Api, site: Site
) -> None:
    """Each writer stands behind the check of the token when the deletion commits."""
    player = player_by_name(site, "Mara")
    turns = as_turns(legal_turns("classic", nobody.get(f"/rounds/{PUZZLE}").get_json()["seed"]))
    player_id, token_id = player.player_id, tokens_of(site, player.player_id)[0].token_id
    variant = mara.get("/days/today").get_json()["rounds"][2]["round_id"]
    begun = mara.post(f"/rounds/{variant}/attempt").get_json()
    decision = ShutChoice(tuple(begun["legal"][0]))
    writers: dict[str, Callable[[], object]] = {
        "name": lambda: change_player(site, player_id, {"name": "Mara"}),
        "token": lambda: create_token(site, player_id, token_id, "late"),
        "transfer code": lambda: make_transfer_code(site, player_id, token_id),
        "recovery code": lambda: make_recovery_code(site, player_id, token_id),
        "practice": lambda: issue_practice(site, player_id, "classic", Mode.OPEN, None, None),
        "practice by key": lambda: issue_practice(site, player_id, "classic", Mode.OPEN, None, "k"),
        "attempt": lambda: start_attempt(site, player_id, SEALED),
        "move": lambda: make_move(site, player_id, UUID(begun["attempt_id"]), begun["move"], decision),
        "run": lambda: submit(site, player, PUZZLE, turns),
        "deletion": lambda: delete_player(site, player_id),
    }
    assert mara.delete("/players/me").status_code == 204
    before = tables(site)
    for name, write in writers.items():
        with pytest.raises(PlayerRequired):
            write()
        assert tables(site) == before, name


def test_a_run_that_is_deleted_before_it_is_told_is_not_found(mara: Api) -> None:
    """The deletion comes between the commit of a practice run and its answer."""
    practice = mara.issue("classic", "open")
    commits: list[object] = []

    def delete_after_the_first(session: Session) -> None:
        commits.append(session)
        if len(commits) == 1:
            assert mara.delete("/players/me").status_code == 204

    event.listen(Session, "after_commit", delete_after_the_first)
    try:
        answer = mara.submit(practice["round_id"], legal_turns("classic", practice["seed"]))
    finally:
        event.remove(Session, "after_commit", delete_after_the_first)
    assert (answer.status_code, answer.get_json()["code"]) == (404, "not_found")


@pytest.mark.parametrize("database", ["postgresql"])  # SQLite has one writer at a time
def test_what_is_entered_while_a_deletion_begins_is_held_by_it_too(
    mara: Api, finn: Api, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round that is changed and not held was a deadlock with whoever held it and waited for the player."""
    shared, code = finn.issue("classic", "open"), finn.post("/leagues", {"name": "League"}).get_json()["code"]
    entering = iter(
        (
            lambda: mara.submit(shared["round_id"], legal_turns("classic", shared["seed"])),
            lambda: mara.post(f"/leagues/{code}/members"),
        )
    )
    begun: list[int] = []

    def hold_player(site: Site, player_id: UUID, alone: bool = False) -> PlayerRow:
        enter = next(entering, None)
        begun.append(0 if enter is None else enter().status_code)
        return players.hold_player(site, player_id, alone)

    monkeypatch.setattr(privacy, "hold_player", hold_player)
    delete_player(site, UUID(mara.player_id))
    assert begun == [201, 201, 0]
    assert finn.get(f"/rounds/{shared['round_id']}/leaderboard").get_json()["total"] == 0
    assert finn.get(f"/leagues/{code}").get_json()["size"] == 1


def test_of_a_deletion_among_everything_else_at_once_nothing_is_left(mara: Api, finn: Api, site: Site) -> None:
    """Twenty requests of the player at once, one of which is the deletion: whatever the order, the end is the same."""
    seed = mara.get(f"/rounds/{PUZZLE}").get_json()["seed"]
    shared = finn.issue("classic", "open")
    practice = mara.issue("classic", "open")
    requests: list[Callable[[], Any]] = [
        lambda: mara.post("/players/me/tokens"),
        lambda: mara.post("/players/me/transfer-codes"),
        lambda: mara.patch("/players/me", {"name": "Mara again"}),
        lambda: mara.post("/rounds", {"ruleset": "odds", "mode": "open"}),
        lambda: mara.post(f"/rounds/{SEALED}/attempt"),
        lambda: mara.submit(PUZZLE, legal_turns("classic", seed)),
        lambda: mara.submit(shared["round_id"], legal_turns("classic", shared["seed"])),
        lambda: finn.submit(shared["round_id"], legal_turns("classic", shared["seed"])),
        lambda: mara.submit(practice["round_id"], legal_turns("classic", practice["seed"])),
        lambda: mara.get("/players/me/export"),
    ]
    wanted = [*requests, lambda: mara.delete("/players/me"), *requests]
    with ThreadPoolExecutor(len(wanted)) as pool:
        answers = list(pool.map(lambda ask: ask(), wanted))
    assert answers[len(requests)].status_code == 204
    assert {answer.status_code for answer in answers} <= {200, 201, 204, 401, 404, 409}
    left, player_id = tables(site), UUID(mara.player_id)
    assert "mara" not in str(left).lower()
    assert not [row for name in ("tokens", "codes", "idempotency_keys") for row in left[name] if row[2] == player_id]
    assert not [row for row in left["rounds"] if row.owner_id == player_id]
    practised = {row.entry_id for row in left["entries"] if "practice" in row.round_id and row.player_id == player_id}
    assert practised == set()
    board = finn.get(f"/rounds/{shared['round_id']}/leaderboard").get_json()
    assert [row["player"]["name"] for row in board["items"]] == ["Finn"]
    site.session.rollback()
    reconcile(site, stale_boards(site))  # a run can be placed after its player has gone: the worker takes it off


# The copy


def exported(player: Api) -> Json:
    answer = player.get("/players/me/export")
    assert (answer.status_code, answer.mimetype) == (200, "application/json")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="shutbox-{player.player_id}.json"'
    return dict(json.loads(answer.data))


def test_a_copy_holds_all_that_is_stored_of_a_player(mara: Api, finn: Api, site: Site) -> None:
    state = play_all(mara)
    play_all(finn)
    copy, stored = exported(mara), tables(site)
    player_id = UUID(mara.player_id)
    entries = {row.entry_id: row for row in stored["entries"] if row.player_id == player_id}
    runs = {str(row.run_id): row for row in stored["runs"] if row.entry_id in entries}
    attempts = {str(row.attempt_id) for row in stored["attempts"] if row.entry_id in entries}
    moves = [row for row in stored["moves"] if str(row.attempt_id) in attempts]
    assert copy["player"]["name"] == "Mara"
    assert {run["run_id"] for run in copy["runs"]} == set(runs)
    for run in copy["runs"]:
        row = runs[run["run_id"]]
        assert run["salt"] == row.salt.hex()
        assert run["player_tag"] == entries[row.entry_id].player_tag.hex()
        assert run["turns"] == mara.get(f"/runs/{run['run_id']}").get_json()["turns"]
    assert {attempt["attempt_id"] for attempt in copy["attempts"]} == attempts
    assert state["attempt_id"] in attempts
    assert sum(len(attempt["moves"]) for attempt in copy["attempts"]) == len(moves)
    assert len(copy["practice_rounds"]) == 3
    assert {token["label"] for token in copy["tokens"]} == {"first", "laptop"}
    assert {code["kind"] for code in copy["codes"]} == {"transfer", "recovery"}
    own = mara.get("/players/me/profile").get_json()
    assert copy["profile"] == {name: own[name] for name in copy["profile"]}


def test_a_copy_holds_no_secret_and_nothing_of_others(mara: Api, finn: Api, site: Site) -> None:
    play_all(finn)
    secret = mara.post("/players/me/tokens").get_json()["token"]
    play_all(mara)
    text_of_copy = mara.get("/players/me/export").text
    assert secret not in text_of_copy
    assert finn.player_id not in text_of_copy
    assert "Finn" not in text_of_copy
    stored = tables(site)
    for row in (*stored["tokens"], *stored["codes"]):
        assert next(cell for cell in row if isinstance(cell, bytes)).hex() not in text_of_copy
    assert not [row.run_id for row in stored["runs"] if str(row.run_id) in text_of_copy and not _of(stored, row, mara)]


def _of(stored: dict[str, list[Any]], run: Any, player: Api) -> bool:
    return (run.entry_id, UUID(player.player_id)) in {(row.entry_id, row.player_id) for row in stored["entries"]}


def test_the_copy_of_a_running_attempt_holds_no_coming_roll(mara: Api, site: Site, clock: MovableClock) -> None:
    """Two sealed practice rounds, the same decisions: what is exported does not depend on the dice, seen or not.

    So there is nothing in it from which a coming roll could be told. The given seed is its player's, and still waits.
    """
    seeds = [f"{number:064x}" for number in (11, 23)]
    copies = []
    for seed in seeds:
        player = mara.join()
        round_id = player.issue("classic", "sealed", seed)["round_id"]
        player.post(f"/rounds/{round_id}/attempt")
        clock.forward(1)
        player.post(f"/rounds/{SEALED}/attempt")
        copies.append(player.get("/players/me/export").text)
    erased = [re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9]{4}-[0-9-]*T[0-9:.]*Z", "", copy) for copy in copies]
    assert erased[0] == erased[1]
    for hidden in (*seeds, seed_of(site, get_round(site, SEALED)).hex()):
        assert hidden not in "".join(copies)


def test_the_seed_of_a_practice_round_is_in_the_copy_once_it_is_disclosed(mara: Api) -> None:
    finished, running, opened = mara.issue("classic", "sealed"), mara.issue("odds", "sealed"), mara.issue("classic")
    mara.play_sealed(finished["round_id"])
    shown = {one["round_id"]: one["seed"] for one in exported(mara)["practice_rounds"]}
    for one in (finished, running, opened):
        assert shown[one["round_id"]] == mara.get(f"/rounds/{one['round_id']}").get_json()["seed"]
    assert shown[running["round_id"]] is None


def test_a_copy_is_the_same_in_pages_of_any_size(
    mara: Api, site: Site, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no page of it is larger than it may be, so that memory does not grow with what was played."""
    play_all(mara)
    whole = exported(mara)
    for size in (1, 2, 3):
        monkeypatch.setattr("shutbox.privacy._PAGE", size)
        assert exported(mara) == whole
    longest = max(map(len, export(site, UUID(mara.player_id))))
    assert longest < 4000


def test_a_new_guest_has_an_empty_copy(nobody: Api) -> None:
    copy = exported(nobody.join())
    assert (copy["player"]["name"], copy["attempts"], copy["runs"], copy["practice_rounds"]) == (None, [], [], [])
    assert nobody.get("/players/me/export").get_json()["code"] == "player_required"
