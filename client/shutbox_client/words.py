"""The sentences of the terminal, and what a typed line means: plain text, one thing a line, no other state.

How a line is read: tiles are numbers with spaces between (`2 6`; commas, plus signs and `and` do as well). Digits
written together (`26`) are read as a number first and one by one second, and the first reading that is legal on this
roll counts. In none of the rulesets both can be legal on one roll, so nothing is ever guessed.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from math import prod

from shutbox.game.rules import Rules
from shutbox.game.rulesets import Match

from .values import Act, Leaderboard, LeaderboardRow, League, Period, PeriodRow, Player, Profile, Round, Run, Token

Tiles = tuple[int, ...]

LONGEST_NUMBER = 9
MOST_WAYS_TOLD = 12


def printable(line: str) -> str:
    """Return a line without what would steer a terminal: parts of it were written by others."""
    return "".join(one if one.isprintable() else "?" for one in line)


def moment(when: datetime) -> str:
    """Return a moment to the minute."""
    return f"{when.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


# Rolls and tiles


def spaced(tiles: Sequence[int]) -> str:
    """Return tiles as they are typed: 2 6."""
    return " ".join(map(str, tiles))


def listed(numbers: Sequence[int], last: str = "and") -> str:
    """Return numbers as they are said: 2, 6 and 7."""
    *before, end = map(str, numbers)
    return f"{', '.join(before)} {last} {end}" if before else end


def rolled(rules: Rules, faces: Sequence[int]) -> str:
    """Return what was rolled: 5 and 3, total 8."""
    if len(faces) == 1:
        return f"one die, {faces[0]}"
    if rules.ruleset.match is Match.SUM_OR_PRODUCT:
        return f"{listed(faces)}, sum {sum(faces)}, product {prod(faces)}"
    return f"{listed(faces)}, total {sum(faces)}"


def roll_line(rules: Rules, roll: int, faces: Sequence[int]) -> str:
    """Return a roll, numbered from 1 for people: Roll 3: 5 and 3, total 8."""
    return f"Roll {roll + 1}: {rolled(rules, faces)}."


def open_line(tiles: Sequence[int]) -> str:
    """Return the open tiles."""
    return f"Open: {spaced(tiles)}."


def ways_line(ways: Sequence[Tiles]) -> str:
    """Return the ways to play a roll: Ways: 8; 2 6; 1 3 4. Too many to listen to are only counted."""
    if len(ways) == 1:
        return f"Only one way: {spaced(ways[0])}."
    if len(ways) > MOST_WAYS_TOLD:
        return f"{len(ways)} ways, type w to list them."
    return f"Ways: {'; '.join(map(spaced, ways))}."


def ways_lines(ways: Sequence[Tiles]) -> list[str]:
    """Return all ways, a line for each number of tiles."""
    lines = []
    for count in sorted({len(way) for way in ways}):
        these = "; ".join(spaced(way) for way in ways if len(way) == count)
        lines.append(f"{'1 tile' if count == 1 else f'{count} tiles'}: {these}.")
    return lines


def shut_line(tiles: Sequence[int]) -> str:
    """Return what a decision did."""
    return f"Shut {listed(tiles)}."


# What was typed


def tiles_meant(rules: Rules, text: str, open_tiles: Tiles, faces: Tiles, ways: Sequence[Tiles]) -> Tiles | str:
    """Return the tiles that a line names, one of the ways, or what is wrong with it and what would be right."""
    words = [word for word in text.lower().replace(",", " ").replace("+", " ").split() if word != "and"]
    if not words:
        return "Type the numbers of the tiles to shut, with spaces between them."
    if not all(word.isascii() and word.isdigit() and len(word) <= LONGEST_NUMBER for word in words):
        return "That is not a list of tiles. Type their numbers with spaces between them, or ? for help."
    tiles = tuple(sorted(map(int, words)))
    digits = tuple(sorted(map(int, words[0]))) if len(words) == 1 else ()
    found = next((reading for reading in (tiles, digits) if reading in ways), None)
    return found if found is not None else _why_not(rules, tiles, open_tiles, faces)


def number_meant(text: str, allowed: Sequence[int]) -> int | str:
    """Return the number of dice that a line names, or what would be right."""
    wanted = {str(number): number for number in allowed} | ({"one": 1} if 1 in allowed else {})
    return wanted.get(text.strip().lower(), f"Type {listed(allowed, 'or')}.")


def _why_not(rules: Rules, tiles: Tiles, open_tiles: Tiles, faces: Tiles) -> str:
    repeated = [tile for tile in tiles if tiles.count(tile) > 1]
    if repeated:
        return f"Tile {repeated[0]} is named twice."
    for tile in tiles:
        if not 1 <= tile <= rules.ruleset.box.bit_length() or not rules.ruleset.box >> (tile - 1) & 1:
            return f"There is no tile {tile}. Put a space between two tiles."
        if tile not in open_tiles:
            return f"Tile {tile} is shut already."
    if rules.ruleset.match is Match.SUM and sum(tiles) != sum(faces):
        return f"{listed(tiles)} {'makes' if len(tiles) == 1 else 'make'} {sum(tiles)}, not {sum(faces)}."
    return f"{listed(tiles)} is not a way to play this roll."


# Results


def score_line(score: int, penalty: int) -> str:
    """Return a result: the score first, then what is left."""
    return f"Score {score} - {penalty} left"


def rank_line(rank: int, total: int) -> str:
    """Return a rank."""
    return f"Rank {rank} of {total}."


def given_away(milli: int) -> str:
    """Return expected points lost by decisions, with the thousandths that decide ties."""
    return f"{milli // 1000}.{milli % 1000:03d}"


def run_lines(run: Run) -> list[str]:
    """Return a run as its owner reads it."""
    lines = ["The box is shut."] if run.shut_the_box else []
    if run.score is not None and run.penalty is not None:
        lines.append(score_line(run.score, run.penalty))
    if run.given_away_milli is not None:
        lines.append(f"Given away {given_away(run.given_away_milli)} points.")
    if run.rank is not None and run.total is not None:
        lines.append(rank_line(run.rank, run.total))
    return lines


def player_label(player: Player) -> str:
    """Return who it is: a name, or the end of a guest's id."""
    label = player.name or ("hidden player" if player.hidden else "deleted player")
    if player.guest:
        label = f"guest {player.player_id[-4:]}"
    return f"{label} (bot)" if player.bot else label


