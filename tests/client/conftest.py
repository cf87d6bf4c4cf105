"""Clients of the real app in this process, and the command with its own config folder."""

import io
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from click.testing import CliRunner, Result
from flask import Flask
from shutbox.game.replay import Turn
from shutbox.rounds import get_round, seed_of
from shutbox_client import Client
from shutbox_client.cli import main
from shutbox_client.session import Session
from shutbox_client.tokens import TokenFile
from werkzeug.serving import make_server

from tests.players import Policy, as_turns, first, legal_turns, table_of

SERVER = "http://shutbox.test"
SEALED = "2026-11-30-classic"
OPEN = "2026-11-30-classic-open"
SEED = bytes(range(32))


@pytest.fixture
def database() -> str:
    """The client does not see which database the service uses: one is enough here."""
    return "sqlite"


class Line(httpx.BaseTransport):
    """A line to the app that fails as told: `troubles` are met one after the other, then all is well.

    An exception: the request does not arrive. A response: something between answers it. `lost`: the request arrives
    and is carried out, but its answer does not come back.
    """

    def __init__(self, app: Flask, *troubles: BaseException | httpx.Response | str) -> None:
        self._app = httpx.WSGITransport(app)
        self.troubles = list(troubles)
        self.sent: list[tuple[str, str, bytes, str | None]] = []  # method, path, body, Idempotency-Key

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        key = request.headers.get("Idempotency-Key")
        self.sent.append((request.method, request.url.path, request.read(), key))
        trouble = self.troubles.pop(0) if self.troubles else None
        if isinstance(trouble, BaseException):
            raise trouble
        if isinstance(trouble, httpx.Response):
            return trouble
        answer = self._app.handle_request(request)
        if trouble is not None:
            answer.read()
            answer.close()
            raise httpx.ReadError("the connection was closed")
        return answer


Connect = Callable[..., Client]


@pytest.fixture
def connect(app: Flask) -> Iterator[Connect]:
    """Makes clients of the app; they are closed at the end."""
    clients: list[Client] = []

    def connect(token: str | None = None, transport: httpx.BaseTransport | None = None, **options: Any) -> Client:
        patience: dict[str, Any] = {"sleep": never, "random": Random(1)} | options
        clients.append(Client(SERVER, token, transport or httpx.WSGITransport(app), **patience))
        return clients[-1]

    yield connect
    for client in clients:
        client.close()


def never(seconds: float) -> None:
    """The sleep of a client that has nothing to wait for."""
    raise AssertionError(f"waits {seconds} s")


@pytest.fixture
def nameless(connect: Connect) -> Client:
    """A client that acts for nobody."""
    return connect()


@pytest.fixture
def client(connect: Connect) -> Client:
    """A client that acts for a guest."""
    return joined(connect())


def joined(client: Client, name: str | None = None, bot: bool = False) -> Client:
    """Make a player, and let the client act for it."""
    client.token = client.create_player(name, bot).token
    return client


def turns_on(round_seed: bytes, ruleset: str = "classic", choose: Policy = first) -> tuple[Turn, ...]:
    """Return a legal run on known dice."""
    return tuple(as_turns(legal_turns(ruleset, round_seed.hex(), choose)))


def typed(ruleset: str, seed: bytes, turns: tuple[Turn, ...]) -> list[str]:
    """Return what a player types to play these turns."""
    rules, table = table_of(ruleset, seed.hex())
    board, lines = rules.opening, []
    for number, (dice, shut) in enumerate(turns):
        if len(rules.dice_allowed[board]) > 1:
            lines.append(str(dice))
        if shut:
            lines.append(" ".join(map(str, shut)))
            board ^= rules.ways(board, table.matches[number][dice])[shut]
    return lines


class Typing(io.BufferedIOBase):
    """Lines typed one at a time; what stands between them is done when it is their turn, or raised."""

    def __init__(self, *steps: str | BaseException | Callable[[], object]) -> None:
        self._steps = list(steps)

    def readable(self) -> bool:
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        return b"" if size == 0 else self.read1()

    def read1(self, size: int = -1, /) -> bytes:
        while self._steps:
            step = self._steps.pop(0)
            if isinstance(step, str):
                return f"{step}\n".encode()
            if isinstance(step, BaseException):
                raise step
            step()
        return b""


@pytest.fixture
def sealed_seed(app: Flask) -> bytes:
    """The seed of today's sealed classic, which no player knows."""
    with app.app_context():
        site = app.extensions["shutbox"]
        return seed_of(site, get_round(site, SEALED))


class Command:
    """`shutbox-client` as a user runs it, with a config folder of its own."""

    def __init__(self, app: Flask, config: Path) -> None:
        self.app = app
        self.config = config
        self.slept: list[float] = []

    def __call__(
        self,
        *arguments: str,
        typed: list[str] | bytes | Typing = b"",
        transport: httpx.BaseTransport | None = None,
        **environment: str | None,
    ) -> Result:
        session = Session(
            transport=transport or httpx.WSGITransport(self.app), sleep=self.slept.append, random=Random(1)
        )
        settings = {
            "XDG_CONFIG_HOME": str(self.config),
            "SHUTBOX_CLIENT_SERVER": SERVER,
            "SHUTBOX_CLIENT_TOKEN": None,
        }
        text: Any = "".join(f"{line}\n" for line in typed) if isinstance(typed, list) else typed
        runner = CliRunner(env=settings | environment)
        return runner.invoke(main, arguments, obj=session, input=text, catch_exceptions=False)

    @property
    def token_file(self) -> Path:
        """Where the token for the app is kept."""
        return TokenFile.of(SERVER, {"XDG_CONFIG_HOME": str(self.config)}).path

    @property
    def token(self) -> str:
        """The token that is kept."""
        return self.token_file.read_text().strip()

    def keep(self, token: str) -> None:
        """Keep a token as the command does."""
        self.token_file.parent.mkdir(parents=True, exist_ok=True)
        self.token_file.write_text(token + "\n")
        self.token_file.chmod(0o600)


@pytest.fixture
def command(app: Flask, tmp_path: Path) -> Command:
    return Command(app, tmp_path / "config")


@pytest.fixture
def server(app: Flask) -> Iterator[str]:
    """The app on a port of its own, for programs that take an address."""
    listening = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=listening.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{listening.server_port}"
    listening.shutdown()
    listening.server_close()
    thread.join()


@pytest.fixture
def nobody_there() -> str:
    """An address of this machine at which nothing listens."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return f"http://127.0.0.1:{listening.getsockname()[1]}"
