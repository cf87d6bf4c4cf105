"""Rulesets, days, rounds, and playing them."""

from collections.abc import Sequence
from datetime import date

from shutbox.game.replay import Turn

from ..analyses import Analysis
from ..reading import plain
from ..values import Attempt, Day, Round, Ruleset, Run
from .caller import API, Caller, step


class RoundCalls(Caller):
    """Finding and playing rounds."""

    def rulesets(self) -> tuple[Ruleset, ...]:
        """Return the catalogue."""
        return self._list(Ruleset, f"{API}/rulesets")

    def ruleset(self, ruleset_id: str) -> Ruleset:
        """Return one ruleset."""
        return self._get(Ruleset, f"{API}/rulesets/{step(ruleset_id)}")

    def day(self, day: date | str = "today") -> Day:
        """Return a day and its rounds: a date, its text, or `today`."""
        return self._get(Day, f"{API}/days/{step(str(day))}")

    def round(self, round_id: str) -> Round:
        """Return one round."""
        return self._get(Round, f"{API}/rounds/{step(round_id)}")

    def issue_round(
        self, ruleset: str, mode: str, seed: bytes | None = None, idempotency_key: str | None = None
    ) -> Round:
        """Issue a practice round. The same key with the same wish gives the same round; by default a key is made."""
        body = {"ruleset": ruleset, "mode": mode} | ({"seed": seed.hex()} if seed is not None else {})
        return self._send(Round, "POST", f"{API}/rounds", body, headers=self._key(idempotency_key))

    # Playing

    def submit_run(self, round_id: str, turns: Sequence[Turn]) -> Run:
        """Submit a run to an open round; the same turns again give the same run. Raises IllegalRun."""
        body = {"turns": [plain(Turn(*turn)) for turn in turns]}
        return self._send(Run, "POST", f"{API}/rounds/{step(round_id)}/runs", body)

    def run(self, run_id: str) -> Run:
        """Return a run as far as the player may see it."""
        return self._get(Run, f"{API}/runs/{step(run_id)}")

    def analysis(self, run_id: str) -> Analysis:
        """Return what a run was worth beside the best play, as far as the player may see it."""
        return self._get(Analysis, f"{API}/runs/{step(run_id)}/analysis")

    def start_attempt(self, round_id: str) -> Attempt:
        """Start the player's one attempt on a sealed round, or return it as it stands."""
        return self._send(Attempt, "POST", f"{API}/rounds/{step(round_id)}/attempt")

    def attempt(self, attempt_id: str) -> Attempt:
        """Return an attempt as it stands."""
        return self._get(Attempt, f"{API}/attempts/{step(attempt_id)}")

    def make_move(
        self, attempt_id: str, move: int, *, dice: int | None = None, shut: Sequence[int] | None = None
    ) -> Attempt:
        """Make decision number `move`: either a number of dice or the tiles to shut; return the state after it.

        The same decision again gives the same answer. Raises IllegalMove, and MoveDecided where another was first.
        """
        if (dice is None) == (shut is None):
            raise ValueError("a decision has either dice or shut")
        decision = {"dice": dice} if shut is None else {"shut": list(shut)}
        body = {"move": move, **decision}
        return self._send(Attempt, "POST", f"{API}/attempts/{step(attempt_id)}/moves", body)
