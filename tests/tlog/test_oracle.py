"""pymerkle, which nobody of us wrote, finds the same roots and paths."""

from pymerkle import InmemoryTree
from shutbox.tlog.merkle import consistency_nodes, inclusion_nodes, prove, verify_consistency

from tests.tlog.reference import StoredTree, numbered_leaves

LARGEST = 300
LEAVES = numbered_leaves(LARGEST)
TREE = StoredTree(LEAVES)
ORACLE = InmemoryTree(algorithm="sha256")
ORACLE.append_entries(LEAVES)
SIZES = [*range(1, 41), 63, 64, 65, 127, 128, 129, 200, 255, 256, 257, 299, 300]


def test_the_oracle_finds_the_same_roots() -> None:
    assert [frontier.root() for frontier in TREE.frontiers] == [ORACLE.get_root(size) for size in range(LARGEST + 1)]


def test_the_oracle_finds_the_same_inclusion_proofs() -> None:
    for size in SIZES:
        for index in range(size):
            leaf, *path = ORACLE.prove_inclusion(index + 1, size).path  # its path begins with the leaf itself
            assert leaf == ORACLE.get_leaf(index + 1)
            assert prove(inclusion_nodes(index, size), TREE.hash_of) == tuple(path)


def test_consistency_proofs_lead_to_the_roots_of_the_oracle() -> None:
    """Its own consistency proofs are laid out in another way than RFC 6962 says, so that only roots are compared."""
    for size in SIZES:
        for old_size in range(1, size + 1):
            proof = prove(consistency_nodes(old_size, size), TREE.hash_of)
            verify_consistency(old_size, ORACLE.get_root(old_size), size, ORACLE.get_root(size), proof)
