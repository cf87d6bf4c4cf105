"""A player's own runs, newest first: everything that the player has finished, practice among it."""

from collections.abc import Iterator
from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import func, select

from .cursors import Wanted, mark_of, neighbours, place_behind, where
from .game.encoding import tiles_of
from .game.replay import Turn
from .game.rulesets import BY_HASH
from .game.runs import turns_from
from .ranking import Place, Ranked, Slice, Where
from .rounds import Kind, Mode
from .site import Site
from .slices import PART
from .store.database import streamed
from .store.rows import EntryRow, RoundRow, RunRow, WithdrawnRow


@dataclass(frozen=True, slots=True)
class OwnRun:
    """A run as its player sees it. `given_away_milli` is None on open rounds."""

    run_id: UUID
    round_id: str
    ruleset: str
    mode: Mode
    kind: Kind
    score: int
    penalty: int
    open: tuple[int, ...]
    given_away_milli: int | None
    turns: tuple[Turn, ...]
    accepted_at: int
    withdrawn: bool  # by the operator: it counts nowhere


@dataclass(frozen=True, slots=True)
class History:
    """A part of a player's runs; `total` counts all of them."""

    total: int
    runs: list[OwnRun]
    next: str | None
    previous: str | None


def history(site: Site, player_id: UUID, wanted: Wanted) -> History:
    """Return a part of a player's runs. Raises InvalidCursor."""
    mark = _mark(player_id)
    runs = _runs(site, player_id, where(mark, wanted), wanted.limit)
    ids = select(func.count(), func.count().filter(RunRow.run_id > runs[0].run_id)) if runs else select(func.count())
    counts = site.session.execute(
        ids.select_from(RunRow)
        .join(EntryRow, EntryRow.entry_id == RunRow.entry_id)
        .where(EntryRow.player_id == player_id)
    ).one()
    rows = [Ranked(0, run.run_id, 0) for run in runs]
    part = Slice(counts[0], counts[1] if runs else 0, 0, 0, rows)
    return History(part.total, runs, *neighbours(mark, None, part))


def all_runs(site: Site, player_id: UUID, wanted: Wanted) -> Iterator[OwnRun]:
    """Yield all of a player's runs, or all behind a cursor, without a transaction. Raises InvalidCursor at once."""
    return streamed(site.session, _parts(site, player_id, place_behind(_mark(player_id), wanted)))


def _mark(player_id: UUID) -> bytes:
    return mark_of(f"runs/{player_id}", Wanted())


def _parts(site: Site, player_id: UUID, behind: Place | None) -> Iterator[list[OwnRun]]:
    while runs := _runs(site, player_id, behind, PART):
        yield runs
        behind = Place(0, runs[-1].run_id)


def _runs(site: Site, player_id: UUID, asked: Where, limit: int) -> list[OwnRun]:
    own = select(RunRow, RoundRow, WithdrawnRow.run_id.is_not(None)).join(
        EntryRow, EntryRow.entry_id == RunRow.entry_id
    )
    own = own.outerjoin(WithdrawnRow, WithdrawnRow.run_id == RunRow.run_id)
    own = own.join(RoundRow, RoundRow.round_id == RunRow.round_id).where(EntryRow.player_id == player_id)
    backwards = isinstance(asked, Place) and asked.before
    if isinstance(asked, Place):  # what comes after is older
        own = own.where(RunRow.run_id > asked.run_id if backwards else RunRow.run_id < asked.run_id)
    order = RunRow.run_id.asc() if backwards else RunRow.run_id.desc()
    found = site.session.execute(own.order_by(order).limit(limit)).all()
    return [_own_run(*row) for row in (reversed(found) if backwards else found)]


def _own_run(run: RunRow, round: RoundRow, withdrawn: bool) -> OwnRun:
    return OwnRun(
        run_id=run.run_id,
        round_id=run.round_id,
        ruleset=BY_HASH[round.ruleset_hash].id,
        mode=Mode(round.mode),
        kind=Kind(round.kind),
        score=run.score,
        penalty=run.penalty,
        open=tiles_of(run.open),
        given_away_milli=run.given_away_milli,
        turns=turns_from(run.turns),
        accepted_at=run.accepted_at,
        withdrawn=withdrawn,
    )
