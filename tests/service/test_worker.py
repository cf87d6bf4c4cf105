"""The worker: one leads, two do no harm, and boards are made true again."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from uuid import UUID

import pytest
from flask import Flask
from shutbox.boards import check, note_missed, stale_boards
from shutbox.config import Settings
from shutbox.days import check_secrets, make_days
from shutbox.errors import StartRefused
from shutbox.seeds import Chain, Secrets
from shutbox.site import Site
from shutbox.store.rows import ChainRow, DayRow, LeaseRow, RoundRow
from shutbox.worker import Worker, catch_up
from sqlalchemy import func, select

from tests.conftest import LOG_KEY, MovableClock
from tests.players import Api, legal_turns


def test_one_worker_leads_and_another_takes_over_when_it_is_silent(site: Site, clock: MovableClock) -> None:
    one, other = Worker(site, "one"), Worker(site, "other")
    one.tick()
    other.tick()
    assert site.session.get_one(LeaseRow, "worker", populate_existing=True).holder == "one"
    clock.forward(8)
    one.tick()
    clock.forward(8)
    other.tick()
    assert site.session.get_one(LeaseRow, "worker", populate_existing=True).holder == "one"
    clock.forward(11)
    other.tick()
    assert site.session.get_one(LeaseRow, "worker", populate_existing=True).holder == "other"


def test_a_lease_from_a_clock_that_was_ahead_does_not_stop_the_work(site: Site, clock: MovableClock) -> None:
    clock.set("2026-11-30T20:00:00")
    Worker(site, "ahead").tick()
    clock.set("2026-11-30T12:00:00")
    Worker(site, "now").tick()
    assert site.session.get_one(LeaseRow, "worker", populate_existing=True).holder == "now"


def test_workers_at_once_make_and_close_each_day_once(site: Site, clock: MovableClock, app: Flask) -> None:
    clock.set("2026-12-01T03:00:00")

    def work(_: int) -> None:
        with app.app_context():
            catch_up(app.extensions["shutbox"])

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    days = site.session.scalars(select(DayRow.day).order_by(DayRow.day)).all()
    assert days == [date(2026, 11, 30)] + [date(2026, 12, day) for day in range(1, 9)]
    assert site.session.scalar(select(func.count()).select_from(RoundRow)) == 4 * len(days)
    assert site.session.scalar(select(DayRow.day).where(DayRow.closed_at.is_not(None))) == date(2026, 11, 30)


def test_a_board_that_missed_a_placement_is_made_true_by_a_tick(mara: Api, site: Site) -> None:
    worker = Worker(site, "one")
    worker.tick()
    seed = mara.get("/rounds/2026-11-30-classic-open").get_json()["seed"]
    mara.submit("2026-11-30-classic-open", legal_turns("classic", seed))
    site.ranking.forget("2026-11-30-classic-open")
    note_missed(site, "2026-11-30-classic-open")
    worker.tick()
    site.session.rollback()
    assert stale_boards(site) == []
    assert site.ranking.slice("2026-11-30-classic-open", None, 5).total == 1


def test_a_run_that_was_stored_but_never_placed_is_ranked_however_long_nobody_worked(
    mara: Api, finn: Api, site: Site, clock: MovableClock
) -> None:
    """The process was killed in between and everything was off for three days; Redis lived on."""
    seed = mara.get("/rounds/2026-11-30-classic-open").get_json()["seed"]
    turns = legal_turns("classic", seed)
    finn.submit("2026-11-30-classic-open", turns)
    Worker(site, "one").tick()
    clock.forward(1)
    run = mara.submit("2026-11-30-classic-open", turns).get_json()
    site.ranking.remove("2026-11-30-classic-open", UUID(mara.player_id), UUID(run["run_id"]))
    clock.forward(3 * 24 * 3600)
    Worker(site, "two").tick()
    assert site.ranking.slice("2026-11-30-classic-open", None, 5).total == 2
    assert check(site)[0] == []


def test_practice_boards_are_reconciled_at_a_start_and_not_each_minute(
    mara: Api, site: Site, clock: MovableClock
) -> None:
    """Anyone can make many of them."""
    round = mara.issue()
    run = mara.submit(round["round_id"], legal_turns("classic", round["seed"])).get_json()
    site.ranking.remove(round["round_id"], UUID(mara.player_id), UUID(run["run_id"]))
    clock.forward(61)
    Worker(site, "one").tick()
    assert site.ranking.slice(round["round_id"], None, 5).total == 0
    catch_up(site)
    assert site.ranking.slice(round["round_id"], None, 5).total == 1


def test_a_round_key_of_another_installation_is_refused(mara: Api, site: Site) -> None:
    mara.issue("classic", "sealed")
    site.session.rollback()
    other = Site(site.settings, Secrets(site.secrets.chains, b"z" * 32, LOG_KEY), site.session, site.ranking)
    with pytest.raises(StartRefused, match=r"round-key\.json does not belong to this database"):
        check_secrets(other)


def test_of_two_nodes_that_bring_a_chain_each_one_stays_outside(site: Site) -> None:
    other = Chain(b"another chain id", date(2026, 11, 23), 60, 60, b"z" * 32)
    with pytest.raises(StartRefused, match=r"chain\.json does not belong to this database"):
        make_days(Site(site.settings, Secrets((other,), b"k" * 32, LOG_KEY), site.session, site.ranking, site.clock))
    site.session.rollback()
    assert site.session.scalar(select(func.count()).select_from(ChainRow)) == 1


def test_days_beyond_the_loaded_link_are_not_made(site: Site, clock: MovableClock) -> None:
    (chain,) = site.secrets.chains
    earlier = Chain(chain.chain_id, chain.first_day, chain.length, 12, chain.link(12))
    clock.set("2026-12-04T12:00:00")
    make_days(Site(site.settings, Secrets((earlier,), b"k" * 32, LOG_KEY), site.session, site.ranking, clock))
    last = site.session.scalar(select(func.max(DayRow.day)))
    assert last == date(2026, 12, 7), "made on the first day, seven days ahead; nothing after link 12, 4 December"


def test_another_chain_than_the_one_of_the_database_is_refused(site: Site) -> None:
    other = Chain(site.secrets.chains[0].chain_id, date(2026, 11, 23), 60, 60, b"z" * 32)
    with pytest.raises(StartRefused, match="does not belong to this database"):
        check_secrets(Site(site.settings, Secrets((other,), b"k" * 32, LOG_KEY), site.session, site.ranking))
    check_secrets(site)


def test_the_grace_is_a_setting(site: Site, clock: MovableClock) -> None:
    settings: Settings = replace(site.settings, grace_seconds=60)
    clock.set("2026-12-01T12:00:00")
    make_days(Site(settings, site.secrets, site.session, site.ranking, clock))
    newest = site.session.scalars(select(RoundRow).where(RoundRow.day == date(2026, 12, 8))).first()
    assert newest is not None
    assert newest.closes_at - newest.entries_until == 60_000


def test_a_round_whose_seed_cannot_be_made_keeps_nothing_else_from_closing(
    mara: Api, site: Site, clock: MovableClock, caplog: pytest.LogCaptureFixture
) -> None:
    """Another key and another chain: the round with a seed of its own closes, days are made, the worker goes on."""
    lost, own = mara.issue("classic", "sealed"), mara.issue("odds", "open", "ab" * 32)
    (chain,) = site.secrets.chains
    other = Chain(chain.chain_id, chain.first_day, 60, 5, chain.link(5))
    wrong = Site(site.settings, Secrets((other,), b"other" * 6 + b"xx", LOG_KEY), site.session, site.ranking, clock)
    clock.forward(30 * 24 * 3600)
    make_days(site)
    Worker(wrong, "one").tick()
    assert "close_days failed and is tried again" in caplog.text
    assert mara.get(f"/rounds/{own['round_id']}").get_json()["state"] == "closed"
    assert site.session.get_one(RoundRow, lost["round_id"], populate_existing=True).seed is None
    assert site.session.get_one(DayRow, date(2026, 11, 30), populate_existing=True).closed_at is None
