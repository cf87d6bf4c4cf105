"""The texts that are shared: exactly as they were decided, before the close and after it, with squares and without."""

import re
from dataclasses import replace
from datetime import date

import pytest
from shutbox.game.analysis import Grade
from shutbox.web.share import SharedPlay, SharedResult, plain_text, squares_text

BEST, FINE, SLIP, BLUNDER = Grade.BEST, Grade.FINE, Grade.SLIP, Grade.BLUNDER
LINK = "https://play.example/d/2026-11-30"
BEFORE = SharedResult(date(2026, 11, 30), "", None, 43, 2, False, None, LINK)
AFTER = replace(BEFORE, play=SharedPlay(6, 4300, [BEST, BEST, BLUNDER, BEST, BEST]))


def test_before_the_close_only_the_result_is_told() -> None:
    assert squares_text(BEFORE) == f"Shutbox #334 · 30 Nov 2026\nScore 43 · 2 left\n{LINK}"
    assert plain_text(BEFORE) == (
        f"Shutbox number 334 of 30 November 2026. I scored 43 with 2 left. The day is at {LINK}"
    )


def test_after_the_close_rolls_points_and_squares_are_told() -> None:
    assert squares_text(AFTER) == (
        f"Shutbox #334 · 30 Nov 2026\nScore 43 · 2 left · 6 rolls · 4.30 given away\n🟩🟩🟥🟩🟩\n{LINK}"
    )
    assert plain_text(AFTER) == (
        "Shutbox number 334 of 30 November 2026. I scored 43 with 2 left in 6 rolls and gave away 4.30 points. "
        f"The decisions in order were best, best, blunder, best, best. The day is at {LINK}"
    )


def test_a_shut_box_is_told_in_words() -> None:
    shut = replace(BEFORE, score=45, penalty=0, shut_the_box=True)
    assert squares_text(shut).splitlines()[1] == "Score 45 · box shut"
    assert "I scored 45 and shut the box. " in plain_text(shut)


def test_less_than_a_point_lost_is_yellow_whatever_its_grade() -> None:
    result = replace(AFTER, play=SharedPlay(1, 900, [FINE, SLIP]))
    assert squares_text(result).splitlines()[1:3] == ["Score 43 · 2 left · 1 roll · 0.90 given away", "🟨🟨"]
    assert "in order were close, close." in plain_text(result)


def test_a_run_of_forced_moves_has_no_squares() -> None:
    result = replace(AFTER, play=SharedPlay(1, 0, []))
    assert len(squares_text(result).splitlines()) == 3
    assert "decisions" not in plain_text(result)


def test_another_round_is_named_and_another_player_too() -> None:
    result = replace(BEFORE, game="Classic puzzle", player="Mara", play=SharedPlay(6, None, ()))
    assert squares_text(result).splitlines()[:2] == [
        "Shutbox #334 · 30 Nov 2026 · Classic puzzle",
        "Mara · Score 43 · 2 left · 6 rolls",
    ]
    assert "2026, Classic puzzle. Mara scored 43 with 2 left in 6 rolls. " in plain_text(result)


@pytest.mark.parametrize("result", [BEFORE, AFTER, replace(AFTER, score=45, penalty=0, shut_the_box=True)])
def test_the_plain_form_is_whole_sentences_with_the_same_facts(result: SharedResult) -> None:
    """Reports 21 and 22. No emoji, no dots between facts, every number of the short form, the same end."""
    short, plain = squares_text(result), plain_text(result)
    assert plain.isascii()
    assert "·" not in plain
    facts = set(re.findall(r"[\d.]+\d|\d", short.replace(LINK, "").replace("#", "")))
    assert facts <= set(re.findall(r"[\d.]+\d|\d", plain.replace(LINK, "")))
    assert short.endswith(LINK)
    assert plain.endswith(LINK)
    words = re.search(r"in order were (.*?)\.", plain)
    squares = [line for line in short.splitlines() if line[0] in "🟩🟨🟥"]
    assert bool(words) == bool(squares)
    if words and squares:
        assert words[1].split(", ") == [{"🟩": "best", "🟨": "close", "🟥": "blunder"}[one] for one in squares[0]]
