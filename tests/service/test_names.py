"""Names: what is read as one, which are the same, and which nobody may take."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shutbox.config import Settings
from shutbox.errors import InvalidName, StartRefused
from shutbox.names import NAME_LENGTH, claim, read_name


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("Zoe\u0308", "Zoë"),
        ("  Mara   Lind ", "Mara Lind"),
        ("Mara\u00a0Lind", "Mara Lind"),
        ("Ｍａｒａ", "Mara"),
        ("ﬁn", "fin"),
        ("🎲 dice", "🎲 dice"),
        ("क्\u200dष", "क्\u200dष"),  # a joiner between letters that it joins
    ],
)
def test_a_name_is_shown_as_the_profile_makes_it(typed: str, shown: str) -> None:
    assert read_name(typed).shown == shown


@pytest.mark.parametrize("other", ["MARA LIND", "mara  lind", "Ｍａｒａ\u3000Ｌｉｎｄ", "ＭARA LIND"])
def test_names_are_the_same_whatever_their_case_width_and_spaces(other: str) -> None:
    assert read_name(other).key == read_name("Mara Lind").key


def test_names_are_the_same_by_folded_case() -> None:
    assert read_name("STRASSE").key == read_name("Straße").key


@pytest.mark.parametrize("typed", ["a\u200db", "\u202ex", "x\x00", "\ud800", "❤\ufe0f", "", "   ", ".", "..", "a/b"])
def test_what_cannot_be_a_name_is_refused(typed: str) -> None:
    with pytest.raises(InvalidName):
        read_name(typed)


@given(st.text(max_size=40))
def test_a_name_that_was_read_is_read_as_itself(typed: str) -> None:
    try:
        name = read_name(typed)
    except InvalidName:
        return
    assert read_name(name.shown) == name
    assert 1 <= len(name.shown) <= NAME_LENGTH
    assert len(name.key) <= 128


@pytest.mark.parametrize(
    "typed",
    ["me", "Admin", "A.d.m.i.n", "SHUTBOX", "Operator", "guest", "Guest 1a2b", "deleted player", "Hidden Player"],
)
def test_names_of_the_site_are_nobodys(typed: str) -> None:
    with pytest.raises(InvalidName, match="not allowed here"):
        claim(typed, ())


@pytest.mark.parametrize("typed", ["fuck", "F.u.c.k", "f u c k", "sh1t", "99fuck99", "Big Cunt", "ｆｕｃｋ"])
def test_an_offensive_word_is_refused_also_in_a_simple_disguise_and_is_not_named(typed: str) -> None:
    with pytest.raises(InvalidName) as refused:
        claim(typed, ())
    assert refused.value.detail == "this name is not allowed here: choose another one"


@pytest.mark.parametrize(
    "typed",
    [
        *("Scunthorpe", "Penistone", "Cockburn", "Sussex", "Assassin", "Hancock", "Analyst", "Cassandra", "Matsushita"),
        *("Dickens", "Titania", "Guest House", "Medical", "Administrative", "Mara", "Peter", "Ana", "Kaka", "Müller"),
        *("Łukasz", "Ольга", "太郎", "عمر"),
    ],
)
def test_innocent_names_are_free(typed: str) -> None:
    assert claim(typed, ()).shown == typed


def test_the_operator_adds_words_and_allows_others() -> None:
    words = ("zonk", "+fuck", "+Admin")
    for typed in ("Zonk", "z0nk", "the zonk"):
        with pytest.raises(InvalidName):
            claim(typed, words)
    assert claim("Zonker", words).shown == "Zonker"
    assert claim("fuck", words).shown == "fuck"
    assert claim("admin", words).shown == "admin"


def test_the_file_of_words_is_read_at_the_start(tmp_path: Path) -> None:
    file = tmp_path / "words"
    file.write_text("zonk  # a word of ours\n\n+dick\n#\n+\n")
    assert Settings.from_env({"SHUTBOX_NAMES_FILE": str(file)}).names_file == ("zonk", "+dick")
    with pytest.raises(StartRefused, match="SHUTBOX_NAMES_FILE cannot be"):
        Settings.from_env({"SHUTBOX_NAMES_FILE": str(tmp_path / "nothing")})


def test_a_very_long_text_is_refused_before_it_is_normalised() -> None:
    """Where 18 characters stand for one: the profile took seconds for 60 kB of it."""
    with pytest.raises(InvalidName, match="this one has 20000"):
        read_name("\ufdfa" * 20_000)
