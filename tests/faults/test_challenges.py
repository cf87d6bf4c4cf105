"""A challenge of a real service that is killed while it closes, and what anyone can verify of it afterwards."""

import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx

from tests.faults.served import Served, served, until

Json = dict[str, Any]


def decision(state: Json) -> Json:
    choice = {"shut": state["legal"][0]} if state["state"] == "choose_tiles" else {"dice": state["dice_allowed"][0]}
    return {"move": state["move"], **choice}


def move(service: Served, header: dict[str, str], state: Json) -> Json:
    answer = service.client.post(f"/attempts/{state['attempt_id']}/moves", json=decision(state), headers=header)
    assert answer.status_code == 200, answer.text
    found: Json = answer.json()
    return found


def play(service: Served, header: dict[str, str], path: str, most: int = 99) -> tuple[Json, int]:
    """Make the decisions of an attempt, at most so many; return its state and how many were made."""
    state, made = service.client.post(f"{path}/attempt", headers=header).json(), 0
    while state["state"].startswith("choose") and made < most:
        state, made = move(service, header, state), made + 1
    return state, made


def test_killed_within_the_last_move_it_is_closed_once_and_verified(short_tmp: Path) -> None:
    """Whether or not the move that closes it was stored before everything was killed, it is sent again."""
    with served(Path(tempfile.mkdtemp(dir=short_tmp))) as service:
        ada, ben = service.join(), service.join()
        asked = {"ruleset": "classic", "players": 2, "hours": 1}
        path = f"/rounds/{service.client.post('/challenges', json=asked, headers=ada).json()['round_id']}"
        _, count = play(service, ada, path)
        state, _ = play(service, ben, path, count - 1)
        with ThreadPoolExecutor(1) as pool:
            sending = pool.submit(move, service, ben, state)
            service.kill_everything()
            with suppress(httpx.HTTPError, AssertionError, RuntimeError):
                sending.result()
        service.start()
        last = move(service, ben, state)
        assert last["run_id"], "both have made the same decisions on the same dice"
        closed = service.client.get(path).json()
        assert (closed["state"], closed["finished"], closed["best_possible_penalty"] is None) == ("closed", 2, False)
        assert service.client.get(f"{path}/leaderboard").json()["total"] == 2
        until(lambda: service.client.get(f"{path}/bundle").status_code == 200)
        verified = subprocess.run(
            [
                sys.executable,
                "-m",
                "shutbox_client.cli",
                "--server",
                f"http://127.0.0.1:{service.port}",
                "verify",
                "round",
                path.rsplit("/", 1)[1],
            ],
            env={"HOME": str(service.data_dir), "XDG_STATE_HOME": str(service.data_dir / "state")},
            capture_output=True,
            text=True,
            check=False,
        )
        assert verified.returncode == 0, verified.stdout + verified.stderr
        assert service.command("check").returncode == 0
