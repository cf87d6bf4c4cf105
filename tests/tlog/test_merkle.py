"""Roots and proofs against RFC 6962 itself, for all sizes up to 300 and all that can be asked of them."""

from collections.abc import Iterator

import pytest
from shutbox.tlog.faults import Fault
from shutbox.tlog.merkle import (
    EMPTY_ROOT,
    Frontier,
    Node,
    consistency_nodes,
    inclusion_nodes,
    leaf_hash,
    prove,
    root_above,
    root_nodes,
    steps_above,
    verify_consistency,
    verify_inclusion,
)

from tests.tlog.reference import Reference, StoredTree, numbered_leaves
from tests.tlog.small_log import fault_of, flipped

LARGEST = 300
LEAVES = numbered_leaves(LARGEST)
REFERENCE = Reference(LEAVES)
TREE = StoredTree(LEAVES)
ROOTS = [REFERENCE.root(0, size) for size in range(LARGEST + 1)]
HASHES = [leaf_hash(leaf) for leaf in LEAVES]
ODD_SIZES = (1, 2, 3, 5, 8, 13, 31, 33)


def inclusion(index: int, size: int) -> tuple[bytes, ...]:
    return prove(inclusion_nodes(index, size), TREE.hash_of)


def consistency(old_size: int, size: int) -> tuple[bytes, ...]:
    return prove(consistency_nodes(old_size, size), TREE.hash_of)


def changed(proof: tuple[bytes, ...]) -> Iterator[tuple[bytes, ...]]:
    """Yield the proof with each of its bits flipped, one at a time."""
    for place, hash in enumerate(proof):
        for wrong in flipped(hash):
            yield (*proof[:place], wrong, *proof[place + 1 :])


def other_lengths(proof: tuple[bytes, ...]) -> list[tuple[bytes, ...]]:
    """Return the proof with a hash more and with one less."""
    return [(*proof, ROOTS[1]), *([proof[:-1], proof[1:]] if proof else [])]


def test_roots_are_those_of_the_definition() -> None:
    assert [frontier.root() for frontier in TREE.frontiers] == ROOTS


def test_a_frontier_can_be_read_back_from_stored_hashes() -> None:
    for size, frontier in enumerate(TREE.frontiers):
        assert Frontier.read(size, TREE.hash_of) == frontier
        assert len(root_nodes(size)) == size.bit_count()


def test_a_frontier_with_another_number_of_hashes_is_refused() -> None:
    assert fault_of(Frontier, 3, (EMPTY_ROOT,)) is Fault.BAD_LENGTH
    assert fault_of(Frontier, -1, ()) is Fault.BAD_LENGTH


def test_every_node_is_stored_once_with_the_hash_of_its_leaves() -> None:
    for node, hash in TREE.hashes.items():
        assert hash == REFERENCE.root(node.index << node.level, node.index + 1 << node.level)
    assert len(TREE.hashes) == 2 * LARGEST - LARGEST.bit_count()


def test_inclusion_proofs_are_those_of_the_definition_and_verify() -> None:
    for size in range(1, LARGEST + 1):
        for index in range(size):
            proof = inclusion(index, size)
            assert list(proof) == REFERENCE.path(index, 0, size)
            verify_inclusion(HASHES[index], index, size, proof, ROOTS[size])


def test_consistency_proofs_are_those_of_the_definition_and_verify() -> None:
    for size in range(1, LARGEST + 1):
        for old_size in range(1, size + 1):
            proof = consistency(old_size, size)
            assert list(proof) == REFERENCE.subproof(old_size, 0, size, True)
            verify_consistency(old_size, ROOTS[old_size], size, ROOTS[size], proof)


