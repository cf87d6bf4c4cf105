"""A day closes while players are in the middle of it."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import date

from flask import Flask
from shutbox.boards import check
from shutbox.game.dice import deal
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox.rounds import State
from shutbox.site import Site
from shutbox.store.rows import AttemptRow, EntryRow, RoundRow, RunRow
from sqlalchemy import select

from tests.conftest import Closer, MovableClock
from tests.players import Api, any_of, legal_turns

SEALED, PUZZLE = "2026-11-30-classic", "2026-11-30-classic-open"


def test_a_day_closes_under_load(app: Flask, nobody: Api, clock: MovableClock, close_days: Closer) -> None:
    """Twelve threads play and submit; the clock passes the close and a worker closes while they do.

    Whatever was accepted before the close is in the final board; afterwards every new move and run is refused with
    409 round_closed, the next day is open, and the disclosed seeds give every roll that was shown.
    """
    seed = nobody.get(f"/rounds/{PUZZLE}").get_json()["seed"]
    lines = [legal_turns("classic", seed, any_of(number)) for number in range(40)]
    players = [nobody.join() for _ in range(12)]
    clock.set("2026-11-30T23:59:58")
    states = [player.post(f"/rounds/{SEALED}/attempt").get_json() for player in players]
    submitted, closed = threading.Barrier(13), threading.Event()
    codes: list[tuple[int, str, bool]] = []
    rolls: dict[int, set[tuple[int, ...]]] = {}

    def play(number: int) -> None:
        player, state, choose = players[number], states[number], any_of(number)
        turn, was_closed = 0, False
        while turn < 40 or not was_closed:  # so everyone comes late, too
            was_closed = closed.is_set()
            answer = player.submit(PUZZLE, lines[turn % 40])
            codes.append((answer.status_code, answer.get_json().get("code", ""), was_closed))
            if not turn:
                submitted.wait()
            turn += 1
            if state["state"].startswith("choose"):
                if state["faces"]:
                    rolls.setdefault(state["roll"], set()).add(tuple(state["faces"]))
                if turn % 4 == 0:
                    moved = player.move(state, choose)
                    codes.append((moved.status_code, moved.get_json().get("code", ""), was_closed))
                    state = moved.get_json() if moved.status_code == 200 else state

    def close() -> None:
        try:
            submitted.wait()
            while len(codes) < 150:
                closed.wait(0.01)
            clock.set("2026-12-01T00:00:00")
            while len(codes) < 220:
                closed.wait(0.01)
            clock.set("2026-12-01T02:00:00")
            assert close_days() == [date(2026, 11, 30)]
        finally:
            closed.set()

    with ThreadPoolExecutor(13) as pool:
        for work in [*(pool.submit(play, number) for number in range(12)), pool.submit(close)]:
            work.result()
    assert {code for _, code, was_closed in codes if was_closed} <= {"", "round_closed"}
    assert {status for status, _, _ in codes} <= {200, 201, 409}
    assert any(was_closed and status == 409 for status, _, was_closed in codes), "nobody came late"
    assert not any(status == 201 and was_closed for status, _, was_closed in codes)
    with app.app_context():
        site: Site = app.extensions["shutbox"]
        assert site.session.get_one(RoundRow, SEALED).state == State.CLOSED
        unfinished = site.session.scalars(
            select(AttemptRow.abandoned_at)
            .join(EntryRow, EntryRow.entry_id == AttemptRow.entry_id)
            .outerjoin(RunRow, RunRow.entry_id == EntryRow.entry_id)
            .where(RunRow.run_id.is_(None))
        ).all()
        assert all(moment is not None for moment in unfinished)
        assert check(site)[0] == []
    board = nobody.get(f"/rounds/{PUZZLE}/leaderboard").get_json()
    assert (board["state"], board["total"]) == ("final", 12)
    assert nobody.get("/days/2026-12-01").get_json()["state"] == "open"
    disclosed = bytes.fromhex(nobody.get(f"/rounds/{SEALED}").get_json()["seed"])
    table = deal(rules_of(CATALOGUE["classic"]), disclosed)
    for number, shown in rolls.items():
        assert all(faces == table.rolls[number][: len(faces)] for faces in shown)
