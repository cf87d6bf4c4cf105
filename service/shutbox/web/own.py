"""What the one who asks has on a round: an attempt with its turns so far, or a run. For the pages."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import select

from ..attempts import Attempt, get_attempt
from ..game.encoding import tiles_of
from ..game.play import DiceChoice, ShutChoice, position_after
from ..game.replay import Turn
from ..game.rules import RollTable
from ..leaderboards import standing
from ..players import Player
from ..rounds import Mode, Round, dice_of
from ..runs import Run
from ..site import Site
from ..store.rows import AttemptRow, EntryRow, MoveRow


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn with the faces that its player saw."""

    faces: tuple[int, ...]
    shut: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Own:
    """What a player has on a round; everything is None for one who has nothing."""

    attempt: Attempt | None
    run_id: UUID | None


NOTHING = Own(None, None)


def own_on(site: Site, round: Round, player: Player | None) -> Own:
    """Return the player's attempt on a sealed round, and the run: on an open round the best one."""
    if player is None:
        return NOTHING
    if round.mode is Mode.OPEN:
        found = standing(site, round, player.player_id)
        return Own(None, found.run_id) if found else NOTHING
    attempt_id = site.session.scalar(
        select(AttemptRow.attempt_id)
        .join(EntryRow, EntryRow.entry_id == AttemptRow.entry_id)
        .where(EntryRow.round_id == round.round_id, EntryRow.player_id == player.player_id)
    )
    if attempt_id is None:
        return NOTHING
    attempt = get_attempt(site, player.player_id, attempt_id)
    return Own(attempt, attempt.run_id)


def turns_so_far(site: Site, round: Round, attempt: Attempt) -> list[ShownTurn]:
    """Return the complete turns of an attempt with their faces: of no roll that its player has not seen."""
    rules, table = dice_of(site, round)
    rows = site.session.execute(
        select(MoveRow.dice, MoveRow.shut).where(MoveRow.attempt_id == attempt.attempt_id).order_by(MoveRow.number)
    ).all()[: attempt.move]
    decisions = [ShutChoice(tiles_of(shut or 0)) if dice is None else DiceChoice(dice) for dice, shut in rows]
    return _with_faces(table, position_after(rules, table, decisions).turns)


def turns_of_run(site: Site, round: Round, run: Run) -> list[ShownTurn] | None:
    """Return the turns of a run with their faces; None where its viewer may not see them."""
    return None if run.turns is None else _with_faces(dice_of(site, round)[1], run.turns)


def _with_faces(table: RollTable, turns: Sequence[Turn]) -> list[ShownTurn]:
    return [ShownTurn(roll[: turn.dice], turn.shut) for roll, turn in zip(table.rolls, turns, strict=False)]
