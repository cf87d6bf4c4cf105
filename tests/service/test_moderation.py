"""Moderation: a withdrawn run leaves the ranking, the log tells it, and every act is undone by another."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from uuid import UUID

import pytest
from flask import Flask
from shutbox import journal, moderation, receipts
from shutbox.audit import acts_about
from shutbox.boards import differences, reconcile, stale_boards
from shutbox.bundles import bundle, disclosure
from shutbox.days import close_due_days
from shutbox.errors import NotLogged, RunNotFound
from shutbox.journal import integrate
from shutbox.site import Site
from shutbox.store.rows import RunRow
from shutbox.tlog.leaves import CloseLeaf, Leaf, ReinstateLeaf, RunLeaf, WithdrawLeaf, WithdrawReason
from shutbox.worker import keep_boards
from sqlalchemy import false, select

from tests.conftest import Closer, MovableClock
from tests.journals import OPENED, SEALED, check_closed_rounds, end_log, fill, log_all, logged
from tests.players import Api, any_of, first, last, legal_turns

UNFAIR = WithdrawReason.UNFAIR_PLAY


def ranks(player: Api, round_id: str = SEALED) -> dict[str, int]:
    """Return the rank of each player on a leaderboard."""
    items = player.get(f"/rounds/{round_id}/leaderboard").get_json()["items"]
    return {item["player"]["player_id"]: item["rank"] for item in items}


def run_of(player: Api, choose: object = first) -> str:
    """Play the sealed classic; return the id of the run."""
    return str(player.play_sealed(SEALED, choose)["run_id"])  # type: ignore[arg-type]


def acts_in(leaves: list[Leaf]) -> list[WithdrawLeaf | ReinstateLeaf]:
    return [leaf for leaf in leaves if isinstance(leaf, WithdrawLeaf | ReinstateLeaf)]


def uuid(text: str) -> UUID:
    return UUID(text)


def close_day(clock: MovableClock, close_days: Closer, site: Site) -> None:
    clock.set("2026-12-01T02:00:00")
    close_days()
    log_all(site)


def test_a_withdrawn_run_is_not_ranked_and_ranks_close_up(mara: Api, finn: Api, site: Site) -> None:
    runs = {player.player_id: run_of(player, choose) for player, choose in ((mara, first), (finn, last))}
    before = ranks(mara)
    winner = min(before, key=lambda player_id: before[player_id])
    other = next(player_id for player_id in before if player_id != winner)
    assert moderation.withdraw(site, uuid(runs[winner]), UNFAIR, "two accounts")
    assert ranks(mara) == {other: 1}
    assert differences(site, SEALED) == []
    shown = mara.get(f"/runs/{runs[winner]}").get_json()
    assert (shown["ranked"], shown["rank"]) == (False, None)
    assert shown["withdrawn"] == {"reason": "unfair", "note": "two accounts", "at": shown["withdrawn"]["at"]}
    assert moderation.reinstate(site, uuid(runs[winner]), "")
    assert ranks(mara) == before
    assert mara.get(f"/runs/{runs[winner]}").get_json()["withdrawn"] is None


def test_an_act_is_done_once(mara: Api, site: Site) -> None:
    run_id = uuid(run_of(mara))
    assert not moderation.reinstate(site, run_id, "")
    assert moderation.withdraw(site, run_id, UNFAIR, "one")
    assert not moderation.withdraw(site, run_id, WithdrawReason.OTHER, "two")
    assert [(act.act, act.note) for act in acts_about(site, run_id)] == [("withdraw", "one")]


def test_the_log_tells_each_act_in_its_order_and_the_close_ranks_without_the_withdrawn(
    mara: Api, finn: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    one, two = uuid(run_of(mara)), uuid(run_of(finn, last))
    moderation.withdraw(site, one, UNFAIR, "before its RUN is logged")
    log_all(site)
    moderation.reinstate(site, one, "")
    moderation.withdraw(site, one, UNFAIR, "again, in the same millisecond")
    moderation.withdraw(site, two, WithdrawReason.PLAYER_ASKED, "")
    moderation.reinstate(site, two, "")
    close_day(clock, close_days, site)
    moderation.withdraw(site, two, WithdrawReason.OTHER, "after the close")
    moderation.reinstate(site, one, "after the close")
    published = list(bundle(site, disclosure(site, SEALED)))
    log_all(site)
    assert list(bundle(site, disclosure(site, SEALED))) == published
    leaves = logged(site)
    told = {run_id: [type(leaf) for leaf in acts_in(leaves) if leaf.run_id == run_id.bytes] for run_id in (one, two)}
    assert told == {
        one: [WithdrawLeaf, ReinstateLeaf, WithdrawLeaf, ReinstateLeaf],
        two: [WithdrawLeaf, ReinstateLeaf, WithdrawLeaf],
    }
    close = next(leaf for leaf in leaves if isinstance(leaf, CloseLeaf) and leaf.round_id == SEALED)
    assert close.ranked == 1
    assert acts_in(leaves[leaves.index(close) :]) == acts_in(leaves)[-2:]
    assert check_closed_rounds(site) == 4
    assert ranks(mara) == {mara.player_id: 1}


def test_an_open_run_is_logged_if_all_better_ones_are_withdrawn_and_stands_behind_their_withdrawal(
    mara: Api, site: Site, clock: MovableClock
) -> None:
    seed = mara.get(f"/rounds/{OPENED}").get_json()["seed"]
    lines = sorted(
        (legal_turns("classic", seed, any_of(number)) for number in range(40)),
        key=lambda turns: -sum(tile for turn in turns for tile in turn["shut"]),
    )
    best = mara.submit(OPENED, lines[0]).get_json()
    clock.forward(1)
    moderation.withdraw(site, uuid(best["run_id"]), WithdrawReason.OTHER, "")
    assert ranks(mara, OPENED) == {}
    clock.forward(1)
    worse = mara.submit(OPENED, lines[-1]).get_json()
    assert (worse["rank"], worse["total"]) == (1, 1)
    again = mara.submit(OPENED, lines[0])
    assert (again.status_code, again.get_json()["ranked"]) == (200, False)
    assert again.get_json()["withdrawn"]["reason"] == "other"
    log_all(site)
    leaves = [leaf for leaf in logged(site) if isinstance(leaf, RunLeaf | WithdrawLeaf)]
    assert [type(leaf) for leaf in leaves] == [RunLeaf, WithdrawLeaf, RunLeaf]
    assert differences(site, OPENED) == []


def test_a_successor_tells_the_acts_again_on_their_side_of_the_close(
    mara: Api, finn: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    one, two = uuid(run_of(mara)), uuid(run_of(finn, last))
    moderation.withdraw(site, one, UNFAIR, "")
    close_day(clock, close_days, site)
    moderation.reinstate(site, one, "")
    moderation.withdraw(site, two, UNFAIR, "")
    log_all(site)
    told = set(logged(site))
    follower, _ = end_log(site)
    for limit in (3, 1000):
        log_all(follower, limit)
    assert told <= set(logged(follower))
    assert check_closed_rounds(follower) == 4


def test_small_batches_lose_no_act(site: Site, clock: MovableClock, close_days: Closer) -> None:
    fill(site, 5, SEALED)
    runs = sorted(site.session.scalars(select(RunRow.run_id)))
    for run_id in runs[:4]:
        moderation.withdraw(site, run_id, UNFAIR, "")
    clock.set("2026-12-01T02:00:00")
    close_days()
    moderation.reinstate(site, runs[0], "")
    log_all(site, 2)
    assert len(acts_in(logged(site))) == 5
    assert check_closed_rounds(site) == 4


def test_practice_and_runs_that_are_not_logged_cannot_be_withdrawn(mara: Api, site: Site) -> None:
    round = mara.issue("classic", "open")
    run = mara.submit(round["round_id"], legal_turns("classic", round["seed"])).get_json()
    with pytest.raises(NotLogged, match="practice"):
        moderation.withdraw(site, uuid(run["run_id"]), UNFAIR, "")
    with pytest.raises(RunNotFound):
        moderation.withdraw(site, site.new_id(), UNFAIR, "")


def test_a_run_that_is_placed_after_its_withdrawal_leaves_the_board_again(
    mara: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    run_id = uuid(run_of(mara))
    close_day(clock, close_days, site)
    clock.forward(3600)
    moderation.withdraw(site, run_id, UNFAIR, "")
    key = site.session.get_one(RunRow, run_id).rank_key
    site.ranking.place(SEALED, uuid(mara.player_id), run_id, key)  # as a process does that was slow
    assert differences(site, SEALED)
    assert mara.get(f"/rounds/{SEALED}/leaderboard").get_json()["items"] == []  # Redis is not believed
    clock.forward(60)
    keep_boards(site)
    assert differences(site, SEALED) == []


def test_acts_while_a_day_closes_stand_on_one_side_of_the_close(app: Flask, site: Site, clock: MovableClock) -> None:
    fill(site, 6, SEALED)
    runs = list(site.session.scalars(select(RunRow.run_id)))
    site.session.rollback()
    clock.set("2026-12-01T02:00:00")
    begin = Barrier(len(runs) + 2)

    def act(run_id: UUID) -> None:
        with app.app_context():
            begin.wait()
            for _ in range(3):
                moderation.withdraw(site, run_id, UNFAIR, "")
                moderation.reinstate(site, run_id, "")
            moderation.withdraw(site, run_id, UNFAIR, "")

    def work(duty: Callable[[Site], object]) -> None:
        with app.app_context():
            begin.wait()
            for _ in range(4):
                duty(site)

    with ThreadPoolExecutor(len(runs) + 2) as pool:
        done = [pool.submit(act, run_id) for run_id in runs]
        done += [pool.submit(work, duty) for duty in (close_due_days, integrate)]
        for one in done:
            one.result()
    close_due_days(site)
    log_all(site)
    assert len(acts_in(logged(site))) == 7 * len(runs)
    assert check_closed_rounds(site) == 4
    reconcile(site, stale_boards(site))
    assert differences(site, SEALED) == []


def test_an_act_never_stands_before_its_run(mara: Api, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both can be committed between the two questions of one transaction: runs that wait, then acts that wait."""
    run_id = uuid(run_of(mara))
    moderation.withdraw(site, run_id, UNFAIR, "")
    everything = receipts.logged_runs
    monkeypatch.setattr(journal, "logged_runs", lambda: everything().where(false()))
    log_all(site)
    assert acts_in(logged(site)) == []
    monkeypatch.undo()
    log_all(site)
    assert [type(leaf) for leaf in acts_in(logged(site))] == [WithdrawLeaf]


def test_what_was_written_of_a_withdrawal_goes_with_its_player(
    mara: Api, nobody: Api, site: Site, clock: MovableClock, close_days: Closer
) -> None:
    run_id = run_of(mara)
    moderation.withdraw(site, uuid(run_id), UNFAIR, "Mara Smith used a solver")
    close_day(clock, close_days, site)
    assert nobody.get(f"/runs/{run_id}").get_json()["withdrawn"]["note"] == "Mara Smith used a solver"
    assert mara.delete("/players/me").status_code == 204
    told = nobody.get(f"/runs/{run_id}").get_json()["withdrawn"]
    assert (told["reason"], told["note"]) == ("unfair", "")
