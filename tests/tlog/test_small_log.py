"""Every value and every case of vectors/small-log.json; pymerkle, which nobody of us wrote, is asked for its roots."""

from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from pymerkle import InmemoryTree
from shutbox.tlog.bundle import BundleRun, parse_run_line, render_header, render_run
from shutbox.tlog.faults import Fault, Refused
from shutbox.tlog.leaves import CloseLeaf, RoundLeaf, RunLeaf, decode, encode
from shutbox.tlog.merkle import consistency_nodes, prove, verify_consistency
from shutbox.tlog.note import SigningKey, VerifierKey, sign_checkpoint, verify_checkpoint
from shutbox.tlog.proof import make_receipt, parse_proof, verify_receipt
from shutbox.tlog.standings import close_of
from shutbox.tlog.tiles import entry_bundles, hash_tiles, parse_path, render_entry_bundle, render_hash_tile

from tests.tlog.edits import audited, checked_round, lines_of, run_case
from tests.tlog.make_small_log import FILE, text
from tests.tlog.reference import StoredTree
from tests.tlog.whole_logs import history_of
from tests.vectors import vectors

SMALL: dict[str, Any] = vectors("small-log")
CASES = SMALL["cases"]
CONTENTS = [bytes.fromhex(leaf) for leaf in SMALL["leaves"]]
LEAVES = [decode(content) for content in CONTENTS]
FILES = {path: b64decode(content) for path, content in SMALL["files"].items()}
KEY = VerifierKey.parse(SMALL["key"])
SECRET = SigningKey(SMALL["origin"], bytes.fromhex(SMALL["key_secret"]))
TREE = StoredTree(CONTENTS)
ORACLE = InmemoryTree(algorithm="sha256")
ORACLE.append_entries(CONTENTS)
CLOSED = list(SMALL["bundles"])
NOTES = [FILES["checkpoint"], *(note.encode() for note in SMALL["earlier_checkpoints"])]

NOT_IN_CASES = {
    Fault.EMPTY_OLD_TREE: "of consistency proofs, which no client is sent: a log is read as a whole",
    Fault.NEW_ROOT_MISMATCH: "of consistency proofs",
    Fault.LEAF_LOST: "of a successor beside the log before it",
    Fault.BAD_TILE_PATH: "paths are made from the size and are never read from a file",
}


def test_the_generator_makes_the_same_file() -> None:
    assert text() == FILE.read_text()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['check']}: {case['name']}")
def test_a_case_is_refused_by_name_or_is_valid(case: dict[str, Any]) -> None:
    found, detail = None, ""
    try:
        run_case(SMALL, case)
    except Refused as refused:
        found, detail = refused.fault, refused.detail
    assert found == case["fault"], detail
    assert case.get("where", "") in detail


def test_the_round_of_a_case_is_in_a_valid_log() -> None:
    """Else a case of a round could be refused for its log and say nothing about the bundle."""
    for case in CASES:
        if case["check"] == "round":
            of_log = {key: value for key, value in case.items() if key not in {"round", "bundle_edits"}}
            run_case(SMALL, {**of_log, "check": "log"})


def test_cases_have_names_of_their_own_and_known_members() -> None:
    assert [name for name, number in Counter(case["name"] for case in CASES).items() if number > 1] == []
    members = {"name", "check", "fault", "where", "key", "known", "leaf_edits", "file_edits"}
    of_check = {
        "log": members,
        "round": (members | {"round", "bundle_edits"}) - {"known"},
        "receipt": {"name", "check", "fault", "key", "receipt", "receipt_text", "receipt_edits"},
    }
    for case in CASES:
        assert case.keys() <= of_check[case["check"]]


def test_every_fault_has_a_case_but_those_with_a_reason() -> None:
    found = {case["fault"] for case in CASES if case["fault"] is not None}
    assert found == {str(fault) for fault in Fault} - {str(fault) for fault in NOT_IN_CASES}


