"""Leaderboards of rounds: pages, the rows around a player, and a player's own rank."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import exists, select

from .boards import merge, note_missed
from .cursors import Wanted, behind_tie, mark_of, neighbours, place_behind, where
from .errors import NotRanked, StandingsGated
from .gates import shows_standings
from .players import Player, player_from
from .ranking import Around, BoardMissing, Ranked, RankingUnavailable, Slice, Standing, Where
from .rounds import Round, get_round
from .site import Site
from .slices import all_parts, slice_of_sql
from .store.database import streamed
from .store.queries import Board
from .store.rows import EntryRow, PlayerRow, RunRow, WithdrawnRow


@dataclass(frozen=True, slots=True)
class BoardRow:
    """A player's row. `given_away_milli` is None on open rounds."""

    rank: int
    player: Player
    score: int
    penalty: int
    given_away_milli: int | None
    run_id: UUID
    accepted_at: int


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a leaderboard; gated, it says nothing but that.

    `tied` and `last_tied` are how many players share the rank of the first and of the last row, and `behind_tie` is a
    cursor behind all that share the first row's.
    """

    round: Round
    gated: bool
    total: int | None
    rows: list[BoardRow]
    next: str | None
    previous: str | None
    tied: int = 0
    last_tied: int = 0
    behind_tie: str | None = None


def gated() -> StandingsGated:
    """Return the refusal of a file of standings to one who may not see them yet."""
    return StandingsGated("finish the round to see its standings, or wait until it has closed")


def page(site: Site, round_id: str, viewer_id: UUID | None, wanted: Wanted) -> Page:
    """Return a page of a round's leaderboard, gated where this viewer may not see it yet.

    Raises RoundNotFound, InvalidCursor, and NotRanked for the rows around a player who has none.
    """
    round = get_round(site, round_id)
    board = _board(round, wanted)
    mark = mark_of(round.round_id, wanted)
    asked = where(mark, wanted)
    if not shows_standings(site, round, viewer_id):
        return Page(round, True, None, [], None, None)
    try:
        found, rows = _of_redis(site, round, board, viewer_id, asked, wanted.limit)
    except RankingUnavailable:  # the same from SQL
        found = slice_of_sql(site.session, board, asked, wanted.limit)
        rows = _rows(site, found.rows, viewer_id)
    if wanted.around is not None and not rows:
        raise NotRanked("the player has no ranked run on this leaderboard")
    following, previous = neighbours(mark, asked, found)
    behind = behind_tie(mark, found.rows[0].rank_key) if found.rows else None
    return Page(round, False, found.total, rows, following, previous, found.tied, found.last_tied, behind)


def all_rows(site: Site, round_id: str, viewer_id: UUID | None, wanted: Wanted) -> Iterator[BoardRow]:
    """Yield all rows of a round's leaderboard, or all behind a cursor, without a transaction: see slices.all_parts.

    Raises RoundNotFound, InvalidCursor and StandingsGated at once.
    """
    round = get_round(site, round_id)
    board = _board(round, wanted)
    behind = place_behind(mark_of(round.round_id, wanted), wanted)
    if not shows_standings(site, round, viewer_id):
        raise gated()

    def of_redis(asked: Where, limit: int) -> tuple[Slice, list[BoardRow]]:
        return _of_redis(site, get_round(site, round_id), board, viewer_id, asked, limit)

    parts = all_parts(site.session, board, behind, of_redis, lambda ranked: _rows(site, ranked, viewer_id))
    return streamed(site.session, parts)


def standing(site: Site, round: Round, player_id: UUID) -> Standing | None:
    """Return a player's rank on the whole board; None if the player is not ranked."""
    board = Board(round.round_id, round.logged)
    try:
        found = _slice_of_redis(site, round, board, Around(player_id), 1)
    except RankingUnavailable:
        found = slice_of_sql(site.session, board, Around(player_id), 1)
    if not found.rows:
        return None
    return Standing(found.rows[0].run_id, found.rows[0].rank, found.tied, found.total)


def place(site: Site, round: Round, player_id: UUID, run_id: UUID, rank_key: int) -> Standing | None:
    """Rank an accepted run in Redis and return where the player stands.

    If Redis is away, the board is read from SQL until it has been merged again.
    """
    try:
        try:
            placed = site.ranking.place(round.round_id, player_id, run_id, rank_key)
        except BoardMissing:
            merge(site, round.round_id)
            placed = site.ranking.place(round.round_id, player_id, run_id, rank_key)
    except RankingUnavailable:
        note_missed(site, round.round_id)
    else:
        if not round.ranking_stale:
            return placed
    return standing(site, get_round(site, round.round_id), player_id)


def _board(round: Round, wanted: Wanted) -> Board:
    return Board(round.round_id, round.logged, wanted.bots, league_id=wanted.league_id)


def _of_redis(
    site: Site, round: Round, board: Board, viewer_id: UUID | None, asked: Where, limit: int
) -> tuple[Slice, list[BoardRow]]:
    """Return a slice and its rows. Raises RankingUnavailable, also where Redis holds what SQL does not know."""
    found = _slice_of_redis(site, round, board, asked, limit)
    rows = _rows(site, found.rows, viewer_id)
    if len(rows) < len(found.rows):
        note_missed(site, round.round_id)
        raise RankingUnavailable
    return found, rows


def _slice_of_redis(site: Site, round: Round, board: Board, asked: Where, limit: int) -> Slice:
    if board.bots is not None or board.league_id is not None or round.ranking_stale:
        raise RankingUnavailable
    try:
        return site.ranking.slice(round.round_id, asked, limit)
    except BoardMissing:
        merge(site, round.round_id)
        return site.ranking.slice(round.round_id, asked, limit)


def _rows(site: Site, ranked: Sequence[Ranked], viewer_id: UUID | None) -> list[BoardRow]:
    found = site.session.execute(
        select(RunRow, PlayerRow)
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .join(PlayerRow, PlayerRow.player_id == EntryRow.player_id)
        .where(RunRow.run_id.in_([row.run_id for row in ranked]))
        .where(~exists().where(WithdrawnRow.run_id == RunRow.run_id))  # withdrawn while Redis was told of it
    )
    by_run = {run.run_id: (run, player) for run, player in found}
    rows: list[BoardRow] = []
    for row in ranked:
        if row.run_id not in by_run:
            continue
        run, player = by_run[row.run_id]
        rows.append(
            BoardRow(
                row.rank,
                player_from(player, viewer_id),
                run.score,
                run.penalty,
                run.given_away_milli,
                run.run_id,
                run.accepted_at,
            )
        )
    return rows
