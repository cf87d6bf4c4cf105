"""The dice of a round from its seed (protocol.md, "Dice")."""

from collections.abc import Iterator
from hmac import digest
from itertools import count, islice

from .encoding import tag, u32
from .rules import Roll, RollTable, Rules

LARGEST_FAIR_BYTE = 251  # 252 = 42 · 6 bytes are kept: every face comes from 42 of them


def faces(seed: bytes) -> Iterator[int]:
    """Yield the endless stream of faces 1…6 of a seed of 32 bytes."""
    label = tag("dice")
    for block in count():
        yield from fair_faces(digest(seed, label + u32(block), "sha256"))


def fair_faces(stream: bytes) -> Iterator[int]:
    """Yield a face for each byte that is kept; the four bytes above 251 are passed over."""
    return (1 + byte % 6 for byte in stream if byte <= LARGEST_FAIR_BYTE)


def rolls(seed: bytes, dice: int, number: int) -> tuple[Roll, ...]:
    """Return rolls 0 … number-1, each of all its dice; rolling one die shows the first of them."""
    stream = faces(seed)
    return tuple(tuple(islice(stream, dice)) for _ in range(number))


def deal(rules: Rules, seed: bytes) -> RollTable:
    """Return the whole roll table of a round: as many rolls as tiles are open at the start."""
    return rules.table(rolls(seed, rules.ruleset.dice, rules.ruleset.table_rolls))
