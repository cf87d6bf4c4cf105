"""GET /leaderboards/{kind}: sums of closed days, ties, pages, and Redis lost or stale in between."""

import random
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from shutbox.cursors import Wanted
from shutbox.days import close_due_days, daily_round_id, make_days
from shutbox.game.replay import Turn
from shutbox.game.rulesets import CATALOGUE
from shutbox.game.runs import turn_bytes
from shutbox.period_boards import build_boards, page, season
from shutbox.periods import PeriodKind, period_at
from shutbox.rounds import Mode, enter, get_round
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import PlayerRow, RunRow, WithdrawalRow, WithdrawnRow

from tests.conftest import MovableClock
from tests.players import Api
from tests.web.test_leaderboards import Away

Json = dict[str, Any]
WEEK = "/leaderboards/week?of=2026-W49"
CLASSIC = CATALOGUE["classic"]


class Weeks:
    """Players with known results on daily rounds, and the sums by a loop in Python."""

    def __init__(self, site: Site, clock: MovableClock) -> None:
        self.site, self.clock = site, clock
        self.results: dict[str, dict[tuple[date, Mode], list[tuple[int, int]]]] = {}
        self.bots: set[str] = set()
        self.runs: dict[tuple[str, date], UUID] = {}
        self.stored = 0

    def join(self, bot: bool = False) -> str:
        """Add a player the short way."""
        self.clock.forward(0.001)  # ids follow the order in which players join
        player_id = self.site.new_id()
        with writing(self.site.session):
            self.site.session.add(PlayerRow(player_id=player_id, bot=bot, created_at=self.clock()))
        self.results[str(player_id)] = {}
        if bot:
            self.bots.add(str(player_id))
        return str(player_id)

    def finish(
        self,
        player_id: str,
        day: date,
        penalty: int,
        given_away: int = 0,
        mode: Mode = Mode.SEALED,
        logged: bool = True,
    ) -> None:
        """Store a run as the service does, but for the turns, which no leaderboard looks at."""
        self.clock.forward(0.001)
        round = get_round(self.site, daily_round_id(day, CLASSIC, mode))
        with writing(self.site.session):
            entry = enter(self.site, round, UUID(player_id))
            run_id = self.site.new_id()
            self.site.session.add(
                RunRow(
                    run_id=run_id,
                    entry_id=entry.entry_id,
                    round_id=round.round_id,
                    turns=turn_bytes([Turn(2, (9,))] * self._turns()),
                    open=0,
                    score=45 - penalty,
                    penalty=penalty,
                    given_away_milli=given_away if mode is Mode.SEALED else None,
                    rank_key=(penalty << 40) + given_away,
                    accepted_at=self.clock(),
                    salt=bytes(32),
                    to_log=logged,
                )
            )
        self.runs[player_id, day] = run_id
        if logged:
            self.results[player_id].setdefault((day, mode), []).append((45 - penalty, given_away))

    def _turns(self) -> int:
        """Return another number of turns each time, so that no two runs have the same."""
        self.stored += 1
        return 1 + self.stored % 30

    def close(self, moment: str) -> None:
        """Move the clock and close what is due, as a worker does."""
        self.clock.set(moment)
        make_days(self.site)
        close_due_days(self.site)

    def expected(self, first: date, last: date, mode: Mode = Mode.SEALED, bots: bool | None = None) -> list[Any]:
        """Return (rank, player_id, score, given away, days) in order."""
        rows = []
        for player, results in self.results.items():
            best = [
                max(runs, key=lambda run: (run[0], -run[1]))
                for (day, of_mode), runs in results.items()
                if first <= day <= last and of_mode is mode
            ]
            if best and (bots is None or (player in self.bots) == bots):
                given_away = sum(run[1] for run in best)
                rows.append((-sum(run[0] for run in best), given_away, player, len(best)))
        rows.sort()
        keys = [row[:2] for row in rows]
        return [
            (1 + keys.index(row[:2]), row[2], -row[0], row[1] if mode is Mode.SEALED else None, row[3]) for row in rows
        ]


@pytest.fixture
def weeks(site: Site, clock: MovableClock) -> Weeks:
    return Weeks(site, clock)


def shown(answer: Json) -> list[Any]:
    return [
        (row["rank"], row["player"]["player_id"], row["score"], row["given_away_milli"], row["days"])
        for row in answer["items"]
    ]


