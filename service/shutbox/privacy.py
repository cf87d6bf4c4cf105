"""What belongs to a player alone: a copy of everything that is stored about one, and its deletion.

What others rely on stays: entries and runs of daily rounds and challenges, which are in the log, with nobody's name. A
copy holds nothing that its player may not see: no dice but those that are disclosed, and nothing of others.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any
from uuid import UUID

import orjson
from sqlalchemy import ColumnElement, Select, delete, exists, select, update

from .audit import acts_about, forget_acts
from .clock import rfc3339
from .errors import PlayerRequired, SeedUnavailable
from .game.encoding import tiles_of
from .game.rulesets import BY_HASH
from .game.runs import turns_from
from .leagues import forget_member, hold_leagues, memberships
from .players import Player, hold_name, hold_player, player_from, tokens_of
from .profiles import profile
from .ranking import RankingUnavailable
from .rounds import Kind, disclosed_seed, round_from
from .site import Site
from .store.database import streamed, writing
from .store.rows import (
    AttemptRow,
    ChallengeRow,
    CodeRow,
    EntryRow,
    HeldNameRow,
    IdempotencyRow,
    MemberRow,
    MoveRow,
    PlayerRow,
    RoundRow,
    RunRow,
    TokenRow,
    WithdrawalRow,
    WithdrawnRow,
)

Json = dict[str, Any]

_PAGE = 500


# Deletion


def delete_player(site: Site, player_id: UUID, if_still: Callable[[], bool] = lambda: True) -> None:
    """Delete a player in one transaction: name, tokens, codes, keys and practice go, daily rounds stay.

    From its commit on nothing more is made for the player: everything that makes something holds the player first.
    Raises PlayerRequired if it was done already, or if what was the reason does not hold any more.
    """
    boards = None
    while boards is None:
        boards = _delete_held(site, player_id, if_still)
    with suppress(RankingUnavailable):  # then ids of what is gone stay there, and boards that stay are merged anew
        for round_id in boards:
            site.ranking.forget(round_id)


def _delete_held(site: Site, player_id: UUID, if_still: Callable[[], bool]) -> set[str] | None:
    """Delete a player; return the rounds whose boards have changed, None if it has to be begun again."""
    with writing(site.session):
        row = _hold_all(site, player_id)
        if row is None:
            return None
        if not if_still():
            raise PlayerRequired("this player came back")
        forget_member(site, player_id)
        for of_player in (TokenRow, CodeRow, IdempotencyRow):
            site.session.execute(delete(of_player).where(of_player.player_id == player_id))
        boards = _delete_practice(site, player_id)
        forget_acts(site, player_id)
        _forget_notes(site, player_id)
        _give_names_up(site, row)
        row.deleted_at = site.clock()
    return boards


def _hold_all(site: Site, player_id: UUID) -> PlayerRow | None:
    """Let everyone wait who shares practice or a league with a player, or acts as the player.

    The player comes last, as for all others, so that nobody waits who is waited for. None if the player has entered
    something in between: that is not held, and the player is already.
    """
    rounds = set(site.session.scalars(_practice_of(player_id).order_by(RoundRow.round_id).with_for_update()))
    leagues = {league.league_id for league in hold_leagues(site, player_id)}
    row = hold_player(site, player_id, alone=True)
    joined = select(MemberRow.league_id).where(MemberRow.player_id == player_id)
    is_all = rounds.issuperset(site.session.scalars(_practice_of(player_id)))
    return row if is_all and leagues.issuperset(site.session.scalars(joined)) else None


def _practice_of(player_id: UUID) -> Select[str]:
    """Select the practice rounds that a player has entered, and every round that the player has made."""
    entered = select(EntryRow.round_id).where(EntryRow.player_id == player_id)
    practised = (RoundRow.kind == Kind.PRACTICE) & RoundRow.round_id.in_(entered)
    return select(RoundRow.round_id).where((RoundRow.owner_id == player_id) | practised)


def _forget_notes(site: Site, player_id: UUID) -> None:
    """Blank what the operator wrote on withdrawals of the player's runs, which may name someone; reasons stay."""
    runs = select(RunRow.run_id).join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
    own = WithdrawalRow.run_id.in_(runs.where(EntryRow.player_id == player_id))
    site.session.execute(
        update(WithdrawalRow).where(own).values(note=""), execution_options={"synchronize_session": False}
    )


def _give_names_up(site: Site, row: PlayerRow) -> None:
    """Keep everyone from posing as the player for a while; nothing stored says whose names they were."""
    site.session.execute(update(HeldNameRow).where(HeldNameRow.player_id == row.player_id).values(player_id=None))
    if row.name_key is not None:
        hold_name(site, row.name_key, None)
    row.name = row.name_key = None


