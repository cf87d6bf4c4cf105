"""Leaderboards of periods: the sums of closed days, from boards in Redis that are made for one state of SQL each.

A board in Redis is named after what it was made from: the last day that it counts, and how often a run of its days was
withdrawn or reinstated. So none is ever changed: a day that closes leads to another board, and the old one ends by
itself. Nothing is counted of a day that has not closed.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from sqlalchemy import func, select

from .cursors import Wanted, behind_tie, mark_of, neighbours, place_behind, where
from .days import last_closed_day, rulesets_of, today
from .errors import NotRanked, NotSummed, PeriodNotFound, RulesetNotFound
from .game.rulesets import CATALOGUE, Ruleset, Scoring
from .periods import Period, PeriodKind, period_at
from .players import Player, player_from
from .ranking import BoardMissing, Ranked, RankingUnavailable, Slice, Where
from .rounds import Mode
from .site import Site
from .slices import all_parts, slice_of_sql
from .store.database import streamed
from .store.queries import best_runs
from .store.rows import DayRow
from .store.totals import PeriodBoard, period_sums, withdrawal_acts

KEPT_SECONDS = 3 * 24 * 3600  # how long a board stays in Redis; it is made again when it is asked for
SUMMED = (PeriodKind.WEEK, PeriodKind.MONTH, PeriodKind.ALL_TIME)


@dataclass(frozen=True, slots=True)
class PeriodRow:
    """A player's sums. `given_away_milli` is None for open rounds; `days` is how many of the days were played."""

    rank: int
    player: Player
    score: int
    given_away_milli: int | None
    days: int


@dataclass(frozen=True, slots=True)
class Season:
    """A period of the daily rounds of one ruleset and mode, as far as its days have closed."""

    period: Period
    ruleset: Ruleset
    mode: Mode
    first: date  # the first of its days that was made
    until: date | None  # the last of its days that has closed
    has_earlier: bool  # days were played before it
    has_later: bool  # days have begun after it

    @property
    def final(self) -> bool:
        """Whether every day has closed."""
        return self.until == self.period.last

    @property
    def closed_days(self) -> int:
        """How many days are counted."""
        return 0 if self.until is None else (self.until - self.first).days + 1


@dataclass(frozen=True, slots=True)
class PeriodPage:
    """A part of a period's leaderboard. What `tied`, `last_tied` and `behind_tie` are: see leaderboards.Page."""

    season: Season
    total: int
    rows: list[PeriodRow]
    next: str | None
    previous: str | None
    tied: int
    last_tied: int
    behind_tie: str | None


def season(site: Site, period: Period, ruleset_id: str, mode: Mode) -> Season:
    """Return a period as it stands now. Raises RulesetNotFound, NotSummed, and PeriodNotFound for one without days."""
    ruleset = CATALOGUE.get(ruleset_id)
    if ruleset is None:
        raise RulesetNotFound(f"there is no ruleset {ruleset_id[:80]!r}; there are: {', '.join(CATALOGUE)}")
    if ruleset.scoring is Scoring.DIGITS:
        raise NotSummed(f"scores of {ruleset_id} are no sums of tiles, so days of it are not added up")
    oldest, closed = site.session.scalar(select(func.min(DayRow.day))), last_closed_day(site)
    now = max(today(site), closed or date.min)  # a clock that steps back takes back no closed day
    if oldest is None or period.first > now or period.last < oldest:
        raise PeriodNotFound(f"there are no days in {period.id}: days are there from the first start until today")
    first = max(period.first, oldest)
    until = None if closed is None or closed < first else min(closed, period.last)
    return Season(period, ruleset, mode, first, until, period.first > oldest, period.last < now)


def page(site: Site, season: Season, viewer_id: UUID | None, wanted: Wanted) -> PeriodPage:
    """Return a part of a period's leaderboard. Raises InvalidCursor, and NotRanked for rows around one who has none."""
    mark = mark_of(_board_id(season), wanted)
    asked = where(mark, wanted)
    board = _board(season, wanted)
    found, rows = (
        (Slice(0, 0, 0, 0, []), []) if board is None else _found(site, season, board, viewer_id, asked, wanted.limit)
    )
    if wanted.around is not None and not rows:
        raise NotRanked("the player has no result on this leaderboard")
    following, previous = neighbours(mark, asked, found)
    behind = behind_tie(mark, found.rows[0].rank_key) if found.rows else None
    return PeriodPage(season, found.total, rows, following, previous, found.tied, found.last_tied, behind)