def walk(api: Api, path: str, limit: int) -> Iterator[Json]:
    after = ""
    while True:
        answer = api.get(f"{path}&limit={limit}{after}").get_json()
        yield answer
        if answer["next"] is None:
            return
        after = f"&after={answer['next']}"


MONDAY = date(2026, 11, 30)


def play_week(weeks: Weeks, days: int, players: int, seed: int = 1) -> None:
    """Have many players play some of the days, with few distinct results so that sums are equal now and then."""
    dice = random.Random(seed)
    for player in [weeks.join(bot=number % 5 == 0) for number in range(players)]:
        for ahead in range(days):
            if dice.random() < 0.8:
                day = MONDAY + timedelta(days=ahead)
                weeks.finish(player, day, dice.choice((0, 1, 2)), dice.choice((0, 500)))
                weeks.finish(player, day, dice.choice((5, 6)), mode=Mode.OPEN)
                weeks.finish(player, day, dice.choice((3, 4, 7)), mode=Mode.OPEN)


def test_nothing_of_a_day_is_summed_before_its_close(weeks: Weeks, nobody: Api) -> None:
    """Also at 00:30, when yesterday is not played any more but can still be finished."""
    player = weeks.join()
    weeks.finish(player, MONDAY, 3)
    paths = [WEEK, "/leaderboards/month?of=2026-11", "/leaderboards/all-time", f"{WEEK}&mode=open"]
    weeks.finish(player, MONDAY, 3, mode=Mode.OPEN)
    for moment in ("2026-11-30T23:00:00", "2026-12-01T00:30:00", "2026-12-01T01:59:00"):
        weeks.close(moment)
        for path in paths:
            answer = nobody.get(path).get_json()
            assert (answer["items"], answer["total"], answer["until"], answer["state"]) == ([], 0, None, "provisional")
            assert nobody.get(path, query_string={"format": "csv"} if "?" not in path else None).status_code == 200
    weeks.close("2026-12-01T02:00:00")
    for path in paths:
        answer = nobody.get(path).get_json()
        assert (answer["total"], answer["until"], answer["items"][0]["score"]) == (1, "2026-11-30", 42)
    assert nobody.get("/leaderboards/month?of=2026-11").get_json()["state"] == "final"
    assert nobody.get(WEEK).get_json()["state"] == "provisional"


@pytest.mark.parametrize("ranks", [[1, 2, 2, 4], [1, 2, 2, 2, 5]])
def test_equal_sums_share_a_rank(weeks: Weeks, nobody: Api, ranks: list[int]) -> None:
    """Report 33."""
    players = [weeks.join() for _ in ranks]
    for player, rank in zip(players, ranks, strict=True):
        weeks.finish(player, MONDAY, rank)
    weeks.close("2026-12-01T03:00:00")
    assert [row[:2] for row in shown(nobody.get(WEEK).get_json())] == list(zip(ranks, players, strict=True))
    lines = nobody.get(f"{WEEK}&format=csv").text.splitlines()
    assert [line.split(",")[:2] for line in lines[1:]] == [
        [str(rank), player] for rank, player in zip(ranks, players, strict=True)
    ]


def test_a_week_equals_its_sums_with_redis_and_without(weeks: Weeks, site: Site, nobody: Api) -> None:
    play_week(weeks, days=4, players=60)
    weeks.close("2026-12-03T02:30:00")  # three days have closed, the fourth runs
    last = MONDAY + timedelta(days=2)
    for mode in Mode:
        path = f"{WEEK}&mode={mode}"
        expected = weeks.expected(MONDAY, last, mode)
        pages = list(walk(nobody, path, 7))
        assert [row for part in pages for row in shown(part)] == expected
        assert {part["total"] for part in pages} == {len(expected)}
        backwards = [pages[-1]]
        while backwards[-1]["previous"]:
            backwards.append(nobody.get(f"{path}&limit=7&before={backwards[-1]['previous']}").get_json())
        assert [row for part in backwards[::-1] for row in shown(part)] == expected
        for bots, name in ((False, "exclude"), (True, "only")):
            filtered = [row for part in walk(nobody, f"{path}&bots={name}", 50) for row in shown(part)]
            assert filtered == weeks.expected(MONDAY, last, mode, bots)
        found = season(site, period_at(PeriodKind.WEEK, MONDAY), "classic", mode)
        away = Site(site.settings, site.secrets, site.session, Away(site.ranking), site.clock)
        for wanted in (Wanted(5), Wanted(9, around=UUID(expected[20][1])), Wanted(7, after=pages[2]["next"])):
            assert page(site, found, None, wanted) == page(away, found, None, wanted)
    assert [key for key in site.ranking._client.scan_iter("*week*")], "the boards are in Redis"


