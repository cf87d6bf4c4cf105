"""Answers that are written while they are read: nothing waits for their reader, and a board is put in order once."""

import json
from collections.abc import Callable

import pytest
from shutbox.site import Site
from shutbox.store.database import db
from sqlalchemy import QueuePool

from tests.conftest import Closer, MovableClock
from tests.journals import SEALED, fill, log_all
from tests.players import Api
from tests.web.test_bundles import counted_statements
from tests.web.test_exports import rows_of
from tests.web.test_leaderboards import BOARD, Field
from tests.web.test_period_boards import MONDAY, WEEK, Weeks
from tests.web.test_privacy import play_all

Look = Callable[[], None]


@pytest.fixture(autouse=True)
def _small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything is read by two."""
    for size in ("slices.PART", "histories.PART", "privacy._PAGE", "bundles._PAGE"):
        monkeypatch.setattr(f"shutbox.{size}", 2)


@pytest.fixture
def field(site: Site, clock: MovableClock, nobody: Api) -> Field:
    """Seven players on four ranks, two of them bots."""
    field = Field(site, clock, nobody)
    for number in range(7):
        field.submit(field.join(bot=number % 4 == 3), sorted(field.lines)[number % 4])
    return field


def slowly(site: Site, api: Api, path: str, look: Look = lambda: None) -> str:
    """Return an answer that is read piece by piece: at none of them a connection, and so a transaction, is in use."""
    site.session.rollback()  # what the test itself has read
    pool = db.engine.pool
    assert isinstance(pool, QueuePool)

    def look_around() -> None:
        assert pool.checkedout() == 0
        look()

    return api.slowly(path, look_around).decode()


@pytest.mark.parametrize("part", ["format=csv", "format=ndjson", "format=csv&bots=exclude", "format=ndjson&limit=3"])
def test_no_transaction_waits_for_who_reads_a_board(field: Field, site: Site, mara: Api, part: str) -> None:
    assert slowly(site, mara, f"{BOARD}?{part}") == mara.get(f"{BOARD}?{part}").text


@pytest.mark.parametrize("part", ["format=csv", "format=csv&bots=exclude", "format=ndjson&limit=3"])
def test_no_transaction_waits_for_who_reads_a_period(
    site: Site, clock: MovableClock, mara: Api, nobody: Api, part: str
) -> None:
    weeks = Weeks(site, clock)
    for number in range(5):
        weeks.finish(weeks.join(), MONDAY, number)
    weeks.close("2026-12-01T03:00:00")
    assert slowly(site, nobody, f"{WEEK}&{part}") == nobody.get(f"{WEEK}&{part}").text


def test_no_transaction_waits_for_who_reads_what_is_stored_of_a_player(site: Site, mara: Api) -> None:
    play_all(mara)
    for path in ("/players/me/runs?format=csv", "/players/me/runs?format=csv&limit=1"):
        assert slowly(site, mara, path) == mara.get(path).text
    assert json.loads(slowly(site, mara, "/players/me/export")) == mara.get("/players/me/export").get_json()


def test_no_transaction_waits_for_who_reads_a_bundle(
    site: Site, clock: MovableClock, close_days: Closer, nobody: Api
) -> None:
    fill(site, 5, SEALED)
    log_all(site)
    clock.set("2026-12-01T02:00:00")
    close_days()
    log_all(site)
    assert len(slowly(site, nobody, f"/rounds/{SEALED}/bundle").splitlines()) == 1 + 5


def test_a_file_of_what_sql_answers_goes_through_the_round_once(field: Field, nobody: Api) -> None:
    with counted_statements() as seen:
        rows = rows_of(nobody.get(f"{BOARD}?format=csv&bots=exclude").text)
    assert [(int(row["rank"]), row["player_id"]) for row in rows] == field.expected(bots=False)
    assert len([statement for statement in seen if "row_number()" in statement]) == 1
    cursor = nobody.get(f"{BOARD}?limit=2&bots=exclude").get_json()["next"]
    rest = rows_of(nobody.get(f"{BOARD}?format=csv&bots=exclude&after={cursor}").text)
    assert rest == rows[2:]


def test_a_file_of_a_period_that_sql_answers_adds_up_everything_once(
    site: Site, clock: MovableClock, nobody: Api
) -> None:
    """Once for the order; then of two players at a time."""
    weeks = Weeks(site, clock)
    for number in range(5):
        weeks.finish(weeks.join(), MONDAY, number)
    weeks.close("2026-12-01T03:00:00")
    with counted_statements() as seen:
        rows = rows_of(nobody.get(f"{WEEK}&format=csv&bots=exclude").text)
    assert [int(row["rank"]) for row in rows] == [1, 2, 3, 4, 5]
    sums = [statement for statement in seen if "row_number()" in statement]
    assert len([statement for statement in sums if "entries.player_id IN" not in statement]) == 1


def test_a_file_goes_on_from_sql_when_redis_goes_away(
    field: Field, site: Site, nobody: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And asks SQL for the order once."""
    taken = 0

    def look() -> None:
        nonlocal taken
        taken += 1
        if taken == 4:  # the head and three rows
            monkeypatch.setattr(site.ranking, "_alone_until", float("inf"))

    with counted_statements() as seen:
        rows = rows_of(slowly(site, nobody, f"{BOARD}?format=csv", look))
    monkeypatch.setattr(site.ranking, "_alone_until", 0.0)
    assert [(int(row["rank"]), row["player_id"]) for row in rows] == field.expected()
    assert len([statement for statement in seen if "row_number()" in statement]) == 1
