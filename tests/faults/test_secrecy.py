"""No secret of a day is let out before its close: a week in which everything is asked for and everything fails.

| secret | until | may be nowhere but |
|---|---|---|
| links of this day and all later ones, seeds of their sealed rounds | the close | in `chain.json` |
| seeds of open rounds | they open | in `chain.json` |
| the round key, the log's key | for ever | in their files |
| seeds of sealed practice rounds | their owner has finished | nowhere; SQL, if the owner gave it |
| salts and tags of runs | the close | SQL, answers to their owner |
| tokens | for ever | the one answer that makes them |

The search is tested by itself (test_search.py); here it must find after each close what it must not find before.
"""

import logging
import shutil
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from threading import Event
from typing import Any
from uuid import UUID

import pytest
from redis import Redis
from shutbox import worker
from shutbox.clock import end_of, start_of
from shutbox.config import Settings
from shutbox.days import close_due_days, make_days, rulesets_of
from shutbox.embedded import bundled_binary, socket_path, start_server
from shutbox.rounds import Mode
from shutbox.seeds import Chain, Secrets, day_seed
from shutbox.site import Site
from shutbox.store.database import db
from shutbox.store.rows import LeafRow, MoveRow, RoundRow, RunRow
from shutbox.web.app import create_app
from shutbox.web.problems import PROBLEMS
from sqlalchemy import delete, insert, select, text, update

from tests.conftest import LOG_KEY, TODAY, MovableClock, _empty
from tests.faults.asking import changed, crowd, finish, look, play, play_on, refusals
from tests.faults.secrecy import Search, remember_commands
from tests.faults.week import Kept, Reader, Week
from tests.players import first, legal_turns

GRACE_MS = 7_200_000


class RestartableRedis:
    """The bundled server in a folder, which can be taken away."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.start()

    def start(self) -> None:
        self.process = start_server(self.folder, bundled_binary())
        self.client = Redis(unix_socket_path=str(socket_path(self.folder)))
        remember_commands(self.client)

    def kill(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.wait(10)


@pytest.fixture
def redis(short_tmp: Path) -> Iterator[RestartableRedis]:
    server = RestartableRedis(Path(tempfile.mkdtemp(dir=short_tmp)))
    yield server
    server.kill()


@pytest.fixture
def week(settings: Settings, secrets: Secrets, clock: MovableClock, redis: RestartableRedis) -> Iterator[Week]:
    """An installation that starts on TODAY, with its own Redis in its data folder."""
    own = replace(settings, league_size=2, data_dir=redis.folder, redis_url=f"unix://{socket_path(redis.folder)}")
    if not settings.database_url:
        shutil.move(settings.data_dir / "shutbox.sqlite3", redis.folder)
    clock.set(f"{TODAY}T00:00:00")
    app = create_app(own, secrets, clock)
    week = Week(app, redis.client, bytearray(), clock)
    handler, root = Kept(week.log), logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    with app.app_context():
        _empty(app)
        make_days(app.extensions["shutbox"])
    for name in ("mara", "finn"):
        week.join(name)
    week.join("eva", browser=True)
    week.readers["nobody"] = Reader(week)
    yield week
    root.setLevel(level)
    root.removeHandler(handler)
    with app.app_context():
        db.session.remove()
        db.engine.dispose()


def test_no_secret_is_let_out_in_a_week_before_its_close(week: Week, redis: RestartableRedis, database: str) -> None:
    """On PostgreSQL the days that differ from SQLite's: its errors are others, and say more."""
    for number, (fault, fault_of_close) in enumerate(DAYS[database]):
        day = TODAY + timedelta(days=number)
        week.clock.now = start_of(day)
        tick(week)
        play(week, number)
        week.clock.now = start_of(day) + 12 * 3_600_000
        week.find_addresses()
        fault(week, redis)
        week.clock.now = end_of(day) - 30_000
        tick(week)
        refusals(week)
        if number == 0:
            crowd(week)
        week.find_addresses()
        look(week)
        assert week.leaks() == {}, f"while {day} was open"
        week.clock.now = end_of(day) + GRACE_MS - 30_000
        tick(week)
        finish(week, number)
        look(week, "finn", "eva")
        assert week.leaks() == {}, f"before the close of {day}"
        week.clock.now = end_of(day) + GRACE_MS
        if fault_of_close is not None:
            fault_of_close(week, day)
            assert b"close_days failed" in week.log
            assert week.leaks() == {}, f"when {day} could not be closed"
        close(week, day)
    assert database != "sqlite" or sorted(set(PROBLEMS) - week.codes) == [], "errors that were not provoked"


# The day


class Once(Event):
    """Stops a worker when it is about to wait for its second tick."""

    def wait(self, timeout: float | None = None) -> bool:
        self.set()
        return True


def tick(week: Week) -> None:
    """Eleven seconds later a worker leads, and one does not; what ends a process is printed where the others log."""
    week.clock.forward(11)
    for _ in range(2):
        with week.site() as site:
            try:
                worker.run(site, Once(), db.session.remove)
            except Exception:
                week.log += traceback.format_exc().encode()


