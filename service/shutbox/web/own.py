"""What the one who looks at a page has on a round: an attempt, or a run."""

from dataclasses import dataclass
from uuid import UUID

from ..attempts import Attempt, find_attempt
from ..leaderboards import standing
from ..players import Player
from ..rounds import Mode, Round
from ..site import Site


@dataclass(frozen=True, slots=True)
class Own:
    """What a player has on a round; everything is None for one who has nothing."""

    attempt: Attempt | None
    run_id: UUID | None


def own_on(site: Site, round: Round, player: Player | None) -> Own:
    """Return the player's attempt on a sealed round, and the run: on an open round the best one."""
    if player is None:
        return Own(None, None)
    if round.mode is Mode.OPEN:
        found = standing(site, round, player.player_id)
        return Own(None, found.run_id if found else None)
    attempt = find_attempt(site, player.player_id, round)
    return Own(attempt, attempt.run_id if attempt else None)
