"""Attempts: a sealed round played one decision at a time. The state is never stored, only the decisions are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from uuid import UUID

from sqlalchemy import select

from . import challenges, leaderboards
from .errors import (
    AttemptEnded,
    AttemptNotFound,
    IllegalMove,
    MoveAhead,
    MoveDecided,
    NotYours,
    RoundClosed,
    RoundNotOpen,
    WrongMode,
)
from .game.encoding import mask_of, tiles_of
from .game.play import (
    Awaits,
    Decision,
    DiceChoice,
    Position,
    ShutChoice,
    WrongDecision,
    decide,
    legal_ways,
    position_after,
    start,
)
from .game.replay import End, Reason
from .players import hold_playing
from .rounds import Kind, Mode, Round, State, close, dice_of, enter, get_round, hold_round, is_held_alone
from .runs import ShownTurn, accept, explained, with_faces
from .site import Site
from .store.database import insert_or_nothing, writing
from .store.rows import AttemptRow, EntryRow, MoveRow, RoundRow, RunRow

ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt after a number of its decisions, with nothing of the rolls that have not been shown."""

    attempt_id: UUID
    round_id: str
    move: int  # the number of the next decision
    open: tuple[int, ...]
    roll: int
    faces: tuple[int, ...] | None
    legal: Sequence[tuple[int, ...]]
    dice_allowed: tuple[int, ...]
    state: str
    run_id: UUID | None


def start_attempt(site: Site, player_id: UUID, round_id: str) -> tuple[Attempt, bool]:
    """Start the player's one attempt on a sealed round, or return it as it stands; tell whether it is new.

    Raises WrongMode, RoundNotOpen, RoundClosed, ChallengeFull, and NotYours on another player's practice round.
    """
    run: RunRow | None = None
    with writing(site.session):
        round = hold_round(site, round_id, alone=is_held_alone(round_id))
        if round.mode is not Mode.SEALED:
            raise WrongMode(f"round {round_id} is open: submit a run to it, its seed is public")
        if round.kind is Kind.PRACTICE and round.owner_id != player_id:
            raise NotYours("this practice round belongs to another player: issue one of your own")
        attempt, created = _find(site, round_id, player_id), False
        if attempt is None:
            _require_open(site, round)
            entry = enter(site, round, player_id)
            values = {"attempt_id": site.new_id(), "entry_id": entry.entry_id, "started_at": site.clock()}
            created = insert_or_nothing(site.session, AttemptRow, values)
            attempt = site.session.scalars(select(AttemptRow).where(AttemptRow.entry_id == entry.entry_id)).one()
            if created:
                run = _finish(site, round, entry, start(*dice_of(site, round)))
        shown = _present(site, attempt, round)
    if run is not None:
        leaderboards.place(site, round, player_id, run.run_id, run.rank_key)
    return shown, created


def get_attempt(site: Site, player_id: UUID, attempt_id: UUID) -> Attempt:
    """Return the present state. Raises AttemptNotFound and NotYours."""
    attempt, entry = _owned(site, player_id, attempt_id)
    return _present(site, attempt, get_round(site, entry.round_id))


def find_attempt(site: Site, player_id: UUID, round: Round) -> Attempt | None:
    """Return the player's attempt on a round as it stands; None if it was not started."""
    attempt = _find(site, round.round_id, player_id)
    return _present(site, attempt, round) if attempt else None


def turns_so_far(site: Site, round: Round, attempt: Attempt) -> list[ShownTurn]:
    """Return the complete turns of an attempt with their faces: of no roll that its player has not seen."""
    decisions = _decisions(site, attempt.attempt_id)[: attempt.move]
    return with_faces(site, round, position_after(*dice_of(site, round), decisions).turns)


def make_move(site: Site, player_id: UUID, attempt_id: UUID, number: int, decision: Decision) -> Attempt:
    """Store decision `number` and return the state after it. The first decision for a number is the only one.

    The same decision again gives the same answer, also after the close. Raises MoveDecided with the present state
    for another decision, MoveAhead, RoundClosed, AttemptEnded, and IllegalMove with the reason;
    PlayerRequired and PlayerBanned if the player was deleted or banned since the request was let in.
    """
    run: RunRow | None = None
    decision = _canonical(decision)
    with writing(site.session):
        attempt, entry = _owned(site, player_id, attempt_id)
        round = hold_round(site, entry.round_id, alone=is_held_alone(entry.round_id))
        stored = _decisions(site, attempt_id)
        if number >= len(stored):
            hold_playing(site, player_id)
            following = _following(site, attempt, round, number, decision, stored)
            if not _store(site, attempt_id, number, decision):
                stored = _decisions(site, attempt_id)  # another request was first
            else:
                stored.append(decision)
                run = _finish(site, round, entry, following)
        if stored[number] != decision:
            raise MoveDecided(f"move {number} is decided already", state=_present(site, attempt, round))
        shown = _state_after(site, attempt, round, stored[: number + 1])
    if run is not None:
        leaderboards.place(site, round, player_id, run.run_id, run.rank_key)
    return shown


