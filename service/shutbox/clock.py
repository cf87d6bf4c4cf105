"""Time: unix milliseconds from one clock that is handed in, and the UTC days that they fall on."""

import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

Clock = Callable[[], int]
"""Returns the present as unix milliseconds. It may step back: what is stored only moves forward."""

SECOND = 1000
HOUR = 3600 * SECOND


def system_clock() -> int:
    """The clock of this machine, in unix milliseconds."""
    return time.time_ns() // 1_000_000


def day_at(ms: int) -> date:
    """Return the UTC day of a moment."""
    return datetime.fromtimestamp(ms / 1000, UTC).date()


def start_of(day: date) -> int:
    """Return the moment at which a day begins, 00:00 UTC, in unix milliseconds."""
    return int(datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()) * SECOND


def end_of(day: date) -> int:
    """Return the moment at which a day ends: 24:00 UTC."""
    return start_of(day + timedelta(days=1))


def rfc3339(ms: int) -> str:
    """Return a moment as RFC 3339 in UTC, to the millisecond."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
