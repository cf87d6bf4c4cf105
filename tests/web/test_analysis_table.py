"""The analysis in words: numbers that add up as printed, ways that are marked, and lines that practice takes."""

import random
import re
from fractions import Fraction

import pytest
from shutbox.game import play
from shutbox.game.analysis import Grade, analysis, given_away_milli
from shutbox.game.dice import deal
from shutbox.game.replay import Turn
from shutbox.game.rules import rules_of
from shutbox.game.rulesets import CATALOGUE
from shutbox.web.analysis_table import (
    Sums,
    grades,
    identity,
    identity_words,
    luck_text,
    shown_steps,
    step_sentences,
    sums,
    thresholds,
)

from tests.players import any_of, as_turns, legal_turns

NINE = "88820462180e5c893eff2ed73f4ec33e205d1cd5acc4d17fa7b2bca2495d3448"  # a seed on which nine turns shut the box
NINE_TURNS = [
    Turn(dice, (tile,)) for dice, tile in ((2, 7), (2, 6), (2, 8), (2, 9), (1, 1), (2, 5), (2, 4), (1, 3), (2, 2))
]


@pytest.mark.parametrize("ruleset", CATALOGUE)
def test_the_printed_parts_add_up_in_every_ruleset(ruleset: str) -> None:
    rules = rules_of(CATALOGUE[ruleset])
    for number in range(40):
        seed = random.Random(number).randbytes(32)
        turns = as_turns(legal_turns(ruleset, seed.hex(), any_of(number)))
        found = analysis(rules, deal(rules, seed), turns)
        parts = sums(found)
        left, total = identity(parts).replace(",", "").replace("−", "-").split(" = ")
        terms = re.sub(r"([+-]) ", r"\1", left).split()
        assert sum(map(Fraction, terms)) == Fraction(total) == parts.penalty
        assert parts.given_away == given_away_milli(rules, deal(rules, seed), turns)
        assert abs(parts.luck - Fraction(1000 * found.luck, found.denominator)) < 2
        assert f"{total} left." in identity_words(parts).replace(",", "")


def test_the_identity_is_told_in_numbers_and_in_words() -> None:
    lucky, unlucky = Sums(11009, 4300, -13309, 2), Sums(11009, 0, 3991, 15)
    assert identity(lucky) == "11.009 + 4.300 − 13.309 = 2"
    assert identity(unlucky) == "11.009 + 0.000 + 3.991 = 15"
    assert identity_words(lucky).endswith("4.300 were given away and 13.309 saved by luck: 2 left.")
    assert identity_words(unlucky).endswith("3.991 lost to bad luck: 15 left.")
    assert (luck_text(-13309, "you"), luck_text(400, "them"), luck_text(0, "you")) == (
        "13.31 for you",
        "0.40 against them",
        "none",
    )


def test_grades_leave_forced_moves_out_and_thresholds_are_those_of_the_ruleset() -> None:
    rules = rules_of(CATALOGUE["classic"])
    assert thresholds(rules) == ("0.25", "1.00")
    seed = bytes.fromhex(NINE)
    found = analysis(rules, deal(rules, seed), NINE_TURNS)
    steps = shown_steps(rules, found, "you")
    shown = [decision for step in steps for decision in (step.dice, step.tiles) if decision]
    assert [decision.grade for decision in shown if decision.grade] == grades(rules, found)
    forced = [decision for decision in shown if decision.grade is None]
    assert forced
    assert all(len(decision.ways) == 1 for decision in forced)
    for decision in shown:
        assert [way.text for way in decision.ways if way.played] == [decision.yours]
        assert decision.best in [way.text for way in decision.ways if way.best]
        assert (decision.grade is Grade.BEST) == (decision.grade is not None and decision.yours == decision.best)


def test_the_line_before_a_step_is_the_decisions_that_lead_there() -> None:
    rules = rules_of(CATALOGUE["classic"])
    for number in range(30):
        seed = random.Random(number).randbytes(32)
        table = deal(rules, seed)
        found = analysis(rules, table, as_turns(legal_turns("classic", seed.hex(), any_of(number))))
        for step, shown in zip(found.steps, shown_steps(rules, found, "you"), strict=True):
            position = play.start(rules, table)
            for text in filter(None, shown.line.split("_")):
                decision: play.Decision = (
                    play.DiceChoice(int(text[1:]))
                    if text[0] == "d"
                    else play.ShutChoice(tuple(map(int, text.split("."))))
                )
                following = play.decide(rules, table, position, decision)
                assert isinstance(following, play.Position)
                position = following
            assert position.open == step.board
            assert position.roll == shown.number - 1


def test_a_step_is_said_in_sentences() -> None:
    rules = rules_of(CATALOGUE["classic"])
    seed = bytes.fromhex(NINE)
    steps = shown_steps(rules, analysis(rules, deal(rules, seed), NINE_TURNS), "you")
    said = [step_sentences(step, len(steps)) for step in steps]
    assert said[0] == ("Step 1 of 9. Rolled 5 and 2, total 7. Shut 7: best. Open after it: 1, 2, 3, 4, 5, 6, 8 and 9.")
    assert said[4] == (
        "Step 5 of 9. Chose 1 die: slip, 0.59 lost, best was 2 dice. Rolled 1. Shut 1: the only way. "
        "Open after it: 2, 3, 4 and 5."
    )
    assert said[8].endswith("Rolled 1 and 1, total 2. Shut 2: the only way. The box is shut.")
    short = shown_steps(rules, analysis(rules, deal(rules, seed), as_turns(legal_turns("classic", seed.hex()))), "you")
    assert re.search(r"No move\. Left open: [\d, and]+\.\Z", step_sentences(short[-1], len(short)))
