"""Every value of vectors/log.json."""

from typing import Any

import pytest
from shutbox.tlog.leaves import CloseLeaf, RoundLeaf, RunLeaf, SucceedLeaf, decode, encode
from shutbox.tlog.merkle import EMPTY_ROOT, Frontier, consistency_nodes, leaf_hash, prove, verify_consistency
from shutbox.tlog.note import Checkpoint, sign_checkpoint, verify_checkpoint
from shutbox.tlog.proof import open_commitment, verify_receipt
from shutbox.tlog.standings import Judge, rank, ranking_hash
from shutbox.tlog.validity import LogState

from tests.tlog.reference import StoredTree
from tests.tlog.small_log import (
    CHALLENGE,
    CHECKPOINT,
    CONTENTS,
    DAY,
    KEY,
    LEAVES,
    LOG,
    OPEN_DAY,
    RECEIPT,
    SECRET,
    check_round,
    disclosed,
    first_receipt,
    logged_run,
    receipt_from,
    signed_log,
)
from tests.tlog.whole_logs import first_difference, history_of

ROOTS = [bytes.fromhex(root) for root in LOG["roots"]]
CLOSED = [DAY, OPEN_DAY, CHALLENGE]


@pytest.mark.parametrize("index", range(len(CONTENTS)))
def test_a_leaf_is_decoded_and_encoded_to_the_same_bytes(index: int) -> None:
    assert encode(LEAVES[index]) == CONTENTS[index]
    assert decode(encode(LEAVES[index])) == LEAVES[index]


def test_all_roots_come_from_appending_alone() -> None:
    assert [frontier.root() for frontier in StoredTree(CONTENTS).frontiers] == ROOTS
    assert ROOTS[0] == EMPTY_ROOT


@pytest.mark.parametrize("vector", LOG["consistency"], ids=lambda vector: str(vector["old"]))
def test_consistency_proofs(vector: dict[str, Any]) -> None:
    old, new, proof = vector["old"], vector["new"], [bytes.fromhex(hash) for hash in vector["proof"]]
    assert list(prove(consistency_nodes(old, new), StoredTree(CONTENTS).hash_of)) == proof
    verify_consistency(old, ROOTS[old], new, ROOTS[new], proof)


def test_the_verifier_key() -> None:
    assert KEY.text == LOG["vkey"]
    assert KEY.name == LOG["origin"]
    assert SECRET.verifier == KEY


def test_the_checkpoint() -> None:
    checkpoint = Checkpoint(LOG["origin"], 40, ROOTS[40])
    assert verify_checkpoint(CHECKPOINT, KEY) == checkpoint
    assert sign_checkpoint(checkpoint, SECRET) == CHECKPOINT


def test_the_receipt() -> None:
    leaf, run = first_receipt()
    receipt = verify_receipt(RECEIPT, KEY)
    assert (receipt.index, receipt.leaf, receipt.salt) == (6, leaf, run.salt)
    assert receipt.run == open_commitment(leaf, run.salt, run.content)
    assert receipt.checkpoint == Checkpoint(LOG["origin"], 40, ROOTS[40])
    tree, checkpoint = signed_log(LEAVES)
    assert receipt_from(tree, checkpoint, 6, CONTENTS[6], run) == RECEIPT


@pytest.mark.parametrize("round_id", LOG["rounds"])
def test_the_runs_of_a_round(round_id: str) -> None:
    vector = LOG["rounds"][round_id]
    history = history_of(round_id, LEAVES)
    judge = Judge(history.round, bytes.fromhex(vector["seed"]))
    assert history.round.mode.word == vector["mode"]
    for logged, given, run in zip(history.runs, vector["runs"], disclosed(round_id), strict=True):
        assert logged_run(given["leaf_index"]) == logged
        judged = judge.judge(logged, run.salt, run.content)
        assert judged.run_id.hex() == given["run_id"]
        assert judged.commitment.hex() == given["commitment"]
        assert judged.score == 45 - given["penalty"]
        assert judged.given_away_milli == (given["given_away_milli"] or 0)


@pytest.mark.parametrize("round_id", CLOSED)
def test_the_ranking_of_a_closed_round(round_id: str) -> None:
    vector, history = LOG["rounds"][round_id], history_of(round_id, LEAVES)
    ranked = check_round(history, disclosed(round_id))
    assert {place.run.run_id.hex(): place.rank for place in ranked} == {
        run["run_id"]: run["rank"] for run in vector["runs"] if "rank" in run
    }
    assert len(ranked) == vector["ranked"]
    assert ranking_hash(ranked).hex() == vector["ranking_hash"]
    assert history.close is not None
    assert history.close.seed.hex() == vector["seed"]


def test_a_reinstated_run_is_its_players_best_again_after_the_close() -> None:
    history = history_of(OPEN_DAY, LEAVES)
    judge = Judge(history.round, bytes.fromhex(LOG["rounds"][OPEN_DAY]["seed"]))
    judged = [
        judge.judge(logged, run.salt, run.content)
        for logged, run in zip(history.runs, disclosed(OPEN_DAY), strict=True)
    ]
    reinstated, first = judged[-1], judged[3]
    assert reinstated.player_tag == first.player_tag
    assert first in [place.run for place in rank(judged, history.withdrawn_at_close)]
    assert [place.rank for place in rank(judged, history.withdrawn)] == [1, 1, 3, 3, 3, 3]
    assert reinstated in [place.run for place in rank(judged, history.withdrawn)]


def test_a_run_withdrawn_after_the_close_keeps_its_place_in_the_hash_and_loses_it_in_the_ranking() -> None:
    history = history_of(DAY, LEAVES)
    assert len(history.withdrawn_at_close) == 0
    assert [run_id.hex() for run_id in history.withdrawn] == [LOG["rounds"][DAY]["runs"][0]["run_id"]]


def test_the_log_is_valid() -> None:
    assert first_difference(LEAVES) is None
    state = LogState()
    for leaf in LEAVES:
        state.add(leaf)
    assert [round_id for round_id, round in state.rounds.items() if round.close is None] == list(LOG["rounds"])[2:4]
    assert state.last_closed_day == 20261201


def test_the_successor_begins_with_the_end_of_the_log() -> None:
    content = bytes.fromhex(LOG["successor"]["leaf"])
    leaf = decode(content)
    assert isinstance(leaf, SucceedLeaf)
    assert encode(leaf) == content
    assert (leaf.origin, leaf.size, leaf.root) == (LOG["origin"], 40, ROOTS[40])
    assert first_difference([leaf, *LEAVES]) is None
    assert Frontier().append(leaf_hash(content))[0].root() == leaf_hash(content)


def test_the_vectors_hold_every_type_of_leaf() -> None:
    assert {type(leaf).__name__ for leaf in LEAVES} == {
        "ChainLeaf", "RoundLeaf", "RunLeaf", "CloseLeaf", "WithdrawLeaf", "RulesetLeaf", "ReinstateLeaf",
    }  # fmt: skip
    assert sum(isinstance(leaf, RoundLeaf | RunLeaf | CloseLeaf) for leaf in LEAVES) == 5 + 27 + 3
