"""Running everything from one command: secrets, migrations, Redis-compatible server, worker, web; and ending it all."""

import ctypes
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from http.client import HTTPConnection
from threading import Event
from typing import Any
from urllib.parse import unquote, urlsplit

import click
from filelock import FileLock, Timeout
from sqlalchemy import create_engine
from sqlalchemy.orm import Session

from .clock import day_at, system_clock
from .config import Settings
from .days import check_secrets, has_days, make_days
from .embedded import remove_socket, server_binary, start_server, with_redis
from .errors import StartRefused
from .journal import check_log_key, has_begun
from .seeds import Secrets, create_log_key, create_secrets, load_secrets
from .shipped import shipped
from .site import Site
from .store.database import db, prepare_engine
from .store.migrate import migrate
from .web.app import create_app
from .worker import catch_up

_PR_SET_PDEATHSIG = 1
PATIENCE_SECONDS = 15.0


def prepare(settings: Settings) -> Secrets:
    """Migrate the database, create what the first start creates, and make the days. Several processes may.

    Raises StartRefused where the secrets do not belong to the database: new ones would break what was committed to.
    """
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    engine = create_engine(settings.sql_url, hide_parameters=True)
    prepare_engine(engine)
    migrate(engine)
    with Session(engine) as session:
        has_rounds, has_log = has_days(session), has_begun(session)
    engine.dispose()
    if not has_rounds:
        create_secrets(settings.chain_file, settings.round_key_file, day_at(system_clock()))
    if not has_log and not settings.log_witness_file.exists():
        create_log_key(settings.log_key_file, settings.new_log_origin)
    secrets = load_secrets(*settings.secret_files)
    with opened(settings, secrets) as site:
        check_secrets(site)
        check_log_key(site)
        make_days(site)
    return secrets


@contextmanager
def opened(settings: Settings, secrets: Secrets | None = None) -> Iterator[Site]:
    """Open an installation outside the web, with the secrets of its files if none are given."""
    app = create_app(with_redis(settings), secrets or load_secrets(*settings.secret_files))
    try:
        with app.app_context():
            yield app.extensions["shutbox"]
    finally:
        with app.app_context():
            db.engine.dispose()


@dataclass
class _Children:
    """The processes of one `serve`, in the order in which they were started; they are ended in reverse."""

    environment: dict[str, str]
    processes: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    def start(self, name: str, command: Sequence[str]) -> None:
        self.processes[name] = popen(command, env=self.environment, stdin=subprocess.DEVNULL)

    def ended(self) -> list[str]:
        return [name for name, process in self.processes.items() if process.poll() is not None]

    def end(self) -> None:
        """End them one after the other; what does not end in time is killed."""
        for process in reversed(self.processes.values()):
            process.terminate()
            try:
                process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def popen(command: Sequence[str], **options: Any) -> "subprocess.Popen[bytes]":
    """Start a process that is told to end when this one is killed, where the system can do that.

    It is in a group of its own: Ctrl-C in a terminal reaches `serve` alone, which ends the others in order.
    """
    libc = ctypes.CDLL(None) if sys.platform == "linux" else None

    def follow_parent() -> None:
        if libc is not None:
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)

    options |= {"preexec_fn": follow_parent, "process_group": 0}
    return subprocess.Popen(command, **options)  # noqa: S603  (our own commands)


def serve(settings: Settings, bind: str) -> int:
    """Run everything until a signal ends it; return the exit code."""
    host, port = _listening(bind)
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    stop = Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with alone(settings):
        return _serve(settings, host, port, stop)


