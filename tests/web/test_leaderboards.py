"""GET /rounds/{id}/leaderboard: order, ties, pages, the rows around a player, filters, and Redis lost in between."""

import random
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from shutbox.boards import check, note_missed, rebuild, reconcile, stale_boards
from shutbox.leaderboards import place
from shutbox.ranking import Ranking, rank_key
from shutbox.rounds import enter, get_round
from shutbox.runs import accept
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import PlayerRow, RunRow
from sqlalchemy import select

from tests.conftest import MovableClock
from tests.players import Api, any_of, as_turns, legal_turns, table_of

Json = dict[str, Any]
ROUND = "2026-11-30-classic-open"
BOARD = f"/rounds/{ROUND}/leaderboard"


class Field:
    """Many players on one open round, each with a known result, and the same order by a sort in Python."""

    def __init__(self, site: Site, clock: MovableClock, api: Api) -> None:
        self.site, self.clock = site, clock
        self.lines = self._lines(api)
        self.best: dict[str, tuple[int, str]] = {}
        self.bots: set[str] = set()

    @staticmethod
    def _lines(api: Api) -> dict[int, list[Json]]:
        """Return one legal line for each penalty that was found."""
        seed = api.get(f"/rounds/{ROUND}").get_json()["seed"]
        rules, _ = table_of("classic", seed)
        lines: dict[int, list[Json]] = {}
        for number in range(400):
            turns = legal_turns("classic", seed, any_of(number))
            board = rules.opening
            for turn in turns:
                board ^= sum(1 << (tile - 1) for tile in turn["shut"])
            lines.setdefault(rules.penalties[board], turns)
        return lines

    def join(self, bot: bool = False) -> str:
        """Add a player the short way."""
        player_id = self.site.new_id()
        with writing(self.site.session):
            self.site.session.add(PlayerRow(player_id=player_id, bot=bot, created_at=self.clock()))
        if bot:
            self.bots.add(str(player_id))
        return str(player_id)

    def submit(self, player_id: str, penalty: int) -> None:
        """Store and place a run as the service does."""
        self.clock.forward(0.001)
        round = get_round(self.site, ROUND)
        owner = UUID(player_id)
        with writing(self.site.session):
            entry = enter(self.site, round, owner)
            row = accept(self.site, round, entry, as_turns(self.lines[penalty]))
        place(self.site, round, owner, row.run_id, row.rank_key)
        candidate = (penalty, str(row.run_id))
        self.best[player_id] = min(self.best.get(player_id, candidate), candidate)

    def expected(self, bots: bool | None = None) -> list[tuple[int, str]]:
        """Return (rank, player_id) in order."""
        rows = sorted(
            (best, player) for player, best in self.best.items() if bots is None or (player in self.bots) == bots
        )
        penalties = [penalty for (penalty, _), _ in rows]
        return [(1 + penalties.index(penalty), player) for (penalty, _), player in rows]


@pytest.fixture
def field(site: Site, clock: MovableClock, nobody: Api) -> Field:
    return Field(site, clock, nobody)


def shown(answer: Json) -> list[tuple[int, str]]:
    return [(row["rank"], row["player"]["player_id"]) for row in answer["items"]]


def walk(api: Api, query: str = "", limit: int = 50) -> Iterator[Json]:
    """Yield the pages from the top."""
    after = ""
    while True:
        answer = api.get(f"{BOARD}?limit={limit}{query}{after}").get_json()
        yield answer
        if answer["next"] is None:
            return
        after = f"&after={answer['next']}"


def test_nobody_on_the_board_yet(nobody: Api, mara: Api) -> None:
    assert nobody.get(BOARD).get_json() == {
        **{"round_id": ROUND, "state": "provisional", "gated": False, "total": 0},
        **{"items": [], "next": None, "previous": None},
    }
    assert mara.get(f"{BOARD}?around=me").get_json()["code"] == "not_ranked"
    assert nobody.get(f"{BOARD}?around=me").get_json()["code"] == "player_required"


