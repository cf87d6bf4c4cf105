"""Requests over loopback under the real settings of gunicorn, each kind as a ratio to one that does nothing."""

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from shutbox.config import Settings

from tests.bench.measuring import told
from tests.faults.served import free_port
from tests.players import any_of, legal_turns
from tests.servers import redis_server

CONNECTIONS = 16
SECONDS = 1.0
ROUNDS = 5
SETTINGS = Path(__file__).parents[2] / "deploy" / "gunicorn.conf.py"

Json = dict[str, Any]


class Connection:
    """One kept-alive connection as one player; as little of a client as possible, since it shares the machine."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port))
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.headers = ""
        self.etag = '"none"'

    def ask(self, method: str, path: str, body: Any = None, headers: str = "") -> tuple[int, bytes]:
        """Send a request; return the status and the body of its answer."""
        content = b"" if body is None else json.dumps(body).encode()
        sort = f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n" if content else ""
        head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{self.headers}{headers}{sort}\r\n"
        self._socket.sendall(head.encode() + content)
        answer = self._socket.recv(65536)
        while b"\r\n\r\n" not in answer:
            answer += self._socket.recv(65536)
        top, _, found = answer.partition(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in top.split(b"\r\n")[1:])
        self.etag = fields.get(b"etag", b"").decode()
        status = int(top[9:12])
        while status != 304 and len(found) < int(fields[b"content-length"]):
            found += self._socket.recv(65536)
        return status, found

    def read(self, method: str, path: str, body: Any = None) -> Json:
        """Return the JSON of an answer that is no refusal."""
        status, found = self.ask(method, path, body)
        assert status < 400, found
        answer: Json = json.loads(found)
        return answer

    def join(self) -> None:
        """Become a new player."""
        token = self.read("POST", "/api/v1/players", {"bot": True})["token"]
        self.headers = f"Authorization: Bearer {token}\r\n"


@contextmanager
def serving() -> Iterator[tuple[int, Settings]]:
    """Run gunicorn with the settings that `serve` uses; yield its port and the settings of the service."""
    with tempfile.TemporaryDirectory(prefix="sb-") as folder, redis_server(Path(folder)) as (url, _):
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SHUTBOX_")}
        environment = {**kept, "SHUTBOX_DATA_DIR": folder, "SHUTBOX_REDIS_URL": url, "SHUTBOX_LIMITS": "off"}
        subprocess.run([sys.executable, "-m", "shutbox.cli", "migrate"], env=environment, check=True)
        port = free_port()
        process = subprocess.Popen(
            [sys.executable, "-m", "gunicorn", "-c", SETTINGS, "-b", f"127.0.0.1:{port}", "tests.bench.wsgi:app"],
            env=environment,
        )
        try:
            while True:
                try:
                    Connection(port)
                    break
                except ConnectionError:
                    time.sleep(0.1)
            yield port, Settings.from_env(environment)
        finally:
            process.terminate()
            process.wait(20)


Kind = Callable[[Connection], Iterator[bool]]
"""Sends requests one after the other for ever; true is what counts."""


def _noop_post(connection: Connection) -> Iterator[bool]:
    body = {"turns": [{"dice": 2, "shut": [9, 1]}] * 5}
    while True:
        yield connection.ask("POST", "/noop", body)[0] == 200


def _noop_get(connection: Connection) -> Iterator[bool]:
    while True:
        yield connection.ask("GET", "/noop")[0] == 200


def _submissions(connection: Connection) -> Iterator[bool]:
    """Runs of today's puzzle, each replayed, stored and ranked. It has few of them, so player follows on player."""
    round: Json = connection.read("GET", "/api/v1/days/today")["rounds"][1]
    address, runs = f"/api/v1/rounds/{round['round_id']}/runs", distinct_runs(round["seed"])
    while True:
        for turns in runs:
            yield connection.ask("POST", address, {"turns": turns})[0] == 201
        connection.join()


