"""Rounds: their state, their dice, who takes part; practice rounds on request; the disclosure of a seed."""

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from enum import IntEnum, StrEnum
from hashlib import sha256
from uuid import UUID

from sqlalchemy import exists, func, select, update

from .chains import why_missing
from .clock import HOUR, SECOND
from .errors import RoundNotFound, RulesetNotFound, SeedUnavailable
from .game.analysis import best_possible_penalty
from .game.dice import deal
from .game.encoding import lp
from .game.rules import RollTable, Rules, rules_of
from .game.rulesets import BY_HASH, CATALOGUE, Ruleset
from .idempotency import claim_key
from .players import hold_player, hold_playing
from .seeds import commits_to, day_seed, round_seed
from .site import Counts, Site
from .store.database import insert_or_nothing, writing
from .store.rows import AttemptRow, EntryRow, RoundRow, RunRow
from .tlog.disclosure import commitment

_ROUND_ID = re.compile(r"[a-z0-9-]{1,80}\Z")


class Kind(StrEnum):
    """Why a round exists."""

    DAILY = "daily"
    CHALLENGE = "challenge"
    PRACTICE = "practice"


class Mode(StrEnum):
    """Sealed: the server keeps the seed and shows one roll at a time. Open: the seed is issued up front."""

    SEALED = "sealed"
    OPEN = "open"


class State(IntEnum):
    """The states of a round, in the only order in which they follow each other."""

    UPCOMING = 0
    OPEN = 1
    CLOSING = 2  # no new attempts and submissions; attempts that run may be finished
    CLOSED = 3  # the seed is disclosed


@dataclass(frozen=True, slots=True)
class Round:
    """A round as it stands now. Times are unix milliseconds."""

    round_id: str
    kind: Kind
    mode: Mode
    ruleset: Ruleset
    day: date | None
    owner_id: UUID | None
    commitment: bytes
    given_seed: bytes | None = field(repr=False)
    stored_seed: bytes | None = field(repr=False)
    opens_at: int
    entries_until: int
    closes_at: int
    state: State
    moves_taken: bool  # moves of running attempts are still accepted
    best_possible_penalty: int | None
    ranking_stale: bool  # Redis missed a placement: ranks come from SQL

    @property
    def logged(self) -> bool:
        """Whether its runs go to the log; only those that do are ranked there. Practice is not logged."""
        return self.kind is not Kind.PRACTICE


def state_at(now: int, stored: int, opens_at: int, entries_until: int) -> State:
    """Return the state by the clock, or the stored one if that is further: a clock that steps back reopens nothing."""
    by_clock = State.CLOSING if now >= entries_until else State.OPEN if now >= opens_at else State.UPCOMING
    return State(max(by_clock, stored))


def round_from(row: RoundRow, now: int) -> Round:
    """Return the value of a row at a moment."""
    state = state_at(now, row.state, row.opens_at, row.entries_until)
    return Round(
        round_id=row.round_id,
        kind=Kind(row.kind),
        mode=Mode(row.mode),
        ruleset=BY_HASH[row.ruleset_hash],
        day=row.day,
        owner_id=row.owner_id,
        commitment=row.commitment,
        given_seed=row.given_seed,
        stored_seed=row.seed,
        opens_at=row.opens_at,
        entries_until=row.entries_until,
        closes_at=row.closes_at,
        state=state,
        moves_taken=state in (State.OPEN, State.CLOSING) and now < row.closes_at,
        best_possible_penalty=row.best_possible_penalty,
        ranking_stale=row.missed_placements > 0,
    )


def get_round(site: Site, round_id: str) -> Round:
    """Return a round; raises RoundNotFound."""
    row = site.session.get(RoundRow, round_id) if _ROUND_ID.match(round_id) else None
    if row is None:
        raise RoundNotFound(f"there is no round {round_id[:80]!r}")
    return round_from(row, site.clock())


def hold_round(site: Site, round_id: str, alone: bool = False) -> Round:
    """Return a round inside a write transaction, which the close, or with `alone` every writer, has to wait for."""
    if not _ROUND_ID.match(round_id):
        raise RoundNotFound(f"there is no round {round_id[:80]!r}")
    row = site.session.scalars(
        select(RoundRow)
        .where(RoundRow.round_id == round_id)
        .with_for_update(read=not alone)
        .execution_options(populate_existing=True)
    ).first()
    if row is None:
        raise RoundNotFound(f"there is no round {round_id[:80]!r}")
    return round_from(row, site.clock())


def seed_of(site: Site, round: Round) -> bytes:
    """Return the seed, disclosed or not. Raises SeedUnavailable if this node cannot make the one committed to."""
    for seed in _possible_seeds(site, round):
        if commits_to(round.commitment, round.ruleset.hash, seed):
            return seed
    why = None if round.day is None else why_missing(site, round.day)
    raise SeedUnavailable(
        why or f"the secrets of this server do not give the seed that round {round.round_id} is committed to"
    )


def _possible_seeds(site: Site, round: Round) -> Iterable[bytes]:
    """Return the seed, or one for each chain that has the day: the commitment tells which was used."""
    kept = round.stored_seed or round.given_seed
    if kept is not None:
        return (kept,)
    day = round.day
    if day is None:
        return (round_seed(site.secrets.round_key, round.round_id),)
    return (day_seed(link, day, round.mode, round.ruleset.hash) for link in site.secrets.links_of(day))


def is_held_alone(round_id: str) -> bool:
    """Tell by its id whether each write to a round waits for the one before: not to a daily, which many play."""
    return round_id.startswith((f"{Kind.PRACTICE}-", f"{Kind.CHALLENGE}-"))


