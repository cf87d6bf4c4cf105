"""Chains of day secrets: successors, nodes with different files, and what a node says whose chain does not reach."""

from datetime import date, timedelta

import pytest
from shutbox import chains, journal
from shutbox.days import check_secrets, close_due_days, make_days
from shutbox.errors import ChainRefused, SeedUnavailable, StartRefused
from shutbox.journal import integrate
from shutbox.seeds import Chain, read_chains
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import ChainRow, DayRow, RoundRow
from shutbox.tlog.leaves import ChainLeaf, CloseLeaf, RoundLeaf
from shutbox.worker import Worker
from sqlalchemy import delete, func, select

from tests.chains import FIRST, LAST_MADE, closed, made, node, successor
from tests.conftest import TODAY, MovableClock
from tests.journals import check_closed_rounds, fill, log_all, logged
from tests.players import Api

# A successor


@pytest.mark.parametrize("logged_between", [True, False])
def test_two_chains_give_one_valid_log_and_every_day_closes(
    files: Site, clock: MovableClock, logged_between: bool
) -> None:
    if logged_between:
        log_all(files)
    given = chains.succeed(files, successor(), None)
    both = node(files, *read_chains(files.settings.chain_file))
    assert both.secrets.chains == (*files.secrets.chains, given)
    for number in range(1, 10):
        clock.set(f"2026-12-{number:02}T12:00:00")
        make_days(both)
        if logged_between:
            close_due_days(both)
            log_all(both)
        fill(both, 2, f"2026-12-{number:02}-classic-open")
        fill(both, 1, f"2026-12-{number:02}-classic")
    clock.set("2026-12-10T12:00:00")
    close_due_days(both)
    log_all(both)
    assert closed(both) == [TODAY + timedelta(days=ahead) for ahead in range(10)]
    (first,) = files.secrets.chains
    assert {day: chain_id == given.chain_id for day, chain_id in made(both).items()} == {
        day: day >= FIRST for day in made(both)
    }
    leaves = logged(both)
    assert [leaf.chain_id for leaf in leaves if isinstance(leaf, ChainLeaf)] == [first.chain_id, given.chain_id]
    assert {leaf.chain_id for leaf in leaves if isinstance(leaf, RoundLeaf)} == {first.chain_id, given.chain_id}
    closes = [leaf for leaf in leaves if isinstance(leaf, CloseLeaf)]
    assert closes[0].day_secret == first.link(8)
    assert closes[-1].day_secret == given.link(2)
    assert check_closed_rounds(both) == len(closes) == 4 * 10


