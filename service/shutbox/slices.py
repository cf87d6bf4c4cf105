"""A part of a board from SQL: what Redis answers quicker where it holds the board."""

from .ranking import Around, Place, Ranked, Slice, Where
from .store.database import AnySession
from .store.queries import AnyBoard, ranked_rows, ranked_total, rows_around


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
