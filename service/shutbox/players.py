"""Players: guests and names, and the tokens by which browsers and programs act for them."""

import base64
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from hmac import digest
from uuid import UUID

from sqlalchemy import delete, func, or_, select, update
from sqlalchemy.exc import IntegrityError, OperationalError

from .audit import Actor, write_act
from .clock import HOUR, day_at, end_of
from .errors import InvalidName, LastToken, NameTaken, PlayerBanned, PlayerNotFound, PlayerRequired, TokenNotFound
from .game.encoding import lp, tag
from .names import NAME_LENGTH, Name, claim, read_name
from .site import Site
from .store.database import writing
from .store.rows import CodeRow, HeldNameRow, PlayerRow, TokenRow

HELD_DAYS = 30  # for which a name that was given up is nobody else's
HELD_NAMES = 3  # of one player
SCOPES = ("play", "read", "league")  # all that a token may do; what changes the player needs all of them
TOKEN_PREFIX = "shutbox_"  # noqa: S105  (it makes a leaked token findable)


@dataclass(frozen=True, slots=True)
class Player:
    """A player; `name` is None for a guest, a deleted player, and a hidden one but for that player's own eyes."""

    player_id: UUID
    name: str | None
    guest: bool
    bot: bool
    hidden: bool = False  # by the operator
    banned: bool = False  # by the operator: nothing more is taken


@dataclass(frozen=True, slots=True)
class Token:
    """A token without its secret."""

    token_id: UUID
    label: str
    scopes: tuple[str, ...]
    browser: bool  # it is the cookie of a browser: a session
    created_at: int
    last_used: date | None  # null: not since this is stored


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks, and by which token."""

    player: Player
    token: Token
    first_today: bool  # it is the first time today that the token is used


def player_from(row: PlayerRow, viewer_id: UUID | None = None) -> Player:
    """Return the value of a row as a viewer, or nobody in particular, may see it."""
    hidden = row.hidden_at is not None and row.deleted_at is None
    return Player(
        player_id=row.player_id,
        name=None if hidden and viewer_id != row.player_id else row.name,
        guest=row.name is None and row.deleted_at is None,
        bot=row.bot,
        hidden=hidden,
        banned=row.banned_at is not None,
    )


def create_player(site: Site, name: str | None, bot: bool, browser: bool = False) -> tuple[Player, str]:
    """Return a new player and a token, which is shown only here. Raises InvalidName and NameTaken."""
    row = PlayerRow(player_id=site.new_id(), bot=bot, created_at=site.clock())
    claimed = None if name is None else claim(name, site.settings.names_file)
    with _claiming(site, name):
        site.session.add(row)
        if claimed is not None:
            _take_name(site, row, claimed)
        site.session.flush()
        _, secret = add_token(site, row.player_id, "first", browser=browser)
    return player_from(row), secret


def find_caller(site: Site, secret: str) -> Caller | None:
    """Return who asks with a token; None if it is nobody's. Its first use of a day is written down."""
    found = site.session.execute(
        select(PlayerRow, TokenRow)
        .join(TokenRow, TokenRow.player_id == PlayerRow.player_id)
        .where(TokenRow.token_hash == _hash(secret), PlayerRow.deleted_at.is_(None))
    ).first()
    if found is None:
        return None
    token, today = _token_from(found[1]), day_at(site.clock())
    first_today = token.last_used is None or token.last_used < today
    caller = Caller(player_from(found[0], found[0].player_id), token, first_today)
    if caller.first_today:
        with suppress(OperationalError):  # a note in the margin stops nobody
            _mark_used(site, token.token_id, today)
    return caller


def _mark_used(site: Site, token_id: UUID, today: date) -> None:
    earlier = or_(TokenRow.last_used.is_(None), TokenRow.last_used < today)
    with writing(site.session):
        site.session.execute(
            update(TokenRow).where(TokenRow.token_id == token_id, earlier).values(last_used=today),
            execution_options={"synchronize_session": False},
        )


