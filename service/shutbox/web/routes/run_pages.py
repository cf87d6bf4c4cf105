"""The page of a run: the result, its analysis, the replay, and what is shared. The gates hold as in the API."""

from typing import Any
from uuid import UUID

from flask import Blueprint, render_template

from ...analyses import RunAnalysis, get_analysis
from ...clock import day_at
from ...game.analysis import Analysis
from ...game.encoding import tiles_of
from ...game.rules import rules_of
from ...players import Player
from ...profiles import Profile, profile
from ...rounds import Kind, Mode, Round, State, counts
from ...runs import with_faces
from ..analysis_table import (
    grades,
    identity,
    identity_words,
    luck_text,
    shown_steps,
    step_sentences,
    sums,
    thresholds,
    tiles_text,
)
from ..auth import own_origin, site, visitor, visitor_id
from ..histogram import bars
from ..offline import keep_as_own
from ..own import own_on
from ..share import SharedPlay, SharedResult, plain_text, squares_text
from ..words import dated, percent_of_others, player_name, round_name
from .pages import for_people

routes = for_people(Blueprint("run_pages", __name__))


@routes.get("/run/<uuid:run_id>")
def run_page(run_id: UUID) -> str:
    """Show a run as far as the one who asks may see it."""
    asking = visitor()
    found = get_analysis(site(), run_id, visitor_id())
    run, round = found.run, found.round
    own = asking is not None and run.player is not None and run.player.player_id == asking.player_id
    started, finished = counts(site(), run.round_id)
    shared = _shared(found, own)
    of_owner = _own_profile(asking, round) if own and asking else None
    if own:
        when = dated(round.day or day_at(run.accepted_at)) if round.logged else "practice"
        keep_as_own(f"{round_name(round)}, {when}: score {run.score}")
    return render_template(
        "run.html",
        run=run,
        round=round,
        own=own,
        can_play=round.state is State.OPEN or (round.moves_taken and own_on(site(), round, asking).attempt is not None),
        started=started,
        finished=finished,
        better_than=_better_than(found),
        analysis=_analysis_parts(round, found.analysis, "you" if own else "them") if found.analysis else None,
        best_line=with_faces(site(), round, found.best_line) if found.best_line is not None else None,
        tiles_text=tiles_text,
        box=tiles_of(round.ruleset.box),
        profile=of_owner,
        own_bars=bars(of_owner.histogram, run.penalty) if of_owner else None,
        squares_text=squares_text(shared) if shared else None,
        plain_text=plain_text(shared) if shared else None,
    )


def _better_than(found: RunAnalysis) -> int | None:
    return None if found.better_than is None else percent_of_others(found.better_than, found.total or 0)


def _analysis_parts(round: Round, analysis: Analysis, whom: str) -> dict[str, Any]:
    rules = rules_of(round.ruleset)
    parts = sums(analysis)
    steps = shown_steps(rules, analysis, whom)
    fine, slip = thresholds(rules)
    return {
        "sums": parts,
        "identity": identity(parts),
        "words": identity_words(parts),
        "fine": fine,
        "slip": slip,
        "luck": luck_text(parts.luck, whom),
        "steps": steps,
        "facts": [
            {
                "open": step.open,
                "faces": step.faces,
                "shut": step.shut,
                "said": step_sentences(step, len(steps)),
            }
            for step in steps
        ],
    }


def _own_profile(asking: Player, round: Round) -> Profile | None:
    """Return what the owner's other results are: only beside the round that they are counted from."""
    counted = round.kind is Kind.DAILY and round.mode is Mode.SEALED and round.ruleset.id == "classic"
    return profile(site(), asking, own=True) if counted else None


def _shared(found: RunAnalysis, own: bool) -> SharedResult | None:
    """Return what may be shared: of daily rounds, by the owner before the close and by everyone after it."""
    run, round = found.run, found.round
    closed = round.state is State.CLOSED
    if round.day is None or run.score is None or run.penalty is None or run.player is None or not (own or closed):
        return None
    if not own and run.player.name is None and not run.player.guest:
        return None  # a deleted player
    play = None
    if closed and found.analysis is not None:
        sealed = round.mode is Mode.SEALED
        decided = grades(rules_of(round.ruleset), found.analysis) if sealed else ()
        play = SharedPlay(len(found.analysis.steps), run.given_away_milli, decided)
    return SharedResult(
        day=round.day,
        game="" if round.mode is Mode.SEALED and round.ruleset.id == "classic" else round_name(round),
        player=None if own else player_name(run.player),
        score=run.score,
        penalty=run.penalty,
        shut_the_box=bool(run.shut_the_box),
        play=play,
        link=f"{own_origin()}/d/{round.day.isoformat()}",
    )
