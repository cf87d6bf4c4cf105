"""The tree of RFC 6962 over stored hashes (protocol.md, "Bytes").

A *node* is a perfect subtree: node (level, index) covers leaves index · 2^level … (index + 1) · 2^level - 1, and its
hash never changes once its last leaf is there. Everything else is a fold of few of them: the functions that end in
`_nodes` say which, so that a log of millions reads O(log n) stored hashes for a root or a proof.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import NamedTuple

from .faults import Fault, Refused

HASH_LENGTH = 32
EMPTY_ROOT = sha256(b"").digest()


@dataclass(frozen=True, slots=True)
class Node:
    """A perfect subtree by its height and its number from the left."""

    level: int
    index: int


class Step(NamedTuple):
    """One hash of a proof: the nodes it is folded from, and whether it stands left of what is known so far."""

    nodes: tuple[Node, ...]
    left: bool


HashOf = Callable[[Node], bytes]
"""Where stored hashes come from."""


def leaf_hash(leaf: bytes) -> bytes:
    """Return the hash of a leaf's bytes."""
    return sha256(b"\x00" + leaf).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Return the hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


def fold(hashes: Sequence[bytes]) -> bytes:
    """Return the hash over subtrees that stand side by side, the largest first; of none it is the empty root."""
    if not hashes:
        return EMPTY_ROOT
    folded = hashes[-1]
    for left in reversed(hashes[:-1]):
        folded = node_hash(left, folded)
    return folded


