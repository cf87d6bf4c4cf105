"""Days: the rounds of a day, made and committed to ahead, and closed strictly in order."""

from dataclasses import dataclass
from datetime import date, timedelta

from sqlalchemy import select, update

from .chains import begin_chains, check_chains, link_of, lock_chains, ruling
from .clock import SECOND, day_at, end_of, start_of
from .errors import DayNotFound, SeedUnavailable, StartRefused
from .game.rulesets import CATALOGUE, Ruleset
from .rounds import Kind, Mode, Round, State, close, round_from, seed_of
from .seeds import Chain, day_seed
from .site import Site
from .store.database import AnySession, insert_or_nothing, writing
from .store.rows import ChainRow, DayRow, RoundRow
from .tlog.disclosure import commitment

DAYS_AHEAD = 7


@dataclass(frozen=True, slots=True)
class Day:
    """A day and its rounds: the sealed and the open classic, then those of the variant of the day."""

    day: date
    state: State
    rounds: list[Round]


def today(site: Site) -> date:
    """Return the present day, the one that `today` means everywhere."""
    return day_at(site.clock())


def get_day(site: Site, day: date) -> Day:
    """Return a day that was made; raises DayNotFound."""
    now = site.clock()
    rows = site.session.scalars(select(RoundRow).where(RoundRow.day == day)).all()
    if not rows:
        raise DayNotFound(
            f"there is no day {day.isoformat()}: days are there from the first start on, and {DAYS_AHEAD} days ahead"
        )
    rounds = sorted(
        (round_from(row, now) for row in rows),
        key=lambda round: (round.ruleset.id != "classic", round.mode is not Mode.SEALED, round.round_id),
    )
    return Day(day, min(round.state for round in rounds), rounds)


def last_closed_day(site: Site) -> date | None:
    """Return the newest day that has closed."""
    return site.session.scalar(
        select(DayRow.day).where(DayRow.closed_at.is_not(None)).order_by(DayRow.day.desc()).limit(1)
    )


def daily_round_id(day: date, ruleset: Ruleset, mode: Mode) -> str:
    """Return the id of a daily round."""
    return f"{day.isoformat()}-{ruleset.id}{'-open' if mode is Mode.OPEN else ''}"


def rulesets_of(site: Site, day: date) -> tuple[Ruleset, Ruleset]:
    """Return what is played on a day: classic, and the variant in rotation."""
    variants = site.settings.variants
    return CATALOGUE["classic"], CATALOGUE[variants[day.toordinal() % len(variants)]]


def make_days(site: Site) -> None:
    """Make today and the days ahead with their commitments, where they are missing. Two processes do no harm.

    Not up to a day that has closed, for a clock that stepped back: the secret of that day gives all earlier ones.
    """
    first = today(site)
    with writing(site.session):
        lock_chains(site.session)
        rows = begin_chains(site)
        closed = last_closed_day(site)
        for day in (first + timedelta(days=ahead) for ahead in range(DAYS_AHEAD + 1)):
            row = ruling(rows, day)
            chain = None if row is None else site.secrets.find_chain(row.chain_id)
            if chain is not None and (closed is None or day > closed):  # without it another node has it
                _make_day(site, chain, day)


def _make_day(site: Site, chain: Chain, day: date) -> None:
    """Make a day unless it is made, or the chain as this node has it does not reach it."""
    number = chain.number_of(day)
    values = {"day": day, "chain_id": chain.chain_id, "link": number}
    if number is None or not insert_or_nothing(site.session, DayRow, values):
        return
    now, end = site.clock(), end_of(day)
    for ruleset in rulesets_of(site, day):
        for mode in Mode:
            seed = day_seed(chain.link(number), day, mode, ruleset.hash)
            site.session.add(
                RoundRow(
                    round_id=daily_round_id(day, ruleset, mode),
                    kind=Kind.DAILY,
                    mode=mode,
                    ruleset_hash=ruleset.hash,
                    day=day,
                    commitment=commitment(ruleset.hash, seed),
                    created_at=now,
                    opens_at=start_of(day),
                    entries_until=end,
                    closes_at=end + site.settings.grace_seconds * SECOND,
                    state=State.UPCOMING,
                )
            )


def check_secrets(site: Site) -> None:
    """Refuse to start with secrets that are not those with which the stored rounds are committed."""
    check_chains(site)
    newest = site.session.scalars(
        select(RoundRow)
        .where(RoundRow.day.is_(None), RoundRow.given_seed.is_(None))
        .order_by(RoundRow.created_at.desc())
        .limit(1)
    ).first()
    if newest is not None:
        try:
            seed_of(site, round_from(newest, site.clock()))
        except SeedUnavailable:
            raise StartRefused(
                f"{site.settings.round_key_file} does not belong to this database: restore the file that was beside it"
            ) from None


def has_days(session: AnySession) -> bool:
    """Tell whether days were made in this database, which then must not be given a new chain."""
    return session.scalar(select(ChainRow.chain_id).limit(1)) is not None


def advance(site: Site) -> None:
    """Store the states that daily rounds have reached by the clock, so that they hold if it steps back."""
    with writing(site.session):
        now = site.clock()
        for state, since in ((State.OPEN, RoundRow.opens_at), (State.CLOSING, RoundRow.entries_until)):
            site.session.execute(update(RoundRow).where(RoundRow.state < state, since <= now).values(state=state))


def close_due_days(site: Site) -> list[date]:
    """Close every day whose time is over, oldest first, each in one transaction; return those that were closed."""
    closed: list[date] = []
    while (day := _close_next(site)) is not None:
        closed.append(day)
    return closed


def _close_next(site: Site) -> date | None:
    with writing(site.session):
        now = site.clock()
        row = site.session.scalars(
            select(DayRow).where(DayRow.closed_at.is_(None)).order_by(DayRow.day).limit(1).with_for_update()
        ).first()
        if row is None or row.closed_at is not None:
            return None
        rounds = site.session.scalars(
            select(RoundRow).where(RoundRow.day == row.day).order_by(RoundRow.round_id).with_for_update()
        ).all()
        if any(now < round.closes_at for round in rounds):
            return None
        row.day_secret = link_of(site, row)
        for round in rounds:
            close(site, round, now)
        row.closed_at = now
        return row.day
