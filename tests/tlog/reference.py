"""The tree of RFC 6962 as its text defines it, by recursion over all leaves: slow, and nothing of `tlog` in it."""

from collections.abc import Sequence
from functools import cached_property, lru_cache
from hashlib import sha256

from shutbox.tlog.merkle import Frontier, HashOf, Node


class Reference:
    """Roots and proofs of the first n of some leaves."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.leaves = list(leaves)
        self.root = lru_cache(maxsize=None)(self._root)  # of leaves start … end - 1

    def _root(self, start: int, end: int) -> bytes:
        if start == end:
            return sha256(b"").digest()
        if end - start == 1:
            return sha256(b"\x00" + self.leaves[start]).digest()
        k = largest_power_below(end - start)
        return sha256(b"\x01" + self.root(start, start + k) + self.root(start + k, end)).digest()

    def path(self, m: int, start: int, end: int) -> list[bytes]:
        """PATH(m, D[start:end]), m counted from start."""
        if end - start == 1:
            return []
        k = largest_power_below(end - start)
        if m < k:
            return [*self.path(m, start, start + k), self.root(start + k, end)]
        return [*self.path(m - k, start + k, end), self.root(start, start + k)]

    def subproof(self, m: int, start: int, end: int, known: bool) -> list[bytes]:
        """SUBPROOF(m, D[start:end], known)."""
        if m == end - start:
            return [] if known else [self.root(start, end)]
        k = largest_power_below(end - start)
        if m <= k:
            return [*self.subproof(m, start, start + k, known), self.root(start + k, end)]
        return [*self.subproof(m - k, start + k, end, False), self.root(start, start + k)]


class StoredTree:
    """What a store keeps of a log: leaves, node hashes, and the frontier; filled by appending alone."""

    def __init__(self, leaves: Sequence[bytes]) -> None:
        self.leaves = list(leaves)
        self.hashes: dict[Node, bytes] = {}
        self.frontiers = [Frontier()]
        for leaf in leaves:
            frontier, complete = self.frontiers[-1].append(sha256(b"\x00" + leaf).digest())
            assert not self.hashes.keys() & {node for node, _ in complete}
            self.hashes.update(complete)
            self.frontiers.append(frontier)

    @cached_property
    def hash_of(self) -> HashOf:
        return self.hashes.__getitem__


def largest_power_below(n: int) -> int:
    k = 1
    while k * 2 < n:
        k *= 2
    return k


def numbered_leaves(count: int) -> list[bytes]:
    """Leaves that all differ, the first of them empty."""
    return [b"", *(f"leaf {number}".encode() for number in range(1, count))][:count]
