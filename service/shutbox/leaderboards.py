"""Leaderboards of rounds: pages, the rows around a player, and a player's own rank."""

import base64
import binascii
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from sqlalchemy import select

from .boards import merge, note_missed
from .errors import InvalidCursor, NotRanked
from .game.encoding import lp
from .gates import shows_standings
from .players import Player, player_from
from .ranking import Around, BoardMissing, Place, Ranked, RankingUnavailable, Slice, Standing, Where
from .rounds import Round, get_round
from .site import Site
from .store.queries import Board, ranked_rows, ranked_total, rows_around
from .store.rows import EntryRow, PlayerRow, RunRow


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
    """A part of a leaderboard; gated, it says nothing but that."""

    round: Round
    gated: bool
    total: int | None
    rows: list[BoardRow]
    next: str | None
    previous: str | None


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of a leaderboard is asked for; at most one of after, before and around is set."""

    limit: int = 50
    after: str | None = None
    before: str | None = None
    around: UUID | None = None
    bots: bool | None = None


def page(site: Site, round_id: str, viewer_id: UUID | None, wanted: Wanted) -> Page:
    """Return a page of a round's leaderboard, gated where this viewer may not see it yet.

    Raises RoundNotFound, InvalidCursor, and NotRanked for the rows around a player who has none.
    """
    round = get_round(site, round_id)
    board = Board(round.round_id, round.logged, wanted.bots)
    where = _where(board, wanted)
    if not shows_standings(site, round, viewer_id):
        return Page(round, True, None, [], None, None)
    found = _slice(site, round, board, where, wanted.limit)
    rows = _rows(site, found.rows)
    if len(rows) < len(found.rows):  # Redis holds what SQL does not know
        note_missed(site, round.round_id)
        found = _slice_of_sql(site, board, where, wanted.limit)
        rows = _rows(site, found.rows)
    if wanted.around is not None and not rows:
        raise NotRanked("the player has no ranked run on this leaderboard")
    return Page(
        round,
        False,
        found.total,
        rows,
        _cursor(board, found.rows[-1]) if found.rows and found.more_after else None,
        _cursor(board, found.rows[0]) if found.rows and found.more_before else None,
    )


def standing(site: Site, round: Round, player_id: UUID) -> Standing | None:
    """Return a player's rank on the whole board; None if the player is not ranked."""
    found = _slice(site, round, Board(round.round_id, round.logged), Around(player_id), 1)
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


def _slice(site: Site, round: Round, board: Board, where: Where, limit: int) -> Slice:
    if board.bots is None and not round.ranking_stale:
        try:
            try:
                return site.ranking.slice(round.round_id, where, limit)
            except BoardMissing:
                merge(site, round.round_id)
                return site.ranking.slice(round.round_id, where, limit)
        except RankingUnavailable:
            pass  # the same from SQL
    return _slice_of_sql(site, board, where, limit)


def _slice_of_sql(site: Site, board: Board, where: Where, limit: int) -> Slice:
    match where:
        case Around(player_id):
            rows = rows_around(site.session, board, player_id, limit)
        case Place(key, run_id, before):
            edge = (key, run_id)
            rows = ranked_rows(
                site.session, board, limit, after=None if before else edge, before=edge if before else None
            )
        case None:
            rows = ranked_rows(site.session, board, limit, None, None)
    if not rows:
        return Slice(ranked_total(site.session, board), 0, 0, [])
    ranked = [Ranked(row.rank, row.run_id, row.rank_key) for row in rows]
    return Slice(rows[0].total, rows[0].place, rows[0].tied, ranked)


def _rows(site: Site, ranked: Sequence[Ranked]) -> list[BoardRow]:
    found = site.session.execute(
        select(RunRow, PlayerRow)
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .join(PlayerRow, PlayerRow.player_id == EntryRow.player_id)
        .where(RunRow.run_id.in_([row.run_id for row in ranked]))
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
                player_from(player),
                run.score,
                run.penalty,
                run.given_away_milli,
                run.run_id,
                run.accepted_at,
            )
        )
    return rows


# Cursors


def _cursor(board: Board, row: Ranked) -> str:
    content = _board_mark(board) + row.rank_key.to_bytes(8, "big") + row.run_id.bytes
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _where(board: Board, wanted: Wanted) -> Where:
    if wanted.around is not None:
        return Around(wanted.around)
    text = wanted.after or wanted.before
    if text is None:
        return None
    try:
        content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        content = b""
    canonical = base64.urlsafe_b64encode(content).rstrip(b"=").decode() == text
    if len(content) != 28 or not canonical or content[:4] != _board_mark(board):
        raise InvalidCursor("this cursor is not from this leaderboard with these filters: start again without it")
    key = int.from_bytes(content[4:12], "big")
    if key >= 1 << 53:
        raise InvalidCursor("this cursor is damaged: start again without it")
    return Place(key, UUID(bytes=content[12:]), before=wanted.after is None)


def _board_mark(board: Board) -> bytes:
    return sha256(lp(board.round_id.encode()) + bytes((board.bots is not None, board.bots is True))).digest()[:4]
