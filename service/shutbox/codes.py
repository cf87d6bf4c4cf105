"""Codes: how a player gets to another device, or back after all devices are lost, without a password.

A transfer code lasts ten minutes, a recovery code has no end. Each works once and is stored as its hash; a new one
replaces the one before. Both are Crockford base32 in groups of four, 12 or 24 characters.
"""

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from uuid import UUID

from sqlalchemy import delete, select

from .audit import Actor, write_act
from .clock import SECOND
from .crockford import grouped, random_symbols, symbols_of
from .errors import CodeNotFound, CodeSpent, PlayerRequired
from .players import Player, add_token, hold_acting, hold_player, player_from
from .site import Site
from .store.database import writing
from .store.rows import CodeRow, PlayerRow, TokenRow

TRANSFER_SECONDS = 600
REPEATED_SECONDS = 600  # for which the use of a code may be sent again with its key

_GROUP = 4


class CodeKind(StrEnum):
    """What a code is for; also the label of the token that it gives."""

    TRANSFER = "transfer"
    RECOVERY = "recovery"


_LENGTHS = {CodeKind.TRANSFER: 12, CodeKind.RECOVERY: 24}


@dataclass(frozen=True, slots=True)
class RecoveryState:
    """The recovery code that a player has, without the code. Times are unix milliseconds."""

    made_at: int
    used_at: int | None


def make_transfer_code(site: Site, player_id: UUID, by: UUID) -> tuple[str, int]:
    """Return a new transfer code, made by a token and shown only here, and the moment at which it ends."""
    expires_at = site.clock() + TRANSFER_SECONDS * SECOND
    return _replace(site, player_id, by, CodeKind.TRANSFER, expires_at), expires_at


def make_recovery_code(site: Site, player_id: UUID, by: UUID) -> str:
    """Return a new recovery code, made by a token and shown only here."""
    return _replace(site, player_id, by, CodeKind.RECOVERY, None)


def recovery_state(site: Site, player_id: UUID) -> RecoveryState | None:
    """Return when the player's recovery code was made and used; None if there never was one."""
    row = site.session.scalars(
        select(CodeRow).where(CodeRow.player_id == player_id, CodeRow.kind == CodeKind.RECOVERY)
    ).first()
    return RecoveryState(row.created_at, row.used_at) if row else None


def redeem(site: Site, text: str, browser: bool, idempotency_key: str | None = None) -> tuple[Player, str]:
    """Use up a code; return its player and a new token. Of any number who try at once, one gets in.

    Who used it with a key may send it again for ten minutes: an answer can be lost, and must not take the only recovery
    code with it. The token of the first answer is replaced, as long as it was not ended: so a code gives one token.
    Raises CodeNotFound, and CodeSpent if it was used already or its time is over.
    """
    code_hash = _hash(symbols := _read(text))
    key = None if idempotency_key is None else _hash(f"{symbols} {idempotency_key}")
    where = "in a browser" if browser else "by a program"
    with writing(site.session):
        owner = _held_owner(site, code_hash)
        held = select(CodeRow).where(CodeRow.code_hash == code_hash).with_for_update()
        code = site.session.scalars(held.execution_options(populate_existing=True)).first()
        if owner is None or code is None:
            raise CodeNotFound("this code was never given out, or a newer one has replaced it: make a new one")
        if _is_unused(site, code) or _is_repeated(site, code, key):
            if code.used_at is None:
                code.used_at, code.used_key = site.clock(), key
                write_act(site, Actor.PLAYER, "code_used", owner.player_id, note=f"{code.kind}, {where}")
            site.session.execute(delete(TokenRow).where(TokenRow.token_id == code.token_id))
            token, secret = add_token(site, owner.player_id, code.kind, browser=browser)
            code.token_id = token.token_id
            return player_from(owner, owner.player_id), secret
    _note_refused(site, code_hash, where)
    raise CodeSpent("this code was used already, or its time is over: make a new one")


def _is_unused(site: Site, code: CodeRow) -> bool:
    return code.used_at is None and (code.expires_at is None or code.expires_at > site.clock())


def _is_repeated(site: Site, code: CodeRow, key: bytes | None) -> bool:
    """Tell whether a code is sent again by who has used it, whose token was not ended."""
    if key is None or code.used_at is None or code.used_at <= site.clock() - REPEATED_SECONDS * SECOND:
        return False
    return code.used_key == key and site.session.get(TokenRow, code.token_id, populate_existing=True) is not None


def _note_refused(site: Site, code_hash: bytes, where: str) -> None:
    """Let the player know of somebody who has a code that was used already, or whose time is over."""
    with writing(site.session):
        row = site.session.get(CodeRow, code_hash, populate_existing=True)
        if row is not None:
            write_act(site, Actor.PLAYER, "code_refused", row.player_id, note=f"{row.kind}, {where}")


def _replace(site: Site, player_id: UUID, by: UUID, kind: CodeKind, expires_at: int | None) -> str:
    symbols = random_symbols(site.random, _LENGTHS[kind])
    with writing(site.session):
        hold_acting(site, player_id, by, alone=True)  # so that two new codes replace each other in turn
        write_act(site, Actor.PLAYER, "code_made", player_id, note=kind)
        site.session.execute(delete(CodeRow).where(CodeRow.player_id == player_id, CodeRow.kind == kind))
        site.session.add(
            CodeRow(
                code_hash=_hash(symbols),
                player_id=player_id,
                kind=kind,
                created_at=site.clock(),
                expires_at=expires_at,
            )
        )
    return grouped(symbols, _GROUP)


def _held_owner(site: Site, code_hash: bytes) -> PlayerRow | None:
    """Return whose code it is, held so that a deletion or a new code has to wait. None if it is nobody's."""
    owner_id = site.session.scalar(select(CodeRow.player_id).where(CodeRow.code_hash == code_hash))
    with suppress(PlayerRequired):
        return None if owner_id is None else hold_player(site, owner_id)
    return None


def _read(text: str) -> str:
    """Return the symbols of a code however it was typed. Raises CodeNotFound for what cannot be one."""
    symbols = symbols_of(text)
    if symbols is None or len(symbols) not in _LENGTHS.values():
        raise CodeNotFound(
            "this is not how a code is written: a transfer code has three groups of four letters and digits, like "
            "7KQ2-M4XD-9RTW, and a recovery code has six"
        )
    return symbols


def _hash(symbols: str) -> bytes:
    return sha256(symbols.encode()).digest()
