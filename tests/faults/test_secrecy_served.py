"""No secret of a running day is let out by the real processes: `shutbox serve`, its web, worker and Redis.

What a week of handed-in time cannot see: the output of the processes, what they were told when they were started, the
files of their data folder, and what they do when parts of them are killed.
"""

import os
import signal
import tempfile
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from redis import Redis
from shutbox.clock import day_at, system_clock
from shutbox.config import Settings
from shutbox.days import make_days, rulesets_of
from shutbox.embedded import socket_path, with_redis
from shutbox.rounds import Mode
from shutbox.seeds import Chain, Secrets, create_chain_file, create_log_key, create_secrets, day_seed, load_secrets
from shutbox.store.database import db, prepare_engine
from shutbox.store.migrate import migrate
from shutbox.store.rows import LeafRow, RoundRow
from shutbox.web.app import create_app
from sqlalchemy import create_engine, select, text, update

from tests.conftest import MovableClock
from tests.faults.asking import changed, look, play, play_on, refusals
from tests.faults.secrecy import Search, remember_commands, told_to
from tests.faults.served import Served, served, until
from tests.faults.week import Reader, Week
from tests.players import Api


class Door:
    """A WSGI app that passes requests on to a running service, so that those who ask an app can ask it."""

    def __init__(self, service: Served) -> None:
        fresh = httpx.Limits(max_keepalive_connections=0)  # a refusal may close the connection that it came by
        self._client = httpx.Client(base_url=f"http://127.0.0.1:{service.port}", timeout=30, limits=fresh)
        self._host = f"127.0.0.1:{service.port}"

    def __call__(self, environ: dict[str, Any], start_response: Callable[..., object]) -> Iterable[bytes]:
        headers = {
            name[5:].replace("_", "-"): value
            for name, value in environ.items()
            if name.startswith("HTTP_") and name != "HTTP_TRANSFER_ENCODING"
        }
        own = {"http://localhost": f"http://{self._host}"}
        headers |= {"HOST": self._host, "CONTENT-TYPE": environ.get("CONTENT_TYPE", "")}
        if "ORIGIN" in headers:
            headers["ORIGIN"] = own.get(headers["ORIGIN"], headers["ORIGIN"])
        address = environ["PATH_INFO"] + (f"?{environ['QUERY_STRING']}" if environ["QUERY_STRING"] else "")
        self._client.cookies.clear()  # each of those who ask brings their own
        answer = self._client.request(
            environ["REQUEST_METHOD"], address, headers=headers, content=environ["wsgi.input"].read()
        )
        decoded = ("content-encoding", "transfer-encoding", "content-length")
        start_response(
            f"{answer.status_code} {answer.reason_phrase}",
            [(name, value) for name, value in answer.headers.multi_items() if name.lower() not in decoded],
        )
        return [answer.content]


@pytest.fixture
def data_dir(short_tmp: Path) -> Path:
    return Path(tempfile.mkdtemp(dir=short_tmp))


def begin_days_ago(data_dir: Path, today: date, days: int) -> Secrets:
    """Make an installation in which somebody played some days ago, with a chain that is short enough to search for."""
    settings = with_redis(Settings(data_dir=data_dir))
    first = today - timedelta(days=days)
    create_chain_file(settings.chain_file, Chain(os.urandom(16), first, 40, 40, os.urandom(32)))
    create_secrets(settings.chain_file, settings.round_key_file, first)
    create_log_key(settings.log_key_file, settings.new_log_origin)
    secrets = load_secrets(settings.chain_file, settings.round_key_file, settings.log_key_file)
    engine = create_engine(settings.sql_url)
    prepare_engine(engine)
    migrate(engine)
    engine.dispose()
    clock = MovableClock()
    clock.set(f"{first}T12:00:00")
    app = create_app(settings, secrets, clock)
    with app.app_context():
        make_days(app.extensions["shutbox"])
    Api(app).join().play_sealed(f"{first}-classic")
    with app.app_context():
        db.engine.dispose()
    return secrets


