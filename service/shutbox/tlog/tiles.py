"""The files of the log as C2SP tlog-tiles says (protocol.md, "Bytes"): their paths and what is in them.

A hash tile holds up to 256 stored hashes of one of the levels 0, 8, 16, …; an entry bundle holds up to 256 leaves.
Paths are relative to `/log/`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..game.encoding import lp
from .faults import Fault, Refused
from .merkle import HASH_LENGTH, HashOf, Node, leaf_hash, node_hash
from .reading import NUMBER_LIMIT, Reader

HEIGHT = 8
WIDTH = 1 << HEIGHT
HIGHEST_LEVEL = 63

_PATH = re.compile(
    r"tile/(?P<level>entries|0|[1-9][0-9]?)/(?P<index>(?:x[0-9]{3}/){0,6}[0-9]{3})(?:\.p/(?P<width>[1-9][0-9]{0,2}))?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class HashTile:
    """Tile `index` of a level, as wide as it is full."""

    level: int
    index: int
    width: int = WIDTH

    def __post_init__(self) -> None:
        _check_place(self.index, self.width)
        if not 0 <= self.level <= HIGHEST_LEVEL:
            raise Refused(Fault.OUT_OF_RANGE, f"tile level {self.level}")

    @property
    def path(self) -> str:
        """The path of the tile."""
        return f"tile/{self.level}/{_place(self.index, self.width)}"

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes whose hashes the tile holds."""
        for index in range(self.index * WIDTH, self.index * WIDTH + self.width):
            yield Node(self.level * HEIGHT, index)


@dataclass(frozen=True, slots=True)
class EntryBundle:
    """Leaves 256 · index … 256 · index + width - 1."""

    index: int
    width: int = WIDTH

    def __post_init__(self) -> None:
        _check_place(self.index, self.width)

    @property
    def path(self) -> str:
        """The path of the bundle."""
        return f"tile/entries/{_place(self.index, self.width)}"

    @property
    def leaves(self) -> range:
        """The indexes of its leaves."""
        return range(self.index * WIDTH, self.index * WIDTH + self.width)


def parse_path(path: str) -> HashTile | EntryBundle:
    """Return the tile or bundle of a path, which is the only path it has."""
    match = _PATH.fullmatch(path)
    if match is None:
        raise Refused(Fault.BAD_TILE_PATH, repr(path[:80]))
    index = int(match["index"].replace("x", "").replace("/", ""))
    width = int(match["width"] or WIDTH)
    try:
        if match["level"] == "entries":
            parsed: HashTile | EntryBundle = EntryBundle(index, width)
        else:
            parsed = HashTile(int(match["level"]), index, width)
    except Refused:
        raise Refused(Fault.BAD_TILE_PATH, repr(path[:80])) from None
    if parsed.path != path:  # superfluous x000, or .p/256
        raise Refused(Fault.BAD_TILE_PATH, repr(path[:80]))
    return parsed


def width_at(level: int, index: int, size: int) -> int:
    """Return how many hashes tile (level, index) has in a log of that size: 0 (it does not exist) to 256."""
    return max(0, min(WIDTH, (size >> HEIGHT * level) - index * WIDTH))


def exists(tile: HashTile | EntryBundle, size: int) -> bool:
    """Tell whether a log of that size has all that the tile or bundle holds."""
    level = tile.level if isinstance(tile, HashTile) else 0
    return tile.width <= width_at(level, tile.index, size)


def hash_tiles(size: int) -> Iterator[HashTile]:
    """Yield all hash tiles of a log of that size, partial ones last in their level."""
    for level in range(HIGHEST_LEVEL + 1):
        hashes = size >> HEIGHT * level
        for index in range(-(-hashes // WIDTH)):
            yield HashTile(level, index, width_at(level, index, size))


def entry_bundles(size: int) -> Iterator[EntryBundle]:
    """Yield all entry bundles of a log of that size."""
    for index in range(-(-size // WIDTH)):
        yield EntryBundle(index, width_at(0, index, size))


def render_hash_tile(tile: HashTile, hash_of: HashOf) -> bytes:
    """Return the content of a hash tile from stored hashes."""
    return b"".join(hash_of(node) for node in tile.nodes())


def parse_hash_tile(tile: HashTile, content: bytes) -> tuple[bytes, ...]:
    """Return the hashes of a tile's content."""
    if len(content) != tile.width * HASH_LENGTH:
        raise Refused(Fault.BAD_LENGTH, f"{tile.path} has {len(content)} bytes")
    return tuple(content[start : start + HASH_LENGTH] for start in range(0, len(content), HASH_LENGTH))


def render_entry_bundle(entries: Sequence[bytes]) -> bytes:
    """Return the content of an entry bundle: each leaf behind its length."""
    return b"".join(lp(entry) for entry in entries)


def parse_entry_bundle(bundle: EntryBundle, content: bytes) -> tuple[bytes, ...]:
    """Return the leaves of a bundle's content, exactly as many as it is wide."""
    fields = Reader(content, bundle.path)
    entries = tuple(fields.lp() for _ in bundle.leaves)
    fields.end()
    return entries


def check_entries(bundle: EntryBundle, entries: Sequence[bytes], hashes: Sequence[bytes]) -> None:
    """Refuse unless the leaves of a bundle hash to the level 0 tile of the same place."""
    if len(entries) != len(hashes):
        raise Refused(Fault.TILE_MISMATCH, bundle.path)
    for index, entry, hash in zip(bundle.leaves, entries, hashes, strict=True):
        if leaf_hash(entry) != hash:
            raise Refused(Fault.TILE_MISMATCH, f"leaf {index}")


def tile_of(node: Node, size: int) -> HashTile:
    """Return the tile, as wide as it is in a log of that size, from which the hash of a node can be had."""
    if node.level < 0 or node.index < 0 or node.index + 1 << node.level > size:
        raise Refused(Fault.OUT_OF_RANGE, f"node {node.level}, {node.index} of {size} leaves")
    level = node.level // HEIGHT
    index = (node.index << node.level % HEIGHT) // WIDTH
    return HashTile(level, index, width_at(level, index, size))


def hash_in_tile(node: Node, tile: HashTile, hashes: Sequence[bytes]) -> bytes:
    """Return the hash of a node from the hashes of its tile."""
    count = 1 << node.level % HEIGHT
    start = node.index * count - tile.index * WIDTH
    if node.level // HEIGHT != tile.level or start < 0 or start + count > len(hashes):
        raise Refused(Fault.OUT_OF_RANGE, f"node {node.level}, {node.index} is not in {tile.path}")
    return root_of(hashes[start : start + count])


def root_of(row: Sequence[bytes]) -> bytes:
    """Return the hash over a power of two of hashes that stand side by side."""
    while len(row) > 1:
        row = [node_hash(left, right) for left, right in zip(row[::2], row[1::2], strict=True)]
    return row[0]


def _place(index: int, width: int) -> str:
    digits = str(index)
    digits = digits.zfill(-(-len(digits) // 3) * 3)
    elements = [digits[start : start + 3] for start in range(0, len(digits), 3)]
    suffix = "" if width == WIDTH else f".p/{width}"
    return "/".join([f"x{element}" for element in elements[:-1]] + elements[-1:]) + suffix


def _check_place(index: int, width: int) -> None:
    if not (0 <= index < NUMBER_LIMIT and 1 <= width <= WIDTH):
        raise Refused(Fault.OUT_OF_RANGE, f"tile {index} of width {width}")
