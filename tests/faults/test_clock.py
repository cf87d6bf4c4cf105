"""The clock: midnight, days of the calendar, a server that slept, and a clock that steps back, each with its log."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from shutbox.clock import end_of, start_of
from shutbox.days import DAYS_AHEAD
from shutbox.journal import checkpoint
from shutbox.seeds import Chain, Secrets, yyyymmdd
from shutbox.site import Site
from shutbox.store.rows import DayRow, RoundRow
from shutbox.tlog.leaves import CloseLeaf, Leaf, RoundLeaf, RunLeaf
from shutbox.tlog.note import verify_checkpoint
from shutbox.worker import Worker
from sqlalchemy import func, select

from tests.conftest import LOG_KEY, TODAY, MovableClock
from tests.journals import OPENED, SEALED, check_closed_rounds, logged
from tests.players import Api, any_of, first, last, legal_turns


def beginning_with(first_day: str) -> Secrets:
    return Secrets((Chain(bytes(range(16)), date.fromisoformat(first_day), 60, 60, b"l" * 32),), b"k" * 32, LOG_KEY)


@pytest.fixture
def secrets(request: pytest.FixtureRequest) -> Secrets:
    """The chain begins a week before TODAY, or on the day that a test names."""
    return beginning_with(getattr(request, "param", "2026-11-23"))


def submit_any(player: Api, round_id: str, number: int) -> int:
    seed = player.get(f"/rounds/{round_id}").get_json()["seed"]
    return player.submit(round_id, legal_turns("classic", seed, any_of(number))).status_code


def round_of(leaves: list[Leaf], player: Api, run_id: str) -> str:
    """Return the round in which the log has a run, which its player's receipt must say too."""
    (leaf,) = (one for one in leaves if isinstance(one, RunLeaf) and one.run_id.hex() == run_id.replace("-", ""))
    assert player.get(f"/runs/{run_id}/receipt").status_code == 200
    return leaf.round_id


def test_each_millisecond_around_midnight_belongs_to_one_day(
    mara: Api, finn: Api, site: Site, clock: MovableClock
) -> None:
    worker, midnight, closes = Worker(site, "one"), end_of(TODAY), end_of(TODAY) + 7_200_000
    tomorrow = "2026-12-01-classic-open"
    clock.now = midnight - 1
    states = [player.post(f"/rounds/{SEALED}/attempt").get_json() for player in (mara, finn)]
    seed = mara.get(f"/rounds/{OPENED}").get_json()["seed"]
    turns = [legal_turns("classic", seed, choose) for choose in (first, last)]
    run = mara.submit(OPENED, turns[0])
    assert run.status_code == 201
    assert mara.get(f"/rounds/{tomorrow}").get_json()["seed"] is None
    clock.now = midnight
    for _ in range(2):  # by the clock alone, and after a worker has stored the state
        late = mara.submit(OPENED, turns[1])
        assert (late.status_code, late.get_json()["code"]) == (409, "round_closed")
        again = mara.submit(OPENED, turns[0])
        assert (again.status_code, again.get_json()["run_id"]) == (200, run.get_json()["run_id"])
        worker.tick()
    assert submit_any(mara, tomorrow, 1) == 201
    clock.now = closes - 1
    ended = states[0]
    while ended["state"].startswith("choose"):
        ended = mara.move(ended, first).get_json()
    worker.tick()
    assert mara.get(f"/rounds/{SEALED}").get_json()["state"] == "closing"
    clock.now = closes
    refused = finn.move(states[1], first)
    assert (refused.status_code, refused.get_json()["code"]) == (409, "round_closed")
    worker.tick()
    assert finn.get(f"/attempts/{states[1]['attempt_id']}").get_json()["state"] == "abandoned"
    leaves = logged(site)
    assert [leaf.t for leaf in leaves if isinstance(leaf, CloseLeaf)] == [closes] * 4
    assert check_closed_rounds(site) == 4
    assert round_of(leaves, mara, ended["run_id"]) == SEALED
    assert round_of(leaves, mara, run.get_json()["run_id"]) == OPENED
    assert mara.get(f"/rounds/{SEALED}/leaderboard").get_json()["total"] == 1
    assert mara.get("/rounds/2026-12-01-classic/leaderboard").get_json()["total"] is None