@pytest.mark.parametrize("ranks", [[1, 2, 2, 4], [1, 2, 2, 2, 5], [1], [1, 1, 1]])
def test_equal_results_share_a_rank(field: Field, nobody: Api, ranks: list[int]) -> None:
    """Report 33."""
    penalties = sorted(field.lines)
    players = [field.join() for _ in ranks]
    for player, rank in zip(players, ranks, strict=True):
        field.submit(player, penalties[rank - 1])
    answer = nobody.get(BOARD).get_json()
    assert shown(answer) == list(zip(ranks, players, strict=True))
    assert answer["total"] == len(ranks)


def test_a_score_of_zero_is_ranked(mara: Api) -> None:
    """2 to go: a first roll of 1 and 3 loses everything."""
    seed = next(seed for seed in (f"{n:064x}" for n in range(500)) if table_of("two-to-go", seed)[1].rolls[0] == (1, 3))
    issued = mara.issue("two-to-go", seed=seed)
    run = mara.submit(issued["round_id"], [{"dice": 2, "shut": []}]).get_json()
    assert (run["score"], run["rank"], run["total"]) == (0, 1, 1)


def test_a_thousand_players_equal_a_sort_at_every_point_of_a_walk(field: Field, nobody: Api) -> None:
    """While others submit: nobody twice, nobody skipped who did not move, ranks as a sort has them at that moment."""
    dice = random.Random(1)
    penalties = sorted(field.lines)
    players = [field.join(bot=number % 7 == 0) for number in range(1000)]
    for player in players:
        field.submit(player, dice.choice(penalties))
    moved: set[str] = set()
    seen: list[str] = []
    after = ""
    while after is not None:
        answer = nobody.get(f"{BOARD}?limit=37{after and '&after=' + after}").get_json()
        expected = field.expected()
        rows = shown(answer)
        start = expected.index(rows[0])
        assert rows == expected[start : start + 37]
        assert answer["total"] == len(expected)
        seen += [player for _, player in rows]
        after = answer["next"]
        for player in dice.sample(players, 3):
            better = dice.choice(penalties)
            if better < field.best[player][0]:
                moved.add(player)
                field.submit(player, better)
        newcomer = field.join()
        moved.add(newcomer)
        field.submit(newcomer, dice.choice(penalties))
    assert len(seen) == len(set(seen))
    assert set(players) - set(seen) <= moved
    expected = field.expected()
    ids = [player for _, player in expected]
    for player in [*ids[:2], *ids[-2:], *dice.sample(ids, 10)]:
        rows = shown(nobody.get(f"{BOARD}?around={player}&limit=9").get_json())
        start = max(0, min(ids.index(player) - 4, len(ids) - 9))
        assert rows == expected[start : start + 9]
    for bots, name in ((False, "exclude"), (True, "only")):
        pages = [row for page in walk(nobody, f"&bots={name}", 200) for row in shown(page)]
        assert pages == field.expected(bots)


def test_pages_are_walked_backwards_over_the_same_rows(field: Field, nobody: Api) -> None:
    penalties = sorted(field.lines)
    for number in range(30):
        field.submit(field.join(), penalties[number % 3])
    pages = list(walk(nobody, limit=7))
    backwards = [pages[-1]]
    while backwards[-1]["previous"]:
        backwards.append(nobody.get(f"{BOARD}?limit=7&before={backwards[-1]['previous']}").get_json())
    forwards_rows = [row for page in pages for row in shown(page)]
    assert [row for page in backwards[::-1] for row in shown(page)] == forwards_rows == field.expected()
    assert pages[0]["previous"] is None


def test_around_a_player_inside_a_tie_of_200(field: Field, nobody: Api) -> None:
    """Report 34."""
    penalty = min(field.lines)
    for _ in range(200):
        field.submit(field.join(), penalty)
    expected = field.expected()
    middle = expected[117][1]
    rows = shown(nobody.get(f"{BOARD}?around={middle}&limit=11").get_json())
    assert rows == expected[112:123]
    assert {rank for rank, _ in rows} == {1}


def test_a_cursor_holds_when_its_own_run_has_left_the_board(field: Field, nobody: Api) -> None:
    penalties = sorted(field.lines)
    players = [field.join() for _ in range(10)]
    for player in players:
        field.submit(player, penalties[3])
    page = nobody.get(f"{BOARD}?limit=4").get_json()
    field.submit(players[3], penalties[0])
    following = nobody.get(f"{BOARD}?limit=4&after={page['next']}").get_json()
    assert [player for _, player in shown(following)] == players[4:8]
    assert shown(following)[0][0] == 2


