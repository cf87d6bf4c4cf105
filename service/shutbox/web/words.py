"""What the pages say: days by number and name, rules in sentences, rows of a leaderboard with their ties."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, date, datetime

from ..audit import UNDO, Act, Actor
from ..game.encoding import tiles_of
from ..game.rules import rules_of
from ..game.rulesets import Match, OneDie, Ruleset, Scoring
from ..leaderboards import BoardRow, Page
from ..period_boards import PeriodPage, PeriodRow
from ..periods import Period, PeriodKind
from ..players import Player
from ..rounds import Kind, Mode, Round
from ..runs import Withdrawal
from ..tlog.leaves import WithdrawReason

DAY_ZERO = date(2025, 12, 31)
_NUMBERS = ("no", "one", "two", "three")


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of a leaderboard and whether others share its rank."""

    row: BoardRow | PeriodRow
    shared: bool


def day_number(day: date) -> int:
    """Return the number of a day: the first of January 2026 is day 1."""
    return (day - DAY_ZERO).days


def percent_of_others(worse: int, total: int) -> int | None:
    """Return how many percent of the others who are ranked have a worse result; None where that is none of them."""
    return 100 * worse // (total - 1) or None if total > 1 else None


def long_date(day: date) -> str:
    """Return "Monday 30 November 2026"."""
    return f"{day:%A} {day.day} {day:%B} {day.year}"


def short_date(day: date) -> str:
    """Return "30 Nov"."""
    return f"{day.day} {day:%b}"


def dated(day: date) -> str:
    """Return "30 Nov 2026"."""
    return f"{day.day} {day:%b} {day.year}"


def month_name(day: date) -> str:
    """Return "November 2026"."""
    return f"{day:%B} {day.year}"


def ordinal(number: int) -> str:
    """Return "1st", "2nd", "11th"."""
    ending = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number:,}{ending}"


def utc_time(ms: int) -> str:
    """Return a moment as "02:00 UTC"."""
    return f"{datetime.fromtimestamp(ms / 1000, UTC):%H:%M} UTC"


def utc_date_time(ms: int) -> str:
    """Return a moment as "30 Nov, 02:00 UTC"."""
    return f"{short_date(datetime.fromtimestamp(ms / 1000, UTC))}, {utc_time(ms)}"


def round_name(round: Round) -> str:
    """Return "Classic round", "Classic puzzle" or "Classic challenge"."""
    kind = "challenge" if round.kind is Kind.CHALLENGE else "puzzle" if round.mode is Mode.OPEN else "round"
    return f"{round.ruleset.name} {kind}"


def player_name(player: Player) -> str:
    """Return the name of a player; a guest is told from others by the end of the id."""
    if player.name is not None:
        return player.name
    if player.guest:
        return f"Guest {str(player.player_id)[-4:]}"
    return "hidden player" if player.hidden else "deleted player"


def period_name(period: Period) -> str:
    """Return "Week 48", "November 2026" or "All time"."""
    match period.kind:
        case PeriodKind.WEEK:
            return f"Week {int(period.id[-2:])}"
        case PeriodKind.MONTH:
            return month_name(period.first)
        case PeriodKind.ALL_TIME:
            return "All time"
        case PeriodKind.DAY:
            return dated(period.first)


def board_rows(page: Page | PeriodPage) -> list[ShownRow]:
    """Return the rows of a page with their ties, those with players on the pages beside it too."""
    ranks = Counter(row.rank for row in page.rows)
    if page.rows:
        ranks[page.rows[0].rank], ranks[page.rows[-1].rank] = page.tied, page.last_tied
    return [ShownRow(row, ranks[row.rank] > 1) for row in page.rows]


def rule_sentences(ruleset: Ruleset) -> list[str]:
    """Return the rules of a ruleset, a sentence for each thing that a player must know."""
    dice = _NUMBERS[ruleset.dice]
    found = [_tiles(ruleset), _match(ruleset, dice)]
    if ruleset.one_die is not OneDie.NEVER:
        found.append(_one_die(ruleset, dice))
    if ruleset.first_roll_must_shut:
        found.append(f"The first roll must shut tile {ruleset.first_roll_must_shut}; if it cannot, the round is over.")
    found += ["A roll that no open tiles match ends the round.", _scoring(ruleset)]
    return found