def close(week: Week, day: date) -> None:
    """Close the day, with a bundle that waits for the log; then everyone may have what was hidden, and finds it."""
    nobody, mara = week.readers["nobody"], week.readers["mara"]
    with week.site() as site:
        seeds, link = seeds_of(site, day), link_of(site, day)
        of_runs = {name: one.content for name, one in week.owned(site).items() if name.startswith(("salt", "tag"))}
    with week.site() as site:
        assert close_due_days(site) == [day]
    assert nobody.get(f"/rounds/{day}-classic/bundle").get_json()["code"] == "bundle_pending"
    tick(week)
    week.closed = day
    search = Search(seeds | link | of_runs)
    shown = nobody.get(f"/days/{day}")
    assert search.found_in(shown.data) == seeds.keys()
    assert all(nobody.page(f"/run/{run_id}").status_code == 200 for run_id in runs_of(week, day))
    week.find_addresses()
    leaves = b"".join(nobody.get(path).data for path in week.addresses if path.startswith("/log/tile/entries/"))
    assert search.found_in(leaves) == seeds.keys() | link.keys()
    bundles = b"".join(nobody.get(f"/rounds/{one['round_id']}/bundle").data for one in shown.get_json()["rounds"])
    logged = {
        name for run_id, entry_id in runs_of(week, day).items() for name in (f"salt of {run_id}", f"tag of {entry_id}")
    }
    assert search.found_in(bundles) == seeds.keys() | link.keys() | logged
    with week.site() as site:
        stored = {name for content in week.in_sql(site).values() for name in search.found_in(content, escaped=False)}
    assert stored == seeds.keys() | link.keys() | of_runs.keys()
    late = mara.post(f"/rounds/{day}-classic-open/runs", {"turns": [{"dice": 2, "shut": [1]}]})
    assert late.get_json()["code"] == "round_closed"


def seeds_of(site: Site, day: date) -> dict[str, bytes]:
    """Return the four seeds of a day."""
    (link,) = link_of(site, day).values()
    return {
        f"{mode} {ruleset.id} of {day}": day_seed(link, day, mode, ruleset.hash)
        for ruleset in rulesets_of(site, day)
        for mode in Mode
    }


def link_of(site: Site, day: date) -> dict[str, bytes]:
    chain = site.secrets.chains[0]
    return {f"link of {day}": chain.link(chain.number_of(day) or 0)}


def runs_of(week: Week, day: date) -> dict[UUID, UUID]:
    """Return the logged runs of a day with their entries."""
    with week.site() as site:
        logged = select(RunRow.run_id, RunRow.entry_id).join(RoundRow, RoundRow.round_id == RunRow.round_id)
        return {run: entry for run, entry in site.session.execute(logged.where(RoundRow.day == day, RunRow.to_log))}


# What fails, one thing each day


def nothing_fails(week: Week, _: RestartableRedis) -> None:
    look(week, "eva")


def redis_is_killed(week: Week, redis: RestartableRedis) -> None:
    redis.kill()
    nobody, opened = week.readers["nobody"], f"{week.today}-classic-open"
    look(week, "eva")
    assert nobody.get("/readyz").get_json()["redis"] == "away"
    seed = nobody.get(f"/rounds/{opened}").get_json()["seed"]
    assert week.readers["mara"].submit(opened, legal_turns("classic", seed, first)).status_code in (200, 201)
    tick(week)
    redis.start()
    week.redis = redis.client


def tables_are_taken_away(week: Week, _: RestartableRedis) -> None:
    """First one, so that most addresses fail; then what says which version the database has."""
    for away, back in (
        ("ALTER TABLE runs RENAME TO taken", "ALTER TABLE taken RENAME TO runs"),
        (
            "UPDATE alembic_version SET version_num = '-' || version_num",
            "UPDATE alembic_version SET version_num = substr(version_num, 2)",
        ),
    ):
        with changed(week, [text(away)], [text(back)]):
            tick(week)
            play_on(week)
            look(week, "eva")
    codes = {code for one in week.readers.values() for code in one.codes}
    assert "not_ready" in codes
    assert codes & {"database_unavailable", "internal_error"}, "SQLite says one, PostgreSQL the other"


def rounds_are_tampered_with(week: Week, _: RestartableRedis) -> None:
    """A commitment that the seed does not keep, and a ruleset that nobody knows."""
    day = week.today
    for round_id, column in ((f"{day}-classic", RoundRow.commitment), (f"{day}-classic-open", RoundRow.ruleset_hash)):
        with other_bytes(week, round_id, column):
            tick(week)
            play_on(week)
            look(week, "eva")
    assert b"Traceback" in week.log
    assert {"seed_unavailable", "internal_error"} <= {code for one in week.readers.values() for code in one.codes}