@contextmanager
def alone(settings: Settings) -> Iterator[None]:
    """Be the only one who serves from the data folder. Raises StartRefused if another one does."""
    lock = FileLock(settings.data_dir / ".serving", timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise StartRefused(f"another shutbox serve uses {settings.data_dir}: end it, or name another folder") from None
    try:
        yield
    finally:
        lock.release()


def _serve(settings: Settings, host: str, port: int, stop: Event) -> int:
    bundled = not settings.redis_url
    settings = with_redis(settings)
    children = _Children(_environment(settings))
    try:
        if bundled:
            children.processes["redis"] = start_server(settings.data_dir, server_binary(), popen)
        with opened(settings, prepare(settings)) as site:
            catch_up(site)
        children.start("worker", _WORKER)
        conf = str(shipped("gunicorn.conf.py"))
        bind = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        children.start("web", (sys.executable, "-m", "gunicorn", "--config", conf, "--bind", bind))
        if not _wait_until_ready(host, port, children, stop):
            return 0 if stop.is_set() else 1
        _say(settings, f"http://{bind}", bundled)
        return _supervise(settings, children, stop)
    finally:
        children.end()
        if bundled:
            remove_socket(settings.data_dir)


def _supervise(settings: Settings, children: _Children, stop: Event) -> int:
    """Start again what ends by itself; where the web ends, everything does."""
    while not stop.wait(0.25):
        for name in children.ended():
            if name == "web":
                click.echo("The web server ended by itself; stopping.", err=True)
                return 1
            click.echo(f"The {name} ended by itself; starting it again.", err=True)
            if name == "redis":
                try:
                    children.processes[name] = start_server(settings.data_dir, server_binary(), popen)
                except StartRefused as refused:  # it can be killed again while it starts; SQL answers meanwhile
                    click.echo(f"{refused}; trying again.", err=True)
            else:
                children.start(name, _WORKER)
    return 0


_WORKER = (sys.executable, "-m", "shutbox.cli", "worker")


def _environment(settings: Settings) -> dict[str, str]:
    return {
        **os.environ,
        "SHUTBOX_DATA_DIR": str(settings.data_dir.resolve()),
        "SHUTBOX_REDIS_URL": settings.redis_url,
        "PYTHONUNBUFFERED": "1",
    }


def _listening(bind: str) -> tuple[str, int]:
    """Return host and port of HOST:PORT. Raises StartRefused if one cannot listen there."""
    host, _, port = bind.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdigit() or not 1 <= int(port) <= 65535:
        raise StartRefused(f"--bind is {bind!r}: it must be HOST:PORT, like 127.0.0.1:8000")
    try:
        with socket.create_server((host, int(port)), family=socket.AF_INET6 if ":" in host else socket.AF_INET):
            return host, int(port)
    except OSError as error:
        raise StartRefused(f"cannot listen on {bind}: {error.strerror}; choose another with --bind") from None


def _wait_until_ready(host: str, port: int, children: _Children, stop: Event) -> bool:
    """Tell whether the web came to answer that it is ready; say what it answers instead, and give up at last."""
    begun, told = time.monotonic(), False
    while not stop.is_set():
        if "web" in children.ended():
            click.echo("The web server did not start; its messages are above.", err=True)
            return False
        ready, answer = _readiness(host, port)
        if ready:
            return True
        waited = time.monotonic() - begun
        if waited > PATIENCE_SECONDS and not told:
            click.echo(f"Still not ready: {answer}", err=True)
            told = True
        if waited > 4 * PATIENCE_SECONDS:
            return False
        stop.wait(0.02)
    return False


def _readiness(host: str, port: int) -> tuple[bool, str]:
    """Return whether /readyz is 200, and what it says."""
    reachable = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)  # noqa: S104  (compared, not bound)
    connection = HTTPConnection(reachable, port, timeout=2)
    try:
        connection.request("GET", "/readyz")
        answer = connection.getresponse()
        return answer.status == HTTPStatus.OK, answer.read().decode(errors="replace")
    except OSError as error:
        return False, str(error)
    finally:
        connection.close()


def _say(settings: Settings, address: str, bundled: bool) -> None:
    """Say where the service is and what it uses; of URLs only what holds no password."""
    database = settings.sql_url.set(query={}).render_as_string(hide_password=True)
    redis = urlsplit(settings.redis_url)
    where = f"{redis.scheme}://{redis.netloc.rpartition('@')[2]}{unquote(redis.path)}"
    click.echo(
        f"Shutbox is ready at {address}\n"
        f"  data folder  {settings.data_dir.resolve()}\n"
        f"  database     {database}\n"
        f"  rankings     {f'{server_binary()} on {where}' if bundled else where}\n"
        "Press Ctrl-C to stop."
    )
