"""What boards cost as they grow: in Redis, rebuilt from SQL, and as requests of the API and of pages."""

import itertools
import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import UUID

import uuid_utils.compat as uuids
from flask import Flask
from redis import Redis
from shutbox.boards import rebuild
from shutbox.config import Settings
from shutbox.days import make_days
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox.ranking import Around, Place, Ranking, rank_key
from shutbox.seeds import Chain, Secrets
from shutbox.site import Site
from shutbox.store.database import db, prepare_engine
from shutbox.store.migrate import migrate
from shutbox.store.queries import Board, ranked_rows, rows_around
from shutbox.tlog.note import SigningKey
from shutbox.web.app import create_app
from sqlalchemy import create_engine

from tests.bench.measuring import interleaved, processor, told
from tests.biground import fill, results
from tests.conftest import TODAY, MovableClock
from tests.players import Api, any_of, last, legal_turns
from tests.servers import redis_server

SMALL, LARGE = 1_000, 1_000_000
SEALED, OPENED = "2026-11-30-classic", "2026-11-30-classic-open"


@contextmanager
def boards() -> Iterator[tuple[Ranking, Redis]]:
    """Yield empty boards on a server of their own."""
    with tempfile.TemporaryDirectory(prefix="sb-") as folder, redis_server(Path(folder)) as (url, _):
        client = Redis.from_url(url)
        yield Ranking(client, "bench"), client
        client.close()


def in_redis() -> None:
    """Print what calls on a board of a million players cost beside the same on one of a thousand."""
    for mode in ("sealed", "open"):
        with boards() as (ranking, client):
            rows = {size: _merged(ranking, client, mode, size) for size in (SMALL, LARGE)}
            for call in (_place, _rank, _page, _around):
                works = {str(size): call(ranking, str(size), rows[size]) for size in (SMALL, LARGE)}
                taken = interleaved(works, 1000)
                small, large = taken[str(SMALL)], taken[str(LARGE)]
                what = f"{call.__name__[1:]}, {mode}: {SMALL:,} and {LARGE:,} players"
                told(what, f"{small:.0f}, {large:.0f} µs, ×{large / small:.2f}", "goal ≤ ×1.5")


Rows = list[tuple[UUID, UUID, int]]


def _merged(ranking: Ranking, client: Redis, mode: str, size: int) -> Rows:
    """Fill the board that has the name of its size; return its rows."""
    rules = rules_of(CATALOGUE["classic"])
    drawn = itertools.islice(results(rules, mode == "sealed", random.Random(size)), size)
    rows = [(uuids.uuid7(), uuids.uuid7(), rank_key(rules, *result)) for result in drawn]
    before, begun = client.info("memory")["used_memory"], time.perf_counter()
    ranking.merge(str(size), rows)
    taken, used = time.perf_counter() - begun, client.info("memory")["used_memory"] - before
    if size == LARGE:
        told(f"memory for each ranked player, {mode}", f"{used / size:.0f} bytes", "goal ≤ 200, stretch 150")
        told(f"rows merged into Redis, {mode}", f"{size / taken:,.0f} rows/s")
    return rows


def _place(ranking: Ranking, name: str, rows: Rows) -> Callable[[], object]:
    """Better runs of players who stand on the board, so that its size stays."""
    draw = random.Random(1)

    def work() -> object:
        number = draw.randrange(len(rows))
        player_id, _, key = rows[number]
        rows[number] = (player_id, uuids.uuid7(), max(0, key - draw.randrange(1 << 38)))
        return ranking.place(name, *rows[number])

    return work


def _rank(ranking: Ranking, name: str, rows: Rows) -> Callable[[], object]:
    draw = random.Random(2)
    return lambda: ranking.slice(name, Around(draw.choice(rows)[0]), 1)


def _page(ranking: Ranking, name: str, rows: Rows) -> Callable[[], object]:
    draw = random.Random(3)

    def work() -> object:
        _, run_id, key = draw.choice(rows)
        return ranking.slice(name, Place(key, run_id), 50)

    return work


def _around(ranking: Ranking, name: str, rows: Rows) -> Callable[[], object]:
    draw = random.Random(4)
    return lambda: ranking.slice(name, Around(draw.choice(rows)[0]), 50)