def tampered_rounds_do_not_close(week: Week, day: date) -> None:
    for round_id, column in ((f"{day}-classic", RoundRow.commitment), (f"{day}-classic-open", RoundRow.ruleset_hash)):
        with other_bytes(week, round_id, column):
            tick(week)


@contextmanager
def other_bytes(week: Week, round_id: str, column: Any) -> Iterator[None]:
    with week.site() as site:
        kept = site.session.scalars(select(column).where(RoundRow.round_id == round_id)).one()
    row = update(RoundRow).where(RoundRow.round_id == round_id)
    with changed(week, [row.values({column: bytes(32)})], [row.values({column: kept})]):
        yield


def the_log_is_tampered_with(week: Week, _: RestartableRedis) -> None:
    tick(week)
    with week.site() as site:
        index, leaf = site.session.execute(
            select(LeafRow.leaf_index, LeafRow.leaf).order_by(LeafRow.leaf_index.desc())
        ).first() or (0, b"")
    row = update(LeafRow).where(LeafRow.leaf_index == index)
    with changed(week, [row.values(leaf=leaf[:-1] + bytes((leaf[-1] ^ 1,)))], [row.values(leaf=leaf)]):
        tick(week)
        look(week, "eva")
    assert b"the log has stopped, nothing is signed" in week.log


def another_node_has_other_secrets(week: Week, _: RestartableRedis) -> None:
    """Nodes with an early link and with another chain, on the same database."""
    for _node in other_nodes(week):
        tick(week)
        play_on(week)
        look(week, "eva")


def other_nodes_close_nothing(week: Week, _: date) -> None:
    for _node in other_nodes(week):
        tick(week)


def other_nodes(week: Week) -> Iterator[Site]:
    """Let the app be another node's for a while."""
    right: Site = week.app.extensions["shutbox"]
    (chain,) = right.secrets.chains
    for wrong in (chain.cut(3), Chain(chain.chain_id, chain.first_day, chain.length, chain.length, b"x" * 32)):
        secrets = Secrets((wrong,), b"another round key, of 32 bytes. ", LOG_KEY)
        week.app.extensions["shutbox"] = replace(right, secrets=secrets)
        try:
            yield week.app.extensions["shutbox"]
        finally:
            week.app.extensions["shutbox"] = right


def runs_and_moves_are_tampered_with(week: Week, _: RestartableRedis) -> None:
    """Stored moves and turns that no code here can have written: what reads them fails in the middle of its work."""
    with week.site() as site:
        attempt_id = UUID(week.attempts[-2]["attempt_id"])
        run_id, turns = site.session.execute(
            select(RunRow.run_id, RunRow.turns).order_by(RunRow.accepted_at.desc())
        ).first() or (UUID(int=0), b"")
    move = {"attempt_id": attempt_id, "number": 30, "decided_at": 0, "shut": 0x1FF}
    row = update(RunRow).where(RunRow.run_id == run_id)
    with changed(
        week,
        [insert(MoveRow).values(move), row.values(turns=b"\x02")],
        [delete(MoveRow).where(MoveRow.number == 30), row.values(turns=turns)],
    ):
        tick(week)
        play_on(week)
        look(week, "eva")
    assert b"Traceback" in week.log


def a_seed_cannot_be_stored(week: Week, _: RestartableRedis) -> None:
    """PostgreSQL then shows the whole row that it refuses. The practice round stays as it was: sealed."""
    with changed(week, [REFUSE_SEEDS], [ACCEPT_SEEDS]):
        mara, state = week.readers["mara"], week.attempts[-1]
        while state.get("state", "").startswith("choose"):
            state = mara.move(state, first).get_json()
    assert (state["code"], b"violates check constraint" in week.log) == ("internal_error", True)


def no_seed_of_the_day_can_be_stored(week: Week, _: date) -> None:
    with changed(week, [REFUSE_SEEDS], [ACCEPT_SEEDS]):
        tick(week)


REFUSE_SEEDS = text("ALTER TABLE rounds ADD CONSTRAINT strange CHECK (seed IS NULL) NOT VALID")
ACCEPT_SEEDS = text("ALTER TABLE rounds DROP CONSTRAINT strange")
Fault = Callable[[Week, RestartableRedis], None]
FaultOfClose = Callable[[Week, date], None] | None
TABLES: tuple[Fault, FaultOfClose] = (tables_are_taken_away, None)
TAMPERED: tuple[Fault, FaultOfClose] = (rounds_are_tampered_with, tampered_rounds_do_not_close)
DAYS: dict[str, list[tuple[Fault, FaultOfClose]]] = {
    "sqlite": [
        (nothing_fails, None),
        (redis_is_killed, None),
        TABLES,
        TAMPERED,
        (the_log_is_tampered_with, None),
        (another_node_has_other_secrets, other_nodes_close_nothing),
        (runs_and_moves_are_tampered_with, None),
    ],
    "postgresql": [TABLES, TAMPERED, (a_seed_cannot_be_stored, no_seed_of_the_day_can_be_stored)],
}
"""What fails at noon of each day, and what at its close."""
