"""Profiles: what a player has done on the sealed classic rounds of the days, and the streaks that follow from it.

To others a profile says nothing of a day that has not closed, in no number. `until` is the last day that it counts
for everyone.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from uuid import UUID

from .days import last_closed_day
from .game.rulesets import CATALOGUE
from .players import Player
from .rounds import Mode
from .site import Site
from .store.queries import finished_days


@dataclass(frozen=True, slots=True)
class Result:
    """A finished round. `given_away_milli` is thousandths of the expected points that decisions lost."""

    day: date
    round_id: str
    run_id: UUID
    score: int
    penalty: int
    given_away_milli: int


@dataclass(frozen=True, slots=True)
class Profile:
    """A player's results, newest first, and what is counted in them; `histogram` is penalty → times, ascending."""

    player: Player
    days_played: int
    streak: int
    longest_streak: int
    best: Result | None
    boxes_shut: int
    histogram: dict[int, int]
    results: list[Result]
    until: date | None


def profile(site: Site, player: Player, own: bool) -> Profile:
    """Return a profile: of closed days, and with `own` also of what the player has finished on those that run."""
    until = last_closed_day(site)  # days close in order: up to it all have
    newest = date.max if own else until or date.min
    rows = finished_days(site.session, player.player_id, Mode.SEALED, CATALOGUE["classic"].hash, newest)
    results = [Result(row.day, row.round_id, row.run_id, row.score, row.penalty, row.given_away_milli) for row in rows]
    streak, longest = streaks((result.day for result in results), until)
    return Profile(
        player=player,
        days_played=len(results),
        streak=streak,
        longest_streak=longest,
        best=min(results, key=lambda result: (result.penalty, result.given_away_milli, result.day), default=None),
        boxes_shut=sum(result.penalty == 0 for result in results),
        histogram=dict(sorted(Counter(result.penalty for result in results).items())),
        results=results,
        until=until,
    )


def streaks(played: Iterable[date], until: date | None) -> tuple[int, int]:
    """Return how many played days the present streak has, and the longest one.

    A streak ends when a day closes without the player, and all days up to `until` have closed. So one that reaches
    `until` goes on, and a later day that is not played yet ends nothing.
    """
    streak = longest = 0
    last: date | None = None
    for day in sorted(set(played)):
        streak = streak + 1 if last is None or _joins(last, day, until) else 1
        longest = max(longest, streak)
        last = day
    goes_on = last is not None and (until is None or last >= until)
    return (streak if goes_on else 0), longest


def _joins(earlier: date, later: date, until: date | None) -> bool:
    """Tell whether no day between two has closed."""
    return later - earlier == timedelta(days=1) or until is None or earlier >= until