def test_a_closed_week_does_not_change_when_the_next_days_close(weeks: Weeks, site: Site, nobody: Api) -> None:
    play_week(weeks, days=7, players=12)
    weeks.close("2026-12-07T02:00:01")
    before = nobody.get(WEEK).get_json()
    assert before["state"] == "final"
    weeks.finish(weeks.join(), date(2026, 12, 7), 0)
    weeks.close("2026-12-09T03:00:00")
    assert nobody.get(WEEK).get_json() == before
    site.ranking._client.flushall()
    assert nobody.get(WEEK).get_json() == before
    assert nobody.get("/leaderboards/week").get_json()["total"] == 1


def test_a_run_that_is_withdrawn_leaves_the_sums_and_comes_back_when_it_is_reinstated(
    weeks: Weeks, site: Site, nobody: Api
) -> None:
    first, second = weeks.join(), weeks.join()
    weeks.finish(first, MONDAY, 0)
    weeks.finish(second, MONDAY, 1)
    weeks.close("2026-12-01T03:00:00")
    before = nobody.get(WEEK).get_json()
    run_id = weeks.runs[first, MONDAY]
    with writing(site.session):
        site.session.add(_act(site, run_id, reason=1))
        site.session.add(WithdrawnRow(run_id=run_id))
    assert [row[:3] for row in shown(nobody.get(WEEK).get_json())] == [(1, second, 44)]
    with writing(site.session):
        site.session.add(_act(site, run_id, reason=None))
        site.session.delete(site.session.get_one(WithdrawnRow, run_id))
    assert nobody.get(WEEK).get_json() == before


def _act(site: Site, run_id: UUID, reason: int | None) -> WithdrawalRow:
    return WithdrawalRow(
        withdrawal_id=site.new_id(), run_id=run_id, reason=reason, note="", at=site.clock(), after_close=True
    )


def test_of_an_open_round_the_best_logged_run_counts(weeks: Weeks, nobody: Api) -> None:
    player = weeks.join()
    weeks.finish(player, MONDAY, 9, mode=Mode.OPEN)
    weeks.finish(player, MONDAY, 4, mode=Mode.OPEN)
    weeks.finish(player, MONDAY, 4, mode=Mode.OPEN, logged=False)
    weeks.close("2026-12-01T03:00:00")
    assert shown(nobody.get(f"{WEEK}&mode=open").get_json()) == [(1, player, 41, None, 1)]


def test_the_rows_around_a_player(weeks: Weeks, nobody: Api, mara: Api) -> None:
    """Report 34. First, last, inside a tie of 200, alone, not ranked, and nobody."""
    players = [weeks.join() for _ in range(202)]
    for number, player in enumerate(players):
        weeks.finish(player, MONDAY, 0 if number == 0 else 9 if number == 201 else 5)
    weeks.finish(players[0], MONDAY, 5, mode=Mode.OPEN)
    weeks.close("2026-12-01T03:00:00")
    expected = weeks.expected(MONDAY, MONDAY)
    for place in (0, 117, 201):
        answer = nobody.get(f"{WEEK}&around={expected[place][1]}&limit=11").get_json()
        start = max(0, min(place - 5, 191))
        assert shown(answer) == expected[start : start + 11]
    assert len(nobody.get(f"{WEEK}&mode=open&around={players[0]}").get_json()["items"]) == 1
    assert mara.get(f"{WEEK}&around=me").get_json()["code"] == "not_ranked"
    assert nobody.get(f"{WEEK}&around=me").get_json()["code"] == "player_required"