def test_each_check_is_passed_by_some_cases() -> None:
    passed = Counter(case["check"] for case in CASES if case["fault"] is None)
    assert passed.keys() == {"log", "round", "receipt"}
    assert min(passed.values()) >= 8


def test_leaves_are_encoded_to_the_same_bytes() -> None:
    assert [encode(leaf) for leaf in LEAVES] == CONTENTS


def test_the_oracle_finds_the_same_roots() -> None:
    assert [frontier.root() for frontier in TREE.frontiers] == [
        ORACLE.get_root(size) for size in range(len(CONTENTS) + 1)
    ]
    for note in NOTES:
        checkpoint = verify_checkpoint(note, KEY)
        assert checkpoint.root == ORACLE.get_root(checkpoint.size)


def test_the_oracle_finds_the_paths_of_the_receipts() -> None:
    for given in SMALL["receipts"]:
        proof = parse_proof(given["text"].encode())
        size = verify_checkpoint(proof.checkpoint, KEY).size
        leaf, *path = ORACLE.prove_inclusion(proof.index + 1, size).path
        assert tuple(path) == proof.path
        assert leaf == ORACLE.get_leaf(proof.index + 1)


def test_each_checkpoint_is_consistent_with_the_earlier_ones() -> None:
    checkpoints = [verify_checkpoint(note, KEY) for note in NOTES]
    for old in checkpoints:
        for new in checkpoints:
            if 0 < old.size <= new.size:
                proof = prove(consistency_nodes(old.size, new.size), TREE.hash_of)
                verify_consistency(old.size, ORACLE.get_root(old.size), new.size, ORACLE.get_root(new.size), proof)


def test_the_service_writes_the_same_files() -> None:
    size = len(CONTENTS)
    made = {tile.path: render_hash_tile(tile, TREE.hash_of) for tile in hash_tiles(size)}
    for bundle in entry_bundles(size):
        made[bundle.path] = render_entry_bundle(CONTENTS[bundle.leaves.start : bundle.leaves.stop])
    assert {**made, "checkpoint": sign_checkpoint(verify_checkpoint(FILES["checkpoint"], KEY), SECRET)} == FILES
    assert {parse_path(path).path for path in FILES if path != "checkpoint"} == made.keys()


def test_the_log_has_full_and_partial_tiles_of_two_levels() -> None:
    partial = len(CONTENTS) - 256
    assert set(FILES) == {
        "checkpoint", "tile/0/000", f"tile/0/001.p/{partial}", "tile/1/000.p/1", "tile/entries/000",
        f"tile/entries/001.p/{partial}",
    }  # fmt: skip
    assert {256, 255, 257, 1} <= {verify_checkpoint(note, KEY).size for note in NOTES}


@pytest.mark.parametrize("round_id", CLOSED)
def test_the_service_writes_the_same_bundle(round_id: str) -> None:
    bundle = SMALL["bundles"][round_id].encode()
    audit = audited(FILES, KEY, (), round_id)
    history = audit.histories[round_id]
    document = audit.state.rulesets[history.round.ruleset_hash]
    ranks = {bytes.fromhex(run_id): rank for rank, run_id in SMALL["rankings"][round_id]}
    runs = [
        BundleRun(run.run_id, run.leaf_index, run.salt, run.content, ranks.get(run.run_id)) for run in runs_of(round_id)
    ]
    lines = [render_header(history.round, document, close_of(history)), *map(render_run, runs)]
    assert b"".join(lines) == bundle
    assert [run.leaf_index for run in runs] == [run.leaf_index for run in history.runs]


@pytest.mark.parametrize("round_id", CLOSED)
def test_the_ranking_of_a_closed_round(round_id: str) -> None:
    audit = audited(FILES, KEY, (), round_id)
    ranking = checked_round(audit, CONTENTS, round_id, SMALL["bundles"][round_id].encode())
    assert [[place.rank, place.run.run_id.hex()] for place in ranking] == SMALL["rankings"][round_id]


