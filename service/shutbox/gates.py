"""What may be seen of a round before its close (design: "Before the close").

Of a sealed round, one who has not finished it sees only how many have started and finished; one who has sees the
standings. Of an open round everyone sees the standings. Turns and open tiles are their owner's until the close.
"""

from uuid import UUID

from sqlalchemy import exists, select

from .rounds import Mode, Round, State
from .site import Site
from .store.rows import EntryRow, RunRow


def shows_standings(site: Site, round: Round, viewer_id: UUID | None) -> bool:
    """Tell whether this viewer, or nobody in particular, may see rows, scores, ranks and totals of the round."""
    if round.mode is Mode.OPEN or round.state is State.CLOSED:
        return True
    return viewer_id is not None and has_finished(site, round.round_id, viewer_id)


def shows_turns(round: Round, viewer_id: UUID | None, owner_id: UUID) -> bool:
    """Tell whether this viewer may see the turns and open tiles of a run."""
    return round.state is State.CLOSED or viewer_id == owner_id


def has_finished(site: Site, round_id: str, player_id: UUID) -> bool:
    """Tell whether the player has a run on the round."""
    entry = select(EntryRow.entry_id).where(EntryRow.round_id == round_id, EntryRow.player_id == player_id)
    return bool(site.session.scalar(select(exists().where(RunRow.entry_id == entry.scalar_subquery()))))
