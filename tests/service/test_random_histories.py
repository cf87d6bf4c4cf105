"""Whatever happens, in whatever order, every board is what follows from the rows alone, and the log proves it.

What the tests of single acts cannot see: acts that meet, a Redis that is lost or away in between, and days that close.
"""

import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date
from typing import Any
from uuid import UUID

import pytest
from shutbox import boards, leaderboards, moderation, period_boards, worker
from shutbox.attempts import make_move, start_attempt
from shutbox.cursors import Wanted
from shutbox.days import close_due_days, last_closed_day, make_days
from shutbox.errors import NameTaken, PlayerBanned, RoundClosed
from shutbox.game.play import DiceChoice, ShutChoice
from shutbox.game.rulesets import BY_HASH, Scoring
from shutbox.journal import check_log, integrate
from shutbox.leagues import create_league, join, remove_member
from shutbox.periods import PeriodKind, period_at
from shutbox.players import Player, change_player, create_player
from shutbox.privacy import delete_player
from shutbox.ranking import Ranking, RankingUnavailable
from shutbox.rounds import Mode, State, get_round, issue_practice, seed_of
from shutbox.runs import get_run, submit
from shutbox.site import Site
from shutbox.tlog.leaves import WithdrawReason

from tests.conftest import MovableClock
from tests.journals import check_closed_rounds, end_log, log_all
from tests.players import any_of, as_turns, legal_turns
from tests.service.oracle import Filter, Truth

STEPS = 50
POLICIES = 6  # few ways to play, so that there are ties


