"""Runs: turns become an accepted run here and nowhere else, and a run is shown as far as the viewer may see it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.orm import aliased

from . import leaderboards
from .errors import IllegalRun, RoundClosed, RoundNotOpen, RunNotFound, WrongMode
from .game.analysis import given_away_milli
from .game.encoding import tiles_of
from .game.replay import Reason, Refusal, Turn, replay
from .game.runs import turn_bytes, turns_from
from .gates import shows_standings, shows_turns
from .players import Player, player_from
from .ranking import Standing, rank_key
from .rounds import Mode, Round, State, dice_of, enter, get_round, hold_round
from .site import Site
from .store.database import writing
from .store.rows import EntryRow, PlayerRow, RunRow, WithdrawalRow, WithdrawnRow
from .tlog.leaves import WithdrawReason

_EXPLAINED = {
    Reason.DICE_NOT_ALLOWED: "this board does not allow that number of dice",
    Reason.NO_LEGAL_SHUT: "no open tiles match this roll, so nothing can be shut and the round ends here",
    Reason.REPEATED_TILE: "a tile is named twice",
    Reason.SHUT_REQUIRED: "this roll can be played, so tiles must be shut",
    Reason.TILE_NOT_OPEN: "a tile named here is not open",
    Reason.WRONG_TILES: "these tiles do not match the roll",
    Reason.TURN_AFTER_END: "the round had ended before this turn",
    Reason.UNFINISHED: "the round has not ended after the last turn: a turn is missing here",
}


_OF_WITHDRAWAL: tuple[Any, ...] = (
    WithdrawalRow.reason,
    WithdrawalRow.note,
    WithdrawalRow.at,
    WithdrawalRow.leaf_index,
)


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """Why and when the operator took a run off the ranking, and where that is in the log."""

    reason: WithdrawReason
    note: str
    at: int
    leaf_index: int | None


@dataclass(frozen=True, slots=True)
class Run:
    """A run as one viewer sees it: what the viewer may not see yet is None, and `gated` says so."""

    run_id: UUID
    round_id: str
    player: Player | None
    score: int | None
    penalty: int | None
    open: tuple[int, ...] | None
    shut_the_box: bool | None
    given_away_milli: int | None
    turns: tuple[Turn, ...] | None
    ranked: bool | None
    rank: int | None
    tied: int | None  # how many players share the rank, this one included
    total: int | None
    accepted_at: int
    to_log: bool  # it has a receipt, once it has its place in the log
    leaf_index: int | None
    withdrawn: Withdrawal | None
    gated: bool


@dataclass(frozen=True, slots=True)
class ShownTurn:
    """A turn with the faces that its player saw."""

    faces: tuple[int, ...]
    shut: tuple[int, ...]


def with_faces(site: Site, round: Round, turns: Sequence[Turn]) -> list[ShownTurn]:
    """Return turns with the faces of their rolls, for one who may see the turns."""
    _, table = dice_of(site, round)
    return [ShownTurn(roll[: turn.dice], turn.shut) for roll, turn in zip(table.rolls, turns, strict=False)]


def submit(site: Site, player: Player, round_id: str, turns: Sequence[Turn]) -> tuple[Run, bool]:
    """Verify the turns on an open round and rank them; return the run and whether it is new.

    The same turns by the same player give the same run, also after the close. Raises WrongMode, RoundNotOpen,
    RoundClosed, and IllegalRun with the reason and the turn.
    """
    round = get_round(site, round_id)
    if round.mode is not Mode.OPEN:
        raise WrongMode(f"round {round_id} is sealed: it is played by an attempt, one decision at a time")
    if round.state is State.UPCOMING:
        raise RoundNotOpen(f"round {round_id} has not opened yet")
    rules, table = dice_of(site, round)
    refusal = replay(rules, table, turns).refusal
    if refusal is not None:
        raise _too_late(round) if round.state is not State.OPEN else illegal(refusal)
    with writing(site.session):
        round = hold_round(site, round_id)
        row, created = _stored(site, round_id, player.player_id, turns), False
        if row is None:
            if round.state is not State.OPEN:
                raise _too_late(round)
            entry = enter(site, round, player.player_id)  # from here on the player's other submissions wait
            row = _stored(site, round_id, player.player_id, turns)
            if row is None:
                row, created = accept(site, round, entry, turns), True
        withdrawn = None if created else _withdrawal(site, row.run_id)
    if withdrawn is None and (row.to_log or not round.logged):
        standing = leaderboards.place(site, round, player.player_id, row.run_id, row.rank_key)
    else:
        standing = leaderboards.standing(site, round, player.player_id)  # of another run of the player
    return _shown(row, player, standing, withdrawn, standings=True, turns=True), created


def accept(site: Site, round: Round, entry: EntryRow, turns: Sequence[Turn]) -> RunRow:
    """Store a finished round as a run, inside the caller's transaction. Raises IllegalRun if replay refuses it."""
    rules, table = dice_of(site, round)
    replayed = replay(rules, table, turns)
    if replayed.refusal is not None:
        raise illegal(replayed.refusal)
    penalty = rules.penalties[replayed.open]
    score = rules.opening_penalty - penalty
    given_away = given_away_milli(rules, table, turns) if round.mode is Mode.SEALED else None
    row = RunRow(
        run_id=site.new_id(),
        entry_id=entry.entry_id,
        round_id=round.round_id,
        turns=turn_bytes(turns),
        open=replayed.open,
        score=score,
        penalty=penalty,
        given_away_milli=given_away,
        rank_key=rank_key(rules, penalty, given_away or 0),
        accepted_at=site.clock(),
        salt=site.random(32),
        to_log=round.logged and (round.mode is Mode.SEALED or _improves(site, entry, score)),
    )
    site.session.add(row)
    site.session.flush()
    return row


