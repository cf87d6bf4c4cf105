"""The audit trail: what was done to a player or a run, by its player or by the operator, in order, never changed."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from enum import StrEnum
from uuid import UUID

from sqlalchemy import delete, exists, or_, select, update

from .site import Site
from .store.rows import AuditRow

NOTE_LENGTH = 200
UNDO = "undo"  # written beside the opposite act, with the id of the act that it undoes


class Actor(StrEnum):
    """Who did it."""

    OPERATOR = "operator"
    PLAYER = "player"


@dataclass(frozen=True, slots=True)
class Act:
    """Something that was done. `at` is unix milliseconds."""

    audit_id: UUID
    at: int
    actor: Actor
    act: str
    note: str
    player_id: UUID | None
    run_id: UUID | None


def write_act(
    site: Site, actor: Actor, act: str, player_id: UUID | None = None, run_id: UUID | None = None, note: str = ""
) -> None:
    """Add an act inside the caller's transaction, so that it is written exactly if it was done."""
    site.session.add(
        AuditRow(
            audit_id=site.new_id(),
            at=site.clock(),
            actor=actor,
            act=act,
            player_id=player_id,
            run_id=run_id,
            note=note[:NOTE_LENGTH],
        )
    )


def acts_of(site: Site, player_id: UUID, limit: int, before: UUID | None = None) -> tuple[Sequence[Act], bool]:
    """Return what was done to a player, newest first, and whether there is more behind it."""
    wanted = select(AuditRow).where(AuditRow.player_id == player_id).order_by(AuditRow.audit_id.desc())
    if before is not None:
        wanted = wanted.where(AuditRow.audit_id < before)
    rows = site.session.scalars(wanted.limit(limit + 1)).all()
    acts = [_act_from(row) for row in rows]
    return acts[:limit], len(acts) > limit


def acts_about(site: Site, about: UUID | None) -> Sequence[Act]:
    """Return what was done, oldest first: everything, or to one player or run."""
    wanted = select(AuditRow).order_by(AuditRow.at, AuditRow.audit_id)
    if about is not None:
        wanted = wanted.where(or_(AuditRow.player_id == about, AuditRow.run_id == about))
    return [_act_from(row) for row in site.session.scalars(wanted)]


def find_act(site: Site, audit_id: UUID) -> Act | None:
    """Return an act."""
    row = site.session.get(AuditRow, audit_id)
    return None if row is None else _act_from(row)


def newest_act(site: Site, act: Act, words: Collection[str]) -> UUID:
    """Return the newest of the operator's acts that is one of these words, on the run or else the player of an act."""
    if act.run_id is None and act.player_id is None:  # the player was deleted: the rest cannot be told from others'
        return act.audit_id
    of_player = AuditRow.run_id.is_(None) & (AuditRow.player_id == act.player_id)
    about = of_player if act.run_id is None else AuditRow.run_id == act.run_id
    found = select(AuditRow.audit_id).where(about, AuditRow.actor == Actor.OPERATOR, AuditRow.act.in_(words))
    return site.session.scalars(found.order_by(AuditRow.audit_id.desc()).limit(1)).first() or act.audit_id


def undone(site: Site, audit_id: UUID) -> bool:
    """Tell whether an act was undone."""
    of_it = (AuditRow.act == UNDO, AuditRow.note == f"undoes {audit_id}")
    return bool(site.session.scalar(select(exists().where(*of_it))))


def _act_from(row: AuditRow) -> Act:
    return Act(row.audit_id, row.at, Actor(row.actor), row.act, row.note, row.player_id, row.run_id)


def forget_acts(site: Site, player_id: UUID) -> None:
    """Take a player out of the trail inside the transaction that deletes the player.

    What the player did is deleted; what the operator did stays, about nobody, without its note, which may name someone.
    """
    of_player = AuditRow.player_id == player_id
    site.session.execute(delete(AuditRow).where(of_player, AuditRow.actor == Actor.PLAYER))
    site.session.execute(update(AuditRow).where(of_player).values(player_id=None, note=""))
