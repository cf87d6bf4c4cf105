"""A leaderboard is walked, part by part, while others write to it without a pause."""

import random
import threading
from typing import Any

import pytest
from flask import Flask
from shutbox.site import Site

from tests.conftest import MovableClock
from tests.players import Api
from tests.web.test_leaderboards import BOARD, Field

LEAST_WRITES = 200


class Writers:
    """Threads that submit: results of players who stay where they are never change, all others do."""

    def __init__(self, app: Flask, field: Field, movers: list[str]) -> None:
        self.app, self.field, self.movers = app, field, movers
        self.written = 0
        self.faults: list[BaseException] = []
        self._counting = threading.Lock()
        self._over = threading.Event()
        self._threads = [threading.Thread(target=self._write, args=(number,)) for number in range(2)]

    def __enter__(self) -> "Writers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()
        assert self.faults == []

    def _write(self, number: int) -> None:
        dice, penalties = random.Random(number), sorted(self.field.lines)
        lines = [(player, penalty) for player in self.movers[number::2] for penalty in penalties[:-1]]
        dice.shuffle(lines)  # each once: the same line again is no new run
        newcomers = 50  # not without end, or a reader who is slower never comes to it
        while not self._over.is_set():
            try:
                with self.app.app_context():
                    new = newcomers > 0 and dice.random() < 0.3
                    newcomers -= new
                    player, penalty = (self.field.join(), dice.choice(penalties)) if new else lines.pop()
                    self.field.submit(player, penalty)
            except BaseException as fault:  # told where the threads are joined
                self.faults.append(fault)
                return
            with self._counting:
                self.written += 1


@pytest.fixture
def field(site: Site, clock: MovableClock, nobody: Api) -> Field:
    return Field(site, clock, nobody)


def test_who_does_not_move_is_met_once_in_both_directions(app: Flask, field: Field, nobody: Api) -> None:
    """Forwards nobody is met twice at all; backwards no row is, though one who overtakes the reader comes again."""
    penalties = sorted(field.lines)
    staying = [field.join() for _ in range(120)]
    moving = [field.join() for _ in range(60)]
    for number, player in enumerate([*staying, *moving]):
        field.submit(player, penalties[-1] if player in moving else penalties[number % len(penalties)])
    field.site.session.rollback()  # else this session's snapshot lives through the walks
    with Writers(app, field, moving) as writers:
        walks = 0
        while (writers.written < LEAST_WRITES or walks < 2) and not writers.faults:
            forwards = _walk(nobody, "after", "next", nobody.get(f"{BOARD}?limit=20").get_json())
            players = [row["player"]["player_id"] for row in forwards]
            assert len(players) == len(set(players))
            assert set(staying) <= set(players)
            end = nobody.get(f"{BOARD}?limit=1&around={players[-1]}").get_json()
            while end["next"]:
                end = nobody.get(f"{BOARD}?limit=200&after={end['next']}").get_json()
            backwards = _walk(nobody, "before", "previous", end)
            rows = [row["run_id"] for row in backwards]
            assert len(rows) == len(set(rows))
            met = [row["player"]["player_id"] for row in backwards]
            assert [player for player in staying if met.count(player) != 1] == []
            walks += 1
    assert writers.written >= LEAST_WRITES


def _walk(api: Api, name: str, link: str, part: dict[str, Any]) -> list[dict[str, Any]]:
    rows = list(part["items"])
    while part[link]:
        part = api.get(f"{BOARD}?limit=20&{name}={part[link]}").get_json()
        rows += part["items"]
    return rows


def test_an_empty_part_still_leads_to_the_rest(field: Field, nobody: Api) -> None:
    """The one row behind a cursor has moved before it; the part behind it is empty and has a way back."""
    penalties = sorted(field.lines)
    players = [field.join() for _ in range(4)]
    for player in players:
        field.submit(player, penalties[3])
    part = nobody.get(f"{BOARD}?limit=3").get_json()
    field.submit(players[3], penalties[0])
    empty = nobody.get(f"{BOARD}?limit=3&after={part['next']}").get_json()
    assert (empty["items"], empty["next"], empty["total"]) == ([], None, 4)
    back = nobody.get(f"{BOARD}?limit=50&before={empty['previous']}").get_json()
    assert [row["player"]["player_id"] for row in back["items"]] == [players[3], *players[:3]]
    top = nobody.get(f"{BOARD}?limit=3&before={part['next']}").get_json()
    before = nobody.get(f"{BOARD}?limit=1").get_json()["next"]
    field.submit(players[0], penalties[0])
    again = nobody.get(f"{BOARD}?limit=3&before={before}").get_json()
    assert top["items"]
    assert again["items"] == []
    assert nobody.get(f"{BOARD}?limit=50&after={again['next']}").get_json()["total"] == 4
