"""Players: guests and names, and the tokens by which programs act for them."""

import base64
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from .errors import InvalidName, LastToken, NameTaken, PlayerNotFound, PlayerRequired, TokenNotFound
from .site import Site
from .store.database import writing
from .store.rows import PlayerRow, TokenRow

NAME_LENGTH = 32
RESERVED_NAMES = frozenset(("me",))
TOKEN_PREFIX = "shutbox_"  # noqa: S105  (it makes a leaked token findable)


@dataclass(frozen=True, slots=True)
class Player:
    """A player; `name` is None for a guest and for a deleted player."""

    player_id: UUID
    name: str | None
    guest: bool
    bot: bool


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret."""

    token_id: UUID
    label: str
    created_at: int


def player_from(row: PlayerRow) -> Player:
    """Return the value of a row."""
    return Player(row.player_id, row.name, row.name is None and row.deleted_at is None, row.bot)


def create_player(site: Site, name: str | None, bot: bool) -> tuple[Player, str]:
    """Return a new player and a token, which is shown only here. Raises InvalidName and NameTaken."""
    row = PlayerRow(player_id=site.new_id(), bot=bot, created_at=site.clock())
    if name is not None:
        row.name, row.name_key = _checked_name(name)
    with _claiming(site, name):
        site.session.add(row)
        site.session.flush()
        _, secret = add_token(site, row.player_id, "first")
    return player_from(row), secret


def player_by_token(site: Site, secret: str) -> Player | None:
    """Return whose token this is; None if it is nobody's."""
    row = site.session.scalars(
        select(PlayerRow)
        .join(TokenRow, TokenRow.player_id == PlayerRow.player_id)
        .where(TokenRow.token_hash == _hash(secret), PlayerRow.deleted_at.is_(None))
    ).first()
    return player_from(row) if row else None


def token_id_of(site: Site, secret: str) -> UUID | None:
    """Return the id of a token; None if it is nobody's."""
    return site.session.scalar(select(TokenRow.token_id).where(TokenRow.token_hash == _hash(secret)))


def player_by_name(site: Site, name: str) -> Player:
    """Return who has a name, whatever its case. Raises PlayerNotFound."""
    with suppress(InvalidName):
        row = site.session.scalars(select(PlayerRow).where(PlayerRow.name_key == _checked_name(name)[1])).first()
        if row is not None:
            return player_from(row)
    raise PlayerNotFound(f"no player has the name {name[:NAME_LENGTH]!r}")


def hold_player(site: Site, player_id: UUID, alone: bool = False) -> PlayerRow:
    """Return a player inside a write transaction, whom a deletion, or with `alone` every writer, has to wait for.

    Raises PlayerRequired if the player was deleted after the request was let in.
    """
    row = site.session.scalars(
        select(PlayerRow)
        .where(PlayerRow.player_id == player_id, PlayerRow.deleted_at.is_(None))
        .with_for_update(read=not alone, key_share=not alone)
        .execution_options(populate_existing=True)
    ).first()
    if row is None:
        raise PlayerRequired("this player was deleted")
    return row


def change_player(site: Site, player_id: UUID, changes: dict[str, str | bool]) -> Player:
    """Change the name or the bot mark of a player. Raises InvalidName and NameTaken."""
    name = changes.get("name")
    checked = _checked_name(name) if isinstance(name, str) else None
    with _claiming(site, name if isinstance(name, str) else None):
        row = hold_player(site, player_id, alone=True)
        if checked is not None:
            row.name, row.name_key = checked
        if "bot" in changes:
            row.bot = bool(changes["bot"])
    return player_from(row)


def create_token(site: Site, player_id: UUID, label: str) -> tuple[Token, str]:
    """Return a further token of a player and its secret, which is shown only here."""
    with writing(site.session):
        hold_player(site, player_id)
        return add_token(site, player_id, label)


def add_token(site: Site, player_id: UUID, label: str) -> tuple[Token, str]:
    """Add a token inside the caller's transaction; return it and its secret."""
    secret = TOKEN_PREFIX + base64.urlsafe_b64encode(site.random(32)).rstrip(b"=").decode()
    row = TokenRow(
        token_id=site.new_id(), token_hash=_hash(secret), player_id=player_id, label=label, created_at=site.clock()
    )
    site.session.add(row)
    return Token(row.token_id, row.label, row.created_at), secret


def tokens_of(site: Site, player_id: UUID) -> Sequence[Token]:
    """Return the tokens of a player, oldest first."""
    rows = site.session.scalars(select(TokenRow).where(TokenRow.player_id == player_id).order_by(TokenRow.token_id))
    return [Token(row.token_id, row.label, row.created_at) for row in rows]


def revoke_token(site: Site, player_id: UUID, token_id: UUID) -> None:
    """End a token. Raises TokenNotFound, and LastToken if nobody could act as the player any more."""
    with writing(site.session):
        hold_player(site, player_id, alone=True)  # so that two revocations see each other
        row = site.session.scalars(
            select(TokenRow).where(TokenRow.token_id == token_id, TokenRow.player_id == player_id)
        ).first()
        if row is None:
            raise TokenNotFound("you have no such token")
        count = site.session.scalar(select(func.count()).select_from(TokenRow).where(TokenRow.player_id == player_id))
        if count == 1:
            raise LastToken("this is your only token: make another one before you revoke it")
        site.session.delete(row)


@contextmanager
def _claiming(site: Site, name: str | None) -> Iterator[None]:
    """Hold a write transaction in which the one constraint that can fail is that of the name."""
    try:
        with writing(site.session):
            yield
    except IntegrityError:
        raise NameTaken(f"the name {name!r} is taken") from None


def _hash(secret: str) -> bytes:
    return sha256(secret.encode()).digest()


def _checked_name(name: str) -> tuple[str, str]:
    """Return a name as it is shown and as it is compared."""
    shown = unicodedata.normalize("NFC", name)
    if not 1 <= len(shown) <= NAME_LENGTH:
        raise InvalidName(f"a name has 1 to {NAME_LENGTH} characters, this one has {len(shown)}")
    for character in shown:
        category = unicodedata.category(character)
        if category[0] == "C" or (category[0] == "Z" and character != " "):
            raise InvalidName(f"a name has no control, invisible or unassigned characters: U+{ord(character):04X}")
    if shown != shown.strip(" ") or "  " in shown:
        raise InvalidName("a name has single spaces, and only between other characters")
    if "/" in shown or shown in (".", ".."):
        raise InvalidName("a name has no slash, and is not . or ..")
    key = unicodedata.normalize("NFC", shown.casefold())
    if key in RESERVED_NAMES:
        raise InvalidName(f"{shown!r} is reserved")
    return shown, key
