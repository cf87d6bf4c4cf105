"""Tiles of a log of 1,000 leaves hold every stored hash that is needed; paths and contents have one spelling."""

from functools import partial

import pytest
from shutbox.tlog.faults import Fault
from shutbox.tlog.merkle import HashOf, Node, consistency_nodes, fold, inclusion_nodes, leaf_hash, prove, root_nodes
from shutbox.tlog.tiles import (
    EntryBundle,
    HashTile,
    check_entries,
    entry_bundles,
    exists,
    hash_in_tile,
    hash_tiles,
    parse_entry_bundle,
    parse_hash_tile,
    parse_path,
    render_entry_bundle,
    render_hash_tile,
    tile_of,
    width_at,
)

from tests.tlog.reference import Reference, StoredTree, numbered_leaves
from tests.tlog.small_log import fault_of, flipped

SIZE = 1000
LEAVES = numbered_leaves(SIZE)
TREE = StoredTree(LEAVES)
REFERENCE = Reference(LEAVES)
FILES = {tile.path: render_hash_tile(tile, TREE.hash_of) for tile in hash_tiles(SIZE)}


def files_of(size: int) -> HashOf:
    """Return how a client gets a node's hash from the files of a log of that size."""
    return partial(hash_from_files, size)


def hash_from_files(size: int, node: Node) -> bytes:
    tile = tile_of(node, size)
    content = FILES.get(tile.path) or render_hash_tile(tile, TREE.hash_of)
    return hash_in_tile(node, tile, parse_hash_tile(tile, content))


def test_a_log_of_1000_leaves_has_these_files() -> None:
    assert list(FILES) == ["tile/0/000", "tile/0/001", "tile/0/002", "tile/0/003.p/232", "tile/1/000.p/3"]
    assert [bundle.path for bundle in entry_bundles(SIZE)] == [
        "tile/entries/000",
        "tile/entries/001",
        "tile/entries/002",
        "tile/entries/003.p/232",
    ]
    assert [len(content) for content in FILES.values()] == [8192, 8192, 8192, 232 * 32, 96]


def test_the_example_of_the_specification() -> None:
    tiles = [tile.path for tile in hash_tiles(70_000)]
    assert tiles[272:] == ["tile/0/272", "tile/0/273.p/112", "tile/1/000", "tile/1/001.p/17", "tile/2/000.p/1"]
    assert [tile.path for tile in hash_tiles(256)] == ["tile/0/000", "tile/1/000.p/1"]
    assert list(hash_tiles(0)) == []
    assert list(entry_bundles(0)) == []


def test_tiles_give_back_every_stored_hash() -> None:
    for node, hash in TREE.hashes.items():
        assert hash_from_files(SIZE, node) == hash


def test_tiles_hold_the_tree_heads_of_the_definition() -> None:
    for tile in hash_tiles(SIZE):
        span = 256**tile.level
        for number, hash in enumerate(parse_hash_tile(tile, FILES[tile.path]), start=tile.index * 256):
            assert hash == REFERENCE.root(number * span, (number + 1) * span)


def test_the_root_of_every_size_comes_from_its_tiles_partial_ones_included() -> None:
    for size in range(SIZE + 1):
        assert fold([hash_from_files(size, node) for node in root_nodes(size)]) == REFERENCE.root(0, size)
        for node in root_nodes(size):
            assert exists(tile_of(node, size), size)


def test_proofs_come_from_the_tiles_of_their_size() -> None:
    for size in (1, 255, 256, 257, 511, 700, 1000):
        for index in range(0, size, 37):
            proof = prove(inclusion_nodes(index, size), files_of(size))
            assert list(proof) == REFERENCE.path(index, 0, size)
            steps = prove(consistency_nodes(index + 1, size), files_of(size))
            assert list(steps) == REFERENCE.subproof(index + 1, 0, size, True)


def test_entry_bundles_hold_the_leaves_and_fit_their_tiles() -> None:
    for bundle in entry_bundles(SIZE):
        leaves = [LEAVES[index] for index in bundle.leaves]
        entries = parse_entry_bundle(bundle, render_entry_bundle(leaves))
        tile = parse_path(bundle.path.replace("entries", "0"))
        assert isinstance(tile, HashTile)
        assert list(entries) == leaves
        check_entries(bundle, entries, parse_hash_tile(tile, FILES[tile.path]))


def check_bundle(bundle: EntryBundle, content: bytes, hashes: bytes) -> None:
    tile = HashTile(0, bundle.index, bundle.width)
    check_entries(bundle, parse_entry_bundle(bundle, content), parse_hash_tile(tile, hashes))


