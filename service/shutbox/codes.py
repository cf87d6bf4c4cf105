"""Codes: how a player gets to another device, or back after all devices are lost, without a password.

A transfer code lasts ten minutes, a recovery code has no end. Each works once and is stored as its hash; a new one
replaces the one before. Both are Crockford base32 in groups of four, 12 or 24 characters.
"""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from uuid import UUID

from sqlalchemy import delete, or_, select, update

from .clock import SECOND
from .errors import CodeNotFound, CodeSpent, PlayerRequired
from .players import Player, add_token, hold_player, player_from
from .site import Site
from .store.database import writing
from .store.rows import CodeRow, PlayerRow

TRANSFER_SECONDS = 600

_ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BITS = 5
_GROUP = 4
_HYPHENS = "-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}"
_READ_AS = str.maketrans("OIL", "011", _HYPHENS)


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


def make_transfer_code(site: Site, player_id: UUID) -> tuple[str, int]:
    """Return a new transfer code, which is shown only here, and the moment at which it ends."""
    expires_at = site.clock() + TRANSFER_SECONDS * SECOND
    return _replace(site, player_id, CodeKind.TRANSFER, expires_at), expires_at


def make_recovery_code(site: Site, player_id: UUID) -> str:
    """Return a new recovery code, which is shown only here."""
    return _replace(site, player_id, CodeKind.RECOVERY, None)


def recovery_state(site: Site, player_id: UUID) -> RecoveryState | None:
    """Return when the player's recovery code was made and used; None if there never was one."""
    row = site.session.scalars(
        select(CodeRow).where(CodeRow.player_id == player_id, CodeRow.kind == CodeKind.RECOVERY)
    ).first()
    return RecoveryState(row.created_at, row.used_at) if row else None


def redeem(site: Site, text: str) -> tuple[Player, str]:
    """Use up a code; return its player and a new token. Of any number who try at once, one gets in.

    Raises CodeNotFound, and CodeSpent if it was used already or its time is over.
    """
    code_hash, now = _hash(_read(text)), site.clock()
    with writing(site.session):
        owner = _held_owner(site, code_hash)
        if owner is None:
            raise CodeNotFound("this code was never given out, or a newer one has replaced it: make a new one")
        usable = CodeRow.used_at.is_(None) & or_(CodeRow.expires_at.is_(None), CodeRow.expires_at > now)
        kind = site.session.scalar(
            update(CodeRow).where(CodeRow.code_hash == code_hash, usable).values(used_at=now).returning(CodeRow.kind)
        )
        if kind is None:
            raise CodeSpent("this code was used already, or its time is over: make a new one")
        _, secret = add_token(site, owner.player_id, kind)
    return player_from(owner), secret


def _replace(site: Site, player_id: UUID, kind: CodeKind, expires_at: int | None) -> str:
    code = _written(site.random, _LENGTHS[kind])
    with writing(site.session):
        hold_player(site, player_id, alone=True)  # so that two new codes replace each other in turn
        site.session.execute(delete(CodeRow).where(CodeRow.player_id == player_id, CodeRow.kind == kind))
        site.session.add(
            CodeRow(
                code_hash=_hash(_read(code)),
                player_id=player_id,
                kind=kind,
                created_at=site.clock(),
                expires_at=expires_at,
            )
        )
    return code


def _held_owner(site: Site, code_hash: bytes) -> PlayerRow | None:
    """Return whose code it is, held so that a deletion or a new code has to wait. None if it is nobody's."""
    owner_id = site.session.scalar(select(CodeRow.player_id).where(CodeRow.code_hash == code_hash))
    with suppress(PlayerRequired):
        return None if owner_id is None else hold_player(site, owner_id)
    return None


def _written(random: Callable[[int], bytes], length: int) -> str:
    """Return a random code as it is shown."""
    size = -(-length * _BITS // 8)
    number = int.from_bytes(random(size), "big")
    symbols = [_ALPHABET[number >> place * _BITS & (1 << _BITS) - 1] for place in range(length)]
    return "-".join("".join(symbols[start : start + _GROUP]) for start in range(0, length, _GROUP))


def _read(text: str) -> str:
    """Return the symbols of a code however it was typed. Raises CodeNotFound for what cannot be one."""
    symbols = "".join(text.upper().split()).translate(_READ_AS)
    if len(symbols) not in _LENGTHS.values() or not set(symbols) <= set(_ALPHABET):
        raise CodeNotFound(
            "this is not how a code is written: a transfer code has three groups of four letters and digits, like "
            "7KQ2-M4XD-9RTW, and a recovery code has six"
        )
    return symbols


def _hash(symbols: str) -> bytes:
    return sha256(symbols.encode()).digest()