def player_by_name(site: Site, name: str, viewer_id: UUID | None = None) -> Player:
    """Return who has a name, whatever its case. Raises PlayerNotFound, also for a hidden one who is not the viewer."""
    with suppress(InvalidName):
        row = site.session.scalars(select(PlayerRow).where(PlayerRow.name_key == read_name(name).key)).first()
        if row is not None and (row.hidden_at is None or row.player_id == viewer_id):
            return player_from(row, viewer_id)
    raise PlayerNotFound(f"no player has the name {name[:NAME_LENGTH]!r}")


def former_owner(site: Site, name: str) -> Player | None:
    """Return who gave a name up within the last days; None if nobody did, or the player was deleted."""
    with suppress(InvalidName):
        row = site.session.scalars(
            select(PlayerRow)
            .join(HeldNameRow, HeldNameRow.player_id == PlayerRow.player_id)
            .where(HeldNameRow.name_hash == _held_hash(site, read_name(name).key), HeldNameRow.until > site.clock())
        ).first()
        return None if row is None else player_from(row)
    return None


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


def hold_playing(site: Site, player_id: UUID) -> None:
    """Hold a player who plays, inside a write transaction: a ban has to wait. Raises PlayerRequired, PlayerBanned."""
    if hold_player(site, player_id).banned_at is not None:
        raise PlayerBanned("the operator of this service has banned this player")


def hold_acting(site: Site, player_id: UUID, token_id: UUID, alone: bool = False) -> None:
    """Hold a player for whom somebody acts by a token, as hold_player does.

    Raises PlayerRequired also if the token was ended after the request was let in: who had it makes no other.
    """
    hold_player(site, player_id, alone)
    if site.session.get(TokenRow, token_id, populate_existing=True) is None:
        raise PlayerRequired("this token was ended")


def change_player(site: Site, player_id: UUID, changes: dict[str, str | bool]) -> Player:
    """Change the name or the bot mark of a player. Raises InvalidName and NameTaken."""
    name = changes.get("name")
    read = read_name(name) if isinstance(name, str) else None
    with _claiming(site, name if isinstance(name, str) else None):
        row = hold_player(site, player_id, alone=True)
        if read is not None and read.shown != row.name:
            was = row.name
            if read.key != row.name_key:
                _take_name(site, row, claim(read.shown, site.settings.names_file))
            row.name = read.shown
            write_act(site, Actor.PLAYER, "renamed", player_id, note=f"{was or 'a guest'} → {read.shown}")
        if "bot" in changes:
            row.bot = bool(changes["bot"])
    return player_from(row, player_id)


def _take_name(site: Site, row: PlayerRow, name: Name) -> None:
    """Give a player another name inside the caller's transaction, and hold the one before. Raises NameTaken.

    First the name is taken, then it is asked whether it is held: a claim waits for the one who is giving the name up.
    """
    given_up = row.name_key
    row.name, row.name_key = name.shown, name.key
    site.session.flush()
    held = site.session.get(HeldNameRow, _held_hash(site, name.key), populate_existing=True)
    if held is not None:
        if held.until > site.clock() and held.player_id != row.player_id:
            raise _taken(name.shown)
        site.session.delete(held)
    if given_up is not None:
        hold_name(site, given_up, row.player_id)


def hold_name(site: Site, name_key: str, player_id: UUID | None) -> None:
    """Keep a name that was given up from everyone but this player, inside the caller's transaction."""
    if player_id is not None:  # one player keeps no more than a few names from all others
        own = select(HeldNameRow.name_hash).where(HeldNameRow.player_id == player_id)
        oldest = own.order_by(HeldNameRow.until.desc(), HeldNameRow.name_hash).offset(HELD_NAMES - 1)
        site.session.execute(delete(HeldNameRow).where(HeldNameRow.name_hash.in_(oldest)))
    until = end_of(day_at(site.clock() + HELD_DAYS * 24 * HOUR))  # to the day: the moment would tell whose it was
    site.session.add(HeldNameRow(name_hash=_held_hash(site, name_key), player_id=player_id, until=until))


def free_name(site: Site, name_key: str) -> None:
    """Hold a name for nobody any more, inside the caller's transaction."""
    site.session.execute(delete(HeldNameRow).where(HeldNameRow.name_hash == _held_hash(site, name_key)))


