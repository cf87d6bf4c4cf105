"""The real thing for fault tests: `shutbox serve` as a user starts it, in a session that can be killed as a whole."""

import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import httpx

Json = dict[str, Any]


class Served:
    """A running service."""

    def __init__(self, data_dir: Path, environment: dict[str, str] | None = None, port: int | None = None) -> None:
        self.data_dir = data_dir
        self.port = port or free_port()
        self.environment = environment or {}
        self.output: list[str] = []
        self.start()

    def start(self) -> None:
        """Start, and come back when it says that it is ready. An empty PATH forces the bundled server."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("SHUTBOX_")}
        self.process = subprocess.Popen(
            [*COMMAND, "serve", "--data-dir", str(self.data_dir), "--bind", f"127.0.0.1:{self.port}"],
            env={**kept, "PATH": "/nonexistent", **self.environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert self.process.stdout is not None
        self.output = []
        for line in self.process.stdout:
            self.output.append(line)
            if line.startswith("Press Ctrl-C"):
                break
        else:
            raise AssertionError("it did not start:\n" + "".join(self.output))
        self._reading = threading.Thread(target=self._read, args=(self.process.stdout, self.output), daemon=True)
        self._reading.start()
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self.port}/api/v1", timeout=30)

    def join(self, **wanted: Any) -> dict[str, str]:
        """Return the headers of a new player."""
        made = self.client.post("/players", json=wanted).json()
        return {"Authorization": f"Bearer {made['token']}"}

    def puzzle(self) -> Json:
        """Return today's open classic."""
        round: Json = self.client.get("/days/today").json()["rounds"][1]
        return round

    def command(self, *arguments: str) -> "subprocess.CompletedProcess[str]":
        """Run another `shutbox` command on the same data."""
        return subprocess.run(
            [*COMMAND, "--data-dir", str(self.data_dir), *arguments],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            check=False,
        )

    def children(self, name: str) -> list[int]:
        """Return the pids of the session whose command line has a word."""
        found = []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                command = (folder / "cmdline").read_bytes().decode(errors="replace")
                session = os.getsid(int(folder.name))
            except (OSError, ProcessLookupError):
                continue
            if session == self.process.pid and name in command:
                found.append(int(folder.name))
        return found

    def kill_everything(self) -> None:
        """`kill -9` of every process of the service, the first one first, so that it tells no other to end."""
        for pid in sorted(self.children("")):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait(20)
        until(lambda: not self.children(""))
        self.close()

    def interrupt(self) -> int:
        """Ctrl-C, as a terminal sends it: to the whole group. Return the exit code."""
        self.client.close()  # a kept-alive connection is waited for
        os.killpg(self.process.pid, signal.SIGINT)
        code = self.process.wait(30)
        self.close()
        return code

    def close(self) -> None:
        """Read what was still said, and let go of a process that has ended."""
        self.client.close()
        self._reading.join()
        if self.process.stdout is not None:
            self.process.stdout.close()

    @staticmethod
    def _read(stream: IO[str], output: list[str]) -> None:
        """Keep what all processes say while they say it: a pipe that nobody reads would stop them."""
        output.extend(stream)


def until(condition: Callable[[], Any]) -> Any:
    """Return what a condition gives once it is true; fail after 30 seconds."""
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        found = condition()
        if found:
            return found
        select.select([], [], [], 0.02)
    raise AssertionError("it did not come true")


COMMAND = (sys.executable, "-m", "shutbox.cli")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def served(data_dir: Path, environment: dict[str, str] | None = None) -> Iterator[Served]:
    """Serve until the block ends."""
    running = Served(data_dir, environment)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.interrupt()
        running.close()
