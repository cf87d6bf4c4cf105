"""Which part of a board is asked for, and the cursors by which a part names its neighbours."""

import base64
import binascii
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from .errors import InvalidCursor
from .game.encoding import lp
from .ranking import Around, Place, Slice, Where

_GREATEST_KEY = 1 << 53  # beyond, a sorted set is not exact
_GREATEST_ID = (1 << 128) - 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which part of a board is asked for; at most one of after, before and around is set."""

    limit: int = 50
    after: str | None = None
    before: str | None = None
    around: UUID | None = None
    bots: bool | None = None
    league_id: UUID | None = None  # only its members


def mark_of(board_id: str, wanted: Wanted) -> bytes:
    """Return what the cursors of a board with these filters begin with, so that no other board takes them."""
    league = b"" if wanted.league_id is None else wanted.league_id.bytes
    return sha256(lp(board_id.encode()) + bytes((wanted.bots is not None, wanted.bots is True)) + league).digest()[:4]


def where(mark: bytes, wanted: Wanted) -> Where:
    """Return the place that is asked for. Raises InvalidCursor."""
    if wanted.around is not None:
        return Around(wanted.around)
    text = wanted.after or wanted.before
    return None if text is None else _place(mark, text, before=wanted.after is None)


def place_behind(mark: bytes, wanted: Wanted) -> Place | None:
    """Return the place behind which everything is asked for; None: from the top on. Raises InvalidCursor."""
    return None if wanted.after is None else _place(mark, wanted.after, before=False)


def neighbours(mark: bytes, asked: Where, found: Slice) -> tuple[str | None, str | None]:
    """Return the cursors of the next and the previous part.

    Rows can have moved away, so that a part is empty: from there the rest of the board is reached all the same.
    """
    if found.rows:
        first, last = found.rows[0], found.rows[-1]
        return (
            _cursor(mark, last.rank_key, last.run_id) if found.more_after else None,
            _cursor(mark, first.rank_key, first.run_id) if found.more_before else None,
        )
    if not isinstance(asked, Place) or not found.total:
        return None, None
    number = asked.run_id.int  # itself it can be the nearest row
    if asked.before:
        return _cursor(mark, asked.rank_key, UUID(int=max(number - 1, 0))), None
    return None, _cursor(mark, asked.rank_key, UUID(int=min(number + 1, _GREATEST_ID)))


def behind_tie(mark: bytes, rank_key: int) -> str:
    """Return a cursor behind all rows with a rank key."""
    return _cursor(mark, rank_key, UUID(int=_GREATEST_ID))


def _cursor(mark: bytes, rank_key: int, row_id: UUID) -> str:
    content = mark + rank_key.to_bytes(8, "big", signed=True) + row_id.bytes
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _place(mark: bytes, text: str, before: bool) -> Place:
    try:
        content = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (binascii.Error, ValueError):
        content = b""
    canonical = base64.urlsafe_b64encode(content).rstrip(b"=").decode() == text
    if len(content) != 28 or not canonical or content[:4] != mark:
        raise InvalidCursor("this cursor is not from this leaderboard with these filters: start again without it")
    key = int.from_bytes(content[4:12], "big", signed=True)
    if abs(key) >= _GREATEST_KEY:
        raise InvalidCursor("this cursor is damaged: start again without it")
    return Place(key, UUID(bytes=content[12:]), before)
