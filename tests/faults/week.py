"""A week of an installation: people who play and look at everything, all that they are told, and what they must not be.

Everything is real but the time, which is handed in: the app, its worker, SQL, and a Redis-compatible server.
"""

import logging
import traceback
from base64 import urlsafe_b64decode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import Context
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import product
from typing import Any

from flask import Flask
from redis import Redis
from shutbox.clock import start_of
from shutbox.days import rulesets_of, today
from shutbox.journal import checkpoint
from shutbox.rounds import Mode, State
from shutbox.seeds import day_seed, round_seed
from shutbox.site import Site
from shutbox.store.database import db
from shutbox.store.rows import Base, EntryRow, RoundRow, RunRow
from shutbox.tlog.note import verify_checkpoint
from sqlalchemy import select
from werkzeug.test import Client, TestResponse

from tests.conftest import MovableClock
from tests.faults.secrecy import Search, files_in, held_by_redis, said_in
from tests.players import Api, Json

OWN = "http://localhost"
SECRET_FILES = ("chain.json", "round-key.json", "log-key.json")


class Reader(Api):
    """Someone who uses the API, and the pages if a browser; everything that is answered is kept.

    Answers are not held to openapi.yaml here: they come from a service from which parts were taken away.
    """

    def __init__(self, week: "Week", headers: dict[str, str] | None = None, player_id: str = "") -> None:
        super().__init__(week.app, player_id=player_id)
        self._door = week.door
        self._headers = headers or {}
        self.heard = bytearray()
        self.codes: set[str] = set()

    @property
    def in_browser(self) -> bool:
        return "Authorization" not in self._headers

    def request(self, method: str, path: str, **options: Any) -> TestResponse:
        headers = {**self._headers, **options.pop("headers", {})}
        full = path if path.startswith(("/healthz", "/readyz", "/openapi", "/log/")) else f"/api/v1{path}"
        return self._kept(self._open(full, method=method, headers=headers, **options))

    def page(self, path: str) -> TestResponse:
        """Open a page, compressed as browsers ask for it."""
        headers = {"Accept": "text/html", "Accept-Encoding": "gzip", **self._headers}
        return self._kept(self._open(path, headers=headers))

    def _open(self, path: str, **options: Any) -> TestResponse:
        return Context().run(
            lambda: Client(self._door, TestResponse, use_cookies=False).open(path, buffered=True, **options)
        )

    def _kept(self, response: TestResponse) -> TestResponse:
        self.heard += said_in(response.status_code, response.headers.items(), response.data)
        if response.mimetype == "application/problem+json":
            self.codes.add(response.get_json()["code"])
        return response


@dataclass(frozen=True)
class Owned:
    """A secret that its owner may know."""

    content: bytes
    owner_id: str
    in_sql: bool = False  # the database has to hold it