def _delete_practice(site: Site, player_id: UUID) -> set[str]:
    """Delete the player's part in practice rounds, and those rounds of the player's that nobody else has entered.

    The others, and challenges, stay without an owner. Return the rounds whose boards have changed.
    """
    session = site.session
    entries = (
        select(EntryRow.entry_id)
        .join(RoundRow, RoundRow.round_id == EntryRow.round_id)
        .where(EntryRow.player_id == player_id, RoundRow.kind == Kind.PRACTICE)
    )
    attempts = select(AttemptRow.attempt_id).where(AttemptRow.entry_id.in_(entries))
    _delete(site, MoveRow, MoveRow.attempt_id.in_(attempts))
    _delete(site, AttemptRow, AttemptRow.entry_id.in_(entries))
    _delete(site, RunRow, RunRow.entry_id.in_(entries))
    boards = set(session.scalars(select(EntryRow.round_id).where(EntryRow.entry_id.in_(entries))))
    _delete(site, EntryRow, EntryRow.entry_id.in_(entries))
    owned = RoundRow.owner_id == player_id
    unused = (RoundRow.kind == Kind.PRACTICE) & ~exists().where(EntryRow.round_id == RoundRow.round_id)
    _delete(site, RoundRow, owned & unused)
    session.execute(update(RoundRow).where(owned).values(owner_id=None))
    missed = {"missed_placements": RoundRow.missed_placements + 1}
    session.execute(update(RoundRow).where(RoundRow.round_id.in_(boards)).values(missed))
    return boards


def _delete(site: Site, table: Any, which: ColumnElement[bool]) -> None:
    site.session.execute(delete(table).where(which), execution_options={"synchronize_session": False})


# The copy


def export(site: Site, player_id: UUID) -> Iterator[bytes]:
    """Yield one JSON object with everything that is stored about a player, read while it is taken, page by page."""
    return streamed(site.session, _copy(site, player_id))


def _copy(site: Site, player_id: UUID) -> Iterator[list[bytes]]:
    row = site.session.get_one(PlayerRow, player_id)
    yield [
        b'{"exported_at":' + orjson.dumps(rfc3339(site.clock())),
        _member("player", _player_json(row)),
        _member("profile", _profile_json(site, player_from(row, player_id))),
    ]
    yield from _members("tokens", [_tokens(site, player_id)])
    yield from _members("codes", [_codes(site, player_id)])
    yield from _members("audit", [_acts(site, player_id)])
    yield from _members("leagues", [_leagues(site, player_id)])
    yield from _members("attempts", _attempts(site, player_id))
    yield from _members("runs", _runs(site, player_id))
    yield from _members("practice_rounds", _practice_rounds(site, player_id))
    yield from _members("challenges", _challenges(site, player_id))
    yield [b"}\n"]


def _member(name: str, value: Json) -> bytes:
    return b',\n"%s":' % name.encode() + orjson.dumps(value)


def _members(name: str, pages: Iterable[list[Json]]) -> Iterator[list[bytes]]:
    yield [b',\n"%s":[' % name.encode()]
    between = b"\n"
    for page in pages:
        pieces = []
        for value in page:
            pieces.append(between + orjson.dumps(value))
            between = b",\n"
        yield pieces
    yield [b"]"]


def _pages(site: Site, wanted: Select[*tuple[Any, ...]], key: Any) -> Iterator[list[Any]]:
    """Yield the rows of a query by pages in the order of a key, which is their first column."""
    ordered = wanted.order_by(key).limit(_PAGE)
    page = list(site.session.execute(ordered))
    while page:
        yield page
        page = list(site.session.execute(ordered.where(key > page[-1][0])))


def _player_json(row: PlayerRow) -> Json:
    return {
        "player_id": str(row.player_id),
        "name": row.name,
        "bot": row.bot,
        "created_at": rfc3339(row.created_at),
    }


def _profile_json(site: Site, player: Player) -> Json:
    """Return what the own profile counts; the results themselves are among the runs."""
    own = profile(site, player, own=True)
    return {
        "days_played": own.days_played,
        "streak": own.streak,
        "longest_streak": own.longest_streak,
        "boxes_shut": own.boxes_shut,
        "histogram": [{"penalty": penalty, "times": times} for penalty, times in own.histogram.items()],
    }


def _tokens(site: Site, player_id: UUID) -> list[Json]:
    return [
        {
            "token_id": str(token.token_id),
            "label": token.label,
            "scopes": token.scopes,
            "browser": token.browser,
            "created_at": rfc3339(token.created_at),
            "last_used": None if token.last_used is None else token.last_used.isoformat(),
        }
        for token in tokens_of(site, player_id)
    ]


def _acts(site: Site, player_id: UUID) -> list[Json]:
    return [
        {"at": rfc3339(act.at), "by": act.actor, "act": act.act, "note": act.note}
        for act in acts_about(site, player_id)
    ]


def _codes(site: Site, player_id: UUID) -> list[Json]:
    codes = []
    wanted = select(CodeRow.kind, CodeRow.created_at, CodeRow.expires_at, CodeRow.used_at)
    for kind, *moments in site.session.execute(wanted.where(CodeRow.player_id == player_id).order_by(CodeRow.kind)):
        created_at, expires_at, used_at = (None if moment is None else rfc3339(moment) for moment in moments)
        codes.append({"kind": kind, "created_at": created_at, "expires_at": expires_at, "used_at": used_at})
    return codes


