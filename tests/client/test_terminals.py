"""What the command prints to a real terminal: a service can lie, and a terminal does what it is told."""

import os
import pty
import subprocess
import sys
from pathlib import Path
from uuid import UUID

from flask import Flask
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import PlayerRow
from shutbox_client import Client

from tests.client.conftest import OPEN
from tests.client.test_calls import submit


def printed(folder: Path, *arguments: str) -> bytes:
    """Return what a terminal is sent."""
    ours, theirs = pty.openpty()
    subprocess.run(
        [sys.executable, "-m", "shutbox_client.cli", *arguments], env={"HOME": str(folder)}, stdout=theirs, check=True
    )
    os.close(theirs)
    return os.read(ours, 4096)  # it waits in the terminal, and is less than that


def test_a_board_as_csv_does_not_steer_a_terminal(app: Flask, server: str, client: Client, tmp_path: Path) -> None:
    submit(client)
    name = "Ma\x9b2J\x07ra"
    with app.app_context():
        site: Site = app.extensions["shutbox"]
        with writing(site.session):
            site.session.get_one(PlayerRow, UUID(client.me().player_id)).name = name
    arguments = ["--server", server, "leaderboard", OPEN, "--csv"]
    head, row = printed(tmp_path, *arguments).decode().split("\r\n", 1)
    assert head.startswith("rank,player_id,name")
    assert "Ma?2J?ra" in row
    assert not [one for one in row.replace("\r\n", "") if not one.isprintable()]
    in_a_file = subprocess.run(
        [sys.executable, "-m", "shutbox_client.cli", *arguments], env={"HOME": str(tmp_path)}, stdout=-1, check=True
    )
    assert name in in_a_file.stdout.decode(), "a file has every character"
