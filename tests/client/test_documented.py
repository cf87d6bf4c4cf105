"""Every example of the page for programs and of the documents does what it is there for, on a real server."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest
from flask import Flask
from shutbox.web.reference import Call, calls
from shutbox_client import Client, Turn

from tests.client.conftest import OPEN, SEALED, Connect, joined
from tests.client.test_calls import finish, submit
from tests.conftest import Closer, MovableClock
from tests.journals import log_all

TOP = Path(__file__).parents[2]
CALLS = {call.id: call for of_tag in calls().values() for call in of_tag}
SHUTS_THE_BOX = bytes.fromhex("6898cf836587d764e02319b821720951a8ee50a301c142776b5d0598fb126301")
BEGINS_WITH_8 = bytes(31) + b"\2"

needs_curl = pytest.mark.skipif(
    shutil.which("curl") is None, reason="curl is not installed (Debian: apt-get install curl)"
)


class World:
    """A service on which yesterday has closed, and a player to whom everything has happened that examples speak of."""

    def __init__(self, server: str, operation: str) -> None:
        self.client = joined(Client(server), "Nora" if operation == "createPlayer" else "Mara")
        self._friend = joined(Client(server))
        self.server = server
        self.operation = operation

    def close(self) -> None:
        """Close the connections."""
        self.client.close()
        self._friend.close()

    def play(self) -> None:
        """Play what is played before the day closes."""
        self.run_id = finish(self.client, self.client.start_attempt(SEALED)).run_id

    def names(self, example: str) -> dict[str, str]:
        """Return what the names in an example stand for: only those are made that it has."""
        client = self.client
        rounds = {
            "submitRun": lambda: client.issue_round("classic", "open", SHUTS_THE_BOX).round_id,
            "startAttempt": lambda: client.issue_round("classic", "sealed").round_id,
        }
        makers: dict[str, Callable[[], str]] = {
            "round_id": rounds.get(self.operation, lambda: SEALED),
            "run_id": lambda: self.run_id or "",
            "attempt_id": self._attempt,
            "token_id": lambda: client.create_token("phone").token_id,
            "player_id": lambda: self._friend.me().player_id,
            "code": self._league,
            "tile_path": lambda: "0/000.p/1",
        }
        said = example.lower().replace("7kq2m-4xd9r", "code")
        return {name: make() for name, make in makers.items() if name in said}

    def _attempt(self) -> str:
        return self.client.start_attempt(
            self.client.issue_round("classic", "sealed", BEGINS_WITH_8).round_id
        ).attempt_id

    def _league(self) -> str:
        code = self.client.create_league("Friends").code
        self._friend.join_league(code)
        return code

    def true(self, example: str) -> str:
        """Return an example with codes that this service has given, in place of those that none has."""
        if "7KQ2-M4XD-9RTW" in example:
            example = example.replace("7KQ2-M4XD-9RTW", self.client.make_transfer_code().code)
        return example


@pytest.fixture
def world(
    request: pytest.FixtureRequest, app: Flask, server: str, clock: MovableClock, close_days: Closer
) -> Iterator[World]:
    made = World(server, request.node.callspec.params["call"].id)
    made.play()
    clock.set("2026-12-01T12:00:00")
    close_days()
    with app.app_context():
        log_all(app.extensions["shutbox"])
    yield made
    made.close()


def shell(script: str, folder: Path, **variables: str) -> str:
    """Return what a script prints; any answer that is a refusal ends it."""
    (folder / ".curlrc").write_text("fail-with-body\n")
    program = "set -e -o pipefail\n" + script
    settings = {"PATH": os.environ["PATH"], "CURL_HOME": str(folder), "no_proxy": "127.0.0.1"}
    done = subprocess.run(
        ["/bin/bash", "-c", program], cwd=folder, env=settings | variables, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 0, f"{script}\n{done.stdout!r}\n{done.stderr!r}"
    return done.stdout.decode(errors="replace")


@needs_curl
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_the_curl_example_of_a_call_is_answered(call: Call, world: World, tmp_path: Path) -> None:
    variables = {name.upper(): value for name, value in world.names(call.curl).items()}
    shell(world.true(call.curl), tmp_path, SERVER=world.server, TOKEN=world.client.token or "", **variables)


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
def test_the_python_example_of_a_call_is_answered(call: Call, world: World, tmp_path: Path) -> None:
    names: dict[str, Any] = world.names(call.python)
    example = world.true(call.python).replace("7KQ2M-4XD9R", names.get("code", ""))
    eval(example, {"client": world.client, "Turn": Turn, "Path": lambda name: tmp_path / name, **names})


@needs_curl
def test_the_beginning_on_the_page_makes_a_player(server: str, tmp_path: Path) -> None:
    page = httpx.get(f"{server}/api").text
    in_shell, in_python = map(unescape, re.findall(r'<pre class="example">(.*?)</pre>', page, re.DOTALL)[:2])
    assert '"guest":true' in shell(in_shell, tmp_path)
    names: dict[str, Any] = {}
    exec(in_python, names)
    with names["client"] as client:
        assert client.me().guest


def test_the_page_has_every_call_and_every_code(server: str) -> None:
    page = httpx.get(f"{server}/api").text
    assert page.count('<details class="call">') == len(CALLS) > 40
    for call in CALLS.values():
        assert f'<div id="{call.id}"' in page


def blocks(page: Path, language: str) -> list[str]:
    """Return the blocks of a language in a document."""
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@needs_curl
def test_the_curl_examples_of_the_readme_play_both_kinds_of_rounds(server: str, tmp_path: Path) -> None:
    script = "\n".join(
        block for block in blocks(TOP / "README.md", "sh") if "curl" in block or block.startswith("attempt=")
    )
    script = script.replace("http://127.0.0.1:8000", server).replace("$(date -u +%F)", "2026-11-30")
    printed = shell(script, tmp_path)
    assert '"shut_the_box":true' in printed
    assert '"move":1' in printed


@pytest.mark.parametrize("page", ["README.md", "docs/sdk.md"])
def test_the_python_examples_of_a_document_run(
    page: str, server: str, connect: Connect, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each block stands on those before it; what is printed is looked at by nobody here."""
    submit(joined(connect(), "Mara"), OPEN)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    found = blocks(TOP / page, "python")
    assert found
    for block in found:
        exec(block.replace("http://127.0.0.1:8000", server), names)
