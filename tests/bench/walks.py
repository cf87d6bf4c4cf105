"""A leaderboard walked over loopback, part by part, while another process writes to it at a steady rate."""

import multiprocessing
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

from shutbox.config import Settings
from shutbox.days import daily_round_id, today
from shutbox.game.rulesets import CATALOGUE
from shutbox.leaderboards import place
from shutbox.players import create_player
from shutbox.rounds import Mode, enter, get_round, seed_of
from shutbox.runs import accept
from shutbox.serve import opened
from shutbox.site import Site
from shutbox.store.database import writing

from tests.bench.measuring import told
from tests.bench.served import Connection, Json, board_of_today, distinct_runs, serving
from tests.players import as_turns

WRITES_A_SECOND = 220  # so that it is 200 with what is lost at both ends
AT_ONCE = 10  # in one transaction, as a busy service would do it
STAYING = 300
MOVING = 2000
SECONDS = 15.0


class Writer:
    """Runs of players on today's puzzle, accepted and ranked by the use cases themselves."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.round = get_round(site, daily_round_id(today(site), CATALOGUE["classic"], Mode.OPEN))
        self.runs = [as_turns(turns) for turns in distinct_runs(seed_of(site, self.round).hex())]

    def players(self, number: int) -> list[UUID]:
        return [create_player(self.site, None, bot=True)[0].player_id for _ in range(number)]

    def write(self, wanted: list[tuple[UUID, int]]) -> None:
        """Store one of the runs for each player, all durably at once, and rank them."""
        with writing(self.site.session):
            rows = [
                (id, accept(self.site, self.round, enter(self.site, self.round, id), self.runs[n])) for id, n in wanted
            ]
            placed = [(player_id, row.run_id, row.rank_key) for player_id, row in rows]
        for player_id, run_id, rank_key in placed:
            place(self.site, self.round, player_id, run_id, rank_key)


def _write(settings: Settings, over: Any, written: Any) -> None:
    """Write until it is over: players come in, and those who are there improve."""
    draw = random.Random(1)
    with opened(settings) as site:
        writer = Writer(site)
        lines = [(id, n) for id in writer.players(MOVING) for n in draw.sample(range(len(writer.runs)), 4)]
        draw.shuffle(lines)
        begun, written.value = time.perf_counter(), 0
        for first in range(0, len(lines), AT_ONCE):
            if over.wait(max(0.0, begun + first / WRITES_A_SECOND - time.perf_counter())):
                return
            writer.write(lines[first : first + AT_ONCE])
            written.value += AT_ONCE


@contextmanager
def _writing(settings: Settings) -> Iterator[Any]:
    """Write in a process of its own; yield how often it has written, which is -1 until it begins."""
    context = multiprocessing.get_context("spawn")
    over, written = context.Event(), context.Value("q", -1)
    process = context.Process(target=_write, args=(settings, over, written))
    process.start()
    try:
        while written.value < 0:
            time.sleep(0.1)
        yield written
    finally:
        over.set()
        process.join()
        assert process.exitcode == 0


def walks() -> None:
    """Print how many walks met everyone who stayed once, forwards and backwards; one that did not raises."""
    with serving() as (port, settings):
        with opened(settings) as site:
            writer = Writer(site)
            seated = writer.players(STAYING)
            writer.write([(player_id, number % len(writer.runs)) for number, player_id in enumerate(seated)])
        reader, staying = Connection(port), {str(player_id) for player_id in seated}
        address = board_of_today(reader)
        with _writing(settings) as written:
            begun, done, met = time.perf_counter(), 0, 0
            while time.perf_counter() - begun < SECONDS:
                forwards, last = _walk(reader, address, "after", "next", reader.read("GET", f"{address}?limit=200"))
                backwards, _ = _walk(reader, address, "before", "previous", last)
                players = [row["player"]["player_id"] for row in forwards]
                assert len(players) == len(set(players)), "forwards somebody was met twice"
                assert staying <= set(players), "forwards somebody who stayed was missed"
                runs = [row["run_id"] for row in backwards]
                assert len(runs) == len(set(runs)), "backwards a row was met twice"
                again = [row["player"]["player_id"] for row in backwards]
                assert all(again.count(player) == 1 for player in staying), "backwards one who stayed was missed"
                done, met = done + 1, met + len(forwards) + len(backwards)
            rate = written.value / (time.perf_counter() - begun)
    told("walks there and back that met all who stayed once", f"{done} of {done}", f"at {rate:.0f} writes/s, goal 200")
    told("rows met on the way", f"{met:,}")


def _walk(reader: Connection, address: str, name: str, link: str, part: Json) -> tuple[list[Json], Json]:
    """Return all rows from a part on, and the part with which the walk ended."""
    rows = list(part["items"])
    while part[link]:
        part = reader.read("GET", f"{address}?limit=200&{name}={part[link]}")
        rows += part["items"]
    return rows, part
