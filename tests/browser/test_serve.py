"""The pages as `shutbox serve` serves them: gunicorn, its own Redis, and an end in the middle of a round."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.browser.people import Mouse, facing, state_of


class Service:
    """One `shutbox serve` in a folder, ended and started again."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.bind = f"127.0.0.1:{free.getsockname()[1]}"
        self.start()

    def start(self) -> None:
        command = [sys.executable, "-m", "shutbox.cli", "serve", "--data-dir", str(self.folder), "--bind", self.bind]
        environment = {**os.environ, "SHUTBOX_WORKERS": "1"}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith("Press"):
                return
        raise AssertionError("shutbox serve ended at once")

    def end(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=30)


@pytest.fixture
def service(short_tmp: Path) -> Iterator[Service]:
    folder = short_tmp / "serve"
    running = Service(folder)
    yield running
    running.end()


def test_a_round_outlives_the_service(service: Service, chromium: Any) -> None:
    context = chromium.new_context(base_url=f"http://{service.bind}", reduced_motion="reduce")
    page = context.new_page()
    page.goto("/")
    page.get_by_role("link", name="Play today’s round").click()
    someone = Mouse(page)
    someone.play(2)
    before = facing(page)
    service.end()
    someone.step()
    expect(page.locator("#alert")).to_contain_text("Connection lost. Your move is kept; trying again.")
    service.start()
    expect(page.locator("#alert")).to_be_empty(timeout=20_000)
    state_of(page)
    assert facing(page) != before
    someone.play()
    page.get_by_role("button", name="See the result").click()
    expect(page.locator(".facts")).to_contain_text("1 of 1")
    context.close()
