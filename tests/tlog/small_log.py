"""vectors/log.json, decoded once, and what tests need to tamper with it."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, ParamSpec

import pytest
from shutbox.game.rulesets import CATALOGUE
from shutbox.tlog.audit import check_bundle
from shutbox.tlog.bundle import BundleRun, render_header, render_run
from shutbox.tlog.faults import Fault, Refused
from shutbox.tlog.leaves import Leaf, RunLeaf, decode, encode
from shutbox.tlog.merkle import inclusion_nodes, prove
from shutbox.tlog.note import Checkpoint, SigningKey, VerifierKey, sign_checkpoint
from shutbox.tlog.proof import make_receipt
from shutbox.tlog.standings import LoggedRun, RankedRun, RoundHistory, close_of

from tests.tlog.reference import StoredTree
from tests.vectors import vectors

LOG: dict[str, Any] = vectors("log")
CONTENTS = [bytes.fromhex(leaf) for leaf in LOG["leaves"]]
LEAVES = [decode(content) for content in CONTENTS]
KEY = VerifierKey.parse(LOG["vkey"])
SECRET = SigningKey(LOG["origin"], bytes.fromhex(LOG["key_secret"]))
CHECKPOINT = LOG["checkpoint"].encode()
RECEIPT = LOG["receipt"].encode()
DAY, OPEN_DAY, NEXT_DAY, NEXT_OPEN_DAY, CHALLENGE = LOG["rounds"]


def disclosed(round_id: str) -> list[BundleRun]:
    """Return the runs of a round as a bundle publishes them."""
    return [
        BundleRun(
            bytes.fromhex(run["run_id"]),
            run["leaf_index"],
            bytes.fromhex(run["salt"]),
            bytes.fromhex(run["run"]),
            run.get("rank"),
        )
        for run in LOG["rounds"][round_id]["runs"]
    ]


def bundle_of(history: RoundHistory, runs: Iterable[BundleRun]) -> list[bytes]:
    """Return the lines of a bundle."""
    header = render_header(history.round, CATALOGUE["classic"].document, close_of(history))
    return [header, *map(render_run, runs)]


def check_round(history: RoundHistory, runs: Iterable[BundleRun]) -> tuple[RankedRun, ...]:
    """Return the ranking of a round of classic from a bundle with these runs."""
    return check_bundle(history, CATALOGUE["classic"].document, bundle_of(history, runs))


def logged_run(index: int) -> LoggedRun:
    """Return what the RUN leaf at an index says."""
    leaf = LEAVES[index]
    assert isinstance(leaf, RunLeaf)
    return LoggedRun(index, leaf.run_id, leaf.commitment)


def first_receipt() -> tuple[RunLeaf, BundleRun]:
    """Return the leaf and the run that the receipt of the vectors is for."""
    leaf = LEAVES[6]
    assert isinstance(leaf, RunLeaf)
    return leaf, disclosed(DAY)[0]


def signed_log(leaves: list[Leaf]) -> tuple[StoredTree, bytes]:
    """Return a log of other leaves with a checkpoint by the key of the vectors."""
    tree = StoredTree([encode(leaf) for leaf in leaves])
    root = tree.frontiers[-1].root()
    return tree, sign_checkpoint(Checkpoint(SECRET.name, len(leaves), root), SECRET)


def receipt_from(tree: StoredTree, checkpoint: bytes, index: int, leaf: bytes, run: BundleRun) -> bytes:
    """Return a receipt for a leaf, at an index of a tree."""
    path = prove(inclusion_nodes(index, len(tree.leaves)), tree.hash_of)
    return make_receipt(leaf, run.salt, run.content, index, path, checkpoint)


Arguments = ParamSpec("Arguments")


def fault_of(call: Callable[Arguments, object], *args: Arguments.args, **kwargs: Arguments.kwargs) -> Fault:
    """Return the fault for which a call is refused."""
    with pytest.raises(Refused) as refused:
        call(*args, **kwargs)
    return refused.value.fault


def flipped(content: bytes) -> Iterator[bytes]:
    """Yield the content with each of its bits flipped, one at a time."""
    for position in range(len(content)):
        for bit in range(8):
            yield content[:position] + bytes((content[position] ^ 1 << bit,)) + content[position + 1 :]
