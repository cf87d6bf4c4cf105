"""Crockford base32: symbols that are told apart when read out, and how they are read however people type them."""

from collections.abc import Callable

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_BITS = 5
_HYPHENS = "-\N{HYPHEN}\N{NON-BREAKING HYPHEN}\N{EN DASH}"
_READ_AS = str.maketrans("OIL", "011", _HYPHENS)


def random_symbols(random: Callable[[int], bytes], length: int) -> str:
    """Return that many random symbols."""
    number = int.from_bytes(random(-(-length * _BITS // 8)), "big")
    return "".join(ALPHABET[number >> place * _BITS & (1 << _BITS) - 1] for place in range(length))


def grouped(symbols: str, size: int) -> str:
    """Return symbols in groups of a size, as they are shown."""
    return "-".join(symbols[start : start + size] for start in range(0, len(symbols), size))


def symbols_of(text: str) -> str | None:
    """Return the symbols that a text means, whatever its case, spaces and hyphens; None for what cannot be any."""
    symbols = "".join(text.upper().split()).translate(_READ_AS)
    return symbols if set(symbols) <= set(ALPHABET) else None