def test_a_proof_in_a_log_of_billions_needs_few_hashes() -> None:
    size = 3_000_000_019
    for step in (*inclusion_nodes(size // 3, size), *consistency_nodes(size // 3, size)):
        assert len(step.nodes) <= 32
    assert len(inclusion_nodes(size // 3, size)) <= 32
    assert len(root_nodes(size)) == size.bit_count()


@pytest.mark.parametrize("size", ODD_SIZES)
def test_every_flipped_bit_of_an_inclusion_proof_is_refused(size: int) -> None:
    for index in range(size):
        for wrong in changed(inclusion(index, size)):
            assert fault_of(verify_inclusion, HASHES[index], index, size, wrong, ROOTS[size]) is Fault.PATH_MISMATCH


@pytest.mark.parametrize("size", ODD_SIZES)
def test_every_flipped_bit_of_a_consistency_proof_is_refused(size: int) -> None:
    for old_size in range(1, size + 1):
        for wrong in changed(consistency(old_size, size)):
            fault = fault_of(verify_consistency, old_size, ROOTS[old_size], size, ROOTS[size], wrong)
            assert fault in (Fault.OLD_ROOT_MISMATCH, Fault.NEW_ROOT_MISMATCH)


def test_every_flipped_bit_of_leaf_and_roots_is_refused() -> None:
    path, steps = inclusion(20, 33), consistency(20, 33)
    for wrong in flipped(HASHES[20]):
        assert fault_of(verify_inclusion, wrong, 20, 33, path, ROOTS[33]) is Fault.PATH_MISMATCH
    for wrong in flipped(ROOTS[33]):
        assert fault_of(verify_inclusion, HASHES[20], 20, 33, path, wrong) is Fault.PATH_MISMATCH
        assert fault_of(verify_consistency, 20, ROOTS[20], 33, wrong, steps) is Fault.NEW_ROOT_MISMATCH
    for wrong in flipped(ROOTS[20]):
        assert fault_of(verify_consistency, 20, wrong, 33, ROOTS[33], steps) is Fault.OLD_ROOT_MISMATCH


def test_a_leaf_stands_at_its_own_index_only() -> None:
    for size in range(2, 34):
        for index in range(size):
            path = inclusion(index, size)
            for other in set(range(size)) - {index}:
                fault = fault_of(verify_inclusion, HASHES[index], other, size, path, ROOTS[size])
                assert fault in (Fault.PATH_MISMATCH, Fault.WRONG_PROOF_LENGTH)


def test_an_index_out_of_range_is_refused() -> None:
    for index, size in ((0, 0), (5, 5), (6, 5), (-1, 5), (0, -1)):
        assert fault_of(verify_inclusion, HASHES[0], index, size, (), ROOTS[1]) is Fault.OUT_OF_RANGE


def test_wrong_proof_lengths_are_refused() -> None:
    for size in range(1, 34):
        for index in range(size):
            for wrong in other_lengths(inclusion(index, size)):
                fault = fault_of(verify_inclusion, HASHES[index], index, size, wrong, ROOTS[size])
                assert fault is Fault.WRONG_PROOF_LENGTH
            for wrong in other_lengths(consistency(index + 1, size)):
                fault = fault_of(verify_consistency, index + 1, ROOTS[index + 1], size, ROOTS[size], wrong)
                assert fault is Fault.WRONG_PROOF_LENGTH


def test_a_hash_of_another_length_is_refused() -> None:
    assert fault_of(verify_inclusion, HASHES[0], 0, 2, [HASHES[1] + b"\0"], ROOTS[2]) is Fault.BAD_LENGTH
    assert fault_of(verify_consistency, 1, ROOTS[1], 2, ROOTS[2], [b""]) is Fault.BAD_LENGTH


def test_consistency_with_the_empty_tree_is_refused() -> None:
    for size in (0, 1, 7):
        assert fault_of(verify_consistency, 0, EMPTY_ROOT, size, ROOTS[size], ()) is Fault.EMPTY_OLD_TREE


def test_a_smaller_tree_is_a_log_rolled_back() -> None:
    assert fault_of(verify_consistency, 7, ROOTS[7], 6, ROOTS[6], ()) is Fault.ROLLED_BACK


def test_two_roots_of_one_size_are_a_split_view() -> None:
    verify_consistency(7, ROOTS[7], 7, ROOTS[7], ())
    assert fault_of(verify_consistency, 7, ROOTS[7], 7, ROOTS[8], ()) is Fault.SPLIT_VIEW


def test_a_leaf_is_not_an_inner_node() -> None:
    assert leaf_hash(HASHES[0] + HASHES[1]) != TREE.hashes[Node(1, 0)]


def test_an_odd_last_leaf_is_not_doubled() -> None:
    assert (
        StoredTree([b"a", b"b", b"c"]).frontiers[-1].root() != StoredTree([b"a", b"b", b"c", b"c"]).frontiers[-1].root()
    )


def test_every_node_leads_to_every_root_above_it_and_no_other_hash_does() -> None:
    for size in (*range(1, 70), 255, 256, 257, LARGEST):
        for level in range(size.bit_length()):
            for index in range(size >> level):
                node = Node(level, index)
                steps = steps_above(node, size)
                proof = prove(steps, TREE.hash_of)
                assert root_above(TREE.hash_of(node), steps, proof) == ROOTS[size]
                assert root_above(bytes(32), steps, proof) != ROOTS[size]
            assert fault_of(steps_above, Node(level, size >> level), size) is Fault.OUT_OF_RANGE
