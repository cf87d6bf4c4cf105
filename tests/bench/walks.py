"""A leaderboard walked, part by part, under a steady rate of writes, all over loopback."""

import itertools
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

from tests.bench.measuring import told
from tests.bench.served import Connection, Json, board_of_today, player_at, serving, submissions

WRITERS = 4
WRITES_A_SECOND = 200
STAYING = 300
SECONDS = 15.0


@contextmanager
def writing(port: int) -> Iterator[list[int]]:
    """Submit at a steady rate, new players and better runs of those that are there; yield how many were taken."""
    taken, over = [0] * WRITERS, threading.Event()

    def write(number: int) -> None:
        sender, begun = submissions(player_at(port)), time.perf_counter()
        for count in itertools.count(1):
            if over.wait(begun + count * WRITERS / WRITES_A_SECOND - time.perf_counter()):
                return
            taken[number] += next(sender)

    with ThreadPoolExecutor(WRITERS) as threads:
        running = [threads.submit(write, number) for number in range(WRITERS)]
        try:
            yield taken
        finally:
            over.set()
        for one in running:
            one.result()


def walks() -> None:
    """Print how many walks met everyone who stayed once, forwards and backwards; one that did not raises."""
    with serving() as port:
        reader = Connection(port)
        staying = {_seated(port, number) for number in range(STAYING)}
        address = board_of_today(reader)
        with writing(port) as taken:
            begun, done, met = time.perf_counter(), 0, 0
            while time.perf_counter() - begun < SECONDS:
                forwards, last = _walk(reader, address, "after", "next", reader.read("GET", f"{address}?limit=50"))
                backwards, _ = _walk(reader, address, "before", "previous", last)
                players = [row["player"]["player_id"] for row in forwards]
                assert len(players) == len(set(players)), "forwards somebody was met twice"
                assert staying <= set(players), "forwards somebody who stayed was missed"
                runs = [row["run_id"] for row in backwards]
                assert len(runs) == len(set(runs)), "backwards a row was met twice"
                again = [row["player"]["player_id"] for row in backwards]
                assert all(again.count(player) == 1 for player in staying), "backwards one who stayed was missed"
                done, met = done + 1, met + len(forwards) + len(backwards)
            rate = sum(taken) / (time.perf_counter() - begun)
    told("walks there and back that met all who stayed once", f"{done} of {done}", f"at {rate:.0f} writes/s, goal 200")
    told("rows met on the way", f"{met:,}")


def _seated(port: int, number: int) -> str:
    """Return the id of a player with one run, who stays where that puts the player."""
    connection = player_at(port)
    sender = submissions(connection)
    for _ in range(1 + number % 7):
        next(sender)
    return str(connection.read("GET", "/api/v1/players/me")["player_id"])


def _walk(reader: Connection, address: str, name: str, link: str, part: Json) -> tuple[list[Json], Json]:
    """Return all rows from a part on, and the part with which the walk ended; both in the order of the walk's parts."""
    rows = list(part["items"])
    while part[link]:
        part = reader.read("GET", f"{address}?limit=50&{name}={part[link]}")
        rows += part["items"]
    return rows, part
