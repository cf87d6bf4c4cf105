"""What pages say of a league: how its invitation reads, and how a member stands in its week."""

from dataclasses import dataclass

from ..cursors import Wanted
from ..days import today
from ..errors import NotRanked
from ..leagues import League, leagues_of
from ..period_boards import page, season
from ..periods import PeriodKind, period_at
from ..players import Player
from ..rounds import Mode
from ..site import Site

SHOWN_LEAGUES = 3


@dataclass(frozen=True, slots=True)
class WeekStanding:
    """Where a member stands in a league's week, of its closed days only; `rank` is None for one who played none."""

    league: League
    rank: int | None
    shared: bool
    total: int


@dataclass(frozen=True, slots=True)
class Invitation:
    """The link by which one joins a league, and the text that goes with it."""

    link: str
    text: str


def invitation(league: League, origin: str) -> Invitation:
    """Return how others are invited to a league."""
    link = f"{origin}/league/{league.code}"
    return Invitation(link, f"Join the league “{league.name}” on Shutbox, the daily Shut the Box: {link}")


def week_standing(site: Site, league: League, player: Player) -> WeekStanding:
    """Return where a member stands in the present week."""
    week = season(site, period_at(PeriodKind.WEEK, today(site)), "classic", Mode.SEALED)
    try:
        found = page(site, week, player.player_id, Wanted(1, around=player.player_id, league_id=league.league_id))
    except NotRanked:
        return WeekStanding(league, None, False, 0)
    return WeekStanding(league, found.rows[0].rank, found.tied > 1, found.total)


def week_standings(site: Site, player: Player) -> list[WeekStanding]:
    """Return where a player stands in the week of the leagues joined last."""
    return [week_standing(site, league, player) for league in leagues_of(site, player.player_id)[:SHOWN_LEAGUES]]
