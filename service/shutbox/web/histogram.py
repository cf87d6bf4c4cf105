"""How often results came, in bands of what was left."""

from collections.abc import Mapping
from dataclasses import dataclass

BANDS = ((0, 0), (1, 5), (6, 10), (11, 15), (16, 20), (21, 45))  # of classic, the round that profiles count


@dataclass(frozen=True, slots=True)
class Bar:
    """A band, how often it came, and the length of its bar in percent of the longest."""

    label: str
    times: int
    length: int
    present: bool  # it holds the result that is looked at


def bars(histogram: Mapping[int, int], present: int | None = None) -> list[Bar]:
    """Return a bar for each band of a histogram from penalty to times."""
    times = [sum(histogram.get(penalty, 0) for penalty in range(least, most + 1)) for least, most in BANDS]
    longest = max(*times, 1)
    return [
        Bar(
            str(least) if least == most else f"{least}–{most}",
            count,
            100 * count // longest,
            present is not None and least <= present <= most,
        )
        for (least, most), count in zip(BANDS, times, strict=True)
    ]
