"""A real service for browser tests: threads on a free port, a clock that tests move, a restart on the same data."""

import json
import logging
import shutil
import threading
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from flask import Flask
from shutbox.config import Settings
from shutbox.days import advance, close_due_days, daily_round_id, make_days
from shutbox.game.rulesets import CATALOGUE
from shutbox.rounds import Mode, close_due_rounds
from shutbox.seeds import Secrets
from shutbox.site import Site
from shutbox.store.database import db
from shutbox.web.app import create_app
from shutbox.web.auth import COOKIE
from werkzeug.serving import BaseWSGIServer, make_server

from tests.conftest import TODAY, MovableClock
from tests.journals import log_all
from tests.players import Api, any_of, first

VARIANT = "twelve"
SEALED = f"{TODAY}-classic"
PUZZLE = f"{TODAY}-classic-open"


class Host:
    """A service that listens; each test gets it with an empty database at noon of TODAY."""

    def __init__(self, redis_url: str, secrets: Secrets, migrated: Path, database: int) -> None:
        self.clock = MovableClock()
        self.secrets = secrets
        self.migrated = migrated
        self.redis_url = f"{redis_url}?{urlencode({'db': database})}"
        self.folder = Path()
        self.app: Flask | None = None
        self.server: BaseWSGIServer | None = None
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        self._listen(0)

    @property
    def site(self) -> Site:
        assert self.app is not None
        found: Site = self.app.extensions["shutbox"]
        return found

    def begin(self, folder: Path) -> None:
        """Serve an empty installation from a folder."""
        self._release()
        self.clock.set(f"{TODAY}T12:00:00")
        self.folder = folder
        shutil.copy(self.migrated, folder / "shutbox.sqlite3")
        self.app = self._made()
        self.site.ranking._client.flushdb()
        self.work()
        if self.server is None:
            self._listen(self.port)

    def work(self) -> None:
        """Do what the worker does at each tick."""
        assert self.app is not None
        with self.app.app_context():
            make_days(self.site)
            advance(self.site)
            close_due_days(self.site)
            close_due_rounds(self.site)
            log_all(self.site)

    def go_to(self, moment: str) -> None:
        """Move the service's clock and let the worker tick."""
        self.clock.set(moment)
        self.work()

    def stop(self) -> None:
        """Stop listening: the browser finds nobody."""
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.thread.join()
            self.server = None

    def restart(self, **changed: Any) -> None:
        """Listen again with a new process's memory: the app is made anew on the same data, with changed settings."""
        self.stop()
        self._release()
        self.app = self._made(**changed)
        self._listen(self.port)

    def end(self) -> None:
        self.stop()
        self._release()

    def player(self, name: str | None = None) -> Api:
        """Return a new player who plays through the API."""
        assert self.app is not None
        return Api(self.app).join(**({"name": name} if name else {}))

    def finish_sealed(self, players: Iterable[str | None], round_id: str = SEALED) -> list[Any]:
        """Let players finish a sealed round, each in another way; return their last states."""
        return [self.player(name).play_sealed(round_id, any_of(number)) for number, name in enumerate(players)]

    def seat(self, page: Any, steps: int, round_id: str = SEALED) -> None:
        """Give a page's browser a player who has made that many decisions, as people.Mouse makes them."""
        player = self.player()
        if steps:
            state = player.post(f"/rounds/{round_id}/attempt").get_json()
            for _ in range(steps - 1):
                state = player.move(state, first).get_json()
        self.sign_in(page, player)

    def sign_in(self, page: Any, player: Api) -> None:
        """Let a page's browser play as a player."""
        page.context.add_cookies(
            [
                {
                    "name": COOKIE,
                    "value": player._headers["Authorization"].removeprefix("Bearer "),
                    "url": self.address,
                    "httpOnly": True,
                }
            ]
        )

    def play_days(self, player: Api, *days: str) -> None:
        """Let a player finish the sealed classic round of days, in their order and each in another way."""
        for number, day in enumerate(days):
            self.go_to(f"{day}T12:00:00")
            player.play_sealed(f"{day}-classic", any_of(number))

    def round_id(self, ruleset: str, mode: Mode = Mode.SEALED, day: date = TODAY) -> str:
        return daily_round_id(day, CATALOGUE[ruleset], mode)

    def _made(self, **changed: Any) -> Flask:
        settings = Settings(data_dir=self.folder, redis_url=self.redis_url, variants=(VARIANT,), **changed)
        return create_app(settings, self.secrets, self.clock)

    def _listen(self, port: int) -> None:
        def dispatch(environ: Any, start_response: Any) -> Any:
            assert self.app is not None
            return self.app(environ, start_response)

        self.server = make_server("127.0.0.1", port, dispatch, threaded=True)
        self.port = self.server.server_port
        self.address = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True)
        self.thread.start()

    def _release(self) -> None:
        if self.app is not None:
            with self.app.app_context():
                db.session.remove()
                db.engine.dispose()
        self.app = None


def body_of(request: Any) -> Any:
    """Return the JSON that a browser's request carries."""
    return json.loads(request.post_data or "null")
