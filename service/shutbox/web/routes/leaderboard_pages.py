"""The page of leaderboards: of a round, a week, a month and all time. Its parts are links, so it needs no script."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from flask import Blueprint, render_template, request

from ...challenges import find_challenge
from ...clock import SECOND, end_of
from ...cursors import Wanted
from ...days import daily_round_id, get_day, rulesets_of, today
from ...errors import DayNotFound, NotRanked
from ...game.rulesets import CATALOGUE, Scoring
from ...leaderboards import Page, page
from ...leagues import league_of_member, leagues_of
from ...period_boards import PeriodPage, Season, season
from ...period_boards import page as period_page
from ...periods import PeriodKind, period_at
from ...rounds import Mode, Round, counts, get_round
from ...runs import withdrawn_on
from ..auth import site, visitor, visitor_id
from ..own import own_on
from ..words import ShownRow, board_rows, percent_of_others
from .leaderboards import period_of
from .pages import PAGE_ROWS, for_people

COLLAPSED_FROM = 10  # players who share the first rank

AnyPage = Page | PeriodPage
Read = Callable[[Wanted], AnyPage]

routes = for_people(Blueprint("leaderboard_pages", __name__))


@dataclass(frozen=True, slots=True)
class Standings:
    """What is shown of a leaderboard. `top` stands for all `tied` players who share the first rank, where it is set."""

    page: AnyPage
    rows: list[ShownRow]
    top: ShownRow | None
    tied: int
    own: ShownRow | None
    better_than: int | None  # percent of all others who are ranked
    pinned: bool  # the own row is not among the rows
    message: str


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a leaderboard with its filters; calling it gives one that differs in what is named."""

    named: dict[str, str | None]

    def __call__(self, path: str = "/leaderboard", **changes: str | None) -> str:
        return f"{path}?{urlencode({name: text for name, text in {**self.named, **changes}.items() if text})}"


@routes.get("/leaderboard")
def leaderboard() -> str:
    """Show a part of a leaderboard: of a round, or of a period if the address names one."""
    kind = request.args.get("period", PeriodKind.DAY)
    return _round_page() if kind == PeriodKind.DAY else _period_page(kind)


def _round_page() -> str:
    round_id = request.args.get("round")
    round = get_round(site(), round_id) if round_id else get_day(site(), today(site())).rounds[0]
    asking, filters = visitor(), _filters()
    viewer_id = visitor_id()
    started, finished = counts(site(), round.round_id)
    here = Address({"round": round.round_id, **_filter_texts()})
    return render_template(
        "leaderboard.html",
        round=round,
        shown=_standings(lambda wanted: page(site(), round.round_id, viewer_id, wanted), filters),
        own=own_on(site(), round, asking),
        challenge=find_challenge(site(), round, viewer_id),
        started=started,
        finished=finished,
        withdrawn=withdrawn_on(site(), round.round_id),
        rounds=get_day(site(), round.day).rounds if round.day else [],
        earlier=_neighbour(round, -1),
        later=_neighbour(round, 1),
        here=here,
        file=Address({**_filter_texts()}),
        kinds=_kinds(round.day, round.ruleset.id, round.mode) if round.day else [],
        kind=PeriodKind.DAY,
        **_choices(),
    )


def _period_page(kind: str) -> str:
    ruleset_id, mode = request.args.get("ruleset", "classic"), request.args.get("mode", Mode.SEALED)
    asked = Mode(mode) if mode in list(Mode) else Mode.SEALED
    found = season(site(), period_of(kind, request.args.get("of")), ruleset_id, asked)
    of = {"of": found.period.id, "ruleset": ruleset_id, "mode": str(asked)}
    day = max(found.first, min(found.period.last, today(site())))
    viewer_id = visitor_id()
    return render_template(
        "period.html",
        season=found,
        shown=_standings(lambda wanted: period_page(site(), found, viewer_id, wanted), _filters()),
        here=Address({"period": kind, **of, **_filter_texts()}),
        file=Address({**of, **_filter_texts()}),
        kinds=_kinds(day, ruleset_id, asked),
        kind=found.period.kind,
        rulesets=[ruleset for ruleset in CATALOGUE.values() if ruleset.scoring is not Scoring.DIGITS],
        counts_at=_counts_at(found),
        **_choices(),
    )


