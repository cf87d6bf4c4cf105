"""What a typed line means, and the sentences of the terminal."""

import pytest
from shutbox.game.encoding import mask_of
from shutbox.game.rules import Rules, rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox_client.values import Leaderboard, LeaderboardRow, Player
from shutbox_client.words import (
    board_lines,
    given_away,
    listed,
    number_meant,
    player_label,
    printable,
    roll_line,
    tiles_meant,
    ways_line,
    ways_lines,
)

from tests.client.test_values import RUN

Tiles = tuple[int, ...]
CLASSIC = rules_of(CATALOGUE["classic"])


def meant(
    text: str, open_tiles: Tiles = (1, 2, 3, 4, 6, 8), faces: Tiles = (5, 3), rules: Rules = CLASSIC
) -> Tiles | str:
    full = (*faces, *(1,) * (rules.ruleset.dice - len(faces)))
    ways = list(rules.ways(mask_of(open_tiles), rules.table([full]).matches[0][len(faces)]))
    return tiles_meant(rules, text, open_tiles, faces, ways)


@pytest.mark.parametrize(
    "text", ["2 6", "6 2", " 2   6 ", "2,6", "2, 6", "2 and 6", "2+6", "2 AND 6", "26", "62", "02 6", "2\t6"]
)
def test_tiles_are_numbers_in_any_order_with_something_between(text: str) -> None:
    assert meant(text) == (2, 6)


def test_digits_together_are_read_one_by_one_if_that_is_a_way() -> None:
    assert meant("134") == (1, 3, 4)
    assert meant("8") == (8,)
    assert meant("12", (1, 2, 12), (6, 6), rules_of(CATALOGUE["twelve"])) == (12,)
    assert meant("12", (1, 2, 12), (2, 1), rules_of(CATALOGUE["twelve"])) == (1, 2)


def test_numbers_apart_are_never_joined() -> None:
    assert isinstance(meant("1 2", (1, 2, 12), (6, 6), rules_of(CATALOGUE["twelve"])), str)


def test_in_no_ruleset_both_readings_are_legal_on_one_roll() -> None:
    for ruleset in CATALOGUE.values():
        rules = rules_of(ruleset)
        for dice in {1, ruleset.dice}:
            for match in rules.weights(dice):
                ways = {way for board in rules.penalties for way in rules.ways(board, match)}
                two_digit = {way[0] for way in ways if len(way) == 1 and way[0] > 9}
                assert not any(tuple(sorted(map(int, str(tile)))) in ways for tile in two_digit), ruleset.id


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "Type the numbers of the tiles to shut, with spaces between them."),
        (",", "Type the numbers of the tiles to shut, with spaces between them."),
        ("eight", "That is not a list of tiles. Type their numbers with spaces between them, or ? for help."),
        ("-8", "That is not a list of tiles. Type their numbers with spaces between them, or ? for help."),
        ("8.0", "That is not a list of tiles. Type their numbers with spaces between them, or ? for help."),
        ("²", "That is not a list of tiles. Type their numbers with spaces between them, or ? for help."),
        ("٨", "That is not a list of tiles. Type their numbers with spaces between them, or ? for help."),
        ("9" * 5000, "That is not a list of tiles. Type their numbers with spaces between them, or ? for help."),
        ("4 4", "Tile 4 is named twice."),
        ("7 1", "Tile 7 is shut already."),
        ("0 8", "There is no tile 0. Put a space between two tiles."),
        ("28", "There is no tile 28. Put a space between two tiles."),
        ("10", "There is no tile 10. Put a space between two tiles."),
        ("6", "6 makes 6, not 8."),
        ("1 2 3", "1, 2 and 3 make 6, not 8."),
    ],
)
def test_a_line_that_cannot_be_played_is_told_why(text: str, told: str) -> None:
    assert meant(text) == told


def test_tiles_that_add_up_may_still_be_no_way() -> None:
    assert (
        meant("8", tuple(range(1, 10)), (5, 3), rules_of(CATALOGUE["two-to-go"])) == "8 is not a way to play this roll."
    )
    assert meant("1 2", tuple(range(1, 10)), (5, 3), rules_of(CATALOGUE["one-tile"])) == (
        "1 and 2 is not a way to play this roll."
    )


@pytest.mark.parametrize(("text", "number"), [("1", 1), (" 2 ", 2), ("one", 1), ("One", 1)])
def test_a_number_of_dice_is_a_number(text: str, number: int) -> None:
    assert number_meant(text, (1, 2)) == number


@pytest.mark.parametrize("text", ["", "3", "0", "two dice", "12"])
def test_another_number_of_dice_is_told_what_would_be_right(text: str) -> None:
    assert number_meant(text, (1, 2)) == "Type 1 or 2."


def test_rolls_are_sentences() -> None:
    assert roll_line(CLASSIC, 2, (5, 3)) == "Roll 3: 5 and 3, total 8."
    assert roll_line(CLASSIC, 0, (4,)) == "Roll 1: one die, 4."
    assert roll_line(rules_of(CATALOGUE["ten-three-dice"]), 0, (5, 3, 6)) == "Roll 1: 5, 3 and 6, total 14."
    assert roll_line(rules_of(CATALOGUE["crafthouse-multiply"]), 0, (5, 3)) == "Roll 1: 5 and 3, sum 8, product 15."


def test_many_ways_are_counted_and_listed_on_demand() -> None:
    ways = [(8,), (12,), (1, 7), (2, 6)] + [(1, tile) for tile in range(3, 12)]
    assert ways_line(ways) == "13 ways, type w to list them."
    assert ways_lines(ways)[0] == "1 tile: 8; 12."
    assert ways_line([(8,), (2, 6)]) == "Ways: 8; 2 6."
    assert ways_line([(2, 6)]) == "Only one way: 2 6."


def test_numbers_are_listed_as_they_are_said() -> None:
    assert [listed(numbers) for numbers in ((8,), (2, 6), (1, 3, 4))] == ["8", "2 and 6", "1, 3 and 4"]


def test_points_given_away_keep_their_thousandths() -> None:
    assert [given_away(milli) for milli in (0, 7, 4300, 11009)] == ["0.000", "0.007", "4.300", "11.009"]


def test_players_are_told_apart() -> None:
    assert player_label(Player("0000-abcd", None, True, False, False)) == "guest abcd"
    assert player_label(Player("0000-abcd", None, False, False, False)) == "deleted player"
    assert player_label(Player("0000-abcd", None, False, False, True)) == "hidden player"
    assert player_label(Player("0000-abcd", "Mara", False, True, False)) == "Mara (bot)"


def test_text_of_others_cannot_steer_the_terminal() -> None:
    assert printable("Mara\x1b[2J\r\n\u202e!") == "Mara?[2J???!"


def test_a_leaderboard_is_sentences() -> None:
    row = LeaderboardRow(1, Player("p", "Mara", False, False, False), 38, 7, 4300, "r", RUN["accepted_at"])
    page = Leaderboard("2026-11-30-classic", "final", False, 1, (row,), None, None)
    assert board_lines(page) == [
        "Leaderboard of 2026-11-30-classic, final, 1 player.",
        "1. Mara: score 38 - 7 left, given away 4.300",
    ]
