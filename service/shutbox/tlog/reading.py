"""Strict reading of fields and lines: each value has one spelling (protocol.md, "Notation")."""

import re
from base64 import b64decode, b64encode

from .faults import Fault, Refused

NUMBER_LIMIT = 1 << 63
"""Decimal numbers are below this, so that every language can hold them."""

_DECIMAL = re.compile(r"0|[1-9][0-9]{0,18}", re.ASCII)
_VISIBLE_ASCII = re.compile(r"[!-~]+", re.ASCII)


class Reader:
    """Takes the fields of a piece of bytes one after the other; `what` names the piece in refusals."""

    def __init__(self, content: bytes, what: str) -> None:
        self._content = content
        self._position = 0
        self._what = what

    def take(self, length: int) -> bytes:
        """Return the next bytes."""
        end = self._position + length
        if end > len(self._content):
            raise Refused(Fault.TOO_SHORT, self._what)
        taken = self._content[self._position : end]
        self._position = end
        return taken

    def number(self, width: int) -> int:
        """Return the next `width` bytes as a number."""
        return int.from_bytes(self.take(width), "big")

    def lp(self) -> bytes:
        """Return the next bytes that stand behind their length."""
        return self.take(self.number(2))

    def round_id(self) -> str:
        """Return the next lp field as a round id."""
        return checked_round_id(self.lp().decode("latin-1"))

    @property
    def at_end(self) -> bool:
        """Whether everything has been taken."""
        return self._position == len(self._content)

    def end(self) -> None:
        """Refuse what follows the last field."""
        if not self.at_end:
            raise Refused(Fault.TRAILING_BYTES, self._what)


def checked_round_id(text: str) -> str:
    """Return a round id that is visible ASCII."""
    if not _VISIBLE_ASCII.fullmatch(text):
        raise Refused(Fault.BAD_ROUND_ID, repr(text[:80]))
    return text


def checked_origin(text: str) -> str:
    """Return the name of a log: visible ASCII, and no plus, since it is the name of its key as well."""
    if not _VISIBLE_ASCII.fullmatch(text) or "+" in text:
        raise Refused(Fault.BAD_ORIGIN, repr(text[:80]))
    return text


def checked_length(content: bytes, length: int, what: str) -> bytes:
    """Return bytes of exactly that length."""
    if len(content) != length:
        raise Refused(Fault.BAD_LENGTH, f"{what} has {len(content)} bytes instead of {length}")
    return content


def checked_number(number: int, width: int, what: str) -> int:
    """Return a number that fits in `width` bytes."""
    if not 0 <= number < 1 << 8 * width:
        raise Refused(Fault.BAD_NUMBER, f"{what} is {number}")
    return number


def decimal(text: str) -> int:
    """Return a number from 0 to 2^63 - 1 written without sign and leading zeros."""
    if not _DECIMAL.fullmatch(text) or int(text) >= NUMBER_LIMIT:
        raise Refused(Fault.BAD_NUMBER, repr(text[:80]))
    return int(text)


def base64_text(content: bytes) -> str:
    """Return the bytes as base64."""
    return b64encode(content).decode("ascii")


def from_base64(text: str) -> bytes:
    """Return the bytes of canonical base64: encoding them again gives the same text."""
    try:
        content = b64decode(text, validate=True)
    except ValueError:
        raise Refused(Fault.BAD_BASE64, repr(text[:80])) from None
    if base64_text(content) != text:
        raise Refused(Fault.BAD_BASE64, repr(text[:80]))
    return content


def hash_from_base64(text: str) -> bytes:
    """Return a hash of 32 bytes from canonical base64."""
    return checked_length(from_base64(text), 32, "a hash")


def text_from(content: bytes) -> str:
    """Return UTF-8 without control characters but newlines; texts come as bytes so that no CR is lost on the way."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise Refused(Fault.BAD_TEXT, "not UTF-8") from None
    if any(character < " " and character != "\n" for character in text):
        raise Refused(Fault.BAD_TEXT, "a control character")
    return text