@dataclass(frozen=True, slots=True)
class Frontier:
    """All that appending needs of a tree: its size and the hashes of `root_nodes(size)`."""

    size: int = 0
    hashes: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if self.size < 0 or len(self.hashes) != self.size.bit_count():
            raise Refused(Fault.BAD_LENGTH, f"{len(self.hashes)} hashes for a tree of {self.size} leaves")

    @classmethod
    def read(cls, size: int, hash_of: HashOf) -> "Frontier":
        """Return the frontier of a stored tree."""
        return cls(size, tuple(hash_of(node) for node in root_nodes(size)))

    def append(self, hash: bytes) -> tuple["Frontier", tuple[tuple[Node, bytes], ...]]:
        """Return the frontier with one more leaf hash, and the nodes that became complete, to be stored."""
        hashes = list(self.hashes)
        node = Node(0, self.size)
        complete = [(node, hash)]
        while node.index % 2:
            hash = node_hash(hashes.pop(), hash)
            node = Node(node.level + 1, node.index // 2)
            complete.append((node, hash))
        return Frontier(self.size + 1, (*hashes, hash)), tuple(complete)

    def root(self) -> bytes:
        """Return the root of the tree."""
        return fold(self.hashes)


def root_nodes(size: int) -> tuple[Node, ...]:
    """Return the nodes whose fold is the root, left to right."""
    return tuple(_subtrees(0, size))


def inclusion_nodes(index: int, size: int) -> tuple[Step, ...]:
    """Return the steps from a leaf up to the root (RFC 6962, 2.1.1)."""
    if not 0 <= index < size:
        raise Refused(Fault.OUT_OF_RANGE, f"leaf {index} of {size}")
    start, end = 0, size
    steps = []
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            steps.append(Step(tuple(_subtrees(middle, end)), left=False))
            end = middle
        else:
            steps.append(Step(tuple(_subtrees(start, middle)), left=True))
            start = middle
    return tuple(reversed(steps))


def steps_above(node: Node, size: int) -> tuple[Step, ...]:
    """Return the steps from a node up to the root: those of its first leaf, without the ones inside the node."""
    if node.index + 1 << node.level > size:
        raise Refused(Fault.OUT_OF_RANGE, f"node {node.level}, {node.index} of {size} leaves")
    return inclusion_nodes(node.index << node.level, size)[node.level :]


def consistency_nodes(old_size: int, size: int) -> tuple[Step, ...]:
    """Return the steps of a consistency proof (RFC 6962, 2.1.2).

    The walk starts at the old tree's last subtree. If that is the whole old tree, its root is known and is no step;
    else it is the first step, whose `left` says nothing.
    """
    if old_size == 0:
        raise Refused(Fault.EMPTY_OLD_TREE)
    if not 0 < old_size <= size:
        raise Refused(Fault.ROLLED_BACK, f"from {old_size} leaves to {size}")
    start, end = 0, size
    steps = []
    while end != old_size:
        middle = start + _split(end - start)
        if old_size <= middle:
            steps.append(Step(tuple(_subtrees(middle, end)), left=False))
            end = middle
        else:
            steps.append(Step(tuple(_subtrees(start, middle)), left=True))
            start = middle
    if start:
        steps.append(Step(tuple(_subtrees(start, end)), left=False))
    return tuple(reversed(steps))


def prove(steps: Sequence[Step], hash_of: HashOf) -> tuple[bytes, ...]:
    """Return the hashes of a proof from stored ones."""
    return tuple(fold([hash_of(node) for node in step.nodes]) for step in steps)


def root_from_path(hash: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """Return the root that an inclusion proof leads to. Refuses another number of hashes than the path has."""
    return root_above(hash, inclusion_nodes(index, size), proof)


def root_above(hash: bytes, steps: Sequence[Step], proof: Sequence[bytes]) -> bytes:
    """Return the root over a node, with the hashes that the steps from it up ask for, no more and no less."""
    _check_proof(proof, len(steps))
    for step, sibling in zip(steps, proof, strict=True):
        hash = node_hash(sibling, hash) if step.left else node_hash(hash, sibling)
    return hash


def verify_inclusion(hash: bytes, index: int, size: int, proof: Sequence[bytes], root: bytes) -> None:
    """Refuse unless the leaf hash stands at that index in the tree with that size and root."""
    if root_from_path(hash, index, size, proof) != root:
        raise Refused(Fault.PATH_MISMATCH, f"leaf {index} of {size}")


def verify_consistency(old_size: int, old_root: bytes, size: int, root: bytes, proof: Sequence[bytes]) -> None:
    """Refuse unless the tree with that size and root begins with the old one. Nothing is consistent with no leaves."""
    steps = consistency_nodes(old_size, size)
    _check_proof(proof, len(steps))
    if old_size == size:
        if old_root != root:
            raise Refused(Fault.SPLIT_VIEW, f"two roots for {size} leaves")
        return
    if _old_tree_is_one_node(old_size):
        old = new = old_root
    else:
        old = new = proof[0]
        steps, proof = steps[1:], proof[1:]
    for step, sibling in zip(steps, proof, strict=True):
        if step.left:
            old, new = node_hash(sibling, old), node_hash(sibling, new)
        else:
            new = node_hash(new, sibling)
    if old != old_root:
        raise Refused(Fault.OLD_ROOT_MISMATCH, f"{old_size} of {size} leaves")
    if new != root:
        raise Refused(Fault.NEW_ROOT_MISMATCH, f"{old_size} of {size} leaves")


def _old_tree_is_one_node(old_size: int) -> bool:
    return old_size.bit_count() == 1


def _check_proof(proof: Sequence[bytes], length: int) -> None:
    if len(proof) != length:
        raise Refused(Fault.WRONG_PROOF_LENGTH, f"{len(proof)} hashes instead of {length}")
    if any(len(hash) != HASH_LENGTH for hash in proof):
        raise Refused(Fault.BAD_LENGTH, "a hash of the proof")


def _split(width: int) -> int:
    """Return the largest power of two below the width, which is at least 2."""
    return 1 << ((width - 1).bit_length() - 1)


def _subtrees(start: int, end: int) -> Iterator[Node]:
    """Yield the perfect subtrees, largest first, of a range that RFC 6962 splits off (its start is aligned)."""
    while start < end:
        level = (end - start).bit_length() - 1
        yield Node(level, start >> level)
        start += 1 << level