def test_a_board_that_holds_what_sql_does_not_say_is_not_shown(weeks: Weeks, site: Site, nobody: Api) -> None:
    """A ghost, a key that was changed, a board that lost its mark, and one made for an earlier state."""
    for penalty in range(4):
        weeks.finish(weeks.join(), MONDAY, penalty)
    weeks.close("2026-12-01T03:00:00")
    before = nobody.get(WEEK).get_json()
    client = site.ranking._client
    board: bytes = next(iter(client.scan_iter("*week/2026-W49/classic/sealed/*:board")))
    member: Any = client.zrange(board, 2, 2)
    client.zadd(board, {member[0]: -(1 << 50)})
    assert nobody.get(WEEK).get_json() == before
    build_boards(site)
    ghost = bytes(16)
    client.zadd(board, {ghost: -(1 << 52)})
    client.hset(board.replace(b":board", b":players"), ghost, ghost)
    assert nobody.get(WEEK).get_json() == before
    build_boards(site)
    client.hdel(board.replace(b":board", b":players"), "")
    assert nobody.get(WEEK).get_json() == before
    weeks.finish(weeks.join(), date(2026, 12, 1), 0)
    weeks.close("2026-12-02T03:00:00")
    assert nobody.get(WEEK).get_json()["total"] == 5


def test_the_worker_makes_the_boards_and_they_end_by_themselves(weeks: Weeks, site: Site, nobody: Api) -> None:
    weeks.finish(weeks.join(), MONDAY, 0)
    weeks.close("2026-12-01T03:00:00")
    build_boards(site)
    client = site.ranking._client
    for kind in ("week/2026-W49", "month/2026-11", "all-time/all"):
        keys = list(client.scan_iter(f"*{kind}/classic/sealed/2026-11-30/0*"))
        assert len(keys) == 2
        assert all(0 < int(client.ttl(key)) <= 3 * 24 * 3600 for key in keys)
    made = set(client.scan_iter("*"))
    assert nobody.get(WEEK).get_json()["total"] == 1
    assert set(client.scan_iter("*")) == made


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("week?of=2026-W54", 422, "invalid_request"),
        ("week?of=2026-11", 422, "invalid_request"),
        ("month?of=2026-13", 422, "invalid_request"),
        ("month?of=2026-02-30", 422, "invalid_request"),
        ("all-time?of=x", 422, "invalid_request"),
        ("week?of=2026-W50", 404, "period_not_found"),
        ("month?of=2026-10-31", 404, "period_not_found"),
        ("day", 404, "period_not_found"),
        ("year", 404, "period_not_found"),
        ("week?ruleset=digits", 422, "not_summed"),
        ("week?ruleset=nope", 404, "ruleset_not_found"),
        ("week?mode=half", 422, "invalid_request"),
        ("week?format=xml", 422, "invalid_request"),
        ("week?after=x", 422, "invalid_cursor"),
        ("week?league=AAAAA-AAAAA", 404, "league_not_found"),
    ],
)
def test_a_period_that_there_is_not(nobody: Api, path: str, status: int, code: str) -> None:
    answer = nobody.get(f"/leaderboards/{path}")
    assert (answer.status_code, answer.get_json()["code"]) == (status, code)


def test_a_period_says_what_it_is_and_any_date_in_it_finds_it(weeks: Weeks, nobody: Api) -> None:
    weeks.close("2026-12-02T03:00:00")
    by_id = nobody.get(WEEK).get_json()
    assert {**by_id, "items": None} == {
        **{
            "period": "2026-W49",
            "from": "2026-11-30",
            "to": "2026-12-06",
            "until": "2026-12-01",
            "state": "provisional",
        },
        **{"ruleset": "classic", "mode": "sealed", "total": 0, "items": None, "next": None, "previous": None},
    }
    assert nobody.get("/leaderboards/week").get_json() == by_id
    assert nobody.get("/leaderboards/week?of=2026-12-05").get_json() == by_id
    month = nobody.get("/leaderboards/month?of=2026-11-30").get_json()
    assert (month["period"], month["from"], month["to"], month["state"]) == (
        "2026-11",
        "2026-11-30",
        "2026-11-30",
        "final",
    )
    everything = nobody.get("/leaderboards/all-time").get_json()
    assert (everything["period"], everything["from"], everything["to"]) == ("all", "2026-11-30", None)


def test_a_page_of_a_period_that_has_not_changed_is_304(weeks: Weeks, nobody: Api, mara: Api) -> None:
    """A name that changes is a change."""
    weeks.results[mara.player_id] = {}
    weeks.finish(mara.player_id, MONDAY, 2)
    weeks.close("2026-12-01T03:00:00")
    answer = nobody.get(WEEK)
    again = {"If-None-Match": answer.headers["ETag"]}
    assert nobody.get(WEEK, headers=again).status_code == 304
    mara.patch("/players/me", {"name": "Another"})
    assert nobody.get(WEEK, headers=again).status_code == 200