def disclosed_seed(site: Site, round: Round) -> bytes | None:
    """Return the seed if anyone may have it: of an open round once it opens, of a sealed one after its close."""
    if round.state is State.CLOSED or (round.mode is Mode.OPEN and round.state is not State.UPCOMING):
        return seed_of(site, round)
    return None


def dice_of(site: Site, round: Round) -> tuple[Rules, RollTable]:
    """Return the rules and the roll table: for replay, never for an answer."""
    rules = rules_of(round.ruleset)
    return rules, deal(rules, seed_of(site, round))


def counts(site: Site, round_id: str) -> tuple[int, int]:
    """Return how many players have started and how many have finished.

    Counting takes longer the more there are, so the counts of a large round are kept: a second for each 5,000 players.
    """
    kept, now = site.counted.get(round_id), site.clock()
    if kept is not None and kept.at <= now < kept.at + kept.started // 5_000 * SECOND:
        return kept.started, kept.finished
    of_round = select(func.count()).select_from(EntryRow).where(EntryRow.round_id == round_id)
    started = site.session.scalar(of_round) or 0
    finished = site.session.scalar(of_round.where(exists().where(RunRow.entry_id == EntryRow.entry_id))) or 0
    if started >= 5_000:
        site.counted[round_id] = Counts(now, started, finished)
    return started, finished


def enter(site: Site, round: Round, player_id: UUID) -> EntryRow:
    """Return the player's entry in a round, made if there is none, and held until the transaction ends.

    Raises PlayerRequired for a player who was deleted meanwhile, and PlayerBanned for one who was banned.
    """
    hold_playing(site, player_id)
    insert_or_nothing(
        site.session,
        EntryRow,
        {
            "entry_id": site.new_id(),
            "round_id": round.round_id,
            "player_id": player_id,
            "player_tag": site.random(16),
            "created_at": site.clock(),
        },
    )
    return site.session.scalars(
        select(EntryRow).where(EntryRow.round_id == round.round_id, EntryRow.player_id == player_id).with_for_update()
    ).one()


def issue_practice(
    site: Site, owner_id: UUID, ruleset_id: str, mode: Mode, given_seed: bytes | None, idempotency_key: str | None
) -> Round:
    """Return a new practice round, or the one that the same key has made before."""
    ruleset = CATALOGUE.get(ruleset_id)
    if ruleset is None:
        raise RulesetNotFound(f"there is no ruleset {ruleset_id!r}; there are: {', '.join(CATALOGUE)}")
    round_id, now = f"{Kind.PRACTICE}-{site.new_id()}", site.clock()
    until = now + site.settings.practice_days * 24 * HOUR
    row = RoundRow(
        round_id=round_id,
        kind=Kind.PRACTICE,
        mode=mode,
        ruleset_hash=ruleset.hash,
        owner_id=owner_id,
        commitment=commitment(ruleset.hash, given_seed or round_seed(site.secrets.round_key, round_id)),
        given_seed=given_seed,
        created_at=now,
        opens_at=now,
        entries_until=until,
        closes_at=until,
        state=State.OPEN,
        missed_placements=0,
    )
    with writing(site.session):
        hold_player(site, owner_id)
        if idempotency_key is not None:
            asked = sha256(lp(ruleset_id.encode()) + lp(mode.encode()) + lp(given_seed or b"")).digest()
            key = claim_key(site, owner_id, idempotency_key, asked)
            if key.round_id is not None:
                return get_round(site, key.round_id)
            site.session.add(row)
            site.session.flush()
            key.round_id = round_id
        else:
            site.session.add(row)
        return round_from(row, now)


def close(site: Site, row: RoundRow, now: int) -> None:
    """Close a round that the caller has locked: running attempts are abandoned and the seed is disclosed."""
    round = round_from(row, now)
    unfinished = (
        select(AttemptRow.attempt_id)
        .join(EntryRow, EntryRow.entry_id == AttemptRow.entry_id)
        .outerjoin(RunRow, RunRow.entry_id == EntryRow.entry_id)
        .where(EntryRow.round_id == row.round_id, RunRow.run_id.is_(None))
    )
    site.session.execute(update(AttemptRow).where(AttemptRow.attempt_id.in_(unfinished)).values(abandoned_at=now))
    rules, table = dice_of(site, round)
    row.seed = seed_of(site, round)
    row.best_possible_penalty = best_possible_penalty(rules, table)
    row.state = State.CLOSED
    row.closed_at = now


def close_due_rounds(site: Site, limit: int = 100) -> int:
    """Close rounds of no day whose time is over, at most `limit` of each kind; return how many were closed.

    Challenges are logged, so they wait for no practice. One whose seed cannot be made here stays as it is and keeps no
    other from closing.
    """
    overdue = (RoundRow.day.is_(None), RoundRow.state < State.CLOSED, RoundRow.closes_at <= site.clock())
    due: list[str] = []
    for kind in (Kind.CHALLENGE, Kind.PRACTICE):
        of_kind = select(RoundRow.round_id).where(*overdue, RoundRow.kind == kind)
        # by lot: so those that fail every time never stand before all others
        due += site.session.scalars(of_kind.order_by(func.random()).limit(limit))
    closed = 0
    for round_id in due:
        with suppress(SeedUnavailable), writing(site.session):
            row = site.session.scalars(
                select(RoundRow).where(RoundRow.round_id == round_id, *overdue).with_for_update(skip_locked=True)
            ).first()
            if row is not None:
                close(site, row, site.clock())
                closed += 1
    return closed
