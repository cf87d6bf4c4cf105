"""`kill -9` at 200 points while runs are queued, integrated and signed and days are closed: nothing is lost or doubled.

Other tests kill everything at once and look at the answers; these stop writers and workers between two statements and
at random moments, go on with the same data, and look at the log.
"""

import os
import random
import signal
import time
from datetime import date
from hashlib import sha256
from pathlib import Path
from uuid import UUID

import pytest
from shutbox.boards import check
from shutbox.clock import start_of
from shutbox.config import Settings
from shutbox.days import make_days
from shutbox.journal import check_log, checkpoint
from shutbox.players import create_player
from shutbox.rounds import State
from shutbox.seeds import Chain, Secrets
from shutbox.site import Site
from shutbox.store.log import hashes_completed_in
from shutbox.store.migrate import migrate
from shutbox.store.rows import DayRow, RoundRow, RunRow
from shutbox.tlog.leaves import CloseLeaf, RunLeaf
from shutbox.tlog.merkle import consistency_nodes, prove, verify_consistency
from shutbox.tlog.note import SigningKey, verify_checkpoint
from shutbox.worker import Worker
from sqlalchemy import create_engine, select, text
from sqlalchemy.orm import Session

from tests.faults.lives import DAY_MS, ROLE_OF, VARIANT, Installation, Lives, Role, Step, fates
from tests.journals import check_closed_rounds, logged

FIRST_DAY = date(2026, 11, 30)
POINTS = {
    "sqlite": {Step.QUEUE: 106, Step.INTEGRATE: 26, Step.SIGN: 14, Step.CLOSE: 22},
    "postgresql": {Step.QUEUE: 6, Step.INTEGRATE: 6, Step.SIGN: 4, Step.CLOSE: 4},
}
MOMENTS = {"sqlite": 32, "postgresql": 5}
"""How often a process dies at a drawn point of a step, and how often at a drawn moment."""


