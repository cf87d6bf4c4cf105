"""Leagues: players joined by an invite code, with an owner, and boards of their own.

Whoever has the code sees the league's name, its size and its owner, and may join; members see the rest. A league is
always held before a player is: so of any number who join a full one at once, exactly the rest gets in.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, delete, func, select, update

from .audit import Actor, write_act
from .crockford import grouped, random_symbols, symbols_of
from .errors import LeagueClosed, LeagueCodeExpired, LeagueFull, LeagueNotFound, NotAMember, NotYours, TooManyLeagues
from .game.encoding import lp
from .idempotency import claim_key
from .names import claim, read_name
from .players import Player, hold_player, player_from
from .site import Site
from .store.database import insert_or_nothing, writing
from .store.rows import IdempotencyRow, LeagueCodeRow, LeagueRow, MemberRow, PlayerRow

MOST_LEAGUES = 50  # that a player is a member of

_CODE_LENGTH = 10
_GROUP = 5


@dataclass(frozen=True, slots=True)
class Member:
    """A player of a league, since a moment in unix milliseconds."""

    player: Player
    joined_at: int


@dataclass(frozen=True, slots=True)
class League:
    """A league as one sees it who has its code. `members`, in the order in which they joined, is None to all others."""

    league_id: UUID
    code: str
    name: str
    owner: Player
    size: int
    most: int
    created_at: int
    members: tuple[Member, ...] | None


# Making and changing


def create_league(site: Site, owner_id: UUID, name: str, idempotency_key: str | None) -> League:
    """Return a new league with its owner as its member, or the one that the same key has made before.

    Raises InvalidName, TooManyLeagues and IdempotencyKeyReused.
    """
    shown = claim(name, site.settings.names_file).shown
    now, league_id = site.clock(), site.new_id()
    with writing(site.session):
        hold_player(site, owner_id, alone=True)
        key = None
        if idempotency_key is not None:
            key = claim_key(site, owner_id, idempotency_key, sha256(lp(b"league") + lp(shown.encode())).digest())
        if key is not None and key.league_id is not None:
            league_id = key.league_id
            _check_open(site.session.get_one(LeagueRow, league_id))
            if not _is_member(site, league_id, owner_id):
                raise NotAMember("the league that this key has made is yours no more")
        else:
            _check_room_for_player(site, owner_id)
            site.session.add(LeagueRow(league_id=league_id, name=shown, owner_id=owner_id, created_at=now))
            site.session.flush()
            if key is not None:
                key.league_id = league_id
            site.session.add(MemberRow(league_id=league_id, player_id=owner_id, joined_at=now))
            _add_code(site, league_id)
    return _shown(site, site.session.get_one(LeagueRow, league_id), owner_id)


def rename_league(site: Site, code: str, owner_id: UUID, name: str) -> League:
    """Give a league another name. Raises InvalidName, NotYours, and what a code is refused for."""
    shown = claim(name, site.settings.names_file).shown
    with writing(site.session):
        row = _held(site, code)
        _check_owner(row, owner_id)
        row.name = shown
    return _shown(site, row, owner_id)


def rename_for_operator(site: Site, code: str, name: str, note: str) -> bool:
    """Give a league another name by force; False if that is the name already. Its owner finds the act and the old name.

    Raises InvalidName for what is no name, and what a code is refused for.
    """
    shown = read_name(name).shown
    with writing(site.session):
        row = _held(site, code)
        if row.name == shown:
            return False
        hold_player(site, row.owner_id)
        write_act(site, Actor.OPERATOR, "rename_league", row.owner_id, note=f"it was {row.name!r}. {note}".strip())
        row.name = shown
        return True


def rotate_code(site: Site, code: str, owner_id: UUID) -> League:
    """Give a league a new code; the one before works no more. Raises NotYours, and what a code is refused for."""
    with writing(site.session):
        row = _held(site, code)
        _check_owner(row, owner_id)
        present = (LeagueCodeRow.league_id == row.league_id) & LeagueCodeRow.ended_at.is_(None)
        site.session.execute(update(LeagueCodeRow).where(present).values(ended_at=site.clock()))
        _add_code(site, row.league_id)
    return _shown(site, row, owner_id)


def close_league(site: Site, code: str, owner_id: UUID) -> None:
    """End a league for all its members. Raises NotYours, and what a code is refused for."""
    with writing(site.session):
        row = _held(site, code)
        _check_owner(row, owner_id)
        _close(site, row)


# Members


def join(site: Site, code: str, player_id: UUID) -> tuple[League, bool]:
    """Make a player a member; return the league and whether the player is a new one.

    Raises LeagueFull, TooManyLeagues, and what a code is refused for.
    """
    with writing(site.session):
        row = _held(site, code)
        hold_player(site, player_id, alone=True)
        is_new = not _is_member(site, row.league_id, player_id)
        if is_new:
            if _size(site, row.league_id) >= site.settings.league_size:
                raise LeagueFull(f"this league has {site.settings.league_size} members, and takes no more")
            _check_room_for_player(site, player_id)
            values = {"league_id": row.league_id, "player_id": player_id, "joined_at": site.clock()}
            insert_or_nothing(site.session, MemberRow, values)
    return _shown(site, row, player_id), is_new


def remove_member(site: Site, code: str, asking_id: UUID, player_id: UUID) -> None:
    """Take a player out of a league: its owner may take out anyone, a player only itself. Done twice it is done.

    Raises NotYours, and what a code is refused for.
    """
    with writing(site.session):
        row = _held(site, code)
        if asking_id != player_id:
            _check_owner(row, asking_id)
        _leave(site, row, player_id)


def hold_leagues(site: Site, player_id: UUID) -> Sequence[LeagueRow]:
    """Return the leagues of a player inside a write transaction, held until its end."""
    own = select(MemberRow.league_id).where(MemberRow.player_id == player_id)
    return site.session.scalars(
        select(LeagueRow).where(LeagueRow.league_id.in_(own)).order_by(LeagueRow.league_id).with_for_update()
    ).all()


def forget_member(site: Site, player_id: UUID) -> None:
    """Take a player who is being deleted out of everything that leagues hold, inside the caller's transaction."""
    for row in hold_leagues(site, player_id):
        _leave(site, row, player_id)
    site.session.flush()
    owned = select(LeagueRow.league_id).where(LeagueRow.owner_id == player_id)  # closed ones: others have passed on
    for of_league in (IdempotencyRow, LeagueCodeRow):
        site.session.execute(delete(of_league).where(of_league.league_id.in_(owned)))
    site.session.execute(delete(LeagueRow).where(LeagueRow.owner_id == player_id))


