"""How gunicorn runs Shutbox; `shutbox serve` and the container use this file. Numbers: docs/operations.md."""

import logging
import os
import re
import socket
import struct
from contextlib import suppress
from threading import Thread
from typing import Any

from gunicorn.arbiter import Arbiter
from gunicorn.util import close_graceful
from gunicorn.workers.gthread import ThreadWorker
from shutbox.config import Settings
from shutbox.game.rulesets import CATALOGUE
from shutbox.game.solver import solve_all

STALLED_SECONDS = 5
LINGER_SECONDS = 1.0


class PatientWorker(ThreadWorker):
    """Threaded workers whose clients cannot hold what serves the others."""

    def handle(self, conn: Any) -> Any:
        """Wait here for a client to close a connection that has ended: gunicorn waits where it accepts new ones."""
        goes_on = super().handle(conn)
        if not goes_on:
            with suppress(OSError):
                conn.sock.setblocking(True)
                close_graceful(conn.sock.dup(), LINGER_SECONDS)
                conn.sock.shutdown(socket.SHUT_RDWR)  # so that gunicorn finds nothing to wait for
        return goes_on

    def handle_request(self, req: Any, conn: Any) -> Any:
        """Forget an answer that the client does not take, and the connection with it."""
        try:
            return super().handle_request(req, conn)
        except BlockingIOError:
            with suppress(OSError):
                conn.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                conn.sock.shutdown(socket.SHUT_RDWR)
            return False


settings = Settings.from_env(os.environ)
wsgi_app = "shutbox.wsgi:app"
worker_class = PatientWorker
workers = settings.workers
threads = settings.threads
preload_app = True  # imported once; making the app connects to nothing
keepalive = 60
timeout = 60
graceful_timeout = 3  # a request takes milliseconds; kept-alive connections are not worth more
control_socket_disable = True
errorlog = "-"
loglevel = "warning"


def without_address(record: logging.LogRecord) -> bool:
    """Take the address of a visitor out of what gunicorn says of a malformed request: none is kept in a log."""
    record.msg = re.sub(r"\bip=\S+?(?=:?\s|$)", "ip=-", str(record.msg))
    return True


def no_stall(record: logging.LogRecord) -> bool:
    """Leave out the traceback for each client that stalls in the middle of a request: the log is not for those."""
    return not (record.exc_info and isinstance(record.exc_info[1], BlockingIOError))


def on_starting(_server: Arbiter) -> None:
    """Have all processes log without addresses, and nothing of clients that stall."""
    for told in (without_address, no_stall):
        logging.getLogger("gunicorn.error").addFilter(told)


def when_ready(server: Arbiter) -> None:
    """Let no client hold a thread by sending or reading nothing for five seconds. Accepted sockets inherit it."""
    for listener in server.LISTENERS:
        for stalled in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            listener.sock.setsockopt(socket.SOL_SOCKET, stalled, struct.pack("ll", STALLED_SECONDS, 0))


def post_worker_init(_worker: object) -> None:
    """Solve the rulesets while the first requests come in, so that nobody waits for it."""
    Thread(target=solve_all, args=(CATALOGUE.values(),), daemon=True).start()