def get_run(site: Site, run_id: UUID, viewer_id: UUID | None) -> Run:
    """Return a run as far as this viewer may see it. Raises RunNotFound."""
    found = site.session.execute(
        select(RunRow, PlayerRow)
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .join(PlayerRow, PlayerRow.player_id == EntryRow.player_id)
        .where(RunRow.run_id == run_id)
    ).first()
    if found is None:
        raise RunNotFound(f"there is no run {run_id}")
    row, owner = found[0], player_from(found[1], viewer_id)
    round = get_round(site, row.round_id)
    standings = owner.player_id == viewer_id or shows_standings(site, round, viewer_id)
    standing = leaderboards.standing(site, round, owner.player_id) if standings else None
    withdrawn = _withdrawal(site, run_id) if standings else None
    return _shown(row, owner, standing, withdrawn, standings, shows_turns(round, viewer_id, owner.player_id))


def illegal(refusal: Refusal) -> IllegalRun:
    """Return the refusal of a run with its reason and turn."""
    reason, turn = refusal
    return IllegalRun(f"turn {turn}: {_EXPLAINED[reason]}", reason=reason.value, turn=turn)


def explained(reason: Reason) -> str:
    """Return what a reason says to a person."""
    return _EXPLAINED[reason]


def _shown(
    row: RunRow, owner: Player, standing: Standing | None, withdrawn: Withdrawal | None, standings: bool, turns: bool
) -> Run:
    ranked = standing is not None and standing.run_id == row.run_id and withdrawn is None
    return Run(
        run_id=row.run_id,
        round_id=row.round_id,
        player=owner if standings else None,
        score=row.score if standings else None,
        penalty=row.penalty if standings else None,
        open=tiles_of(row.open) if turns else None,
        shut_the_box=row.open == 0 if standings else None,
        given_away_milli=row.given_away_milli if standings else None,
        turns=turns_from(row.turns) if turns else None,
        ranked=ranked if standings else None,
        rank=standing.rank if standing and ranked else None,
        tied=standing.tied if standing and ranked else None,
        total=standing.total if standing else None,
        accepted_at=row.accepted_at,
        to_log=row.to_log,
        leaf_index=row.leaf_index,
        withdrawn=withdrawn,
        gated=not (standings and turns),
    )


def withdrawn_on(site: Site, round_id: str) -> Sequence[tuple[UUID, Withdrawal]]:
    """Return the runs of a round that are withdrawn now, the earliest first."""
    every = aliased(WithdrawalRow)
    last = select(func.max(every.at)).where(every.run_id == WithdrawnRow.run_id).scalar_subquery()
    rows = site.session.execute(
        select(WithdrawnRow.run_id, *_OF_WITHDRAWAL)
        .join(WithdrawalRow, (WithdrawalRow.run_id == WithdrawnRow.run_id) & (WithdrawalRow.at == last))
        .join(RunRow, RunRow.run_id == WithdrawnRow.run_id)
        .where(RunRow.round_id == round_id)
        .order_by(WithdrawnRow.run_id)
    )
    return [
        (run_id, Withdrawal(WithdrawReason(reason), note, at, leaf_index))
        for run_id, reason, note, at, leaf_index in rows
    ]


def _withdrawal(site: Site, run_id: UUID) -> Withdrawal | None:
    """Return what took a run off the ranking; None if it is ranked, or would be if it were the best."""
    last = select(*_OF_WITHDRAWAL).where(WithdrawalRow.run_id == run_id).order_by(WithdrawalRow.at.desc()).limit(1)
    found = site.session.execute(last).first()
    if found is None or found.reason is None:
        return None
    return Withdrawal(WithdrawReason(found.reason), found.note, found.at, found.leaf_index)


def _stored(site: Site, round_id: str, player_id: UUID, turns: Sequence[Turn]) -> RunRow | None:
    return site.session.scalars(
        select(RunRow)
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .where(EntryRow.round_id == round_id, EntryRow.player_id == player_id, RunRow.turns == turn_bytes(turns))
    ).first()


def _improves(site: Site, entry: EntryRow, score: int) -> bool:
    """Tell whether a score is higher than that of every logged run of the entry: only then an open run is logged.

    Those that are withdrawn do not count.
    """
    counted = (RunRow.to_log, RunRow.run_id.not_in(select(WithdrawnRow.run_id)))
    best = site.session.scalar(select(func.max(RunRow.score)).where(RunRow.entry_id == entry.entry_id, *counted))
    return best is None or score > best


def _too_late(round: Round) -> RoundClosed:
    return RoundClosed(f"round {round.round_id} took submissions and attempts until its day ended")
