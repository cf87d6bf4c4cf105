"""Faults that other engines shipped, each with its smallest position."""

from itertools import product

import pytest
from shutbox.game.encoding import mask_of
from shutbox.game.replay import End, Reason, Turn, replay
from shutbox.game.rules import Rules, rules_of
from shutbox.game.rulesets import CATALOGUE


def ways(id: str, open_tiles: tuple[int, ...], faces: tuple[int, ...]) -> list[tuple[int, ...]]:
    rules = rules_of(CATALOGUE[id])
    full = (*faces, *([1] * (rules.ruleset.dice - len(faces))))
    return list(rules.ways(mask_of(open_tiles), rules.table([full]).matches[0][len(faces)]))


def play(id: str, rolls: list[tuple[int, ...]], turns: list[Turn]) -> tuple[Rules, object]:
    rules = rules_of(CATALOGUE[id])
    return rules, replay(rules, rules.table(rolls), turns)


def test_a_set_of_four_tiles_is_legal() -> None:
    assert ways("classic", (1, 2, 3, 4), (4, 6)) == [(1, 2, 3, 4)]


def test_a_roll_of_one_shuts_tile_one() -> None:
    assert ways("classic", (1, 2, 3), (1,)) == [(1,)]


def test_optional_one_die_is_not_forced() -> None:
    assert rules_of(CATALOGUE["classic"]).dice_allowed[mask_of((1, 2, 3, 4, 5, 6))] == (1, 2)


def test_below_six_is_not_up_to_six() -> None:
    low_sum, forced = rules_of(CATALOGUE["low-sum"]), rules_of(CATALOGUE["crafthouse"])
    assert low_sum.dice_allowed[mask_of((1, 2, 3))] == (2,)
    assert low_sum.dice_allowed[mask_of((1, 4))] == (1, 2)
    assert forced.dice_allowed[mask_of((1, 2, 3))] == (2,)
    assert forced.dice_allowed[mask_of((1, 4))] == (1,)


def test_a_stuck_roll_ends_the_round_on_that_roll() -> None:
    _, replayed = play("classic", [(6, 6), (5, 5), (2, 1)], [Turn(2, (3, 9)), Turn(2, (2, 8)), Turn(2, ())])
    assert replayed == (mask_of((1, 4, 5, 6, 7)), 3, End.LOCKED, None)


@pytest.mark.parametrize(
    ("turns", "reason", "turn"),
    [
        ([Turn(2, (4, 4))], Reason.REPEATED_TILE, 0),
        ([Turn(2, (2, 2))], Reason.REPEATED_TILE, 0),
        ([Turn(2, (10, 10))], Reason.REPEATED_TILE, 0),
        ([Turn(2, ())], Reason.SHUT_REQUIRED, 0),
        ([Turn(2, (99,))], Reason.TILE_NOT_OPEN, 0),
        ([Turn(2, (5,))], Reason.WRONG_TILES, 0),
        ([Turn(3, (8,))], Reason.DICE_NOT_ALLOWED, 0),
        ([Turn(0, (8,))], Reason.DICE_NOT_ALLOWED, 0),
        ([Turn(1, (4,))], Reason.DICE_NOT_ALLOWED, 0),
        ([Turn(2, (8,)), Turn(2, (8,))], Reason.TILE_NOT_OPEN, 1),
        ([Turn(2, (8,))], Reason.UNFINISHED, 1),
        ([], Reason.UNFINISHED, 0),
    ],
)
def test_the_first_rule_broken_gives_the_refusal(turns: list[Turn], reason: Reason, turn: int) -> None:
    rolls: list[tuple[int, ...]] = [(4, 4), (4, 4)]
    rules = rules_of(CATALOGUE["classic"])
    assert replay(rules, rules.table(rolls), turns).refusal == (reason, turn)


def test_a_turn_after_the_box_is_shut_is_refused() -> None:
    rolls: list[tuple[int, ...]] = [(6, 6), (6, 6), (6, 6), (4, 5), (1, 1)]
    shut_all = [Turn(2, (1, 5, 6)), Turn(2, (3, 9)), Turn(2, (4, 8)), Turn(2, (2, 7))]
    rules = rules_of(CATALOGUE["classic"])
    assert replay(rules, rules.table(rolls), shut_all) == (0, 4, End.SHUT, None)
    assert replay(rules, rules.table(rolls), [*shut_all, Turn(1, (1,))]).refusal == (Reason.TURN_AFTER_END, 4)


def test_the_order_of_the_tiles_in_a_turn_does_not_matter() -> None:
    rules = rules_of(CATALOGUE["classic"])
    table = rules.table([(6, 6), (1, 1)])
    assert (
        replay(rules, table, [Turn(2, (9, 3)), Turn(2, (2,))]).open
        == replay(rules, table, [Turn(2, (3, 9)), Turn(2, (2,))]).open
    )


def test_a_box_of_twelve_keeps_its_twelve_tiles() -> None:
    rules = rules_of(CATALOGUE["twelve"])
    replayed = replay(rules, rules.table([(1, 1), (6, 6)]), [Turn(2, (2,))])
    assert replayed.open == mask_of((1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))


def test_digits_are_written_one_tile_after_the_other() -> None:
    """No named ruleset has tile 10 under digits, so the rule is asked directly."""
    ten = CATALOGUE["ten"]
    digits = Rules(type(ten)("ten-digits", "", ten.box, scoring=CATALOGUE["digits"].scoring))
    assert digits.penalties[mask_of((1, 10))] == 110
    assert digits.penalties[0] == 0


def test_first_roll_must_shut_counts_on_the_first_roll_only() -> None:
    assert ways("two-to-go", tuple(range(1, 10)), (4, 4)) == [(2, 6), (1, 2, 5)]
    assert ways("two-to-go", tuple(range(1, 10)), (1, 3)) == []
    assert ways("two-to-go", (1, 3, 4, 5, 6, 7, 8, 9), (1, 3)) == [(4,), (1, 3)]


def test_a_product_may_be_matched_by_a_sum_and_a_sum_by_a_product() -> None:
    assert set(ways("crafthouse-multiply", (1, 2, 3, 4, 5, 6), (2, 3))) == {
        *((5,), (1, 4), (2, 3), (1, 5)),
        *((6,), (2, 4), (1, 2, 3), (1, 6)),
    }


def test_every_face_pair_of_a_roll_is_alike_in_either_order() -> None:
    for id in ("classic", "one-tile", "crafthouse-multiply"):
        rules = rules_of(CATALOGUE[id])
        for first, second in product(range(1, 7), repeat=2):
            table = rules.table([(first, second), (second, first)])
            assert table.matches[0][2] == table.matches[1][2]