def release_names(site: Site) -> None:
    """Give free the names whose time is over."""
    with writing(site.session):
        site.session.execute(delete(HeldNameRow).where(HeldNameRow.until <= site.clock()))


def create_token(
    site: Site, player_id: UUID, by: UUID, label: str, scopes: tuple[str, ...] = SCOPES
) -> tuple[Token, str]:
    """Return a further token of a player, made by another one, and its secret, which is shown only here."""
    with writing(site.session):
        hold_acting(site, player_id, by)
        write_act(site, Actor.PLAYER, "token_made", player_id, note=f"{label} ({', '.join(scopes)})")
        return add_token(site, player_id, label, scopes)


def add_token(
    site: Site, player_id: UUID, label: str, scopes: tuple[str, ...] = SCOPES, browser: bool = False
) -> tuple[Token, str]:
    """Add a token inside the caller's transaction; return it and its secret."""
    secret = TOKEN_PREFIX + base64.urlsafe_b64encode(site.random(32)).rstrip(b"=").decode()
    row = TokenRow(
        token_id=site.new_id(),
        token_hash=_hash(secret),
        player_id=player_id,
        label=label,
        scopes=" ".join(scopes),
        browser=browser,
        created_at=site.clock(),
        last_used=day_at(site.clock()),
    )
    site.session.add(row)
    return _token_from(row), secret


def tokens_of(site: Site, player_id: UUID) -> Sequence[Token]:
    """Return the tokens of a player, oldest first."""
    rows = site.session.scalars(select(TokenRow).where(TokenRow.player_id == player_id).order_by(TokenRow.token_id))
    return [_token_from(row) for row in rows]


def revoke_token(site: Site, player_id: UUID, token_id: UUID) -> None:
    """End a token. Raises TokenNotFound, and LastToken if nobody could act as the player any more."""
    own = TokenRow.player_id == player_id
    with writing(site.session):
        hold_player(site, player_id, alone=True)  # so that two revocations see each other
        row = site.session.scalars(select(TokenRow).where(own, TokenRow.token_id == token_id)).first()
        if row is None:
            raise TokenNotFound("you have no such token")
        able = own & (TokenRow.scopes == " ".join(SCOPES)) & (TokenRow.token_id != token_id)
        if not site.session.scalar(select(func.count()).select_from(TokenRow).where(able)):
            raise LastToken("this is your only token that may change your player: make another one before you end it")
        write_act(site, Actor.PLAYER, "token_ended", player_id, note=row.label)
        site.session.delete(row)


def revoke_other_tokens(site: Site, player_id: UUID, kept: UUID) -> None:
    """End all tokens of a player but one, and all codes: whoever had a token could have made one.

    Raises PlayerRequired if that one was ended meanwhile: none were left.
    """
    others = (TokenRow.player_id == player_id) & (TokenRow.token_id != kept)
    with writing(site.session):
        hold_acting(site, player_id, kept, alone=True)
        write_act(site, Actor.PLAYER, "other_tokens_ended", player_id)
        site.session.execute(delete(TokenRow).where(others))
        site.session.execute(delete(CodeRow).where(CodeRow.player_id == player_id))


def _token_from(row: TokenRow) -> Token:
    scopes = tuple(row.scopes.split())
    return Token(row.token_id, row.label, scopes, row.browser, row.created_at, row.last_used)


@contextmanager
def _claiming(site: Site, name: str | None) -> Iterator[None]:
    """Hold a write transaction in which the one constraint that can fail is that of the name."""
    try:
        with writing(site.session):
            yield
    except IntegrityError:
        raise _taken(name) from None


def _taken(name: str | None) -> NameTaken:
    """Return the refusal of a name that somebody has, or that is held for somebody."""
    return NameTaken(f"the name {name!r} is taken")


def _held_hash(site: Site, name_key: str) -> bytes:
    """Return what stands for a name that is held: without the key of this server no name can be tried against it."""
    return digest(site.secrets.round_key, tag("held-name") + lp(name_key.encode()), "sha256")


def _hash(secret: str) -> bytes:
    return sha256(secret.encode()).digest()