@dataclass
class Week:
    """The installation with all its readers and outlets."""

    app: Flask
    redis: Redis
    log: bytearray
    clock: MovableClock = field(default_factory=MovableClock)  # of the app, unless it lives in real time
    door: Any = None  # the WSGI app that answers people, if it is not this one
    readers: dict[str, Reader] = field(default_factory=dict)
    tokens: dict[str, Owned] = field(default_factory=dict)
    attempts: list[Json] = field(default_factory=list)
    practice: list[Json] = field(default_factory=list)
    addresses: list[str] = field(default_factory=list)
    closed: date | None = None
    codes: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.door = self.door or self.app

    # People

    def join(self, name: str, browser: bool = False) -> Reader:
        """Let a player come; the answer that shows a token, once, is looked at here and nowhere else."""
        newcomer = Reader(self)
        headers = {"Origin": OWN} if browser else {}
        made = newcomer.request("POST", "/players", json={}, headers=headers)
        token = made.get_json()["token"] or made.headers["Set-Cookie"].partition("=")[2].partition(";")[0]
        secret = urlsafe_b64decode(token.removeprefix("shutbox_") + "=")
        player_id = made.get_json()["player"]["player_id"]
        assert Search({"token": secret}).found_in(bytes(newcomer.heard)) == {"token"}
        self.tokens[f"token of {name}"] = Owned(secret, player_id)
        own = {"Cookie": f"shutbox={token}", "Origin": OWN} if browser else {"Authorization": f"Bearer {token}"}
        self.readers[name] = Reader(self, own, player_id)
        return self.readers[name]

    def move_somebody(self) -> None:
        """Let a guest come, use codes, and leave; what was shown once is a secret from then on."""
        guest = Reader(self)
        made = guest.request("POST", "/players", json={}).get_json()
        guest = Reader(self, {"Authorization": f"Bearer {made['token']}"}, made["player"]["player_id"])
        tokens, shown = [made["token"]], []
        for kind in ("transfer", "recovery"):
            code = guest.post(f"/players/me/{kind}-codes").get_json()["code"]
            answers = [guest.post("/transfers", {"code": code}).get_json() for _ in range(2)]
            tokens += [answer.get("token") for answer in answers]  # the second one is refused
            shown += [code.encode(), code.replace("-", "").encode()]
        secrets = [urlsafe_b64decode(token.removeprefix("shutbox_") + "=") for token in tokens if token] + shown[2:]
        assert len(secrets) == 5
        self.tokens |= {
            f"secret {number} of {guest.player_id}": Owned(secret, guest.player_id)
            for number, secret in enumerate(secrets)
        }
        guest.delete("/players/me")
        self.codes |= guest.codes

    @property
    def today(self) -> date:
        with self.site() as site:
            return today(site)

    # What must not be known

    @contextmanager
    def site(self) -> Iterator[Site]:
        """The installation, as its own processes use it."""
        with self.app.app_context():
            yield self.app.extensions["shutbox"]
            db.session.remove()

    def hidden_from_all(self, site: Site) -> dict[str, bytes]:
        """Return what nobody may know now: keys, links and seeds of days that have not closed, seeds not yet open."""
        chain, key = site.secrets.chains[0], site.secrets.round_key
        found = {"round key": key, "log key": site.secrets.log_key.secret}
        first = today(site) if self.closed is None else self.closed + timedelta(days=1)
        number = chain.number_of(first)
        assert number is not None
        for ahead, link in enumerate(range(number, chain.loaded + 1)):
            day = first + timedelta(days=ahead)
            found[f"link of {day}"] = chain.link(link)
            modes = [Mode.SEALED, Mode.OPEN] if start_of(day) > site.clock() else [Mode.SEALED]
            for ruleset, mode in product(rulesets_of(site, day) if ahead < 10 else (), modes):
                found[f"{mode} {ruleset.id} of {day}"] = day_seed(chain.link(link), day, mode, ruleset.hash)
        for row in self.sealed_practice(site):
            if row.given_seed is None:
                found[f"seed of {row.round_id}"] = round_seed(key, row.round_id)
        return found

    def owned(self, site: Site) -> dict[str, Owned]:
        """Return what each owner alone may know now: tokens, salts and tags before the close, practice seeds."""
        found = dict(self.tokens)
        wanted = (
            select(RunRow.run_id, RunRow.salt, EntryRow.entry_id, EntryRow.player_tag, EntryRow.player_id)
            .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
            .join(RoundRow, RoundRow.round_id == RunRow.round_id)
            .where(RoundRow.day.is_not(None), RoundRow.state < State.CLOSED)
        )
        for run_id, salt, entry_id, player_tag, player_id in site.session.execute(wanted):
            found[f"salt of {run_id}"] = Owned(salt, str(player_id), in_sql=True)
            found[f"tag of {entry_id}"] = Owned(player_tag, str(player_id), in_sql=True)
        for row in self.sealed_practice(site):
            if row.given_seed is not None:
                found[f"seed of {row.round_id}"] = Owned(row.given_seed, str(row.owner_id), in_sql=True)
        return found

    @staticmethod
    def sealed_practice(site: Site) -> Iterable[RoundRow]:
        """Return the practice rounds whose owners have not finished; the seed of an open one is public at once."""
        running = RoundRow.day.is_(None), RoundRow.mode == Mode.SEALED, RoundRow.state < State.CLOSED
        return site.session.scalars(select(RoundRow).where(*running))

    # What was let out

    def let_out(self, site: Site) -> dict[str, bytes]:
        """Return everything that was said, logged and stored since the last time, by where it was."""
        found = {f"answers to {name}": bytes(reader.heard) for name, reader in self.readers.items()}
        found |= {"Redis": held_by_redis(self.redis), "logs": bytes(self.log)}
        for reader in self.readers.values():
            self.codes |= reader.codes
            reader.heard.clear()
        self.log.clear()
        return found | self.in_sql(site)

    @staticmethod
    def in_sql(site: Site) -> dict[str, bytes]:
        """Return the files of the data folder, among them those of SQLite; of PostgreSQL what its tables hold."""
        found = {f"file {name}": content for name, content in files_in(site.settings.data_dir, SECRET_FILES).items()}
        if site.settings.database_url:
            rows = [row for table in Base.metadata.sorted_tables for row in site.session.execute(select(table))]
            cells = (cell for row in rows for cell in row)
            found["rows"] = b"\n".join(cell if isinstance(cell, bytes) else str(cell).encode() for cell in cells)
        return found

    def leaks(self) -> dict[str, set[str]]:
        """Return the secrets that are found where they must not be, by where they are."""
        with self.site() as site:
            common, owned = self.hidden_from_all(site), self.owned(site)
            let_out = self.let_out(site)
        everywhere = Search({**common, **{name: one.content for name, one in owned.items()}})
        stored = Search({**common, **{name: one.content for name, one in owned.items() if not one.in_sql}})
        found: dict[str, set[str]] = {}
        for where, content in let_out.items():
            reader = self.readers.get(where.removeprefix("answers to "))
            search = stored if where.startswith(("file ", "rows")) else everywhere
            own = {name for name, one in owned.items() if reader and one.owner_id == reader.player_id}
            if not (reader and reader.in_browser):  # whose cookie is renewed
                own -= set(self.tokens)  # that was shown once, when its owner joined
            found[where] = search.found_in(content, escaped=".sqlite3" not in where) - own
        return {where: names for where, names in found.items() if names}

    # Looking at everything

    def find_addresses(self) -> None:
        """Find every address of the app that can be read, with what there is now in place of its parameters."""
        with self.site() as site:
            there = self._parameters(site)
        self.addresses = ["/leaderboard?round={}&around=me".format(there["round_id"][0])]
        for rule in self.app.url_map.iter_rules():
            if "GET" in (rule.methods or ()) and rule.endpoint != "statics.static_file":
                names = sorted(rule.arguments)
                choices = product(*(there[name] for name in names))
                self.addresses += [_filled(rule.rule, dict(zip(names, values, strict=True))) for values in choices]

    def _parameters(self, site: Site) -> Mapping[str, list[str]]:
        day = today(site)
        variant = rulesets_of(site, day)[1].id
        dailies = (f"{day}-classic", f"{day}-classic-open", f"{day}-{variant}", f"{day + timedelta(days=1)}-{variant}")
        rounds = [
            *dailies,
            f"{day + timedelta(days=1)}-classic-open",
            f"{day - timedelta(days=1)}-classic",
            *(one["round_id"] for one in self.practice[-4:-1]),
        ]
        runs = site.session.scalars(select(RunRow.run_id).order_by(RunRow.accepted_at.desc()).limit(4)).all()
        note = checkpoint(site)
        size = verify_checkpoint(note, site.secrets.log_key.verifier).size if note else 1
        tiles = [f"{kind}/{number}" for kind in ("0", "entries") for number in _tile_numbers(size)]
        return {
            "round_id": rounds,
            "run_id": [str(run_id) for run_id in runs],
            "attempt_id": [one["attempt_id"] for one in self.attempts[-3:]],
            "text": [str(day + timedelta(days=ahead)) for ahead in (-1, 0, 1, 7)],
            "ruleset_id": ["classic", "nothing"],
            "tile_path": tiles,
            "name": ["Mara", "Nobody"],
            "kind": ["week", "month", "all-time"],
            "code": ["ABCDE12345"],
        }


