"""The notation of the protocol: tags, length-prefixed bytes, and boards as masks (protocol.md, "Notation")."""

from collections.abc import Iterable


def tag(name: str) -> bytes:
    """Return `TAG(name)`, with which everything that is hashed starts."""
    return lp(b"shutbox/1/" + name.encode("ascii"))


def lp(content: bytes) -> bytes:
    """Return the content behind its length as a u16."""
    return len(content).to_bytes(2, "big") + content


def u32(number: int) -> bytes:
    """Return the number as four bytes, most significant first."""
    return number.to_bytes(4, "big")


def mask_of(tiles: Iterable[int]) -> int:
    """Return the mask in which bit t-1 stands for tile t."""
    mask = 0
    for tile in tiles:
        mask |= 1 << (tile - 1)
    return mask


def tiles_of(mask: int) -> tuple[int, ...]:
    """Return the tiles of a mask, ascending."""
    return tuple(tile for tile in range(1, mask.bit_length() + 1) if mask >> (tile - 1) & 1)