def test_no_secret_is_let_out_by_the_real_processes(data_dir: Path) -> None:
    began = day_at(system_clock())
    secrets = begin_days_ago(data_dir, began, 2)
    settings = with_redis(Settings(data_dir=data_dir))
    with served(data_dir) as service:
        redis = Redis(unix_socket_path=str(socket_path(data_dir)))
        remember_commands(redis)
        app = create_app(settings, secrets)
        week = Week(app, redis, bytearray(), door=Door(service), closed=began - timedelta(days=1))
        for name in ("mara", "finn"):
            week.join(name)
        week.join("eva", browser=True)
        week.readers["nobody"] = Reader(week)
        play(week, 1)
        refusals(week)
        week.find_addresses()
        look(week)
        everything_fails(week, service)
        week.find_addresses()
        look(week, "finn", "eva")
        told = {pid: told_to(pid) for pid in service.children("")}
        assert len(told) >= 5, "the first process, Redis, the worker, the web server and its own workers"
        check_that_it_would_be_found(week, began - timedelta(days=2))
        with week.site() as site:
            common = week.hidden_from_all(site)
            hidden = common | {name: one.content for name, one in week.owned(site).items()}
        assert week.leaks() == {}
        assert service.interrupt() == 0
    output = "".join(service.output).encode()
    assert output.count(b"ended by itself") == 2
    assert Search(hidden).found_in(output) == set()
    assert {pid: Search(hidden).found_in(content) for pid, content in told.items()} == {pid: set() for pid in told}
    files = week.in_sql(site).items()
    assert {name: found for name, content in files if (found := Search(common).found_in(content))} == {}
    with app.app_context():
        db.engine.dispose()


def everything_fails(week: Week, service: Served) -> None:
    """Redis is killed, tables are taken away and tampered with, the log too, the worker is killed. All goes on."""
    (redis,) = until(lambda: service.children("valkey-server"))
    os.kill(redis, signal.SIGKILL)
    look(week, "eva")
    until(lambda: set(service.children("valkey-server")) - {redis})
    until(week.redis.ping)
    remember_commands(week.redis)
    for away, back, said in tampering(week):
        with changed(week, [away], [back]):
            play_on(week)
            look(week, "eva")
            until(partial(is_said, service, said))
    (worker,) = until(lambda: service.children("cli\0worker"))
    os.kill(worker, signal.SIGKILL)
    until(lambda: set(service.children("cli\0worker")) - {worker})
    codes = {code for one in week.readers.values() for code in one.codes}
    assert {"internal_error", "database_unavailable", "seed_unavailable"} <= codes


def tampering(week: Week) -> Iterator[tuple[Any, Any, str]]:
    """Yield what is done to the database, what undoes it, and what the service says to it."""
    sealed, opened = (f"{week.today}-classic{end}" for end in ("", "-open"))
    newest = select(LeafRow.leaf_index, LeafRow.leaf).order_by(LeafRow.leaf_index.desc()).limit(1)
    with week.site() as site:
        committed = site.session.get_one(RoundRow, sealed).commitment
        ruleset_hash = site.session.get_one(RoundRow, opened).ruleset_hash
        index, leaf = site.session.execute(newest).one()
    row = update(RoundRow).where(RoundRow.round_id == opened)
    last = update(LeafRow).where(LeafRow.leaf_index == index)
    flipped = leaf[:-1] + bytes((leaf[-1] ^ 1,))
    yield text("ALTER TABLE runs RENAME TO taken"), text("ALTER TABLE taken RENAME TO runs"), "does not answer"
    yield row.values(ruleset_hash=bytes(32)), row.values(ruleset_hash=ruleset_hash), "Traceback"
    row = update(RoundRow).where(RoundRow.round_id == sealed)
    yield row.values(commitment=bytes(32)), row.values(commitment=committed), ""
    yield last.values(leaf=flipped), last.values(leaf=leaf), "the log has stopped"


def is_said(service: Served, words: str) -> bool:
    return words in "".join(service.output)


def check_that_it_would_be_found(week: Week, day: date) -> None:
    """The service has closed the day on which somebody played before: it publishes what the search then finds."""
    nobody = week.readers["nobody"]
    with week.site() as site:
        (chain,) = site.secrets.chains
        link = chain.link(chain.number_of(day) or 0)
        seeds = {
            f"{mode} {ruleset.id}": day_seed(link, day, mode, ruleset.hash)
            for ruleset in rulesets_of(site, day)
            for mode in Mode
        }
    search = Search({"link": link} | seeds)
    assert search.found_in(nobody.get(f"/days/{day}").data) == seeds.keys()
    bundle = nobody.get(f"/rounds/{day}-classic/bundle")
    assert search.found_in(bundle.data) == {"link", "sealed classic"}, bundle.text
    leaves = b"".join(nobody.get(path).data for path in week.addresses if path.startswith("/log/tile/entries/"))
    assert search.found_in(leaves) == {"link"} | seeds.keys()