def test_a_round_is_not_logged_before_its_chain(
    files: Site, clock: MovableClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On PostgreSQL a chain can begin, with its first days, between the steps of the journal: here it is not seen."""
    log_all(files)
    given = chains.succeed(files, successor(), None)
    clock.set("2026-12-02T12:00:00")
    make_days(node(files, *files.secrets.chains, given))
    with monkeypatch.context() as patched:
        patched.setattr(journal, "_append_chains", lambda *_: None)
        assert integrate(files) == 0
    assert integrate(files) > 0
    rounds = [leaf for leaf in logged(files) if isinstance(leaf, RoundLeaf) and leaf.chain_id == given.chain_id]
    assert len(rounds) == 8


def test_a_successor_begins_by_default_behind_the_last_made_day_and_its_file_is_whole(files: Site) -> None:
    given = chains.succeed(files, None, None, 100)
    assert (given.first_day, given.length, given.loaded) == (FIRST, 100, 100)
    assert read_chains(files.settings.chain_file) == (*files.secrets.chains, given)
    assert files.settings.chain_file.stat().st_mode & 0o777 == 0o600
    assert [row.chain_id for row in chains.begun_chains(files.session)] == [
        *(chain.chain_id for chain in files.secrets.chains),
        given.chain_id,
    ]


def test_a_successor_never_takes_a_day_that_is_made(files: Site) -> None:
    before = files.settings.chain_file.read_bytes()
    with pytest.raises(ChainRefused, match=r"days are made until 2026-12-07.*must be 2026-12-08 or later"):
        chains.succeed(files, successor(LAST_MADE), None)
    with pytest.raises(ChainRefused, match=r"must be 2026-12-08 or later"):
        chains.succeed(files, None, TODAY)
    with pytest.raises(ChainRefused, match="none before 1970-01-01 or after 9999-12-31"):
        chains.succeed(files, None, date(9999, 1, 1))
    assert files.settings.chain_file.read_bytes() == before
    assert files.session.scalar(select(func.count()).select_from(ChainRow)) == 1


def test_nothing_is_succeeded_before_the_first_day(files: Site) -> None:
    with writing(files.session):
        for row in (RoundRow, DayRow, ChainRow):
            files.session.execute(delete(row))
    with pytest.raises(ChainRefused, match="no day is made yet"):
        chains.succeed(files, None, None)


def test_of_two_successors_the_one_that_began_later_rules(files: Site, clock: MovableClock) -> None:
    """Also where its first day is the earlier one; the log must have the other one first."""
    far, near = successor(FIRST + timedelta(days=3), 1), successor(FIRST, 2)
    log_all(files)
    chains.succeed(files, far, None)
    files = node(files, *read_chains(files.settings.chain_file))
    with pytest.raises(ChainRefused, match="is not in the log yet"):
        chains.succeed(files, near, None)
    log_all(files)
    chains.succeed(files, near, None)
    files = node(files, *read_chains(files.settings.chain_file))
    clock.set("2026-12-09T12:00:00")
    make_days(files)
    log_all(files)
    assert {chain_id for day, chain_id in made(files).items() if day >= FIRST} == {near.chain_id}
    logged(files)


def test_a_chain_that_only_the_file_knows_begins_by_itself(files: Site, clock: MovableClock) -> None:
    """The command was killed before it could tell the database, or the database was restored from before it."""
    both = node(files, *files.secrets.chains, successor())
    with pytest.raises(ChainRefused, match="which has not begun"):
        chains.succeed(both, None, None)
    clock.set("2026-12-02T12:00:00")
    make_days(both)
    assert made(both)[FIRST] == successor().chain_id
    log_all(both)
    logged(both)


def test_a_chain_that_comes_too_late_never_begins(files: Site, clock: MovableClock) -> None:
    clock.set("2026-12-02T12:00:00")
    make_days(files)
    late = node(files, *files.secrets.chains, successor())
    check_secrets(late)
    clock.set("2026-12-04T12:00:00")
    make_days(late)
    assert set(made(late).values()) == {chain.chain_id for chain in files.secrets.chains}
    assert files.session.scalar(select(func.count()).select_from(ChainRow)) == 1


# Files that differ


def test_a_node_without_the_successor_makes_the_days_before_it_and_none_after(files: Site, clock: MovableClock) -> None:
    chains.succeed(files, successor(FIRST + timedelta(days=1)), None)
    clock.set("2026-12-03T12:00:00")
    make_days(files)
    assert max(made(files)) == FIRST
    with pytest.raises(StartRefused, match=f"lacks chain {successor().chain_id.hex()}, .* copy the file of a node"):
        check_secrets(files)
    able = node(files, *read_chains(files.settings.chain_file))
    check_secrets(able)
    make_days(able)
    assert max(made(files)) == date(2026, 12, 10)


def test_a_node_without_the_link_of_a_day_does_not_close_it(files: Site, clock: MovableClock) -> None:
    chains.succeed(files, successor(), None)
    able = node(files, *read_chains(files.settings.chain_file))
    clock.set("2026-12-05T12:00:00")
    make_days(able)
    clock.set("2026-12-10T12:00:00")
    with pytest.raises(SeedUnavailable, match="was not given chain c8c8"):
        close_due_days(files)
    assert closed(files)[-1] == LAST_MADE
    close_due_days(able)
    assert closed(files)[-1] == date(2026, 12, 9)


def test_of_two_nodes_that_bring_a_successor_each_one_stays_outside(files: Site, clock: MovableClock) -> None:
    one, other = (node(files, *files.secrets.chains, successor(number=number)) for number in (1, 2))
    make_days(one)
    log_all(one)
    make_days(other)
    clock.set("2026-12-02T12:00:00")
    for each in (other, one, other):
        make_days(each)
    assert made(files)[FIRST] == successor(number=1).chain_id
    assert files.session.scalar(select(func.count()).select_from(ChainRow)) == 2
    with pytest.raises(StartRefused, match="lacks chain c9c9"):
        check_secrets(other)
    log_all(one)
    logged(one)


def test_the_second_node_is_told_that_there_is_a_successor(files: Site) -> None:
    """Its file is still the old one; only if the successor is lost, and has no day yet, another takes its place."""
    before = files.settings.chain_file.read_bytes()
    lost = chains.succeed(files, None, None)
    log_all(files)
    files.settings.chain_file.write_bytes(before)
    with pytest.raises(ChainRefused, match=r"copy the file .* If it is lost, name a first day from 2026-12-08 to 2026"):
        chains.succeed(files, None, None)
    with pytest.raises(ChainRefused, match=f"lacks chain {lost.chain_id.hex()}"):
        chains.succeed(files, None, FIRST + timedelta(days=1))
    chains.succeed(files, None, FIRST)
    check_secrets(node(files, *read_chains(files.settings.chain_file)))


def test_a_file_that_lost_its_successor_is_given_it_again(files: Site, clock: MovableClock) -> None:
    before = files.settings.chain_file.read_bytes()
    chains.succeed(files, successor(), None)
    clock.set("2026-12-02T12:00:00")
    make_days(node(files, *read_chains(files.settings.chain_file)))
    files.settings.chain_file.write_bytes(before)
    with pytest.raises(ChainRefused, match="is another one"):
        chains.succeed(files, Chain(successor().chain_id, FIRST, 40, 40, b"!" * 32), None)
    assert files.settings.chain_file.read_bytes() == before
    chains.succeed(files, successor().cut(3), None)
    again = node(files, *read_chains(files.settings.chain_file))
    check_secrets(again)
    with pytest.raises(ChainRefused, match="is there already: load a later link"):
        chains.succeed(again, successor(), None)


def test_a_chain_may_be_dropped_once_its_days_are_closed_and_no_sooner(files: Site, clock: MovableClock) -> None:
    chains.succeed(files, successor(), None)
    both = node(files, *read_chains(files.settings.chain_file))
    alone = node(files, successor())
    clock.set("2026-12-08T01:00:00")
    make_days(both)
    close_due_days(both)
    with pytest.raises(StartRefused, match="lacks chain 0001"):
        check_secrets(alone)
    clock.set("2026-12-08T02:00:00")
    close_due_days(both)
    check_secrets(alone)
    clock.set("2026-12-10T12:00:00")
    make_days(alone)
    close_due_days(alone)
    log_all(alone)
    assert check_closed_rounds(alone) == 4 * 10


def test_a_chain_with_another_secret_is_refused_beside_a_right_one(files: Site) -> None:
    chains.succeed(files, successor(), None)
    wrong = Chain(successor().chain_id, FIRST, 40, 40, b"!" * 32)
    for site in (node(files, *files.secrets.chains, wrong), node(files, wrong)):
        with pytest.raises(StartRefused, match="does not belong to this database"):
            check_secrets(site)
        with pytest.raises(StartRefused, match="does not belong to this database"):
            make_days(site)


def test_a_worker_that_does_not_lead_does_what_the_leader_lacks_the_secrets_for(
    files: Site, clock: MovableClock
) -> None:
    (chain,) = files.secrets.chains
    leader, other = Worker(node(files, chain.cut(8)), "leader"), Worker(files, "other")
    leader.tick()
    clock.forward(24 * 3600)
    leader.tick()
    assert max(made(files)) == LAST_MADE
    other.tick()
    assert max(made(files)) == FIRST


# What a node says whose chain does not reach


def test_a_node_without_the_link_says_why(mara: Api, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    (chain,) = site.secrets.chains
    monkeypatch.setitem(mara.app.extensions, "shutbox", node(site, chain.cut(7)))
    for method, path in (("POST", "/rounds/2026-11-30-classic/attempt"), ("GET", "/rounds/2026-11-30-classic-open")):
        answer = mara.request(method, path)
        assert (answer.status_code, answer.get_json()["code"]) == (503, "seed_unavailable")
        assert "ends on 2026-11-29: load a later one with shutbox chain load" in answer.get_json()["detail"]
    ready = mara.get("/readyz")
    assert (ready.status_code, ready.get_json()["code"]) == (503, "not_ready")
    assert "ends on 2026-11-29: load a later one with shutbox chain load" in ready.get_json()["detail"]


def test_readiness_says_that_no_chain_has_today(mara: Api, site: Site, clock: MovableClock) -> None:
    clock.set("2027-01-21T12:00:00")
    assert "is a worker running?" in mara.get("/readyz").get_json()["detail"]
    clock.set("2027-01-22T12:00:00")
    detail = mara.get("/readyz").get_json()["detail"]
    assert "the chain has ended on 2027-01-21: begin another with shutbox chain succeed" in detail


def test_readiness_says_that_the_successor_is_elsewhere(mara: Api, files: Site, clock: MovableClock) -> None:
    given = chains.succeed(files, None, None)
    clock.set("2026-12-08T12:00:00")
    assert f"was not given chain {given.chain_id.hex()}" in mara.get("/readyz").get_json()["detail"]


def test_a_worker_warns_once_a_day_when_days_run_out(
    site: Site, clock: MovableClock, caplog: pytest.LogCaptureFixture
) -> None:
    (chain,) = site.secrets.chains
    worker = Worker(node(site, chain.cut(8 + 14)), "one")

    def warnings() -> list[str]:
        return [record.getMessage() for record in caplog.records if "chain load" in record.getMessage()]

    worker.tick()
    assert warnings() == [], "fourteen days are left"
    clock.set("2026-12-01T12:00:00")
    worker.tick()
    worker.tick()
    (told,) = warnings()
    assert "can make 13 more days: the link that this node was given ends on 2026-12-14" in told
    clock.set("2026-12-15T12:00:00")
    worker.tick()
    assert "can make 0 more days" in warnings()[-1]
    assert len(warnings()) == 2