@pytest.mark.parametrize(
    ("secrets", "days"),
    [
        ("2028-02-27", (20280227, 20280228, 20280229, 20280301, 20280302)),
        ("2027-02-27", (20270227, 20270228, 20270301, 20270302)),
        ("2100-02-27", (21000227, 21000228, 21000301, 21000302)),
        ("2028-12-30", (20281230, 20281231, 20290101, 20290102)),
    ],
    indirect=["secrets"],
    ids=["leap-day", "no-leap-day", "no-leap-day-in-2100", "new-year-after-a-leap-year"],
)
def test_days_of_the_calendar_are_played_and_closed(
    mara: Api, site: Site, clock: MovableClock, days: tuple[int, ...]
) -> None:
    worker, chain = Worker(site, "one"), site.secrets.chains[0]
    for number in range(len(days)):
        day = chain.first_day + timedelta(days=number)
        clock.now = start_of(day) + 12 * 3_600_000
        worker.tick()
        assert mara.get("/days/today").get_json()["date"] == day.isoformat()
        assert mara.play_sealed(f"{day}-classic")["state"] in ("locked", "shut")
        assert submit_any(mara, f"{day}-classic-open", number) == 201
    clock.now = end_of(day) + 7_200_000
    worker.tick()
    leaves = logged(site)
    links = {leaf.day: leaf.link for leaf in leaves if isinstance(leaf, RoundLeaf)}
    assert [links[day] for day in days] == list(range(1, len(days) + 1))
    assert len([day for day in links if day <= days[-1]]) == len(days)
    assert sorted({leaf.round_id[:10].replace("-", "") for leaf in leaves if isinstance(leaf, RunLeaf)}) == [
        str(day) for day in days
    ]
    secrets = {leaf.round_id[:10]: leaf.day_secret for leaf in leaves if isinstance(leaf, CloseLeaf)}
    assert list(secrets.values()) == [chain.link(number) for number in range(1, len(days) + 1)]
    assert check_closed_rounds(site) == 4 * len(days)


def test_29_february_is_no_day_of_other_years(nobody: Api) -> None:
    for text in ("2026-02-29", "2027-02-29", "2100-02-29"):
        assert nobody.get(f"/days/{text}").get_json()["code"] == "day_not_found"


def test_a_worker_that_slept_for_three_days_closes_and_logs_them_in_order(
    mara: Api, finn: Api, site: Site, clock: MovableClock
) -> None:
    """People play on each of the days, since rounds open by the clock; nothing is logged until the worker wakes."""
    Worker(site, "one").tick()
    before = verify_checkpoint(checkpoint(site) or b"", LOG_KEY.verifier).size
    days = [TODAY + timedelta(days=ahead) for ahead in range(4)]
    for number, day in enumerate(days):
        clock.now = start_of(day) + 15 * 3_600_000
        for player, choose in ((mara, first), (finn, last)):
            player.play_sealed(f"{day}-classic", choose)
            assert submit_any(player, f"{day}-classic-open", number) == 201
        mara.get(f"/rounds/{day}-classic/leaderboard")
    assert verify_checkpoint(checkpoint(site) or b"", LOG_KEY.verifier).size == before
    Worker(site, "two").tick()
    leaves = logged(site)
    closes = [leaf for leaf in leaves if isinstance(leaf, CloseLeaf)]
    assert [leaf.round_id[:10] for leaf in closes] == [str(day) for day in days[:3] for _ in range(4)]
    assert {leaf.t for leaf in closes} == {clock.now}, "closed when it woke, and the log says so"
    assert check_closed_rounds(site) == 12
    assert sum(isinstance(leaf, RunLeaf) for leaf in leaves) == 4 * len(days)
    committed = {leaf.day for leaf in leaves if isinstance(leaf, RoundLeaf)}
    assert committed == {yyyymmdd(TODAY + timedelta(days=ahead)) for ahead in range(3 + DAYS_AHEAD + 1)}
    for day in days:
        state = mara.get(f"/days/{day}").get_json()["state"]
        assert state == ("open" if day == days[3] else "closed")


