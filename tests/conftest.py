"""What tests stand on: a movable clock, an app on each database, real Redis, and boards that are checked at the end."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path

import hypothesis
import pytest
from flask import Flask
from shutbox.boards import all_boards, differences
from shutbox.config import Settings
from shutbox.days import close_due_days, make_days
from shutbox.ranking import RankingUnavailable
from shutbox.seeds import Chain, Secrets
from shutbox.site import Site
from shutbox.store.database import db, prepare_engine
from shutbox.store.migrate import migrate
from shutbox.store.rows import Base
from shutbox.tlog.note import SigningKey
from shutbox.web.app import create_app
from sqlalchemy import create_engine, text

from tests.players import Api
from tests.servers import postgres_binaries, postgres_server, redis_server

hypothesis.settings.register_profile("shutbox", deadline=None)  # time is for `make bench`, not for tests
hypothesis.settings.load_profile("shutbox")

TODAY = date(2026, 11, 30)
LOG_KEY = SigningKey("localhost/shutbox/log", b"s" * 32)
Closer = Callable[[], list[date]]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Run three processes for two cores: many tests wait for a browser, for a disk, or for another process."""
    return (3 * (os.cpu_count() or 1) + 1) // 2


class MovableClock:
    """A clock that stands at noon of TODAY until it is moved."""

    def __init__(self) -> None:
        self.now = 0
        self.set("2026-11-30T12:00:00")

    def __call__(self) -> int:
        return self.now

    def set(self, moment: str) -> None:
        """Move to a moment, ISO format in UTC; back is allowed."""
        self.now = int(datetime.fromisoformat(moment).replace(tzinfo=UTC).timestamp() * 1000)

    def forward(self, seconds: float) -> None:
        self.now += int(seconds * 1000)


@pytest.fixture
def clock() -> MovableClock:
    return MovableClock()


@pytest.fixture(scope="session")
def short_tmp() -> Iterator[Path]:
    """A folder whose path is short enough for sockets."""
    folder = Path(tempfile.mkdtemp(prefix="sb-"))
    folder.chmod(0o755)  # PostgreSQL runs as another user
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def redis_url(short_tmp: Path) -> Iterator[str]:
    with redis_server(short_tmp / "r") as (url, _):
        yield url


@pytest.fixture(scope="session")
def postgres_url(short_tmp: Path) -> Iterator[str]:
    binaries = postgres_binaries()
    if binaries is None:
        pytest.skip("PostgreSQL is not installed (Debian: apt-get install postgresql), so its tests do not run")
    folder = short_tmp / "p"
    folder.mkdir()
    with postgres_server(folder, binaries) as url:
        engine = create_engine(url)
        migrate(engine)
        engine.dispose()
        yield url


@pytest.fixture(scope="session")
def migrated_sqlite(short_tmp: Path) -> Path:
    file = short_tmp / "migrated.sqlite3"
    engine = create_engine(f"sqlite:///{file}")
    prepare_engine(engine)
    migrate(engine)
    engine.dispose()
    return file


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> str:
    """The database that a test runs on: each test on both."""
    return str(request.param)


@pytest.fixture
def settings(database: str, tmp_path: Path, redis_url: str, request: pytest.FixtureRequest) -> Settings:
    if database == "postgresql":
        return Settings(data_dir=tmp_path, database_url=request.getfixturevalue("postgres_url"), redis_url=redis_url)
    shutil.copy(request.getfixturevalue("migrated_sqlite"), tmp_path / "shutbox.sqlite3")
    return Settings(data_dir=tmp_path, redis_url=redis_url)


@pytest.fixture(scope="session")
def secrets() -> Secrets:
    """Secrets that are the same in every run, from a week before TODAY on."""
    return Secrets((Chain(bytes(range(16)), date(2026, 11, 23), 60, 60, b"l" * 32),), b"k" * 32, LOG_KEY)


@pytest.fixture
def app(settings: Settings, secrets: Secrets, clock: MovableClock) -> Iterator[Flask]:
    """An app on an empty database with today's rounds; at the end every board in Redis equals SQL."""
    app = create_app(settings, secrets, clock)
    with app.app_context():
        _empty(app)
        make_days(app.extensions["shutbox"])
    yield app
    with app.app_context():
        site: Site = app.extensions["shutbox"]
        try:
            for round_id in all_boards(site):
                if site.ranking.holds(round_id):
                    assert differences(site, round_id) == []
        except RankingUnavailable:
            pass  # the test has taken Redis away
        db.session.remove()
        db.engine.dispose()


@pytest.fixture
def site(app: Flask) -> Iterator[Site]:
    with app.app_context():
        yield app.extensions["shutbox"]


@pytest.fixture
def close_days(app: Flask) -> Closer:
    """Closes what is due, as a worker does."""

    def close() -> list[date]:
        with app.app_context():
            return close_due_days(app.extensions["shutbox"])

    return close


@pytest.fixture
def nobody(app: Flask) -> Api:
    """A client that does not say who asks."""
    return Api(app)


@pytest.fixture
def mara(nobody: Api) -> Api:
    """A player."""
    return nobody.join(name="Mara")


@pytest.fixture
def finn(nobody: Api) -> Api:
    """Another player."""
    return nobody.join(name="Finn")


def _empty(app: Flask) -> None:
    site: Site = app.extensions["shutbox"]
    site.ranking._client.flushall()
    if db.engine.dialect.name == "postgresql":
        tables = reversed(Base.metadata.sorted_tables)
        with db.engine.begin() as connection:  # a TRUNCATE makes new files, which takes 0.1 s
            connection.execute(text("; ".join(f"DELETE FROM {table.name}" for table in tables)))