def all_rows(site: Site, season: Season, viewer_id: UUID | None, wanted: Wanted) -> Iterator[PeriodRow]:
    """Yield all rows of a period's leaderboard, or all behind a cursor, without a transaction: see slices.all_parts.

    Raises InvalidCursor at once.
    """
    behind = place_behind(mark_of(_board_id(season), wanted), wanted)
    board = _board(season, wanted)
    if board is None:
        return iter(())

    def of_redis(asked: Where, limit: int) -> tuple[Slice, list[PeriodRow]]:
        return _of_redis(site, season, board, viewer_id, asked, limit)

    parts = all_parts(site.session, board, behind, of_redis, lambda ranked: _rows(site, board, viewer_id, ranked))
    return streamed(site.session, parts)


def build_boards(site: Site) -> None:
    """Make the boards of the periods that the last closed day lies in, where they are missing, so that no reader waits.

    Raises RankingUnavailable.
    """
    day = last_closed_day(site)
    if day is None:
        return
    for ruleset in rulesets_of(site, day):
        if ruleset.scoring is Scoring.DIGITS:
            continue
        for mode in Mode:
            for kind in SUMMED:
                found = season(site, period_at(kind, day), ruleset.id, mode)
                board = _board(found, Wanted())
                if board is not None and not site.ranking.holds(_name(site, found, board)):
                    _build(site, found, board)


def _board(season: Season, wanted: Wanted) -> PeriodBoard | None:
    """Return what is summed; None before the first close."""
    if season.until is None:
        return None
    return PeriodBoard(season.mode, season.ruleset.hash, season.first, season.until, wanted.bots, wanted.league_id)


def _board_id(season: Season) -> str:
    return f"{season.period.kind}/{season.period.id}/{season.ruleset.id}/{season.mode}"


def _name(site: Site, season: Season, board: PeriodBoard) -> str:
    """Return the name of a board in Redis, which says what SQL it is a view of."""
    return f"{_board_id(season)}/{board.last.isoformat()}/{withdrawal_acts(site.session, board)}"


def _found(
    site: Site, season: Season, board: PeriodBoard, viewer_id: UUID | None, asked: Where, limit: int
) -> tuple[Slice, list[PeriodRow]]:
    """Return a slice and its rows."""
    try:
        return _of_redis(site, season, board, viewer_id, asked, limit)
    except RankingUnavailable:  # the same from SQL
        found = slice_of_sql(site.session, board, asked, limit)
        return found, _rows(site, board, viewer_id, found.rows)


def _of_redis(
    site: Site, season: Season, board: PeriodBoard, viewer_id: UUID | None, asked: Where, limit: int
) -> tuple[Slice, list[PeriodRow]]:
    """Return a slice and its rows. Raises RankingUnavailable, also where Redis shows what SQL does not say."""
    found = _slice_of_redis(site, season, board, asked, limit)
    rows = _rows(site, board, viewer_id, found.rows)
    if len(rows) < len(found.rows):
        site.ranking.forget(_name(site, season, board))
        raise RankingUnavailable
    return found, rows


def _slice_of_redis(site: Site, season: Season, board: PeriodBoard, asked: Where, limit: int) -> Slice:
    if board.bots is not None or board.league_id is not None:
        raise RankingUnavailable
    try:
        return site.ranking.slice(_name(site, season, board), asked, limit)
    except BoardMissing:
        return site.ranking.slice(_build(site, season, board), asked, limit)


def _build(site: Site, season: Season, board: PeriodBoard) -> str:
    """Make a board in Redis and return its name, which was that of SQL before and after it was read."""
    while True:
        name = _name(site, season, board)
        sums = list(best_runs(site.session, board))
        site.session.rollback()  # what is read next is what was committed meanwhile
        if _name(site, season, board) == name:
            site.ranking.merge(name, sums, KEPT_SECONDS)
            return name


def _rows(site: Site, board: PeriodBoard, viewer_id: UUID | None, ranked: Sequence[Ranked]) -> list[PeriodRow]:
    """Return the rows with what SQL says of their players; one with another key than SQL's is left out."""
    if not ranked:
        return []
    sums = {row[0].player_id: row for row in period_sums(site.session, board, [row.run_id for row in ranked])}
    rows: list[PeriodRow] = []
    for row in ranked:
        if row.run_id not in sums:
            continue
        found = sums[row.run_id]
        if found.rank_key == row.rank_key:
            given_away = found.given_away_milli if board.mode == Mode.SEALED else None
            rows.append(
                PeriodRow(row.rank, player_from(found.PlayerRow, viewer_id), found.score, given_away, found.days)
            )
    return rows
