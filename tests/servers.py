"""Servers for tests: the bundled Redis-compatible server, and a PostgreSQL cluster of our own where it is installed."""

import os
import pwd
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shutbox.embedded import bundled_binary, socket_path, start_server


@contextmanager
def redis_server(data_dir: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    """Run the bundled server; yield its URL and its process."""
    process = start_server(data_dir, bundled_binary())
    try:
        yield f"unix://{socket_path(data_dir)}", process
    finally:
        process.terminate()
        process.wait(10)


def postgres_binaries() -> Path | None:
    """Return the folder that holds initdb and postgres, newest version first; None if it is not installed."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: path.parts[-3], reverse=True)
    on_path = shutil.which("initdb")
    return found[0].parent if found else Path(on_path).parent if on_path else None


@contextmanager
def postgres_server(folder: Path, binaries: Path) -> Iterator[str]:
    """Run a cluster on a socket in a folder; yield its URL. It refuses to run as root: then Debian's user runs it."""
    user = "postgres" if os.getuid() == 0 else pwd.getpwuid(os.getuid()).pw_name
    folder.chmod(0o755)
    data = folder / "pg"
    data.mkdir()
    if os.getuid() == 0:
        shutil.chown(folder, user)
        shutil.chown(data, user)
    as_user: dict[str, Any] = {"user": user, "cwd": "/"} if os.getuid() == 0 else {}
    subprocess.run(
        [binaries / "initdb", "-D", data, "-U", "shutbox", "-A", "trust", "-E", "UTF8", "--no-sync"],
        check=True,
        stdout=subprocess.DEVNULL,
        **as_user,
    )
    settings = ("-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "max_connections=200")
    process = subprocess.Popen(
        [binaries / "postgres", "-D", data, *settings, "-c", "fsync=off"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        **as_user,
    )
    try:
        for _ in range(400):
            if subprocess.run([binaries / "pg_isready", "-h", folder, "-q"], check=False).returncode == 0:
                break
            assert process.poll() is None, "postgres ended at once"
        else:
            raise AssertionError("postgres does not answer")
        yield f"postgresql+psycopg://shutbox@/postgres?host={folder}"
    finally:
        process.send_signal(signal.SIGINT)  # ends clients too, where SIGTERM would wait for them
        process.wait(20)