def _following(
    site: Site, attempt: AttemptRow, round: Round, number: int, decision: Decision, stored: Sequence[Decision]
) -> Position:
    """Return the position after the next decision, or raise why it is not taken."""
    if number > len(stored):
        raise MoveAhead(f"the next move is {len(stored)}, not {number}", state=_present(site, attempt, round))
    if not round.moves_taken:
        raise RoundClosed(f"round {round.round_id} took moves until its close")
    rules, table = dice_of(site, round)
    following = decide(rules, table, position_after(rules, table, stored), decision)
    match following:
        case Position():
            return following
        case End():
            raise AttemptEnded("your round has ended: there is no further move", state=_present(site, attempt, round))
        case WrongDecision.DICE_EXPECTED:
            raise IllegalMove("choose a number of dice first", reason=following.value)
        case WrongDecision.TILES_EXPECTED:
            raise IllegalMove("the dice are rolled: choose tiles to shut", reason=following.value)
        case Reason():
            raise IllegalMove(explained(following), reason=following.value)


def _present(site: Site, attempt: AttemptRow, round: Round) -> Attempt:
    """Return the state that the attempt has now: the close marks one that was not finished as abandoned."""
    state = _state_after(site, attempt, round, _decisions(site, attempt.attempt_id))
    return replace(state, state=ABANDONED, legal=(), dice_allowed=()) if attempt.abandoned_at is not None else state


def _state_after(site: Site, attempt: AttemptRow, round: Round, decisions: Sequence[Decision]) -> Attempt:
    """Return the state after these decisions, the same whenever it is asked for."""
    rules, table = dice_of(site, round)
    position = position_after(rules, table, decisions)
    run_id = None
    if isinstance(position.state, End):
        run_id = site.session.scalar(select(RunRow.run_id).where(RunRow.entry_id == attempt.entry_id))
    return Attempt(
        attempt_id=attempt.attempt_id,
        round_id=round.round_id,
        move=len(decisions),
        open=tiles_of(position.open),
        roll=position.roll,
        faces=position.faces,
        legal=legal_ways(rules, table, position),
        dice_allowed=rules.dice_allowed[position.open] if position.state is Awaits.CHOOSE_DICE else (),
        state=position.state.value,
        run_id=run_id,
    )


def _require_open(site: Site, round: Round) -> None:
    if round.state is State.UPCOMING:
        raise RoundNotOpen(f"round {round.round_id} has not opened yet")
    if round.state is not State.OPEN:
        raise RoundClosed(f"round {round.round_id} takes no new attempts any more")
    if round.kind is Kind.CHALLENGE:
        challenges.require_place(site, round)


def _finish(site: Site, round: Round, entry: EntryRow, position: Position) -> RunRow | None:
    """Store the run if the round has ended, which the very first roll can do. It commits with the last decision.

    A sealed practice round has one player: it is closed and disclosed when its owner has finished, and a challenge when
    all have for whom it has a place.
    """
    if not isinstance(position.state, End):
        return None
    run = accept(site, round, entry, position.turns)
    if round.kind is Kind.PRACTICE or (round.kind is Kind.CHALLENGE and challenges.has_ended(site, round)):
        close(site, site.session.get_one(RoundRow, round.round_id), site.clock())
    return run


def _find(site: Site, round_id: str, player_id: UUID) -> AttemptRow | None:
    return site.session.scalars(
        select(AttemptRow)
        .join(EntryRow, EntryRow.entry_id == AttemptRow.entry_id)
        .where(EntryRow.round_id == round_id, EntryRow.player_id == player_id)
    ).first()


def _owned(site: Site, player_id: UUID, attempt_id: UUID) -> tuple[AttemptRow, EntryRow]:
    found = site.session.execute(
        select(AttemptRow, EntryRow)
        .join(EntryRow, EntryRow.entry_id == AttemptRow.entry_id)
        .where(AttemptRow.attempt_id == attempt_id)
    ).first()
    if found is None:
        raise AttemptNotFound(f"there is no attempt {attempt_id}")
    attempt, entry = found
    if entry.player_id != player_id:
        raise NotYours("this attempt belongs to another player")
    return attempt, entry


def _canonical(decision: Decision) -> Decision:
    """Return the decision as it is stored: tiles ascending."""
    return ShutChoice(tuple(sorted(decision.shut))) if isinstance(decision, ShutChoice) else decision


def _decisions(site: Site, attempt_id: UUID) -> list[Decision]:
    rows = site.session.execute(
        select(MoveRow.dice, MoveRow.shut).where(MoveRow.attempt_id == attempt_id).order_by(MoveRow.number)
    )
    return [ShutChoice(tiles_of(shut or 0)) if dice is None else DiceChoice(dice) for dice, shut in rows]


def _store(site: Site, attempt_id: UUID, number: int, decision: Decision) -> bool:
    """Store a legal decision unless one with its number stands; tell whether it was stored."""
    chosen = {"dice": decision.dice} if isinstance(decision, DiceChoice) else {"shut": mask_of(decision.shut)}
    values = {"attempt_id": attempt_id, "number": number, "decided_at": site.clock(), **chosen}
    return insert_or_nothing(site.session, MoveRow, values)
