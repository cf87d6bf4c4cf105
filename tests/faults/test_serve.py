"""`shutbox serve` as a whole: started from nothing, ended by Ctrl-C, killed, and parts of it killed."""

import os
import select
import signal
import socket
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import httpx
import pytest
from shutbox.embedded import LONGEST_SOCKET_NAME, socket_path
from shutbox.seeds import create_secrets
from sqlalchemy import create_engine, text

from tests.faults.served import COMMAND, Served, free_port, served, until
from tests.players import any_of, legal_turns
from tests.servers import redis_server


@pytest.fixture
def data_dir(short_tmp: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=short_tmp))


@pytest.fixture
def service(data_dir: Path) -> Iterator[Served]:
    with served(data_dir) as running:
        yield running


def left_over(data_dir: Path) -> list[str]:
    """Return the command lines of processes that still name the data folder."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except (OSError, NotADirectoryError):
            continue
        if str(data_dir) in command:
            found.append(command)
    return found


def test_it_says_where_it_is_and_what_it_uses(service: Served) -> None:
    told = "".join(service.output)
    assert f"Shutbox is ready at http://127.0.0.1:{service.port}" in told
    for part in (str(service.data_dir), "shutbox.sqlite3", "valkey-server", "redis.sock"):
        assert part in told
    assert httpx.get(f"http://127.0.0.1:{service.port}/readyz").json()["redis"] == "ok"


def test_ctrl_c_ends_everything_and_leaves_nothing_behind(service: Served) -> None:
    header = service.join()
    assert service.client.post("/rounds", json={"ruleset": "odds", "mode": "open"}, headers=header).status_code == 201
    assert service.interrupt() == 0
    assert left_over(service.data_dir) == []
    assert not socket_path(service.data_dir).exists()
    assert not [word for word in ("Traceback", "SIGKILL", "ERROR") if word in "".join(service.output)]


def test_a_term_signal_to_the_first_process_ends_everything(service: Served) -> None:
    service.process.terminate()
    assert service.process.wait(30) == 0
    assert left_over(service.data_dir) == []


def test_the_others_end_when_the_first_process_is_killed(service: Served) -> None:
    others = service.children("python") + service.children("valkey")
    service.process.kill()
    service.process.wait(10)
    for pid in others:
        wait_until_gone(pid)
    assert left_over(service.data_dir) == []


def wait_until_gone(pid: int) -> None:
    """Come back when a process that is not our child has ended."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    try:
        assert select.select([descriptor], [], [], 20)[0], f"process {pid} did not end"
    finally:
        os.close(descriptor)


def test_it_starts_again_after_everything_was_killed(service: Served) -> None:
    header = service.join()
    round = service.puzzle()
    run = service.client.post(
        f"/rounds/{round['round_id']}/runs", json={"turns": legal_turns("classic", round["seed"])}, headers=header
    ).json()
    attempt = service.client.post(f"/rounds/{round['round_id'][:-5]}/attempt", headers=header).json()
    service.kill_everything()
    service.start()
    assert service.client.get(f"/runs/{run['run_id']}", headers=header).json() == run
    assert service.client.get(f"/attempts/{attempt['attempt_id']}", headers=header).json() == attempt
    assert service.puzzle()["seed"] == round["seed"]
    checked = service.command("check")
    assert (checked.returncode, checked.stdout.splitlines()[-1].endswith("0 differences.")) == (0, True)