def _tile_numbers(size: int) -> list[str]:
    full = [f"{number:03}" for number in range(size // 256)]
    return full + ([f"{size // 256:03}.p/{size % 256}"] if size % 256 else [])


def _filled(rule: str, values: dict[str, str]) -> str:
    for name, value in values.items():
        for parameter in (f"<{name}>", f"<uuid:{name}>", f"<path:{name}>"):
            rule = rule.replace(parameter, value)
    return rule


def look_at(reader: Reader, addresses: Iterable[str]) -> bytes:
    """Read addresses: the API and files by anyone, pages by those who are in a browser; return the tracebacks.

    An answer that is written while it is read can fail in the middle: the server then prints why and hangs up.
    """
    printed = b""
    for address in addresses:
        try:
            if address.startswith("/api/v1/"):
                reader.get(address.removeprefix("/api/v1"))
            elif address.startswith(("/log/", "/healthz", "/readyz", "/openapi")):
                reader.get(address)
            elif reader.in_browser:
                reader.page(address)
        except Exception:
            printed += traceback.format_exc().encode()
    return printed


class Kept(logging.Handler):
    """Keeps what is logged, tracebacks and all."""

    def __init__(self, log: bytearray) -> None:
        super().__init__(logging.INFO)
        self._log = log
        self.setFormatter(logging.Formatter("%(asctime)s %(name)s %(levelname)s %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        self._log += self.format(record).encode() + b"\n"