def _tiles(ruleset: Ruleset) -> str:
    opening = f"Tiles {_listed(tiles_of(ruleset.opening))} are open at the start"
    return f"{opening}; {_listed(tiles_of(ruleset.start_shut))} are shut." if ruleset.start_shut else f"{opening}."


def _match(ruleset: Ruleset, dice: str) -> str:
    start = f"Roll {dice} dice and shut"
    if ruleset.match is Match.ONE_TILE:
        return f"{start} one open tile that equals a die or their total."
    if ruleset.match is Match.SUM_OR_PRODUCT:
        return f"{start} open tiles whose sum or product is the sum or the product of the dice."
    return f"{start} any open tiles that add up to their total."


def _one_die(ruleset: Ruleset, dice: str) -> str:
    if ruleset.one_die_tiles_shut:
        tiles = tiles_of(ruleset.one_die_tiles_shut & ruleset.opening)
        when = f"once {_listed(tiles)} {'is' if len(tiles) == 1 else 'are'} shut"
    else:
        when = f"while the open tiles sum to less than {ruleset.one_die_open_sum_below}"
    return (
        f"You may roll one die instead of {dice} {when}."
        if ruleset.one_die is OneDie.OPTIONAL
        else (f"Only one die is rolled {when}.")
    )


def _scoring(ruleset: Ruleset) -> str:
    left = {
        Scoring.SUM: "the sum of the open tiles",
        Scoring.COUNT: "the number of open tiles, whatever stands on them",
        Scoring.DIGITS: "the open tiles read as one number: 1, 4 and 9 are 149",
    }[ruleset.scoring]
    return f"What is left is {left}. The score is {rules_of(ruleset).opening_penalty:,} less that."


def _listed(tiles: tuple[int, ...]) -> str:
    if len(tiles) > 2 and tiles == tuple(range(tiles[0], tiles[-1] + 1)):
        return f"{tiles[0]} to {tiles[-1]}"
    return ", ".join(map(str, tiles[:-1])) + f" and {tiles[-1]}" if len(tiles) > 1 else str(tiles[0])


_WITHDRAWN_FOR = {
    WithdrawReason.PLAYER_ASKED: "the player asked for it",
    WithdrawReason.UNFAIR_PLAY: "unfair play",
    WithdrawReason.OPERATORS_ERROR: "an error of the operator",
    WithdrawReason.OTHER: "another reason",
}


def withdrawal_words(withdrawal: Withdrawal) -> str:
    """Return "Withdrawn on 30 Nov 2026: unfair play", with what the operator says to it."""
    day = dated(datetime.fromtimestamp(withdrawal.at / 1000, UTC).date())
    said = f"Withdrawn on {day}: {_WITHDRAWN_FOR[withdrawal.reason]}"
    return f"{said}. “{withdrawal.note}”" if withdrawal.note else f"{said}."


_ACTS = {
    "undo": "An act was undone",
    "code_made": "A code was made",
    "code_used": "A code was used",
    "code_refused": "A code that works no more was tried",
    "token_made": "A token was made",
    "token_ended": "A browser or program was ended",
    "other_tokens_ended": "All other browsers and programs were ended",
    "renamed": "The name was changed",
    "rename": "The name was changed",
    "rename_league": "A league was renamed",
    "hide": "The name was hidden",
    "unhide": "The name is shown again",
    "ban": "The player was banned",
    "unban": "The ban was ended",
    "withdraw": "A run was withdrawn",
    "reinstate": "A run was reinstated",
}


def act_words(act: Act) -> str:
    """Return an act of the audit trail in words."""
    said = _ACTS.get(act.act, act.act)
    said += " by the operator" if act.actor is Actor.OPERATOR else ""
    if not act.note or act.act == UNDO:  # whose note is for programs
        return said
    return f"{said}: it was {act.note}" if act.act == "rename" else f"{said}: {act.note}"
