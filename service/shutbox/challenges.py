"""Challenges: sealed rounds for a few players by link, "the same dice as me"; their maker plays like the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from uuid import UUID

from sqlalchemy import func, or_, select

from .clock import HOUR, SECOND
from .errors import ChallengeFull, RulesetNotFound, TooManyChallenges
from .game.encoding import lp, u32
from .game.rulesets import CATALOGUE
from .idempotency import claim_key
from .players import Player, hold_player, player_from
from .rounds import Kind, Mode, Round, State, counts, get_round, round_from
from .seeds import round_seed
from .site import Site
from .store.database import writing
from .store.rows import ChallengeRow, EntryRow, PlayerRow, RoundRow, RunRow
from .tlog.disclosure import commitment

FEWEST_PLAYERS, MOST_PLAYERS = 2, 50
MOST_HOURS = 168
MOST_RUNNING = 20  # of one player
_SHOWN = 100


@dataclass(frozen=True, slots=True)
class Challenge:
    """A challenge as one of its players, or anybody, sees it. `maker` is None once its maker was deleted."""

    round: Round
    maker: Player | None
    most_players: int
    started: int
    finished: int
    entered: bool  # the one who asks has entered it
    run_id: UUID | None  # of the one who asks

    @property
    def hours(self) -> int:
        """How long it takes new players."""
        return (self.round.entries_until - self.round.opens_at) // HOUR

    @property
    def full(self) -> bool:
        """Whether nobody else can enter."""
        return self.started >= self.most_players


def make_challenge(
    site: Site, owner_id: UUID, ruleset_id: str, most_players: int, hours: int, idempotency_key: str | None
) -> Round:
    """Return a new challenge, or the one that the same key has made before. Its dice are known to nobody.

    Raises RulesetNotFound, and TooManyChallenges for a player of whom MOST_RUNNING run.
    """
    ruleset = CATALOGUE.get(ruleset_id)
    if ruleset is None:
        raise RulesetNotFound(f"there is no ruleset {ruleset_id!r}; there are: {', '.join(CATALOGUE)}")
    with writing(site.session):
        hold_player(site, owner_id, alone=True)  # so that two that are made at once see each other
        claim = None
        if idempotency_key is not None:
            asked = sha256(lp(b"challenge") + lp(ruleset_id.encode()) + u32(most_players) + u32(hours)).digest()
            claim = claim_key(site, owner_id, idempotency_key, asked)
            if claim.round_id is not None:
                return get_round(site, claim.round_id)
        _require_few(site, owner_id)
        round_id, now = f"{Kind.CHALLENGE}-{site.new_id()}", site.clock()
        until = now + hours * HOUR
        row = RoundRow(
            round_id=round_id,
            kind=Kind.CHALLENGE,
            mode=Mode.SEALED,
            ruleset_hash=ruleset.hash,
            owner_id=owner_id,
            commitment=commitment(ruleset.hash, round_seed(site.secrets.round_key, round_id)),
            created_at=now,
            opens_at=now,
            entries_until=until,
            closes_at=until + site.settings.grace_seconds * SECOND,
            state=State.OPEN,
            missed_placements=0,
        )
        site.session.add(row)
        site.session.flush()
        site.session.add(ChallengeRow(round_id=round_id, most_players=most_players))
        if claim is not None:
            claim.round_id = round_id
        return round_from(row, now)


def _require_few(site: Site, owner_id: UUID) -> None:
    running = (RoundRow.owner_id == owner_id, RoundRow.kind == Kind.CHALLENGE, RoundRow.state < State.CLOSED)
    if (site.session.scalar(select(func.count()).select_from(RoundRow).where(*running)) or 0) >= MOST_RUNNING:
        raise TooManyChallenges(f"{MOST_RUNNING} of your challenges run: wait until one of them has closed")


def require_place(site: Site, round: Round) -> None:
    """Raise ChallengeFull if nobody else can enter a challenge, whose round the caller holds alone."""
    most, (started, _) = _most_players(site, round), counts(site, round.round_id)
    if started >= most:
        raise ChallengeFull(f"all {most} players of this challenge have entered")


def has_ended(site: Site, round: Round) -> bool:
    """Tell whether all whom a challenge has a place for have finished it, so that it need not wait for its time."""
    return counts(site, round.round_id)[1] >= _most_players(site, round)


def _most_players(site: Site, round: Round) -> int:
    return site.session.get_one(ChallengeRow, round.round_id).most_players


def find_challenge(site: Site, round: Round, viewer_id: UUID | None) -> Challenge | None:
    """Return what a challenge has beside its round; None of every other round."""
    return _challenge(site, round, viewer_id) if round.kind is Kind.CHALLENGE else None


def _challenge(site: Site, round: Round, viewer_id: UUID | None) -> Challenge:
    maker = None if round.owner_id is None else site.session.get(PlayerRow, round.owner_id)
    entry_id = run_id = None
    if viewer_id is not None:
        own = EntryRow.round_id == round.round_id, EntryRow.player_id == viewer_id
        entry_id = site.session.scalar(select(EntryRow.entry_id).where(*own))
        run_id = site.session.scalar(select(RunRow.run_id).where(RunRow.entry_id == entry_id)) if entry_id else None
    started, finished = counts(site, round.round_id)
    return Challenge(
        round=round,
        maker=player_from(maker, viewer_id) if maker else None,
        most_players=_most_players(site, round),
        started=started,
        finished=finished,
        entered=entry_id is not None,
        run_id=run_id,
    )


def challenges_of(site: Site, player_id: UUID) -> Sequence[Challenge]:
    """Return the newest challenges that a player has made or entered, newest first."""
    entered = select(EntryRow.round_id).where(EntryRow.player_id == player_id)
    rows = site.session.scalars(
        select(RoundRow)
        .where(RoundRow.kind == Kind.CHALLENGE)
        .where(or_(RoundRow.owner_id == player_id, RoundRow.round_id.in_(entered)))
        .order_by(RoundRow.created_at.desc(), RoundRow.round_id.desc())
        .limit(_SHOWN)
    ).all()
    now = site.clock()
    return [_challenge(site, round_from(row, now), player_id) for row in rows]