def row_line(row: LeaderboardRow) -> str:
    """Return a row of a leaderboard."""
    line = f"{row.rank}. {player_label(row.player)}: score {row.score} - {row.penalty} left"
    return line if row.given_away_milli is None else f"{line}, given away {given_away(row.given_away_milli)}"


def board_lines(page: Leaderboard) -> list[str]:
    """Return the head of a leaderboard and its rows."""
    if page.gated:
        return [f"Leaderboard of {page.round_id}.", "The standings are shown when you have finished this round."]
    players = "1 player" if page.total == 1 else f"{page.total} players"
    head = f"Leaderboard of {page.round_id}, {page.state}, {players}."
    return [head, *(row_line(row) for row in page.items)] if page.total else [head, "Nobody has finished yet."]


def period_lines(page: Period) -> list[str]:
    """Return the head of the board of a period and its rows."""
    players = "1 player" if page.total == 1 else f"{page.total} players"
    head = f"Leaderboard of {page.period}, {page.ruleset} {page.mode}, {page.state}, {players}."
    return [head, *(period_row_line(row) for row in page.items)] if page.total else [head, "No day has closed yet."]


def period_row_line(row: PeriodRow) -> str:
    """Return a row of the board of a period."""
    days = "1 day" if row.days == 1 else f"{row.days} days"
    line = f"{row.rank}. {player_label(row.player)}: score {row.score} in {days}"
    return line if row.given_away_milli is None else f"{line}, given away {given_away(row.given_away_milli)}"


def profile_lines(profile: Profile) -> list[str]:
    """Return a profile in a few lines."""
    best = profile.best
    return [
        f"Player {player_label(profile.player)}",
        f"Days played {profile.days_played}, streak {profile.streak}, longest streak {profile.longest_streak}.",
        f"Boxes shut {profile.boxes_shut}.",
        *([f"Best on {best.date}: {score_line(best.score, best.penalty)}"] if best else []),
    ]


def token_line(token: Token) -> str:
    """Return a token without its secret."""
    used = f"last used {token.last_used}" if token.last_used else "not used"
    kind = ("browser" if token.browser else ", ".join(token.scopes)) + (", in use here" if token.current else "")
    return f"{token.token_id}: {token.label} ({kind}), made {moment(token.created_at)}, {used}."


def act_line(act: Act) -> str:
    """Return what was done, in a line."""
    return f"{moment(act.at)}: {act.act.replace('_', ' ')}, by the {act.by}{f', {act.note}' if act.note else ''}."


def league_line(league: League) -> str:
    """Return a league in a line."""
    owner = player_label(league.owner)
    return f"{league.name}: code {league.code}, {league.size} of {league.most} members, owner {owner}."


def league_lines(league: League) -> list[str]:
    """Return a league, with its members where they are shown."""
    return [league_line(league), *(player_label(member.player) for member in league.members or ())]


def round_line(round: Round) -> str:
    """Return a round of a day."""
    seen = f"{round.started} started, {round.finished} finished"
    return f"{round.round_id}: ruleset {round.ruleset}, mode {round.mode}, state {round.state}, {seen}."