def test_a_receipt_names_its_run_and_is_written_in_the_same_way() -> None:
    for given in SMALL["receipts"]:
        content = given["text"].encode()
        proof, receipt = parse_proof(content), verify_receipt(content, KEY)
        assert receipt.leaf == LEAVES[receipt.index]
        assert receipt.leaf.run_id.hex() == given["run_id"]
        assert proof.extra is not None
        run = proof.extra[2 + len(CONTENTS[receipt.index]) + 32 + 2 :]
        args = CONTENTS[receipt.index], receipt.salt, run, proof.index, proof.path, proof.checkpoint
        assert make_receipt(*args) == content


def test_the_log_holds_what_a_log_can_hold() -> None:
    kinds = Counter(type(leaf).__name__ for leaf in LEAVES)
    assert kinds.keys() == {
        "ChainLeaf", "RoundLeaf", "RunLeaf", "CloseLeaf", "WithdrawLeaf", "RulesetLeaf", "ReinstateLeaf",
    }  # fmt: skip
    histories = [history_of(leaf.round_id, LEAVES) for leaf in LEAVES if isinstance(leaf, RoundLeaf)]
    assert sum(history.close is None and bool(history.runs) for history in histories) == 3
    assert any(history.close is not None and not history.runs for history in histories)
    withdrawn = [(history.withdrawn_at_close, history.withdrawn) for history in histories]
    assert any(set(now) - set(at_close) for at_close, now in withdrawn if at_close)  # withdrawn after a close
    assert any(set(at_close) - set(now) for at_close, now in withdrawn)  # reinstated after a close
    assert {leaf.round_id.startswith("challenge-") for leaf in LEAVES if isinstance(leaf, CloseLeaf)} == {True, False}


def test_the_ranks_hold_ties_and_lost_rounds() -> None:
    ranks = {round_id: [rank for rank, _ in ranking] for round_id, ranking in SMALL["rankings"].items()}
    assert ranks["2028-02-29-digits"] == [1, 2, 2, 4, 5]
    assert ranks["2028-02-28-two-to-go"] == [1, 1, 1, 1]  # the first roll was lost
    assert ranks["2028-02-29-digits-open"] == []
    assert len(ranks["2028-02-28-classic"]) == 235 > len(set(ranks["2028-02-28-classic"])) > 20


def test_one_die_was_rolled_where_it_may_be_and_where_it_must_be() -> None:
    by_round = {round_id: {turn for run in runs_of(round_id) for turn in turns_of(run)} for round_id in CLOSED}
    assert {1, 2} == by_round["2028-02-28-classic"]
    assert {1, 2} in [dice for round_id, dice in by_round.items() if round_id.startswith("challenge-")]


def test_a_player_improves_on_an_open_round() -> None:
    tags = Counter(run.content[3 + len("2028-02-28-classic-open") :][:16] for run in runs_of("2028-02-28-classic-open"))
    assert sorted(tags.values()) == [1, 1, 1, 2, 5]


def runs_of(round_id: str) -> Iterator[BundleRun]:
    _, *lines = lines_of(SMALL["bundles"][round_id].encode())
    return (parse_run_line(line, number) for number, line in enumerate(lines, start=2))


def turns_of(run: BundleRun) -> bytes:
    """Return the numbers of dice of the turns of a run."""
    length = int.from_bytes(run.content[1:3], "big")
    return run.content[3 + length + 49 :: 3]


def test_every_run_of_the_log_stands_in_a_bundle_or_in_a_round_that_runs() -> None:
    published = [run.leaf_index for round_id in CLOSED for run in runs_of(round_id)]
    logged = {index for index, leaf in enumerate(LEAVES) if isinstance(leaf, RunLeaf) and leaf.round_id in CLOSED}
    assert sorted(published) == sorted(logged)