@contextmanager
def installation() -> Iterator[Flask]:
    """Yield an app with today's rounds, on SQLite."""
    with tempfile.TemporaryDirectory(prefix="sb-") as text, redis_server(Path(text)) as (url, _):
        folder, clock = Path(text), MovableClock()
        settings = Settings(data_dir=folder, redis_url=url)
        engine = create_engine(settings.sql_url)
        prepare_engine(engine)
        migrate(engine)
        engine.dispose()
        chain = Chain(bytes(16), TODAY, 10, 10, bytes(32))
        secrets = Secrets((chain,), bytes(32), SigningKey("localhost/shutbox/log", bytes(32)))
        app = create_app(settings, secrets, clock)
        with app.app_context():
            make_days(app.extensions["shutbox"])
        yield app
        with app.app_context():
            db.engine.dispose()


def rebuilding(players: int = 100_000, runs: int = 10) -> None:
    """Print how quickly a board is rebuilt from SQL, and what SQL takes where it has to answer itself."""
    with installation() as app, app.app_context():
        site: Site = app.extensions["shutbox"]
        fill(site, OPENED, players, runs)
        begun = time.perf_counter()
        rebuild(site, OPENED)
        taken = time.perf_counter() - begun
        what = f"rebuild of {players:,} players from {players * runs:,} runs"
        told(what, f"{players * runs / taken:,.0f} rows/s", "goal ≥ 2,000,000 rows/s")
    for size in (10_000, players):
        with installation() as app, app.app_context():
            site = app.extensions["shutbox"]
            fill(site, SEALED, size)
            _told_of_sql(site, size)


def _told_of_sql(site: Site, size: int) -> None:
    for name, board in (("whole", Board(SEALED, True)), ("without bots", Board(SEALED, True, bots=False))):
        found = ranked_rows(site.session, board, 50, None, None)
        page = processor(lambda board=board: ranked_rows(site.session, board, 50, None, None))  # type: ignore[misc]
        around = processor(
            lambda board=board, row=found[-1]: rows_around(site.session, board, row.player_id, 50)  # type: ignore[misc]
        )
        told(f"SQL, board of {size:,}, {name}: page, around", f"{page:.0f}, {around:.0f} ms")


def requests(players: int = 100_000) -> None:
    """Print the processor time of requests in a round with that many players, and in one with a thousand."""
    taken = {size: _requests_at(size) for size in (SMALL, players)}
    for path, large in taken[players].items():
        small = taken[SMALL][path]
        told(f"GET {path}", f"{small:.1f}, {large:.1f} ms", f"with {SMALL:,} and {players:,} players")


def _requests_at(size: int) -> dict[str, float]:
    with installation() as app:
        with app.app_context():
            for round_id in (SEALED, OPENED):
                fill(app.extensions["shutbox"], round_id, size)
        nobody = Api(app)
        mara = nobody.join(name="Mara")
        run_id = mara.play_sealed(SEALED, last)["run_id"]
        seed = nobody.get(f"/rounds/{OPENED}").get_json()["seed"]
        mara.submit(OPENED, legal_turns("classic", seed, any_of(1)))
        client = app.test_client()
        paths = {
            "/api/v1/days/today": "/api/v1/days/today",
            "/api/v1/rounds/…": f"/api/v1/rounds/{SEALED}",
            "/api/v1/rounds/…/leaderboard": f"/api/v1/rounds/{SEALED}/leaderboard",
            "/api/v1/rounds/…/leaderboard?around=me": f"/api/v1/rounds/{SEALED}/leaderboard?around=me",
            "/api/v1/rounds/…/leaderboard?bots=exclude": f"/api/v1/rounds/{SEALED}/leaderboard?bots=exclude",
            "/api/v1/runs/…": f"/api/v1/runs/{run_id}",
            "/api/v1/runs/…/analysis": f"/api/v1/runs/{run_id}/analysis",
            "/": "/",
            "/leaderboard": "/leaderboard",
            "/run/…": f"/run/{run_id}",
            "/player/me": "/player/me",
            "/archive": "/archive",
        }
        client.set_cookie("shutbox", mara._headers["Authorization"].removeprefix("Bearer "))
        assert all(client.get(path).status_code == 200 for path in paths.values())
        return {name: processor(lambda path=path: client.get(path)) for name, path in paths.items()}  # type: ignore[misc]