@pytest.mark.parametrize("cursor", ["x", "AAAA", "=" * 8, "%00", "A" * 38, "é" * 20])
def test_a_cursor_that_is_none(nobody: Api, cursor: str) -> None:
    answer = nobody.get(f"{BOARD}?after={cursor}")
    assert (answer.status_code, answer.get_json()["code"]) == (422, "invalid_cursor")


def test_a_cursor_from_elsewhere(field: Field, nobody: Api) -> None:
    for _ in range(3):
        field.submit(field.join(), min(field.lines))
    cursor = nobody.get(f"{BOARD}?limit=1").get_json()["next"]
    for other in (f"{BOARD}?bots=exclude", "/rounds/2026-11-30-classic/leaderboard?limit=5"):
        answer = nobody.get(f"{other}&after={cursor}")
        assert answer.get_json()["code"] == "invalid_cursor"
    assert nobody.get(f"{BOARD}?before={cursor}").get_json()["items"] == []


def test_a_page_that_has_not_changed_is_304(field: Field, nobody: Api) -> None:
    field.submit(field.join(), min(field.lines))
    answer = nobody.get(BOARD)
    assert nobody.get(BOARD, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 304
    field.submit(field.join(), min(field.lines))
    assert nobody.get(BOARD, headers={"If-None-Match": answer.headers["ETag"]}).status_code == 200


class Away(Ranking):
    """Redis that does not answer."""

    def __init__(self, ranking: Ranking) -> None:
        super().__init__(ranking._client, "away")
        self._alone_until = float("inf")


def test_without_redis_everything_is_answered_from_sql(
    field: Field, site: Site, mara: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    penalties = sorted(field.lines)
    for number in range(25):
        field.submit(field.join(bot=number % 4 == 0), penalties[number % 3])
    asked = [BOARD, f"{BOARD}?limit=7", f"{BOARD}?around={field.expected()[11][1]}&limit=5", f"{BOARD}?bots=only"]
    with_redis = [mara.get(path).get_json() for path in asked]
    after = mara.get(f"{BOARD}?limit=7").get_json()["next"]
    asked.append(f"{BOARD}?limit=7&after={after}")
    with_redis.append(mara.get(asked[-1]).get_json())
    before = with_redis[-1]["previous"]
    asked.append(f"{BOARD}?limit=7&before={before}")
    with_redis.append(mara.get(asked[-1]).get_json())

    ranking = site.ranking
    away = Site(site.settings, site.secrets, site.session, Away(ranking), site.clock)
    monkeypatch.setitem(mara.app.extensions, "shutbox", away)
    assert [mara.get(path).get_json() for path in asked] == with_redis
    run = mara.submit(ROUND, field.lines[penalties[1]])
    assert run.status_code == 201
    assert (run.get_json()["rank"], run.get_json()["total"]) == (10, 26)

    monkeypatch.setitem(mara.app.extensions, "shutbox", site)
    site.session.rollback()
    assert stale_boards(site) == [ROUND]
    assert mara.get(f"{BOARD}?around=me").get_json()["total"] == 26, "a stale board is read from SQL"
    reconcile(site, stale_boards(site))
    site.session.rollback()
    assert stale_boards(site) == []
    assert check(site) == ([], 1)
    assert mara.get(f"{BOARD}?around=me&limit=1").get_json()["items"][0]["rank"] == 10


def test_redis_that_lost_everything_is_filled_again(field: Field, site: Site, nobody: Api) -> None:
    for number in range(12):
        field.submit(field.join(), sorted(field.lines)[number % 4])
    before = nobody.get(BOARD).get_json()
    site.ranking._client.flushall()
    assert nobody.get(BOARD).get_json() == before
    field.submit(field.join(), min(field.lines))
    assert shown(nobody.get(BOARD).get_json()) == field.expected()


def test_a_redis_that_came_back_without_its_last_placements_is_not_believed(
    field: Field, site: Site, nobody: Api
) -> None:
    """A server that was killed keeps the board and its mark, but the mark names the server that is gone."""
    for number in range(6):
        field.submit(field.join(), sorted(field.lines)[number % 4])
    client = site.ranking._client
    client.zremrangebyrank(site.ranking.keys(ROUND)[0], 0, 2)
    client.hset(site.ranking.keys(ROUND)[1], "", "0" * 40)
    assert shown(nobody.get(BOARD).get_json()) == field.expected()
    assert site.ranking.holds(ROUND)


def test_check_names_what_differs_and_rebuild_mends_it(field: Field, site: Site) -> None:
    players = [field.join() for _ in range(4)]
    for player in players:
        field.submit(player, min(field.lines))
    client, board = site.ranking._client, site.ranking.keys(ROUND)[0]
    runs: Any = client.zrange(board, 0, -1)
    client.zrem(board, runs[0])
    client.zadd(board, {runs[1]: 99.0, b"\0" * 16: 0.0})
    found, boards = check(site, patience=1)
    assert boards == 1
    assert len(found) == 3
    assert all(line.startswith(f"{ROUND}, place ") for line in found)
    rebuild(site, ROUND)
    assert check(site) == ([], 1)


def test_a_row_that_sql_does_not_know_is_never_shown_and_taken_off(field: Field, site: Site, nobody: Api) -> None:
    field.submit(field.join(), min(field.lines))
    ghost = site.new_id()
    site.ranking.place(ROUND, ghost, ghost, 0)
    for _ in range(2):
        answer = nobody.get(BOARD).get_json()
        assert (answer["total"], shown(answer)) == (1, field.expected())
    site.session.rollback()
    assert stale_boards(site) == [ROUND]
    reconcile(site, [ROUND])
    assert check(site) == ([], 1)
    assert nobody.get(BOARD).get_json()["total"] == 1


def test_a_board_of_which_redis_lost_one_key_is_not_believed(field: Field, site: Site, nobody: Api) -> None:
    for _ in range(3):
        field.submit(field.join(), min(field.lines))
    site.ranking._client.delete(site.ranking.keys(ROUND)[0])
    assert shown(nobody.get(BOARD).get_json()) == field.expected()


def test_what_was_missed_while_a_board_was_reconciled_is_not_forgotten(
    field: Field, site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    field.submit(field.join(), min(field.lines))
    note_missed(site, ROUND)
    merge = site.ranking.merge

    def merge_while_another_misses(*arguments: Any) -> None:
        merge(*arguments)
        note_missed(site, ROUND)

    monkeypatch.setattr(Ranking, "merge", lambda _, *arguments: merge_while_another_misses(*arguments))
    reconcile(site, [ROUND])
    monkeypatch.undo()
    site.session.rollback()
    assert stale_boards(site) == [ROUND]


def test_two_installations_share_a_redis(field: Field, site: Site, nobody: Api) -> None:
    field.submit(field.join(), min(field.lines))
    other = Ranking(site.ranking._client, "other")
    stranger = site.new_id()
    other.merge(ROUND, [(stranger, stranger, 0)])
    assert other.slice(ROUND, None, 5).total == 1
    assert shown(nobody.get(BOARD).get_json()) == field.expected()


def test_the_rank_key_is_exact_where_a_sorted_set_is() -> None:
    """The list of penalties is that of all subsets: 46 for classic; the greatest key stays below 2^53."""
    rules, _ = table_of("classic", "00" * 32)
    assert len(rules.distinct_penalties) == 46
    assert rank_key(rules, 0, 0) == 0
    assert rank_key(rules, 1, 5) == (1 << 40) + 5
    assert rank_key(rules, 45, 1 << 60) == (45 << 40) + (1 << 40) - 1
    digits, _ = table_of("digits", "00" * 32)
    assert rank_key(digits, max(digits.distinct_penalties), 1 << 60) < 1 << 53


def test_a_sealed_round_is_ranked_by_given_away_within_a_score(site: Site, nobody: Api) -> None:
    players = [nobody.join() for _ in range(12)]
    for number, player in enumerate(players):
        player.play_sealed("2026-11-30-classic", any_of(number))
    rows = players[0].get("/rounds/2026-11-30-classic/leaderboard").get_json()["items"]
    order = [(-row["score"], row["given_away_milli"], row["run_id"]) for row in rows]
    assert order == sorted(order)
    assert len({row["given_away_milli"] for row in rows}) > 1
    stored = site.session.scalars(select(RunRow.to_log).where(RunRow.round_id == "2026-11-30-classic")).all()
    assert stored == [True] * 12
