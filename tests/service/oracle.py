"""Boards computed in plain Python from the raw rows, by other means than the service's queries."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from shutbox.site import Site
from shutbox.store.rows import EntryRow, MemberRow, PlayerRow, RoundRow, RunRow, WithdrawalRow
from sqlalchemy import select


@dataclass(frozen=True)
class Filter:
    """Which players are ranked."""

    bots: bool | None = None
    league_id: UUID | None = None


class Truth:
    """Everything that is stored at one moment, and the boards that follow from it."""

    def __init__(self, site: Site) -> None:
        site.session.rollback()
        site.session.expire_all()
        self.players = {row.player_id: row for row in site.session.scalars(select(PlayerRow))}
        self.rounds = {row.round_id: row for row in site.session.scalars(select(RoundRow))}
        self.runs = {row.run_id: row for row in site.session.scalars(select(RunRow))}
        self.player_of = {row.entry_id: row.player_id for row in site.session.scalars(select(EntryRow))}
        self.members = {(row.league_id, row.player_id) for row in site.session.scalars(select(MemberRow))}
        self.withdrawn: set[UUID] = set()
        for act in sorted(site.session.scalars(select(WithdrawalRow)), key=lambda act: act.at):
            (self.withdrawn.discard if act.reason is None else self.withdrawn.add)(act.run_id)

    def round_board(self, round_id: str, only: Filter, viewer_id: UUID | None) -> list[tuple[Any, ...]]:
        """Return (rank, player id, name, run id, score, penalty, given away) of each ranked player in order."""
        rows = sorted(
            (*self._result(run), run.run_id, player_id) for player_id, run in self._best(round_id, only).items()
        )
        return [
            (rank, player_id, self._name(player_id, viewer_id), run_id, *self._told(run_id))
            for rank, (_, _, run_id, player_id) in zip(_ranks(row[:2] for row in rows), rows, strict=True)
        ]

    def period_board(
        self, ruleset_hash: bytes, mode: str, first: date, last: date, only: Filter
    ) -> list[tuple[Any, ...]]:
        """Return (rank, player id, name, score, given away, days) of each player in order, of closed days alone."""
        sums: defaultdict[UUID, list[int]] = defaultdict(lambda: [0, 0, 0])
        for round in self.rounds.values():
            counted = round.day is not None and first <= round.day <= last and round.seed is not None
            if counted and round.mode == mode and round.ruleset_hash == ruleset_hash:
                for player_id, run in self._best(round.round_id, only).items():
                    for place, value in enumerate((run.score, run.given_away_milli or 0, 1)):
                        sums[player_id][place] += value
        rows = sorted((-score, lost, player_id, days) for player_id, (score, lost, days) in sums.items())
        return [
            (rank, player_id, self._name(player_id), -score, lost if mode == "sealed" else None, days)
            for rank, (score, lost, player_id, days) in zip(_ranks(row[:2] for row in rows), rows, strict=True)
        ]

    def _best(self, round_id: str, only: Filter) -> dict[UUID, RunRow]:
        """Return the best run of each player that counts."""
        best: dict[UUID, RunRow] = {}
        practice = self.rounds[round_id].kind == "practice"
        for run in self.runs.values():
            player_id = self.player_of[run.entry_id]
            if run.round_id != round_id or not self._is_meant(player_id, only):
                continue
            if not (practice or run.to_log) or run.run_id in self.withdrawn:
                continue
            kept = best.get(player_id)
            if kept is None or (*self._result(run), run.run_id) < (*self._result(kept), kept.run_id):
                best[player_id] = run
        return best

    def _result(self, run: RunRow) -> tuple[int, int]:
        """Return what is compared: the score, high first, then what was given away."""
        return -run.score, run.given_away_milli or 0

    def _told(self, run_id: UUID) -> tuple[int, int, int | None]:
        run = self.runs[run_id]
        return run.score, run.penalty, run.given_away_milli

    def _name(self, player_id: UUID, viewer_id: UUID | None = None) -> str | None:
        row = self.players[player_id]
        return row.name if row.hidden_at is None or player_id == viewer_id else None

    def _is_meant(self, player_id: UUID, only: Filter) -> bool:
        if only.bots is not None and self.players[player_id].bot is not only.bots:
            return False
        return only.league_id is None or (only.league_id, player_id) in self.members


def _ranks(keys: Iterable[tuple[int, ...]]) -> list[int]:
    """Return the ranks of sorted keys: 1, 2, 2, 4."""
    found = list(keys)
    return [1 + sum(other < key for other in found) for key in found]
