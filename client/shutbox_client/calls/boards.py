"""Leaderboards of rounds, and boards of weeks, months and all time."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

from ..values import Leaderboard, LeaderboardRow, Period, PeriodRow
from .caller import API, LARGEST_EXPORT, LONGEST_PAGE, Caller, step, walk


class BoardCalls(Caller):
    """Reading boards, page by page or row by row."""

    def leaderboard(
        self,
        round_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        around: str | None = None,
        bots: str | None = None,
        league: str | None = None,
    ) -> Leaderboard:
        """Return a page: the top, or what lies `after` or `before` a cursor, or `around` a player_id or `me`.

        `bots` is `exclude` or `only`, `league` the code of a league of yours; ranks are those among the players that
        are left.
        """
        query = {"limit": limit, "after": after, "before": before, "around": around, "bots": bots, "league": league}
        return self._get(Leaderboard, f"{API}/rounds/{step(round_id)}/leaderboard", query)

    def iter_leaderboard(
        self, round_id: str, *, bots: str | None = None, league: str | None = None, page_size: int = LONGEST_PAGE
    ) -> Iterator[LeaderboardRow]:
        """Yield every row from the top, page by page. A gated leaderboard has none: ask `leaderboard` whether it is."""
        return walk(lambda after: self.leaderboard(round_id, limit=page_size, after=after, bots=bots, league=league))

    def period(
        self,
        kind: str,
        *,
        ruleset: str | None = None,
        mode: str | None = None,
        of: date | str | None = None,
        limit: int | None = None,
        after: str | None = None,
        before: str | None = None,
        around: str | None = None,
        bots: str | None = None,
        league: str | None = None,
    ) -> Period:
        """Return a page of the board of a `week`, a `month` or `all-time`: sums of closed days, by default the present.

        `of` is a date in it, or its id (2026-W49, 2026-11); by default the ruleset is classic and the mode sealed.
        The rest is as for `leaderboard`.
        """
        query = {"ruleset": ruleset, "mode": mode, "of": str(of) if of is not None else None, "limit": limit}
        part = {"after": after, "before": before, "around": around, "bots": bots, "league": league}
        return self._get(Period, f"{API}/leaderboards/{step(kind)}", query | part)

    def iter_period(
        self,
        kind: str,
        *,
        ruleset: str | None = None,
        mode: str | None = None,
        of: date | str | None = None,
        bots: str | None = None,
        league: str | None = None,
        page_size: int = LONGEST_PAGE,
    ) -> Iterator[PeriodRow]:
        """Yield every row from the top, page by page."""

        def ask(after: str | None) -> Period:
            which: dict[str, Any] = {"ruleset": ruleset, "mode": mode, "of": of, "bots": bots, "league": league}
            return self.period(kind, limit=page_size, after=after, **which)

        return walk(ask)

    def save_leaderboard(
        self, round_id: str, file: Path, form: str = "csv", *, bots: str | None = None, league: str | None = None
    ) -> None:
        """Write every row into a file, as `csv` or `ndjson`. Raises StandingsGated, and OSError too."""
        query = {"format": form, "bots": bots, "league": league}
        self.download(f"{API}/rounds/{step(round_id)}/leaderboard", file, LARGEST_EXPORT, query)

    def save_period(
        self,
        kind: str,
        file: Path,
        form: str = "csv",
        *,
        ruleset: str | None = None,
        mode: str | None = None,
        of: date | str | None = None,
        bots: str | None = None,
        league: str | None = None,
    ) -> None:
        """Write every row of a period into a file, likewise."""
        which = {"ruleset": ruleset, "mode": mode, "of": str(of) if of is not None else None}
        query = {"format": form, "bots": bots, "league": league} | which
        self.download(f"{API}/leaderboards/{step(kind)}", file, LARGEST_EXPORT, query)
