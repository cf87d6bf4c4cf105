"""The import contracts hold, and each of them catches what it is there for."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def lint(checkout: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [Path(sys.executable).with_name("lint-imports"), "--no-cache", "--config", checkout / "pyproject.toml"],
        cwd=checkout,
        env={**os.environ, "PYTHONPATH": f"{checkout / 'service'}:{checkout / 'client'}"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of what the contracts speak of."""
    folder = tmp_path_factory.mktemp("contracts")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for part in ("service", "client"):
        ignored = shutil.ignore_patterns("__pycache__", "static", "templates", "node_modules")
        shutil.copytree(ROOT / part, folder / part, ignore=ignored)
    return folder


def test_the_contracts_hold(checkout: Path) -> None:
    linted = lint(checkout)
    assert linted.returncode == 0, linted.stdout
    assert "5 kept, 0 broken" in linted.stdout


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("service/shutbox/rounds.py", "from . import leaderboards", "A request flows down"),
        ("service/shutbox/game/dice.py", "import random", "Game and log are pure"),
        ("service/shutbox/game/replay.py", "import time", "Game and log are pure"),
        ("service/shutbox/runs.py", "from flask import request", "Flask and HTTP stay at the edge"),
        ("service/shutbox/web/represent.py", "from ..store.rows import RunRow", "The web asks use cases"),
        ("client/shutbox_client/client.py", "from shutbox import rounds", "Clients know the game"),
    ],
)
def test_a_broken_contract_is_caught(checkout: Path, file: str, line: str, contract: str) -> None:
    kept = (checkout / file).read_text()
    (checkout / file).write_text(kept + f"\n{line}\n")
    try:
        linted = lint(checkout)
    finally:
        (checkout / file).write_text(kept)
    assert linted.returncode == 1
    assert any(contract in told and " BROKEN" in told for told in linted.stdout.splitlines()), linted.stdout


def test_a_new_module_must_be_given_its_layer(checkout: Path) -> None:
    added = checkout / "service/shutbox/anything.py"
    added.write_text('"""A module that nobody placed."""\n')
    try:
        linted = lint(checkout)
    finally:
        added.unlink()
    assert linted.returncode == 1
    assert "anything" in linted.stdout