def test_the_log_is_valid_across_days_that_nobody_made(mara: Api, site: Site, clock: MovableClock) -> None:
    """Everything was off for three weeks: what was made ahead is closed, and the chain goes on behind the gap."""
    Worker(site, "one").tick()
    mara.play_sealed(SEALED)
    clock.set("2026-12-21T12:00:00")
    Worker(site, "two").tick()
    mara.play_sealed("2026-12-21-classic")
    clock.set("2026-12-22T02:00:00")
    Worker(site, "three").tick()
    links = sorted({leaf.link for leaf in logged(site) if isinstance(leaf, RoundLeaf)})
    assert [(one, other) for one, other in pairwise(links) if other != one + 1] == [(15, 29)]
    assert check_closed_rounds(site) == 4 * 9


def test_a_clock_that_steps_back_changes_nothing_that_is_logged(
    mara: Api, finn: Api, site: Site, clock: MovableClock
) -> None:
    """Back over a close, by an hour and by days, then on again; what is accepted meanwhile is logged behind the rest.

    The last step goes to days that nobody made: their dice are no secret any more, so they are not made now.
    """
    worker = Worker(site, "one")
    mara.play_sealed(SEALED)
    clock.set("2026-12-01T02:00:00")
    worker.tick()
    closed_at = site.session.get_one(DayRow, TODAY).closed_at
    signed, leaves = checkpoint(site), logged(site)
    assert submit_any(mara, "2026-12-01-classic-open", 1) == 201
    for moment in ("2026-12-01T01:30:00", "2026-11-30T12:00:00", "2026-11-24T00:00:00"):
        clock.set(moment)
        Worker(site, moment).tick()
        shown = mara.get(f"/days/{TODAY}").get_json()
        assert (shown["state"], mara.post(f"/rounds/{SEALED}/attempt").status_code) == ("closed", 200)
        assert finn.post(f"/rounds/{SEALED}/attempt").get_json()["code"] == "round_closed"
        assert submit_any(finn, OPENED, 2) == 409
        assert finn.get("/rounds/2026-12-01-classic").get_json()["state"] == "open", "it had opened"
    assert finn.get("/days/2026-11-24").get_json()["code"] == "day_not_found"
    assert submit_any(finn, "2026-12-01-classic-open", 3) == 201
    clock.set("2026-12-02T02:00:00")
    worker.tick()
    assert site.session.get_one(DayRow, TODAY, populate_existing=True).closed_at == closed_at
    assert logged(site)[: len(leaves)] == leaves
    assert checkpoint(site) != signed
    assert check_closed_rounds(site) == 8
    assert site.session.scalar(select(func.count()).select_from(RoundRow)) == 4 * (
        site.session.scalar(select(func.count()).select_from(DayRow)) or 0
    )


def test_a_clock_that_ran_ahead_and_was_set_right_reopens_nothing(mara: Api, site: Site, clock: MovableClock) -> None:
    """Days that closed too early stay closed, those that were made stay made, and the log goes on behind them."""
    mara.play_sealed(SEALED)
    clock.set("2026-12-03T12:00:00")
    Worker(site, "ahead").tick()
    size = len(logged(site))
    clock.set("2026-11-30T12:00:30")
    Worker(site, "right").tick()
    for day in ("2026-11-30", "2026-12-01", "2026-12-02"):
        assert mara.get(f"/days/{day}").get_json()["state"] == "closed"
        assert mara.post(f"/rounds/{day}-classic/attempt").status_code == (200 if day == "2026-11-30" else 409)
    assert len(logged(site)) == size
    clock.set("2026-12-04T02:00:00")
    Worker(site, "later").tick()
    assert check_closed_rounds(site) == 16
