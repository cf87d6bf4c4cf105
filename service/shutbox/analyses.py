"""What a run was worth beside the best play, and beside the other players, as far as a viewer may see it."""

from dataclasses import dataclass
from uuid import UUID

from .game.analysis import Analysis, analysis, best_line
from .game.replay import Turn
from .rounds import Round, State, dice_of, get_round
from .runs import Run, get_run
from .site import Site


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """A run with its analysis as one viewer sees it: where the run's turns may not be seen, there is none of it."""

    run: Run
    round: Round
    analysis: Analysis | None
    best_line: tuple[Turn, ...] | None  # None until the close: it tells the dice
    better_than: int | None  # players ranked with a worse result; None for a run that does not rank its player
    total: int | None

    @property
    def gated(self) -> bool:
        """Whether the viewer may not see the analysis yet."""
        return self.analysis is None


def get_analysis(site: Site, run_id: UUID, viewer_id: UUID | None) -> RunAnalysis:
    """Return the analysis of a run as far as this viewer may see it. Raises RunNotFound and SeedUnavailable."""
    run = get_run(site, run_id, viewer_id)
    round = get_round(site, run.round_id)
    if run.turns is None:
        return RunAnalysis(run, round, None, None, None, None)
    rules, table = dice_of(site, round)
    return RunAnalysis(
        run=run,
        round=round,
        analysis=analysis(rules, table, run.turns),
        best_line=best_line(rules, table) if round.state is State.CLOSED else None,
        better_than=_better_than(run),
        total=run.total,
    )


def _better_than(run: Run) -> int | None:
    if run.rank is None or run.tied is None or run.total is None:
        return None
    return run.total - (run.rank - 1) - run.tied