def _counts_at(found: Season) -> int:
    """Return the moment at which the next day of a period can close."""
    following = found.first if found.until is None else found.until + timedelta(days=1)
    return end_of(following) + site().settings.grace_seconds * SECOND


def _filters() -> Wanted:
    league = request.args.get("league")
    bots = {"exclude": False, "only": True}.get(request.args.get("bots", ""))
    league_id = league_of_member(site(), league, visitor_id()) if league else None
    return Wanted(PAGE_ROWS, bots=bots, league_id=league_id)


def _filter_texts() -> dict[str, str | None]:
    return {name: request.args.get(name) for name in ("bots", "league")}


def _choices() -> dict[str, Any]:
    """Return what the form under a leaderboard can choose, and what is chosen."""
    asking = visitor()
    return {"leagues": leagues_of(site(), asking.player_id) if asking else [], "chosen": _filter_texts()}


def _kinds(day: date, ruleset_id: str, mode: Mode) -> list[tuple[PeriodKind, str]]:
    """Return the address of the leaderboard of each kind of period that a day lies in, as alike as there is one."""
    played = next((one for one in rulesets_of(site(), day) if one.id == ruleset_id), CATALOGUE["classic"])
    summed = "classic" if CATALOGUE[ruleset_id].scoring is Scoring.DIGITS else ruleset_id
    found = [(PeriodKind.DAY, Address({"round": daily_round_id(day, played, mode), **_filter_texts()})())]
    for kind in PeriodKind:
        if kind is not PeriodKind.DAY:
            named = {"period": kind, "of": period_at(kind, day).id, "ruleset": summed, "mode": mode}
            found.append((kind, Address({**named, **_filter_texts()})()))
    return found


def _standings(read: Read, filters: Wanted) -> Standings:
    """Return the part that the address asks for; one who is not ranked is told so and shown the first part."""
    asking, message = visitor(), ""
    own_part = _own_part(read, filters, asking.player_id) if asking else None
    own = board_rows(own_part)[0] if own_part else None
    after, before = request.args.get("after"), request.args.get("before")
    wanted = replace(filters, after=after, before=None if after else before)
    if request.args.get("around") == "me":
        if asking and own:
            wanted = replace(filters, around=asking.player_id)
        else:
            message = "You are not on this leaderboard: finish a round that counts here to be ranked."
    found = read(wanted)
    top, tied = None, 0
    if wanted == filters and found.tied >= COLLAPSED_FROM and request.args.get("show") != "all":
        top, tied = board_rows(found)[0], found.tied
        found = replace(read(replace(filters, after=found.behind_tie)), previous=None)
    rows = board_rows(found)
    shown_ids = {shown.row.player.player_id for shown in rows}
    return Standings(
        page=found,
        rows=rows,
        top=top,
        tied=tied,
        own=own,
        better_than=_better_than(own_part) if own_part else None,
        pinned=own is not None and own.row.player.player_id not in shown_ids,
        message=message,
    )


def _own_part(read: Read, filters: Wanted, own_id: UUID) -> AnyPage | None:
    """Return the part that is the own row alone."""
    try:
        found = read(replace(filters, limit=1, around=own_id))
    except NotRanked:
        return None
    return found if found.rows else None


def _better_than(own: AnyPage) -> int | None:
    total = own.total or 0
    return percent_of_others(total - own.rows[0].rank - own.tied + 1, total)


def _neighbour(round: Round, step: int) -> date | None:
    """Return the day before or after, if it has begun."""
    if round.day is None or round.day + timedelta(days=step) > today(site()):
        return None
    try:
        return get_day(site(), round.day + timedelta(days=step)).day
    except DayNotFound:
        return None