def _leagues(site: Site, player_id: UUID) -> list[Json]:
    return [
        {"name": name, "owner": is_owner, "joined_at": rfc3339(joined_at)}
        for name, is_owner, joined_at in memberships(site, player_id)
    ]


def _attempts(site: Site, player_id: UUID) -> Iterator[list[Json]]:
    wanted = (
        select(AttemptRow.attempt_id, EntryRow.round_id, AttemptRow.started_at, AttemptRow.abandoned_at)
        .join(EntryRow, EntryRow.entry_id == AttemptRow.entry_id)
        .where(EntryRow.player_id == player_id)
    )
    for page in _pages(site, wanted, AttemptRow.attempt_id):
        moves = _moves(site, [row.attempt_id for row in page])
        yield [
            {
                "attempt_id": str(attempt_id),
                "round_id": round_id,
                "started_at": rfc3339(started_at),
                "abandoned_at": None if abandoned_at is None else rfc3339(abandoned_at),
                "moves": moves[attempt_id],
            }
            for attempt_id, round_id, started_at, abandoned_at in page
        ]


def _moves(site: Site, attempt_ids: list[UUID]) -> defaultdict[UUID, list[Json]]:
    """Return the decisions of attempts, by attempt: what was chosen and when, without any dice."""
    found: defaultdict[UUID, list[Json]] = defaultdict(list)
    columns = (MoveRow.attempt_id, MoveRow.number, MoveRow.dice, MoveRow.shut, MoveRow.decided_at)
    wanted = select(*columns).where(MoveRow.attempt_id.in_(attempt_ids)).order_by(MoveRow.attempt_id, MoveRow.number)
    for attempt_id, number, dice, shut, decided_at in site.session.execute(wanted):
        choice = {"shut": tiles_of(shut or 0)} if dice is None else {"dice": dice}
        found[attempt_id].append({"move": number, **choice, "decided_at": rfc3339(decided_at)})
    return found


def _runs(site: Site, player_id: UUID) -> Iterator[list[Json]]:
    of_run: tuple[Any, ...] = (RunRow.round_id, RunRow.turns, RunRow.score, RunRow.penalty, RunRow.given_away_milli)
    of_log: tuple[Any, ...] = (RunRow.accepted_at, RunRow.to_log, RunRow.salt, RunRow.leaf_index, EntryRow.player_tag)
    withdrawn = WithdrawnRow.run_id.is_not(None).label("withdrawn")
    wanted = (
        select(RunRow.run_id, *of_run, *of_log, withdrawn)
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .outerjoin(WithdrawnRow, WithdrawnRow.run_id == RunRow.run_id)
        .where(EntryRow.player_id == player_id)
    )
    for page in _pages(site, wanted, RunRow.run_id):
        yield [
            {
                "run_id": str(row.run_id),
                "round_id": row.round_id,
                "turns": [{"dice": dice, "shut": shut} for dice, shut in turns_from(row.turns)],
                "score": row.score,
                "penalty": row.penalty,
                "given_away_milli": row.given_away_milli,
                "accepted_at": rfc3339(row.accepted_at),
                "withdrawn": row.withdrawn,
                "logged": row.to_log,
                "leaf_index": row.leaf_index,
                "player_tag": row.player_tag.hex(),
                "salt": row.salt.hex(),
            }
            for row in page
        ]


def _practice_rounds(site: Site, player_id: UUID) -> Iterator[list[Json]]:
    own = RoundRow.owner_id == player_id, RoundRow.kind == Kind.PRACTICE
    wanted = select(RoundRow.round_id, RoundRow).where(*own)
    for page in _pages(site, wanted, RoundRow.round_id):
        yield [_practice_json(site, row) for _, row in page]


def _practice_json(site: Site, row: RoundRow) -> Json:
    round, seed = round_from(row, site.clock()), None
    with suppress(SeedUnavailable):  # of a node without the secret: the rest is told all the same
        seed = disclosed_seed(site, round)
    return {
        "round_id": round.round_id,
        "ruleset": round.ruleset.id,
        "mode": round.mode,
        "created_at": rfc3339(row.created_at),
        "closes_at": rfc3339(round.closes_at),
        "seed": None if seed is None else seed.hex(),
    }


def _challenges(site: Site, player_id: UUID) -> Iterator[list[Json]]:
    """Return the challenges that the player has made; those that the player has entered are among the attempts."""
    wanted = (
        select(RoundRow.round_id, RoundRow, ChallengeRow.most_players)
        .join(ChallengeRow, ChallengeRow.round_id == RoundRow.round_id)
        .where(RoundRow.owner_id == player_id)
    )
    for page in _pages(site, wanted, RoundRow.round_id):
        yield [
            {
                "round_id": round_id,
                "ruleset": BY_HASH[row.ruleset_hash].id,
                "players": most_players,
                "created_at": rfc3339(row.created_at),
                "closes_at": rfc3339(row.closes_at),
            }
            for round_id, row, most_players in page
        ]
