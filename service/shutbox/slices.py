"""A part of a board from SQL, what Redis answers quicker where it holds the board; and all of a board, part by part."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TypeVar

from .ranking import Around, Place, Ranked, RankingUnavailable, Slice, Where
from .store.database import AnySession
from .store.queries import AnyBoard, best_runs, ranked_rows, ranked_total, rows_around

AnyRow = TypeVar("AnyRow")

PART = 500
"""How many rows of a whole list are read at once."""


def slice_of_sql(session: AnySession, board: AnyBoard, asked: Where, limit: int) -> Slice:
    """Return at most `limit` rows; around a player who is not on the board, none."""
    match asked:
        case Around(player_id):
            rows = rows_around(session, board, player_id, limit)
        case Place(key, run_id, before):
            edge = (key, run_id)
            rows = ranked_rows(session, board, limit, after=None if before else edge, before=edge if before else None)
        case None:
            rows = ranked_rows(session, board, limit, None, None)
    if not rows:
        return Slice(ranked_total(session, board), 0, 0, 0, [])
    ranked = [Ranked(row.rank, row.run_id, row.rank_key) for row in rows]
    return Slice(rows[0].total, rows[0].place, rows[0].tied, rows[-1].tied, ranked)


def order_of_sql(session: AnySession, board: AnyBoard) -> Iterator[Ranked]:
    """Yield every row of a board, in its order."""
    rank, last_key = 0, None
    for place, (_, run_id, key) in enumerate(best_runs(session, board), start=1):
        rank = rank if key == last_key else place
        last_key = key
        yield Ranked(rank, run_id, key)


def all_parts(
    session: AnySession,
    board: AnyBoard,
    behind: Place | None,
    of_redis: Callable[[Where, int], tuple[Slice, list[AnyRow]]],
    rows_of: Callable[[Sequence[Ranked]], list[AnyRow]],
) -> Iterator[list[AnyRow]]:
    """Yield all rows of a board behind a place, part by part: from Redis as long as it answers, and the rest from SQL.

    SQL goes through the whole board for any part, so it is asked once for the order of the rest. Between two parts
    results can come in: who moves meanwhile can be missed or told twice, who stays where he is is told once. The rest
    from SQL is in the order in which it was when it was asked for.
    """
    while True:
        try:
            found, rows = of_redis(behind, PART)
        except RankingUnavailable:
            break
        yield rows
        if not found.more_after:
            return
        behind = Place(found.rows[-1].rank_key, found.rows[-1].run_id)
    edge = None if behind is None else (behind.rank_key, behind.run_id)
    rest = iter([row for row in order_of_sql(session, board) if edge is None or (row.rank_key, row.run_id) > edge])
    while part := list(islice(rest, PART)):
        yield rows_of(part)
