"""How gunicorn runs Shutbox; `shutbox serve` and the container use this file. Numbers: docs/operations.md."""

import logging
import os
import re
import socket
import struct
from threading import Thread

from gunicorn.arbiter import Arbiter
from shutbox.config import Settings
from shutbox.game.rulesets import CATALOGUE
from shutbox.game.solver import solve_all

READ_SECONDS = 5

settings = Settings.from_env(os.environ)
wsgi_app = "shutbox.wsgi:app"
worker_class = "gthread"
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


def on_starting(_server: Arbiter) -> None:
    """Have all processes log without addresses."""
    logging.getLogger("gunicorn.error").addFilter(without_address)


def when_ready(server: Arbiter) -> None:
    """Let no client hold a thread by sending nothing: a read ends after five seconds. Accepted sockets inherit it."""
    for listener in server.LISTENERS:
        listener.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", READ_SECONDS, 0))


def post_worker_init(_worker: object) -> None:
    """Solve the rulesets while the first requests come in, so that nobody waits for it."""
    Thread(target=solve_all, args=(CATALOGUE.values(),), daemon=True).start()
