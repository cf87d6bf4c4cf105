"""Bias, rejection and independence of the dice."""

from collections import Counter
from hashlib import sha256
from hmac import digest

import pytest
from shutbox.game import dice
from shutbox.game.encoding import tag, u32
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import CATALOGUE

SEEDS = [sha256(bytes([number >> 8, number & 255])).digest() for number in range(20_000)]
CHI_SQUARE_35_DEGREES = 76.4  # exceeded by chance once in 10,000


def test_every_face_comes_from_42_bytes_and_four_are_rejected() -> None:
    assert Counter(dice.fair_faces(bytes(range(256)))) == dict.fromkeys(range(1, 7), 42)


def test_a_block_of_rejected_bytes_gives_no_face() -> None:
    assert list(dice.fair_faces(b"\xff" * 32)) == []


def test_the_stream_runs_on_through_the_blocks() -> None:
    seed = SEEDS[0]
    two_blocks = b"".join(digest(seed, tag("dice") + u32(block), "sha256") for block in range(2))
    expected = list(dice.fair_faces(two_blocks))
    stream = dice.faces(seed)
    assert [next(stream) for _ in expected] == expected


def test_rolling_one_die_leaves_the_later_rolls_where_they_are() -> None:
    table = dice.deal(rules_of(CATALOGUE["classic"]), SEEDS[1])
    assert [roll[:1] for roll in table.rolls] == [(roll[0],) for roll in table.rolls]
    assert table.rolls == dice.rolls(SEEDS[1], 2, 9)


@pytest.mark.parametrize(("first", "second"), [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((2, 1), (3, 1))])
def test_two_dice_of_a_round_are_independent(first: tuple[int, int], second: tuple[int, int]) -> None:
    pairs: Counter[tuple[int, int]] = Counter()
    for seed in SEEDS:
        rolls = dice.rolls(seed, 2, 4)
        pairs[rolls[first[0]][first[1]], rolls[second[0]][second[1]]] += 1
    expected = len(SEEDS) / 36
    assert len(pairs) == 36
    assert sum((count - expected) ** 2 / expected for count in pairs.values()) < CHI_SQUARE_35_DEGREES
