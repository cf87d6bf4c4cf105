"""Leaderboards of rounds: pages, the rows around a player, a player's own rank, and the boards in Redis kept true."""

import base64
import binascii
import time
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import zip_longest
from uuid import UUID

from sqlalchemy import Select, select, update

from .errors import InvalidCursor, NotRanked
from .game.encoding import lp
from .gates import shows_standings
from .players import Player, player_from
from .ranking import Around, BoardMissing, Place, Ranked, RankingUnavailable, Slice, Standing, Where
from .rounds import Kind, Round, State, get_round
from .site import Site
from .store.database import writing
from .store.queries import Board, best_runs, ranked_rows, ranked_total, rows_around
from .store.rows import EntryRow, PlayerRow, RoundRow, RunRow


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
    if wanted.around is not None and not found.rows:
        raise NotRanked("the player has no ranked run on this leaderboard")
    return Page(
        round,
        False,
        found.total,
        _rows(site, found.rows),
        _cursor(board, found.rows[-1]) if found.rows and found.more_after else None,
        _cursor(board, found.rows[0]) if found.rows and found.more_before else None,
    )


def standing(site: Site, round: Round, player_id: UUID) -> Standing | None:
    """Return a player's rank on the whole board; None if the player is not ranked."""
    found = _slice(site, round, Board(round.round_id, round.logged), Around(player_id), 1)
    return Standing(found.rows[0].run_id, found.rows[0].rank, found.total) if found.rows else None


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
        _set_stale(site, round.round_id, True)
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
        return Slice(ranked_total(site.session, board), 0, [])
    return Slice(rows[0].total, rows[0].place, [Ranked(row.rank, row.run_id, row.rank_key) for row in rows])


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
        if row.run_id not in by_run:  # Redis holds what SQL lost; `check` names it and reconciling takes it off
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


# Keeping Redis true


def merge(site: Site, round_id: str) -> None:
    """Merge all that SQL holds of a board into Redis, and take off what SQL does not know."""
    held = list(site.ranking.rows(round_id))
    board = _board_of(site, round_id)
    site.session.rollback()  # what was held is compared with what is committed by now
    known = set(site.session.scalars(_ranked_runs(board)))
    for player_id, run_id, _ in held:  # first, or the better key of a row that must go would keep the true one out
        if run_id not in known:
            site.ranking.remove(round_id, player_id, run_id)
    site.ranking.merge(round_id, best_runs(site.session, board), whole=True)


def reconcile(site: Site, round_ids: Sequence[str]) -> None:
    """Merge boards and read them from Redis again. Raises RankingUnavailable if it is away."""
    for round_id in round_ids:
        _set_stale(site, round_id, False)  # first: a placement that fails from now on sets it again
        try:
            merge(site, round_id)
        except RankingUnavailable:
            _set_stale(site, round_id, True)
            raise


def stale_boards(site: Site) -> Sequence[str]:
    """Return the boards that missed a placement."""
    return site.session.scalars(select(RoundRow.round_id).where(RoundRow.ranking_stale)).all()


def boards_in_use(site: Site, since: int) -> Sequence[str]:
    """Return the daily boards that have not closed, and all on which a run was accepted since that moment."""
    first_id = UUID(int=max(since, 0) << 80)  # ids are UUIDv7: they begin with their time
    recent = select(RunRow.round_id).where(RunRow.run_id >= first_id)
    running = (RoundRow.state < State.CLOSED) & (RoundRow.kind != Kind.PRACTICE) & (RoundRow.opens_at <= site.clock())
    return site.session.scalars(
        select(RoundRow.round_id).where(running | RoundRow.round_id.in_(recent)).order_by(RoundRow.round_id)
    ).all()


def all_boards(site: Site) -> Sequence[str]:
    """Return every round."""
    return site.session.scalars(select(RoundRow.round_id).order_by(RoundRow.round_id)).all()


def rebuild(site: Site, round_id: str) -> None:
    """Make a board in Redis anew from SQL. Raises RoundNotFound and RankingUnavailable."""
    get_round(site, round_id)
    site.ranking.forget(round_id)
    merge(site, round_id)


def check(site: Site, patience: int = 3) -> tuple[list[str], int]:
    """Return how the boards in Redis differ from SQL, and how many were compared.

    A run accepted this moment is placed a moment later, so a board that differs is asked again before it is told.
    """
    found: list[str] = []
    boards = [round_id for round_id in all_boards(site) if site.ranking.holds(round_id)]
    for round_id in boards:
        for _ in range(patience):
            differing = differences(site, round_id)
            if not differing:
                break
            time.sleep(0.2)
        found += differing
    return found, len(boards)


def differences(site: Site, round_id: str) -> list[str]:
    """Return how a board that Redis holds differs from SQL, place by place."""
    held = list(site.ranking.rows(round_id))
    site.session.rollback()
    board = _board_of(site, round_id)
    found: list[str] = []
    for place, (redis_row, sql_row) in enumerate(zip_longest(held, best_runs(site.session, board))):
        if redis_row != sql_row:
            found.append(f"{round_id}, place {place + 1}: Redis has {_told(redis_row)}, SQL has {_told(sql_row)}")
    return found


def _told(row: tuple[UUID, UUID, int] | None) -> str:
    return f"run {row[1]} of player {row[0]} with rank key {row[2]}" if row else "nothing"


def _board_of(site: Site, round_id: str) -> Board:
    return Board(round_id, get_round(site, round_id).logged)


def _ranked_runs(board: Board) -> Select[UUID]:
    runs = select(RunRow.run_id).where(RunRow.round_id == board.round_id)
    return runs.where(RunRow.to_log) if board.logged else runs


def _set_stale(site: Site, round_id: str, stale: bool) -> None:
    with writing(site.session):
        site.session.execute(
            update(RoundRow)
            .where(RoundRow.round_id == round_id, RoundRow.ranking_stale.is_not(stale))
            .values(ranking_stale=stale)
        )
