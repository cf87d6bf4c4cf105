"""Moderation: what the operator does about runs and players; each act is written down, and another one undoes it."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import groupby
from operator import itemgetter
from uuid import UUID

from sqlalchemy import delete, func, select, update
from sqlalchemy.exc import IntegrityError

from .audit import UNDO, Act, Actor, find_act, newest_act, undone, write_act
from .boards import reconcile
from .errors import InvalidName, ModerationRefused, NameTaken, NotLogged, PlayerNotFound, RunNotFound
from .names import read_name
from .players import free_name, hold_name, hold_player
from .ranking import RankingUnavailable
from .rounds import State, hold_round
from .site import Site
from .store.database import insert_or_nothing, writing
from .store.rows import EntryRow, PlayerRow, RoundRow, RunRow, WithdrawalRow, WithdrawnRow
from .tlog.leaves import WithdrawReason

_ID_LENGTH = 36  # of a UUID as it is shown; a name is shorter
_OPPOSITE = {
    "withdraw": "reinstate",
    "reinstate": "withdraw",
    "hide": "unhide",
    "unhide": "hide",
    "ban": "unban",
    "unban": "ban",
    "rename": "rename",
}


# Runs


def withdraw(site: Site, run_id: UUID, reason: WithdrawReason, note: str) -> bool:
    """Take a run off the ranking; False if it is withdrawn already. Everyone sees the reason and the note.

    Raises RunNotFound, and NotLogged for a run that no ranking in the log can lose.
    """
    return bool(_act_on_runs(site, _rounds_of(site, [run_id]), reason, note))


def reinstate(site: Site, run_id: UUID, note: str) -> bool:
    """Let a run be ranked again; False if it is not withdrawn. Raises RunNotFound and NotLogged."""
    return bool(_act_on_runs(site, _rounds_of(site, [run_id]), None, note))


def _rounds_of(site: Site, run_ids: Iterable[UUID]) -> list[tuple[str, UUID]]:
    """Return (round id, run id) in the order in which rounds are held. Raises RunNotFound."""
    found: list[tuple[str, UUID]] = []
    for run_id in run_ids:
        round_id = site.session.scalar(select(RunRow.round_id).where(RunRow.run_id == run_id))
        if round_id is None:
            raise RunNotFound(f"there is no run {run_id}")
        found.append((round_id, run_id))
    return sorted(found)


def _act_on_runs(
    site: Site, runs: Sequence[tuple[str, UUID]], reason: WithdrawReason | None, note: str
) -> list[tuple[str, UUID]]:
    """Withdraw or, without a reason, reinstate runs, all or none; return those that were changed."""
    with writing(site.session):
        changed = [run for run in runs if _act_on_run(site, *run, reason, note)]
    _follow(site, {round_id for round_id, _ in changed})
    return changed


def _act_on_run(site: Site, round_id: str, run_id: UUID, reason: WithdrawReason | None, note: str) -> bool:
    """Store one act inside the caller's transaction; False if the run is as wanted already.

    The round is held alone: its close and its submissions come before the act, or behind it.
    """
    round = hold_round(site, round_id, alone=True)
    run = site.session.get_one(RunRow, run_id, populate_existing=True)
    if not run.to_log:
        raise NotLogged(
            f"run {run_id} is not ranked by anything that is logged: it is practice, or no better than an earlier run "
            "of its player"
        )
    if reason is not None:
        changed = insert_or_nothing(site.session, WithdrawnRow, {"run_id": run_id})
    else:
        gone = delete(WithdrawnRow).where(WithdrawnRow.run_id == run_id).returning(WithdrawnRow.run_id)
        changed = site.session.execute(gone).first() is not None
    if not changed:
        return False
    last = site.session.scalar(select(func.max(WithdrawalRow.at)).where(WithdrawalRow.run_id == run_id)) or 0
    act = WithdrawalRow(
        withdrawal_id=site.new_id(),
        run_id=run_id,
        reason=reason,
        note=note,
        at=max(site.clock(), run.accepted_at, last + 1),  # clocks step back, and the log tells the acts in this order
        after_close=round.state is State.CLOSED,
    )
    site.session.add(act)
    missed = {"missed_placements": RoundRow.missed_placements + 1}
    site.session.execute(update(RoundRow).where(RoundRow.round_id == round_id).values(missed))
    player_id = site.session.scalar(select(EntryRow.player_id).where(EntryRow.entry_id == run.entry_id))
    act_name = "reinstate" if reason is None else "withdraw"
    write_act(site, Actor.OPERATOR, act_name, player_id, run_id, note)
    return True


def _follow(site: Site, round_ids: Iterable[str]) -> None:
    """Bring boards in Redis to what was stored; if it is away they are read from SQL until it is back."""
    with suppress(RankingUnavailable):
        reconcile(site, sorted(round_ids))


# Players


def withdraw_all(site: Site, player_id: UUID, reason: WithdrawReason, note: str) -> int:
    """Withdraw every run that ranks a player, or would if a better one is withdrawn; return how many that were.

    Round by round, so that others write in between. Broken off, it is completed by doing it again.
    """
    runs = site.session.execute(
        select(RunRow.round_id, RunRow.run_id)
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .where(EntryRow.player_id == player_id, RunRow.to_log)
        .order_by(RunRow.round_id, RunRow.run_id)
    ).all()
    found = [(round_id, run_id) for round_id, run_id in runs]
    rounds = (list(of_round) for _, of_round in groupby(found, key=itemgetter(0)))
    return sum(len(_act_on_runs(site, of_round, reason, note)) for of_round in rounds)


def hide(site: Site, player_id: UUID, note: str) -> bool:
    """Let nobody but the player see the name; False if it is hidden already. Ranks and runs stay."""
    return _mark(site, player_id, "hide", "hidden_at", True, note)


def unhide(site: Site, player_id: UUID, note: str) -> bool:
    """Show the name of a player again; False if it is not hidden."""
    return _mark(site, player_id, "unhide", "hidden_at", False, note)


def ban(site: Site, player_id: UUID, note: str) -> bool:
    """Take nothing more from a player; False if the player is banned already. What was played stays."""
    return _mark(site, player_id, "ban", "banned_at", True, note)


def unban(site: Site, player_id: UUID, note: str) -> bool:
    """Let a player play again; False if the player is not banned."""
    return _mark(site, player_id, "unban", "banned_at", False, note)


def _mark(site: Site, player_id: UUID, act: str, column: str, marked: bool, note: str) -> bool:
    with writing(site.session):
        row = hold_player(site, player_id, alone=True)
        if (getattr(row, column) is not None) == marked:
            return False
        setattr(row, column, site.clock() if marked else None)
        write_act(site, Actor.OPERATOR, act, player_id, note=note)
        return True


def find_player(site: Site, text: str) -> PlayerRow:
    """Return who has an id or a name, also a hidden one. Raises PlayerNotFound, and ModerationRefused if deleted."""
    with suppress(ValueError):
        row = site.session.get(PlayerRow, UUID(text)) if len(text) == _ID_LENGTH else None
        if row is not None and row.deleted_at is not None:
            raise ModerationRefused(f"player {text} was deleted: only runs are left, which can be withdrawn")
        if row is not None:
            return row
    with suppress(InvalidName):
        row = site.session.scalars(select(PlayerRow).where(PlayerRow.name_key == read_name(text).key)).first()
        if row is not None:
            return row
    raise PlayerNotFound(f"no player has the name or the id {text!r}")


def rename(site: Site, player_id: UUID, name: str | None) -> bool:
    """Give a player another name, or none, by force; False if that is the name already. Nobody gets the old one soon.

    Raises InvalidName for what is no name, and NameTaken.
    """
    wanted = None if name is None else read_name(name)
    try:
        with writing(site.session):
            row = hold_player(site, player_id, alone=True)
            before = row.name
            if before == (wanted and wanted.shown):
                return False
            given_up, row.name_key = row.name_key, wanted.key if wanted else None
            row.name = wanted.shown if wanted else None
            if wanted is not None:
                free_name(site, wanted.key)
            if given_up not in (None, row.name_key):
                hold_name(site, given_up, None)
            write_act(site, Actor.OPERATOR, "rename", player_id, note=before or "")
            return True
    except IntegrityError:
        raise NameTaken(f"the name {name!r} is taken") from None


# Undoing


def undo(site: Site, audit_id: UUID) -> str | None:
    """Undo an act of the operator by the opposite one; return which that was, None if it is undone already.

    Raises ModerationRefused for an act that is none of the operator's, of a player who was deleted since, or behind
    which another one of its kind or the opposite has been done.
    """
    act = find_act(site, audit_id)
    if act is None:
        raise ModerationRefused(f"there is no act {audit_id}: `shutbox moderate audit` lists them")
    opposite, note = _OPPOSITE.get(act.act), f"undoes {audit_id}"
    if act.actor is not Actor.OPERATOR or opposite is None:
        raise ModerationRefused(f"act {audit_id} is {act.act} by the {act.actor}, which is not undone here")
    if undone(site, audit_id):  # else a later act of its kind would be undone in its place
        return None
    newest = newest_act(site, act, {act.act, opposite})
    if newest != audit_id:
        raise ModerationRefused(f"act {audit_id} was followed by act {newest}, which would be undone with it: see that")
    if not _undo(site, opposite, act, note):
        return None
    with writing(site.session):
        write_act(site, Actor.OPERATOR, UNDO, act.player_id, act.run_id, note)
    return opposite


def _undo(site: Site, opposite: str, act: Act, note: str) -> bool:
    if act.run_id is not None:
        return _undo_on_run(site, opposite, act.run_id, note)
    if act.player_id is None:
        raise ModerationRefused(f"the player of act {act.audit_id} was deleted")
    if opposite == "rename":
        return rename(site, act.player_id, act.note or None)
    return _MARKS[opposite](site, act.player_id, note)


def _undo_on_run(site: Site, opposite: str, run_id: UUID, note: str) -> bool:
    if opposite == "reinstate":
        return reinstate(site, run_id, note)
    last = (  # what was reinstated was withdrawn before
        select(WithdrawalRow)
        .where(WithdrawalRow.run_id == run_id, WithdrawalRow.reason.is_not(None))
        .order_by(WithdrawalRow.at.desc())
        .limit(1)
    )
    row = site.session.scalars(last).one()
    return withdraw(site, run_id, WithdrawReason(row.reason or 0), row.note)


_MARKS = {"hide": hide, "unhide": unhide, "ban": ban, "unban": unban}