# Reading


def get_league(site: Site, code: str, viewer_id: UUID | None) -> League:
    """Return a league as this viewer, or nobody in particular, sees it. Raises what a code is refused for."""
    return _shown(site, _found(site, code), viewer_id)


def leagues_of(site: Site, player_id: UUID) -> list[League]:
    """Return the leagues of a player, the one joined last first, without their members."""
    joined = select(MemberRow.league_id, MemberRow.joined_at).where(MemberRow.player_id == player_id).subquery()
    rows = site.session.execute(
        _with_code_owner_and_size()
        .join(joined, joined.c.league_id == LeagueRow.league_id)
        .order_by(joined.c.joined_at.desc(), LeagueRow.league_id.desc())
    )
    return [_league_from(site, row, None, player_id) for row in rows]


def league_of_member(site: Site, code: str, viewer_id: UUID | None) -> UUID:
    """Return the id of a league to one of its members. Raises NotAMember, and what a code is refused for."""
    row = _found(site, code)
    if viewer_id is None or not _is_member(site, row.league_id, viewer_id):
        raise NotAMember("only its members see what a league has played: join it first")
    return row.league_id


def present_code(site: Site, code: str, viewer_id: UUID) -> str | None:
    """Return the code by which a member finds the league that an earlier code was of; None to all others."""
    former = select(LeagueCodeRow.league_id).where(LeagueCodeRow.code == _read(code))
    return site.session.scalar(
        select(LeagueCodeRow.code)
        .join(MemberRow, MemberRow.league_id == LeagueCodeRow.league_id)
        .where(LeagueCodeRow.league_id.in_(former), LeagueCodeRow.ended_at.is_(None), MemberRow.player_id == viewer_id)
    )


def memberships(site: Site, player_id: UUID) -> Sequence[Any]:
    """Return (name, is owner, joined at) of each league of a player."""
    return site.session.execute(
        select(LeagueRow.name, LeagueRow.owner_id == player_id, MemberRow.joined_at)
        .join(MemberRow, MemberRow.league_id == LeagueRow.league_id)
        .where(MemberRow.player_id == player_id)
        .order_by(MemberRow.joined_at, LeagueRow.league_id)
    ).all()


# Codes and rows


def _read(code: str) -> str:
    """Return a code as it is stored, however it was typed. Raises LeagueNotFound for what cannot be one."""
    symbols = symbols_of(code)
    if symbols is None or len(symbols) != _CODE_LENGTH:
        raise LeagueNotFound("this is not how an invite code is written: two groups of five, like 7KQ2M-4XD9R")
    return grouped(symbols, _GROUP)