@pytest.fixture
def installation(database: str, tmp_path: Path, redis_url: str, request: pytest.FixtureRequest) -> Installation:
    """An empty database of its own with forty players, and a chain that is long enough."""
    url = ""
    if database == "postgresql":
        cluster = request.getfixturevalue("postgres_url")
        engine = create_engine(cluster, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            connection.execute(text("CREATE DATABASE killed"))
        engine.dispose()
        url = cluster.replace("/postgres?", "/killed?")
    chain = Chain(bytes(range(16)), FIRST_DAY, 2000, 2000, b"l" * 32)
    log_key = SigningKey("killed.example/log", sha256(database.encode()).digest())  # boards in Redis bear its id
    settings = Settings(data_dir=tmp_path, database_url=url, redis_url=redis_url, variants=(VARIANT,))
    made = Installation(settings, Secrets((chain,), b"k" * 32, log_key), ())
    made.set_clock(start_of(FIRST_DAY) + DAY_MS // 2)
    engine = made.engine()
    migrate(engine)
    with Session(engine) as session:
        site = made.site(session)
        make_days(site)
        players = tuple(create_player(site, None, bot=False)[0].player_id for _ in range(40))
    engine.dispose()
    return Installation(settings, made.secrets, players)


class Watching:
    """What a reader of the data remembers from one look to the next."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.closed: dict[date, tuple[int | None, bytes | None]] = {}
        self.size = 0

    def look(self, lives: Lives) -> None:
        """After a kill: the checkpoint went only forward, and every close that was stored is the one it was."""
        note = checkpoint(self.site)
        if note is not None:
            lives.signed.add(note)
            size = verify_checkpoint(note, self.site.secrets.log_key.verifier).size
            assert size >= self.size
            self.size = size
        closed = {
            row.day: (row.closed_at, row.day_secret)
            for row in self.site.session.scalars(select(DayRow).where(DayRow.closed_at.is_not(None)))
        }
        assert closed.items() >= self.closed.items()
        self.closed = closed
        # in one question: what a killed process had sent is still committed by PostgreSQL meanwhile
        whole = select(DayRow.day).where(DayRow.closed_at.is_not(None))
        half = select(RoundRow.round_id).where(RoundRow.state == State.CLOSED, RoundRow.day.not_in(whole))
        assert self.site.session.scalars(half).all() == [], "a day closes at once"
        self.site.session.rollback()

    def look_closely(self, lives: Lives) -> None:
        """The log is the one that was signed and valid, and has each run once; every answered run is stored."""
        self.look(lives)
        check_log(self.site)
        leaves = logged(self.site)
        rows = self.site.session.execute(select(RunRow.run_id, RunRow.to_log, RunRow.leaf_index)).all()
        assert lives.answered.keys() <= {row.run_id for row in rows}
        at_index = {index: UUID(bytes=leaf.run_id) for index, leaf in enumerate(leaves) if isinstance(leaf, RunLeaf)}
        assert at_index == {row.leaf_index: row.run_id for row in rows if row.leaf_index is not None}
        assert all(row.to_log for row in rows if row.leaf_index is not None)
        self.site.session.rollback()

    def check_checkpoints(self, lives: Lives) -> None:
        """Every checkpoint that anyone has seen is one of the log as it is now, and each leads to the next."""
        seen = sorted(
            (verify_checkpoint(note, self.site.secrets.log_key.verifier) for note in lives.signed),
            key=lambda one: one.size,
        )
        hash_of = hashes_completed_in(self.site.session, 0, seen[-1].size).__getitem__
        assert len({one.size for one in seen}) == len(seen), "two roots of one size"
        for old in seen:
            proof = prove(consistency_nodes(old.size, seen[-1].size), hash_of)
            verify_consistency(old.size, old.root, seen[-1].size, seen[-1].root, proof)


def test_kill_9_anywhere_loses_doubles_and_reorders_nothing(installation: Installation, database: str) -> None:
    engine = installation.engine()
    with Lives(installation) as lives, Session(engine) as session:
        seconds = rehearse(lives)
        watching = Watching(installation.site(session))
        killed = kill_by_step(lives, watching, database) + kill_at_moments(lives, watching, database, seconds)
        assert killed == sum(POINTS[database].values()) + MOMENTS[database]
        for role in list(lives.processes):
            lives.kill(role)
        go_on(lives, watching.site)
        watching.look_closely(lives)
        check_the_end(lives, watching, database)
    engine.dispose()


def rehearse(lives: Lives) -> float:
    """Let both live undisturbed for a day, twice; return how long it took, and know how many points each step has."""
    for _ in range(2):
        lives.points.clear()
        begun = time.monotonic()
        for role in Role:
            lives.start(role, days=1)
        for role in Role:
            assert lives.listen(role, 60), "it does not end"
            assert lives.end_of(role) == 0
    assert all(lives.points[step] >= 4 for step in Step), lives.points
    return time.monotonic() - begun


def kill_by_step(lives: Lives, watching: Watching, database: str) -> int:
    """Let a process die at each drawn point while the other goes on; return how many did."""
    drawn = fates(lives.points, POINTS[database], seed=4)
    for count, fate in enumerate(drawn, start=1):
        role = ROLE_OF[fate.step]
        for each in Role:
            if each is role and each in lives.processes:
                lives.kill(each)
                lives.end_of(each)
            if each not in lives.processes:
                lives.start(each, fate if each is role else None)
        assert lives.listen(role, 60), f"{fate} was not reached"
        assert lives.end_of(role) == -signal.SIGKILL, fate
        watching.look(lives)
        if count % 40 == 0:
            watching.look_closely(lives)
    return len(drawn)


def kill_at_moments(lives: Lives, watching: Watching, database: str, seconds: float) -> int:
    """Kill one of the two, or both, after a part of the time that a day takes; return how many times."""
    chosen = random.Random(200)
    for count in range(1, MOMENTS[database] + 1):
        for role in Role:
            if role not in lives.processes:
                lives.start(role)
        lives.listen(Role.WORKER, chosen.uniform(0, seconds))
        doomed = chosen.choice([[Role.WRITER], [Role.WORKER], list(Role)])
        for role in doomed:
            os.kill(lives.processes[role].pid or 0, signal.SIGKILL)
        for role in doomed:
            assert lives.listen(role, 20)
            assert lives.end_of(role) == -signal.SIGKILL
        watching.look(lives)
        if count % 16 == 0:
            watching.look_closely(lives)
    return MOMENTS[database]


def go_on(lives: Lives, site: Site) -> None:
    """A worker finds everything as it needs it two days later, when nobody plays."""
    lives.installation.set_clock(lives.installation.clock() + 2 * DAY_MS)
    Worker(site).tick()


def check_the_end(lives: Lives, watching: Watching, database: str) -> None:
    site = watching.site
    leaves = logged(site)
    days = site.session.scalars(select(DayRow).where(DayRow.closed_at.is_not(None))).all()
    assert len(days) >= POINTS[database][Step.CLOSE]
    assert check_closed_rounds(site) == 4 * len(days) == sum(isinstance(leaf, CloseLeaf) for leaf in leaves)
    closes = {leaf.round_id: leaf.t for leaf in leaves if isinstance(leaf, CloseLeaf)}
    for row in site.session.scalars(select(RoundRow).where(RoundRow.close_leaf_index.is_not(None))):
        assert closes[row.round_id] == site.session.get_one(DayRow, row.day).closed_at
    assert site.session.scalars(select(RunRow.run_id).where(RunRow.queued())).all() == []
    assert len(lives.answered) > sum(POINTS[database].values())
    watching.check_checkpoints(lives)
    assert check(site)[0] == [], "boards in Redis hold what SQL holds"
