"""How gunicorn runs Shutbox; `shutbox serve` and the container use this file. Numbers: docs/operations.md."""

import os

wsgi_app = "shutbox.wsgi:app"
worker_class = "gthread"
workers = int(os.environ.get("SHUTBOX_WORKERS", "2"))
threads = int(os.environ.get("SHUTBOX_THREADS", "16"))
preload_app = True  # imported once; making the app connects to nothing
keepalive = 60
timeout = 60
graceful_timeout = 3  # a request takes milliseconds; kept-alive connections are not worth more
control_socket_disable = True
errorlog = "-"
loglevel = "warning"


def post_worker_init(_worker: object) -> None:
    """Solve the rulesets while the first requests come in, so that nobody waits for it."""
    from threading import Thread  # noqa: PLC0415  (gunicorn reads this file before it has workers)

    from shutbox.game.rulesets import CATALOGUE  # noqa: PLC0415
    from shutbox.game.solver import solve_all  # noqa: PLC0415

    Thread(target=solve_all, args=(CATALOGUE.values(),), daemon=True).start()