def _add_code(site: Site, league_id: UUID) -> None:
    code = grouped(random_symbols(site.random, _CODE_LENGTH), _GROUP)
    site.session.add(LeagueCodeRow(code=code, league_id=league_id, created_at=site.clock()))


def _found(site: Site, code: str) -> LeagueRow:
    """Return the league of a code. Raises LeagueNotFound, LeagueClosed and LeagueCodeExpired."""
    row = site.session.get(LeagueCodeRow, _read(code))
    if row is None:
        raise LeagueNotFound("no league has this invite code: look at it again, or ask for the link")
    league = site.session.get_one(LeagueRow, row.league_id)
    _check_open(league)
    if row.ended_at is not None:
        raise LeagueCodeExpired("the owner has replaced this invite code: ask for the new one")
    return league


def _held(site: Site, code: str) -> LeagueRow:
    """Return the league of a code inside a write transaction, held, and as it is then."""
    league_id = site.session.scalar(select(LeagueCodeRow.league_id).where(LeagueCodeRow.code == _read(code)))
    if league_id is not None:
        site.session.get(LeagueRow, league_id, with_for_update=True)
        site.session.expire_all()
    return _found(site, code)


def _check_open(row: LeagueRow) -> None:
    if row.closed_at is not None:
        raise LeagueClosed("its owner has closed this league, or its last member has left it")


def _check_owner(row: LeagueRow, player_id: UUID) -> None:
    if row.owner_id != player_id:
        raise NotYours("only the owner of a league may do this")


def _check_room_for_player(site: Site, player_id: UUID) -> None:
    count = select(func.count()).select_from(MemberRow).where(MemberRow.player_id == player_id)
    if (site.session.scalar(count) or 0) >= MOST_LEAGUES:
        raise TooManyLeagues(f"a player is in at most {MOST_LEAGUES} leagues: leave another one first")


def _is_member(site: Site, league_id: UUID, player_id: UUID) -> bool:
    return site.session.get(MemberRow, (league_id, player_id)) is not None


def _size(site: Site, league_id: UUID) -> int:
    return site.session.scalar(select(func.count()).select_from(MemberRow).where(MemberRow.league_id == league_id)) or 0


def _leave(site: Site, row: LeagueRow, player_id: UUID) -> None:
    """Take a player out of a league that is held: the oldest member follows an owner, nobody closes the league."""
    site.session.execute(
        delete(MemberRow).where(MemberRow.league_id == row.league_id, MemberRow.player_id == player_id)
    )
    if row.owner_id != player_id:
        return
    heir = site.session.scalar(
        select(MemberRow.player_id)
        .where(MemberRow.league_id == row.league_id)
        .order_by(MemberRow.joined_at, MemberRow.player_id)
        .limit(1)
    )
    if heir is None:
        _close(site, row)
    else:
        row.owner_id = heir


def _close(site: Site, row: LeagueRow) -> None:
    row.closed_at = site.clock()
    site.session.execute(delete(MemberRow).where(MemberRow.league_id == row.league_id))


def _shown(site: Site, row: LeagueRow, viewer_id: UUID | None) -> League:
    """Return the value of a league that is not closed."""
    found = site.session.execute(_with_code_owner_and_size().where(LeagueRow.league_id == row.league_id)).one()
    is_member = viewer_id is not None and _is_member(site, row.league_id, viewer_id)
    members = _members(site, row.league_id, viewer_id) if is_member else None
    return _league_from(site, found, members, viewer_id)


def _with_code_owner_and_size() -> Select[*tuple[Any, ...]]:
    size = select(func.count()).where(MemberRow.league_id == LeagueRow.league_id).scalar_subquery()
    return (
        select(LeagueRow, LeagueCodeRow.code, PlayerRow, size)
        .join(LeagueCodeRow, (LeagueCodeRow.league_id == LeagueRow.league_id) & LeagueCodeRow.ended_at.is_(None))
        .join(PlayerRow, PlayerRow.player_id == LeagueRow.owner_id)
    )


def _league_from(
    site: Site, found: Row[*tuple[Any, ...]], members: tuple[Member, ...] | None, viewer_id: UUID | None
) -> League:
    row, code, owner, size = found
    most = site.settings.league_size
    return League(row.league_id, code, row.name, player_from(owner, viewer_id), size, most, row.created_at, members)


def _members(site: Site, league_id: UUID, viewer_id: UUID | None) -> tuple[Member, ...]:
    rows = site.session.execute(
        select(PlayerRow, MemberRow.joined_at)
        .join(MemberRow, MemberRow.player_id == PlayerRow.player_id)
        .where(MemberRow.league_id == league_id)
        .order_by(MemberRow.joined_at, MemberRow.player_id)
    )
    return tuple(Member(player_from(player, viewer_id), joined_at) for player, joined_at in rows)