def test_every_flipped_bit_of_a_bundle_or_of_its_tile_is_refused() -> None:
    bundle, tile = EntryBundle(0, 3), HashTile(0, 0, 3)
    content, hashes = render_entry_bundle(LEAVES[:3]), render_hash_tile(tile, TREE.hash_of)
    for wrong in flipped(content):
        fault = fault_of(check_bundle, bundle, wrong, hashes)
        assert fault in (Fault.TILE_MISMATCH, Fault.TOO_SHORT, Fault.TRAILING_BYTES)
    for wrong in flipped(hashes):
        assert fault_of(check_entries, bundle, LEAVES[:3], parse_hash_tile(tile, wrong)) is Fault.TILE_MISMATCH
    assert fault_of(check_entries, bundle, LEAVES[:2], parse_hash_tile(tile, hashes)) is Fault.TILE_MISMATCH


def test_contents_of_another_length_are_refused() -> None:
    tile, bundle = HashTile(0, 0, 3), EntryBundle(0, 3)
    for length in (0, 64, 95, 97, 128):
        assert fault_of(parse_hash_tile, tile, bytes(length)) is Fault.BAD_LENGTH
    assert fault_of(parse_entry_bundle, bundle, render_entry_bundle(LEAVES[:2])) is Fault.TOO_SHORT
    assert fault_of(parse_entry_bundle, bundle, render_entry_bundle(LEAVES[:4])) is Fault.TRAILING_BYTES
    assert fault_of(parse_entry_bundle, bundle, render_entry_bundle(LEAVES[:3]) + b"\0") is Fault.TRAILING_BYTES


@pytest.mark.parametrize(
    ("path", "tile"),
    [
        ("tile/0/000", HashTile(0, 0)),
        ("tile/0/000.p/1", HashTile(0, 0, 1)),
        ("tile/63/999.p/255", HashTile(63, 999, 255)),
        ("tile/1/x001/000", HashTile(1, 1000)),
        ("tile/2/x001/x234/067", HashTile(2, 1_234_067)),
        ("tile/entries/x001/234", EntryBundle(1234)),
        ("tile/entries/x001/x234/067.p/9", EntryBundle(1_234_067, 9)),
        ("tile/0/x009/x223/x372/x036/x854/x775/807", HashTile(0, 2**63 - 1)),
    ],
)
def test_a_path_is_read_and_written(path: str, tile: HashTile | EntryBundle) -> None:
    assert parse_path(path) == tile
    assert tile.path == path


@pytest.mark.parametrize(
    "path",
    [
        "",
        "/tile/0/000",
        "tile/0/000/",
        "tile/0/000\n",
        "tile/8/0/000",
        "tile/00/000",
        "tile/64/000",
        "tile/-1/000",
        "tile/0/0",
        "tile/0/0000",
        "tile/0/x000/001",
        "tile/0/x001",
        "tile/0/001/234",
        "tile/0/X001/234",
        "tile/0/x001/x234",
        "tile/0/000.p/0",
        "tile/0/000.p/01",
        "tile/0/000.p/256",
        "tile/0/000.p/999",
        "tile/0/000.p",
        "tile/0/000.p/",
        "tile/0/٠٠٠",
        "tile/0/../0/000",
        "tile/entries/000.p/256",
        "tile/data/000",
        "tile/0/x009/x223/x372/x036/x854/x775/808",
        "tile/0/" + "x001/" * 5000 + "000",
    ],
)
def test_any_other_path_is_refused(path: str) -> None:
    assert fault_of(parse_path, path) is Fault.BAD_TILE_PATH


def test_a_tile_exists_as_far_as_the_log_reaches() -> None:
    assert [width_at(0, index, SIZE) for index in range(5)] == [256, 256, 256, 232, 0]
    assert exists(HashTile(0, 3, 232), SIZE)
    assert exists(EntryBundle(3, 1), SIZE)
    assert not exists(HashTile(0, 3, 233), SIZE)
    assert not exists(HashTile(0, 3), SIZE)
    assert not exists(EntryBundle(4, 1), SIZE)
    assert not exists(HashTile(1, 0, 4), SIZE)
    assert not exists(HashTile(63, 0, 1), SIZE)


def test_nodes_that_are_not_there_are_refused() -> None:
    for node in (Node(0, 1000), Node(3, 125), Node(9, 1), Node(10, 0), Node(0, -1), Node(-1, 0)):
        assert fault_of(tile_of, node, SIZE) is Fault.OUT_OF_RANGE
    tile = tile_of(Node(0, 0), SIZE)
    for node in (Node(8, 0), Node(0, 256), Node(7, 2)):
        assert fault_of(hash_in_tile, node, tile, [leaf_hash(b"")] * 256) is Fault.OUT_OF_RANGE
    assert fault_of(HashTile, 64, 0) is Fault.OUT_OF_RANGE
    assert fault_of(EntryBundle, -1) is Fault.OUT_OF_RANGE
    assert fault_of(EntryBundle, 0, 0) is Fault.OUT_OF_RANGE