def test_kill_9_in_the_middle_of_200_submissions_loses_none_that_was_answered(service: Served) -> None:
    """Ten players submit in parallel; all processes are killed after the 100th answer."""
    round = service.puzzle()
    lines = [legal_turns("classic", round["seed"], any_of(number)) for number in range(20)]
    players = [service.join() for _ in range(10)]
    answered: dict[str, int] = {}
    hundred = threading.Event()

    def submit(number: int) -> None:
        header, turns = players[number % 10], lines[number // 10]
        try:
            answer = service.client.post(f"/rounds/{round['round_id']}/runs", json={"turns": turns}, headers=header)
        except (httpx.HTTPError, RuntimeError):  # killed, or the client was closed with it
            return
        if answer.status_code == 201:
            answered[answer.json()["run_id"]] = number
        if number >= 100:
            hundred.set()

    with ThreadPoolExecutor(10) as pool:
        work = [pool.submit(submit, number) for number in range(200)]
        assert hundred.wait(60)
        service.kill_everything()
        for each in work:
            each.result()
    service.start()
    assert answered
    for run_id, number in answered.items():
        shown = service.client.get(f"/runs/{run_id}", headers=players[number % 10])
        assert shown.status_code == 200
    board = service.client.get(f"/rounds/{round['round_id']}/leaderboard?limit=200").json()
    ranked = [row["player"]["player_id"] for row in board["items"]]
    assert len(ranked) == len(set(ranked)) == board["total"]
    assert service.command("check").returncode == 0
    again = service.client.post(f"/rounds/{round['round_id']}/runs", json={"turns": lines[0]}, headers=players[0])
    assert again.status_code in (200, 201)


def test_redis_killed_in_the_middle_stops_nothing(service: Served) -> None:
    """Submissions and leaderboards go on; Redis is started again by itself, and then holds what SQL holds."""
    round = service.puzzle()
    lines = [legal_turns("classic", round["seed"], any_of(number)) for number in range(30)]
    path = f"/rounds/{round['round_id']}"
    for number, turns in enumerate(lines):
        if number % 10 == 5:
            (redis,) = until(lambda: service.children("valkey"))
            os.kill(redis, signal.SIGKILL)
        header = service.join()
        answer = service.client.post(f"{path}/runs", json={"turns": turns}, headers=header)
        assert answer.status_code == 201, answer.text
        assert answer.json()["total"] == number + 1
        board = service.client.get(f"{path}/leaderboard?limit=200").json()
        assert (board["total"], len(board["items"])) == (number + 1, number + 1)
    until(lambda: service.command("check").returncode == 0)


def test_a_redis_that_is_killed_while_it_starts_ends_nothing_else(service: Served) -> None:
    for _ in range(6):
        (redis,) = until(lambda: service.children("valkey-server"))
        os.kill(redis, signal.SIGKILL)
        wait_until_gone(redis)
    assert service.client.get("/days/today").status_code == 200
    assert service.process.poll() is None
    until(lambda: httpx.get(f"http://127.0.0.1:{service.port}/readyz").json()["redis"] == "ok")


def test_a_worker_that_was_killed_is_started_again(service: Served) -> None:
    (worker,) = service.children("cli\0worker")
    os.kill(worker, signal.SIGKILL)
    until(lambda: set(service.children("cli\0worker")) - {worker})
    assert service.client.get("/days/today").status_code == 200


def test_a_second_serve_on_the_same_folder_is_refused(service: Served) -> None:
    second = subprocess.run(
        [*COMMAND, "serve", "--data-dir", str(service.data_dir), "--bind", f"127.0.0.1:{free_port()}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert second.returncode == 1
    assert "another shutbox serve uses" in second.stderr
    assert service.client.get("/days/today").status_code == 200


@pytest.mark.parametrize(
    ("bind", "words"), [("nonsense", "HOST:PORT"), ("127.0.0.1:0", "HOST:PORT"), ("192.0.2.1:80", "cannot listen")]
)
def test_an_address_that_cannot_be_is_refused(data_dir: Path, bind: str, words: str) -> None:
    refused = subprocess.run(
        [*COMMAND, "serve", "--data-dir", str(data_dir), "--bind", bind], capture_output=True, text=True, check=False
    )
    assert refused.returncode == 1
    assert words in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_port_in_use_is_refused(service: Served, data_dir: Path) -> None:
    refused = subprocess.run(
        [*COMMAND, "serve", "--data-dir", str(data_dir / "other"), "--bind", f"127.0.0.1:{service.port}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "cannot listen on" in refused.stderr


def test_a_data_folder_too_deep_for_a_socket_works(data_dir: Path) -> None:
    deep = data_dir / ("d" * 60) / ("e" * 60)
    assert len(bytes(deep)) > LONGEST_SOCKET_NAME
    with served(deep) as service:
        assert httpx.get(f"http://127.0.0.1:{service.port}/readyz").json()["redis"] == "ok"
        where = socket_path(deep)
        assert where.exists()
        assert service.interrupt() == 0
    assert not where.parent.exists()


def test_a_configured_redis_is_used_instead(data_dir: Path) -> None:
    with (
        redis_server(data_dir / "own") as (url, _),
        served(data_dir / "data", {"SHUTBOX_REDIS_URL": url}) as service,
    ):
        assert service.children("valkey") == []
        assert url in "".join(service.output)
        assert httpx.get(f"http://127.0.0.1:{service.port}/readyz").json()["redis"] == "ok"


def test_a_configured_database_is_used_instead(data_dir: Path, postgres_url: str) -> None:
    engine = create_engine(postgres_url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text("CREATE DATABASE served"))
    engine.dispose()
    url = postgres_url.replace("postgresql+psycopg", "postgresql").replace("/postgres?", "/served?")
    with served(data_dir, {"SHUTBOX_DATABASE_URL": url}) as service:
        assert not (data_dir / "shutbox.sqlite3").exists()
        assert "postgresql" in "".join(service.output)
        header = service.join()
        round = service.puzzle()
        answer = service.client.post(
            f"/rounds/{round['round_id']}/runs", json={"turns": legal_turns("classic", round["seed"])}, headers=header
        )
        assert answer.status_code == 201


def half_a_request(number: int) -> bytes:
    """Return what ends in the middle of a head or of a body."""
    head = b"POST /api/v1/players HTTP/1.1\r\nHost: x\r\n"
    return head + b"Content-Type: application/json\r\nContent-Length: 10\r\n\r\n{" if number % 2 else head


def more_than_it_reads(_: int) -> bytes:
    return b"GET /openapi.yaml HTTP/1.1\r\nHost: x\r\n\r\n" * 200


def the_last_of_a_connection(_: int) -> bytes:
    """Return what a client sends that then should close, and does not."""
    return b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"


@pytest.mark.parametrize("sent", [half_a_request, more_than_it_reads, the_last_of_a_connection])
def test_clients_that_stall_hold_no_thread_for_long(service: Served, sent: Callable[[int], bytes]) -> None:
    """More sockets than threads, of which none is read or closed: others are answered all the same."""
    stalled = []
    try:
        for number in range(40):
            client = socket.socket()
            stalled.append(client)
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)  # or the kernel reads for it
            client.connect(("127.0.0.1", service.port))
            client.sendall(sent(number))
        with httpx.Client(base_url=f"http://127.0.0.1:{service.port}", timeout=20) as other:
            for _ in range(100):  # by turns with the answers that are sent until the buffers are full
                assert other.get("/healthz", headers={"Connection": "close"}).status_code == 200
    finally:
        for client in stalled:
            client.close()
    assert service.interrupt() == 0
    assert not [word for word in ("Traceback", "SIGKILL", "ERROR") if word in "".join(service.output)]


def test_no_address_is_logged_with_a_malformed_request(service: Served) -> None:
    with socket.create_connection(("127.0.0.1", service.port)) as connection:
        connection.sendall(b"GET /" + b"a" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n")
        assert b" 414 " in connection.recv(100)
    assert until(lambda: any("Invalid request" in line for line in service.output))
    told = next(line for line in service.output if "Invalid request" in line)
    assert "127.0.0.1" not in told


def test_it_says_why_it_is_not_ready(data_dir: Path) -> None:
    """A chain that begins in four years makes no day today."""
    create_secrets(data_dir / "chain.json", data_dir / "round-key.json", date(2030, 1, 1))
    process = subprocess.Popen(
        [*COMMAND, "serve", "--data-dir", str(data_dir), "--bind", f"127.0.0.1:{free_port()}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    with process.stdout:
        told = next((line for line in process.stdout if "Still not ready" in line), "")
        assert "the first begins on 2030-01-01" in told
        process.terminate()
        process.stdout.read()
    assert process.wait(30) == 0


def test_what_it_makes_is_its_own(service: Served) -> None:
    modes = {file.name: file.stat().st_mode & 0o077 for file in service.data_dir.rglob("*")}
    assert {"shutbox.sqlite3", "chain.json", "redis.log"} <= modes.keys()
    assert not any(modes.values()), modes


def test_commands_say_what_is_wrong_in_a_line(service: Served) -> None:
    unknown = service.command("rebuild", "nothing")
    assert (unknown.returncode, unknown.stderr) == (1, "Error: there is no round 'nothing'\n")
    assert service.command("rebuild").stdout.endswith("boards rebuilt.\n")
    assert service.interrupt() == 0
    away = service.command("check")
    assert (away.returncode, "Redis does not answer" in away.stderr) == (1, True)


def test_a_missing_chain_file_is_not_replaced(service: Served) -> None:
    assert service.interrupt() == 0
    (service.data_dir / "chain.json").unlink()
    refused = subprocess.run(
        [*COMMAND, "serve", "--data-dir", str(service.data_dir), "--bind", f"127.0.0.1:{free_port()}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert "chain.json is missing: restore it" in refused.stderr
    assert not (service.data_dir / "chain.json").exists()
