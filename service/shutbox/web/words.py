"""What the pages say: days by number and name, rules in sentences, rows of a leaderboard with their ties."""

from dataclasses import dataclass
from datetime import UTC, date, datetime

from ..game.encoding import tiles_of
from ..game.rules import rules_of
from ..game.rulesets import Match, OneDie, Ruleset, Scoring
from ..leaderboards import BoardRow, Page
from ..players import Player
from ..rounds import Mode, Round

DAY_ZERO = date(2025, 12, 31)
_NUMBERS = ("no", "one", "two", "three")


@dataclass(frozen=True, slots=True)
class ShownRow:
    """A row of a leaderboard and whether it shares its rank with a row beside it."""

    row: BoardRow
    shared: bool


def day_number(day: date) -> int:
    """Return the number of a day: the first of January 2026 is day 1."""
    return (day - DAY_ZERO).days


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


def round_name(round: Round) -> str:
    """Return "Classic round" or "Classic puzzle"."""
    return f"{round.ruleset.name} {'puzzle' if round.mode is Mode.OPEN else 'round'}"


def player_name(player: Player) -> str:
    """Return the name of a player; a guest is told from others by the end of the id."""
    return player.name or (f"Guest {str(player.player_id)[-4:]}" if player.guest else "deleted player")


def board_rows(page: Page) -> list[ShownRow]:
    """Return the rows of a page with their ties."""
    ranks = [row.rank for row in page.rows]
    return [ShownRow(row, ranks.count(row.rank) > 1) for row in page.rows]


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