@cache
def distinct_runs(seed: str) -> list[list[Json]]:
    """Return runs that nobody takes for the same, of 100 ways to play."""
    made = [legal_turns("classic", seed, any_of(number)) for number in range(100)]
    return list({json.dumps(turns): turns for turns in made}.values())


def _moves(connection: Connection) -> Iterator[bool]:
    """Decisions of sealed practice rounds, one round after the other."""
    while True:
        round = connection.read("POST", "/api/v1/rounds", {"ruleset": "classic", "mode": "sealed"})
        state = connection.read("POST", f"/api/v1/rounds/{round['round_id']}/attempt")
        while state["state"].startswith("choose"):
            tiles = state["state"] == "choose_tiles"
            decision = {"shut": state["legal"][0]} if tiles else {"dice": state["dice_allowed"][0]}
            address = f"/api/v1/attempts/{state['attempt_id']}/moves"
            state = connection.read("POST", address, {"move": state["move"], **decision})
            yield True


def board_of_today(connection: Connection) -> str:
    """Return the address of the leaderboard of today's puzzle."""
    round: Json = connection.read("GET", "/api/v1/days/today")["rounds"][1]
    return f"/api/v1/rounds/{round['round_id']}/leaderboard"


def _pages(connection: Connection) -> Iterator[bool]:
    address = board_of_today(connection)
    while True:
        yield connection.ask("GET", address)[0] == 200


def _unchanged(connection: Connection) -> Iterator[bool]:
    """The board as it was known from the answer before; the first of a round is another one, after its submissions."""
    address = board_of_today(connection)
    while True:
        yield connection.ask("GET", address, headers=f"If-None-Match: {connection.etag}\r\n")[0] == 304


def _today(connection: Connection) -> Iterator[bool]:
    while True:
        yield connection.ask("GET", "/api/v1/days/today")[0] == 200


KINDS: dict[str, tuple[Kind, str, str]] = {
    "submissions, durable and ranked": (_submissions, "POST", "goal ≥ 0.50, stretch 0.55"),
    "moves of sealed practice (making the rounds included)": (_moves, "POST", "goal ≥ 0.40, stretch 0.50"),
    "leaderboard, 16 rows, always fresh": (_pages, "GET", "goal ≥ 0.45"),
    "leaderboard, 304": (_unchanged, "GET", "goal ≥ 0.98"),
    "the day": (_today, "GET", ""),
}


def throughput() -> None:
    """Print how many requests of each kind are answered, beside requests that do nothing, in turns."""
    noop: dict[str, Kind] = {"POST": _noop_post, "GET": _noop_get}
    kinds = {"POST": noop["POST"], "GET": noop["GET"], **{name: kind for name, (kind, _, _) in KINDS.items()}}
    with serving() as (port, _), ThreadPoolExecutor(CONNECTIONS) as threads:
        sending = {name: [kind(_player(port)) for _ in range(CONNECTIONS)] for name, kind in kinds.items()}
        for senders in sending.values():
            list(threads.map(next, senders))  # what they begin with is not timed
        answered: dict[str, list[float]] = {name: [] for name in kinds}
        for _ in range(ROUNDS):
            for name, senders in sending.items():
                begun = time.perf_counter()
                counts = list(threads.map(_send, senders))
                answered[name].append(sum(counts) / (time.perf_counter() - begun))
    rate = {name: statistics.median(rates) for name, rates in answered.items()}
    for method in noop:
        told(f"{method} that does nothing, {CONNECTIONS} connections", f"{rate[method]:,.0f} /s")
    for name, (_, method, goal) in KINDS.items():
        ratio = statistics.median(a / b for a, b in zip(answered[name], answered[method], strict=True))
        told(name, f"{rate[name]:,.0f} /s, ×{ratio:.2f}", goal)


def _player(port: int) -> Connection:
    connection = Connection(port)
    connection.join()
    return connection


def _send(sender: Iterator[bool]) -> int:
    """Send for a while; return how many answers counted."""
    until, counted = time.perf_counter() + SECONDS, 0
    while time.perf_counter() < until:
        counted += next(sender)
    return counted
