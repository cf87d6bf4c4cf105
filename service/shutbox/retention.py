"""Retention: what nobody needs any more is removed after a time, in small batches; never anything that is logged."""

from contextlib import suppress
from functools import partial
from uuid import UUID

from sqlalchemy import delete, exists, select
from sqlalchemy.exc import IntegrityError

from .clock import HOUR, day_at
from .codes import CodeKind
from .errors import PlayerRequired
from .players import release_names
from .privacy import delete_player
from .ranking import RankingUnavailable
from .rounds import Kind, State
from .site import Site
from .store.database import writing
from .store.rows import (
    AttemptRow,
    CodeRow,
    EntryRow,
    IdempotencyRow,
    MemberRow,
    MoveRow,
    PlayerRow,
    RoundRow,
    RunRow,
    TokenRow,
)

BATCH = 50


def remove_what_is_over(site: Site) -> bool:
    """Remove one batch of each kind; tell whether there may be more."""
    release_names(site)
    practice = _remove_practice(site) if site.settings.practice_kept else 0
    guests = _remove_guests(site) if site.settings.guests_kept else 0
    return BATCH in (practice, guests)


def _remove_practice(site: Site) -> int:
    """Remove practice rounds whose time was over days ago, with all that was played on them."""
    until = site.clock() - site.settings.practice_kept * 24 * HOUR
    over = (RoundRow.kind == Kind.PRACTICE, RoundRow.state == State.CLOSED, RoundRow.closes_at <= until)
    due = site.session.scalars(select(RoundRow.round_id).where(*over).limit(BATCH)).all()
    for round_id in due:
        with writing(site.session):
            site.session.scalars(select(RoundRow).where(RoundRow.round_id == round_id).with_for_update()).all()
            _delete_round(site, round_id)
        with suppress(RankingUnavailable):
            site.ranking.forget(round_id)
    return len(due)


def _delete_round(site: Site, round_id: str) -> None:
    entries = select(EntryRow.entry_id).where(EntryRow.round_id == round_id)
    attempts = select(AttemptRow.attempt_id).where(AttemptRow.entry_id.in_(entries))
    for statement in (
        delete(MoveRow).where(MoveRow.attempt_id.in_(attempts)),
        delete(AttemptRow).where(AttemptRow.entry_id.in_(entries)),
        delete(RunRow).where(RunRow.round_id == round_id),
        delete(EntryRow).where(EntryRow.round_id == round_id),
        delete(IdempotencyRow).where(IdempotencyRow.round_id == round_id),
        delete(RoundRow).where(RoundRow.round_id == round_id),
    ):
        site.session.execute(statement, execution_options={"synchronize_session": False})


def _remove_guests(site: Site) -> int:
    """Remove guests who have played nothing to its end and were not here for days."""
    due = _unused_guests(site)
    for player_id in due:
        try:
            delete_player(site, player_id, partial(_is_unused, site, player_id))
        except PlayerRequired:  # it was deleted meanwhile, or came back
            continue
        with suppress(IntegrityError), writing(site.session):  # one who has begun a daily round stays, without anything
            site.session.execute(delete(PlayerRow).where(PlayerRow.player_id == player_id))
    return len(due)


def _is_unused(site: Site, player_id: UUID) -> bool:
    return bool(_unused_guests(site, player_id))


def _unused_guests(site: Site, only: UUID | None = None) -> list[UUID]:
    """Return guests to remove, or that one if it still is one of them.

    Whoever has a recovery code or is in a league has a reason to come back.
    """
    until = site.clock() - site.settings.guests_kept * 24 * HOUR
    of_player = EntryRow.player_id == PlayerRow.player_id
    kept = (
        exists().where(of_player, RunRow.entry_id == EntryRow.entry_id),
        exists().where(TokenRow.player_id == PlayerRow.player_id, TokenRow.last_used > day_at(until)),
        exists().where(
            CodeRow.player_id == PlayerRow.player_id, CodeRow.kind == CodeKind.RECOVERY, CodeRow.used_at.is_(None)
        ),
        exists().where(MemberRow.player_id == PlayerRow.player_id),
    )
    guest = (PlayerRow.name.is_(None), PlayerRow.deleted_at.is_(None), PlayerRow.created_at <= until)
    named = () if only is None else (PlayerRow.player_id == only,)
    found = select(PlayerRow.player_id).where(*guest, *named, *(~one for one in kept)).limit(BATCH)
    return list(site.session.scalars(found))
