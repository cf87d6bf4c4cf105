"""Names: how one is shown, how it is compared, and which are refused. Pure but for reading the word lists once.

Shown and compared by the PRECIS nickname profiles (RFC 8266); see docs/adr/0021-names-tokens-limits.md.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

from glin_profanity import Filter
from precis_i18n import get_profile

from .errors import InvalidName

NAME_LENGTH = 32

_SHOWN = get_profile("NicknameCasePreserved")
_COMPARED = get_profile("NicknameCaseMapped:CaseFold")
_RESERVED = frozenset(
    (
        "me",
        "admin",
        "administrator",
        "anonymous",
        "guest",
        "moderator",
        "nobody",
        "operator",
        "shutbox",
        "staff",
        "system",
    )
)
_LIKE_OURS = re.compile(r"(deleted|hidden) ?player|guest ?[0-9a-f]{4,}")
_MARKS = re.compile(r"[\W_]+")
_DIGITS_AROUND = re.compile(r"^[\d\W_]+|[\d\W_]+$")


@dataclass(frozen=True, slots=True)
class Name:
    """A name as it is shown, and the key by which names are the same."""

    shown: str
    key: str


def read_name(text: str) -> Name:
    """Return a name however it was typed. Raises InvalidName where the profile or the rules of this site refuse it."""
    if len(text) > 4 * NAME_LENGTH:  # before the profile, which takes its time
        raise InvalidName(f"a name has 1 to {NAME_LENGTH} characters, this one has {len(text)}")
    try:
        shown = _SHOWN.enforce(text)
        key = _COMPARED.enforce(shown)
    except UnicodeEncodeError as refused:
        raise InvalidName(_why(refused)) from None
    if len(shown) > NAME_LENGTH:
        raise InvalidName(f"a name has 1 to {NAME_LENGTH} characters, this one has {len(shown)}")
    if "/" in shown or shown in (".", ".."):
        raise InvalidName("a name has no slash, and is not . or ..")
    return Name(shown, key)


def claim(text: str, operators_words: tuple[str, ...]) -> Name:
    """Return a name that somebody may take. Raises InvalidName also for a reserved or an offensive one.

    `operators_words` adds words, and allows those that begin with a plus. Names that stand already are not asked for.
    """
    name = read_name(text)
    allowed = {word[1:].casefold() for word in operators_words if word.startswith("+")}
    plain = _MARKS.sub(" ", name.key).strip()
    if name.key in allowed or plain in allowed:
        return name
    reserved = plain.replace(" ", "") in _RESERVED or _LIKE_OURS.fullmatch(plain)
    if reserved or any(_filter(operators_words).is_profane(text) for text in (name.key, _bare(name.key))):
        raise InvalidName("this name is not allowed here: choose another one")
    return name


def _bare(key: str) -> str:
    """Return a name without the digits and marks before and behind it."""
    return _DIGITS_AROUND.sub("", key)


@lru_cache(maxsize=4)
def _filter(operators_words: tuple[str, ...]) -> Filter:
    """Return the filter of the library: whole words and their simple disguises, not parts of innocent ones."""
    return Filter(
        {
            "languages": ["english"],
            "detect_leetspeak": True,
            "custom_words": [word for word in operators_words if not word.startswith("+")],
            "ignore_words": [word[1:] for word in operators_words if word.startswith("+")],
        }
    )


def _why(refused: UnicodeEncodeError) -> str:
    if refused.reason.endswith("empty"):
        return f"a name has 1 to {NAME_LENGTH} characters, this one has none"
    character = f": U+{ord(refused.object[refused.start]):04X}" if refused.start >= 0 else ""
    return f"a name has no control, invisible or unassigned characters{character}"