class History:
    """A world in which random things happen."""

    def __init__(self, site: Site, clock: MovableClock, seed: int) -> None:
        self.site, self.clock, self.random = site, clock, random.Random(seed)
        self.here = site  # as one process sees it: without Redis while that is away
        self.players: list[Player] = []
        self.practice: list[str] = []
        self.leagues: list[tuple[UUID, str]] = []
        self.day = date(2026, 11, 30)
        self.joined = 0
        for _ in range(4):
            self.join()

    def step(self) -> None:
        """Let one thing happen, and some time pass."""
        likely: list[tuple[int, Callable[[], None]]] = [
            (8, self.submit), (8, self.play), (2, self.join), (7, self.withdraw), (4, self.reinstate), (2, self.mark),
            (1, self.ban), (1, self.rename), (1, self.delete), (2, self.league), (2, self.lose_redis), (2, self.part),
            (2, self.work), (1, self.rebuild), (3, self.log), (2, self.close),
        ]  # fmt: skip
        (act,) = self.random.choices([act for _, act in likely], [weight for weight, _ in likely])
        act()
        self.clock.forward(self.random.choice((0, 0.001, 0.002, 1, 700)))

    def rounds(self) -> list[str]:
        """Return the rounds of the days that have begun."""
        truth = Truth(self.site)
        begun = [row.round_id for row in truth.rounds.values() if row.day is not None and row.day <= self.day]
        return sorted(begun) + [round_id for round_id in self.practice if round_id in truth.rounds]

    def any_round(self, mode: Mode) -> str:
        fitting = [round_id for round_id in self.rounds() if get_round(self.site, round_id).mode is mode]
        running = [round_id for round_id in fitting if get_round(self.site, round_id).state is State.OPEN]
        return self.random.choice(running)

    def run_id(self, withdrawn: bool) -> UUID | None:
        truth = Truth(self.site)
        found = sorted(
            run.run_id for run in truth.runs.values() if run.to_log and (run.run_id in truth.withdrawn) == withdrawn
        )
        return self.random.choice(found) if found else None

    # What happens

    def join(self) -> None:
        self.joined += 1
        name = self.random.choice((None, f"Player {self.joined}"))
        self.players.append(create_player(self.site, name, bot=self.random.random() < 0.3)[0])

    def submit(self) -> None:
        if self.random.random() < 0.2:
            owner = self.random.choice(self.players)
            self.practice.append(issue_practice(self.site, owner.player_id, "classic", Mode.OPEN, None, None).round_id)
        round = get_round(self.site, self.any_round(Mode.OPEN))
        policy = any_of(self.random.randrange(POLICIES))
        turns = as_turns(legal_turns(round.ruleset.id, seed_of(self.site, round).hex(), policy))
        with suppress(PlayerBanned):
            submit(self.here, self.random.choice(self.players), round.round_id, turns)

    def play(self) -> None:
        """Begin or go on with a sealed round, up to its end or not."""
        player_id, round_id = self.random.choice(self.players).player_id, self.any_round(Mode.SEALED)
        policy = any_of(self.random.randrange(POLICIES))
        with suppress(PlayerBanned, RoundClosed):
            attempt, _ = start_attempt(self.here, player_id, round_id)
            while attempt.state.startswith("choose") and self.random.random() < 0.98:
                choice = (
                    DiceChoice(policy(list(attempt.dice_allowed)))
                    if attempt.state == "choose_dice"
                    else ShutChoice(policy(list(attempt.legal)))
                )
                attempt = make_move(self.here, player_id, attempt.attempt_id, attempt.move, choice)

    def withdraw(self) -> None:
        run_id = self.run_id(withdrawn=False)
        if run_id is not None:
            assert moderation.withdraw(self.here, run_id, self.random.choice(list(WithdrawReason)), "")

    def reinstate(self) -> None:
        run_id = self.run_id(withdrawn=True)
        if run_id is not None:
            assert moderation.reinstate(self.here, run_id, "")

    def mark(self) -> None:
        act = self.random.choice((moderation.hide, moderation.unhide, moderation.unban))
        act(self.here, self.random.choice(self.players).player_id, "")

    def ban(self) -> None:
        player_id = self.random.choice(self.players).player_id
        moderation.ban(self.here, player_id, "")
        if self.random.random() < 0.5:
            moderation.withdraw_all(self.here, player_id, WithdrawReason.UNFAIR_PLAY, "")

    def rename(self) -> None:
        player_id, name = self.random.choice(self.players).player_id, f"Name {self.random.randrange(9)}"
        with suppress(NameTaken):
            if self.random.random() < 0.5:
                moderation.rename(self.here, player_id, name)
            else:
                change_player(self.here, player_id, {"name": name, "bot": self.random.random() < 0.3})

    def delete(self) -> None:
        if len(self.players) > 3:
            player = self.players.pop(self.random.randrange(len(self.players)))
            delete_player(self.here, player.player_id)

    def league(self) -> None:
        player_id = self.random.choice(self.players).player_id
        if len(self.leagues) < 2:
            made = create_league(self.site, player_id, "League", None)
            self.leagues.append((made.league_id, made.code or ""))
            return
        _, code = self.random.choice(self.leagues)
        with suppress(Exception):
            if self.random.random() < 0.7:
                join(self.site, code, player_id)
            else:
                remove_member(self.site, code, player_id, player_id)

    def lose_redis(self) -> None:
        """Redis forgets everything, or half of one board."""
        client: Any = self.site.ranking._client
        keys = sorted(client.keys())
        if self.random.random() < 0.5 or not keys:
            client.flushall()
        else:
            client.delete(self.random.choice(keys))

    def part(self) -> None:
        """Redis goes away for a process, or comes back."""
        if self.here is self.site:
            self.here = replace(self.site, ranking=Ranking.at("redis://127.0.0.1:9/0", "away"))
        else:
            self.here = self.site

    def work(self) -> None:
        with suppress(RankingUnavailable):
            boards.reconcile(self.here, boards.stale_boards(self.here))
            worker.keep_boards(self.here)

    def rebuild(self) -> None:
        boards.rebuild(self.site, self.random.choice(self.rounds()))

    def log(self) -> None:
        integrate(self.here, self.random.choice((2, 5, 1000)))

    def close(self) -> None:
        """Let a day end and close, and the next one begin; sometimes it closes only later."""
        self.day = date.fromordinal(self.day.toordinal() + 1)
        self.clock.set(f"{self.day}T0{self.random.choice((0, 2))}:30:00")
        make_days(self.site)
        close_due_days(self.site)

    # What holds

    def check(self) -> None:
        """Compare every board, under every filter, with what follows from the rows."""
        truth = Truth(self.site)
        filters = [Filter(bots=True), Filter(bots=False), *(Filter(None, id) for id, _ in self.leagues)]
        for round_id in self.rounds():
            may_be_seen, viewer_id = self.viewer(truth, round_id)
            for only in (Filter(), self.random.choice(filters)) if may_be_seen else ():
                shown = self.shown_round(round_id, only, viewer_id)
                assert shown == truth.round_board(round_id, only, viewer_id), (round_id, only)
            if self.site.ranking.holds(round_id) and not get_round(self.site, round_id).ranking_stale:
                assert boards.differences(self.site, round_id) == []
        closed = last_closed_day(self.site)
        if closed is not None:
            self.check_periods(truth, filters, closed)

    def viewer(self, truth: Truth, round_id: str) -> tuple[bool, UUID | None]:
        """Return whether anyone may see a leaderboard yet, and who."""
        round = get_round(self.site, round_id)
        if round.mode is Mode.OPEN or round.state is State.CLOSED:
            return True, None
        finished = sorted(truth.player_of[run.entry_id] for run in truth.runs.values() if run.round_id == round_id)
        return bool(finished), finished[0] if finished else None

    def shown_round(self, round_id: str, only: Filter, viewer_id: UUID | None) -> list[tuple[Any, ...]]:
        """Return the rows of all pages."""
        rows: list[tuple[Any, ...]] = []
        after: str | None = None
        while True:
            wanted = Wanted(self.random.choice((2, 5, 50)), after, bots=only.bots, league_id=only.league_id)
            page = leaderboards.page(self.here, round_id, viewer_id, wanted)
            for row in page.rows:
                told = (row.score, row.penalty, row.given_away_milli)
                rows.append((row.rank, row.player.player_id, row.player.name, row.run_id, *told))
            if page.next is None:
                assert page.total == len(rows)
                return rows
            after = page.next

    def check_periods(self, truth: Truth, filters: list[Filter], closed: date) -> None:
        kinds = {(row.ruleset_hash, row.mode) for row in truth.rounds.values() if row.day and row.day <= self.day}
        for ruleset_hash, mode in sorted(kinds):
            ruleset = BY_HASH[ruleset_hash]
            if ruleset.scoring is Scoring.DIGITS:
                continue
            kind = self.random.choice((PeriodKind.WEEK, PeriodKind.MONTH, PeriodKind.ALL_TIME))
            only = self.random.choice((Filter(), Filter(), *filters))
            season = period_boards.season(self.here, period_at(kind, closed), ruleset.id, Mode(mode))
            first, last = max(season.period.first, date(2026, 11, 30)), min(season.period.last, closed)
            asked = Wanted(200, bots=only.bots, league_id=only.league_id)
            rows = [
                (row.rank, row.player.player_id, row.player.name, row.score, row.given_away_milli, row.days)
                for row in period_boards.page(self.here, season, None, asked).rows
            ]
            assert rows == truth.period_board(ruleset_hash, mode, first, last, only), (season, only)


@pytest.mark.parametrize("seed", range(2))
def test_every_board_equals_a_fresh_computation_whatever_happens(site: Site, clock: MovableClock, seed: int) -> None:
    history = History(site, clock, seed)
    for number in range(STEPS):
        history.step()
        if number % 10 == 9:
            history.check()
    history.close()
    history.here = site
    history.work()
    clock.set(f"{history.day}T03:00:00")
    close_due_days(site)
    history.check()
    log_all(site, history.random.choice((7, 1000)))
    closed = check_closed_rounds(site)
    assert closed >= 4
    for act in (history.withdraw, history.reinstate):  # of closed days, which periods sum
        for _ in range(3):
            act()
        history.check()
    log_all(site)
    assert check_closed_rounds(site) == closed
    follower, _ = end_log(site)
    log_all(follower, 11)
    assert check_closed_rounds(follower) == closed
    check_log(follower)
    truth = Truth(site)
    for run_id in truth.withdrawn:
        assert get_run(site, run_id, None).rank is None
