"""A receipt says what the log says, or is refused by name; nothing but the file and the key is needed."""

from dataclasses import replace

import pytest
from shutbox.game.encoding import lp
from shutbox.game.runs import run_bytes, run_commitment
from shutbox.tlog.faults import Fault
from shutbox.tlog.leaves import RunLeaf, encode
from shutbox.tlog.merkle import inclusion_nodes, prove
from shutbox.tlog.note import SigningKey
from shutbox.tlog.proof import LogProof, make_receipt, parse_proof, verify_proof, verify_receipt
from shutbox.tlog.reading import base64_text
from shutbox.tlog.runs import parse_run

from tests.tlog.small_log import (
    CHECKPOINT,
    CONTENTS,
    DAY,
    KEY,
    LEAVES,
    OPEN_DAY,
    RECEIPT,
    SECRET,
    disclosed,
    fault_of,
    first_receipt,
    flipped,
    receipt_from,
    signed_log,
)

LEAF, RUN = first_receipt()
TREE, _ = signed_log(LEAVES)
PROOF = parse_proof(RECEIPT)
EXTRA = PROOF.extra or b""
EXTRA_LINE = f"extra {base64_text(EXTRA)}\n".encode()


def test_every_flipped_bit_of_a_receipt_is_refused() -> None:
    for wrong in flipped(RECEIPT):
        fault_of(verify_receipt, wrong, KEY)


def test_every_logged_run_has_a_receipt() -> None:
    for round_id in (DAY, OPEN_DAY):
        for run in disclosed(round_id):
            index = next(
                at for at, leaf in enumerate(LEAVES) if isinstance(leaf, RunLeaf) and leaf.run_id == run.run_id
            )
            receipt = verify_receipt(receipt_from(TREE, CHECKPOINT, index, CONTENTS[index], run), KEY)
            assert (receipt.index, receipt.leaf) == (index, LEAVES[index])
            assert receipt.run.round_id == round_id


def test_a_proof_is_written_as_it_was_read() -> None:
    assert PROOF.render() == RECEIPT
    bare = replace(PROOF, extra=None)
    assert parse_proof(bare.render()) == bare
    assert verify_proof(bare, CONTENTS[6], KEY).size == 40


def test_the_only_leaf_of_a_log_has_an_empty_path() -> None:
    tree, checkpoint = signed_log([LEAF])
    receipt = receipt_from(tree, checkpoint, 0, encode(LEAF), RUN)
    assert verify_receipt(receipt, KEY).index == 0


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (RECEIPT.replace(b"\n", b"\r\n"), Fault.BAD_TEXT),
        (RECEIPT + b"\xff", Fault.BAD_TEXT),
        (RECEIPT + b"x", Fault.BAD_LINE),
        (RECEIPT + b"\n", Fault.BAD_LINE),
        (b"\n" + RECEIPT, Fault.BAD_LINE),
        (RECEIPT.replace(b"@v1", b"@v2"), Fault.BAD_LINE),
        (RECEIPT.replace(b"@v1\n", b"@v1 \n"), Fault.BAD_LINE),
        (RECEIPT.replace(EXTRA_LINE, b""), Fault.BAD_LINE),
        (RECEIPT.replace(EXTRA_LINE, EXTRA_LINE + EXTRA_LINE), Fault.BAD_LINE),
        (RECEIPT.replace(b"extra ", b"extra  "), Fault.BAD_BASE64),
        (RECEIPT.replace(b"extra ", b"Extra "), Fault.BAD_LINE),
        (RECEIPT.replace(b"AA==\nindex", b"AB==\nindex"), Fault.BAD_BASE64),
        (RECEIPT.replace(b"AA==\nindex", b"AA\nindex"), Fault.BAD_BASE64),
        (RECEIPT.replace(b"index 6\n", b""), Fault.BAD_LINE),
        (RECEIPT.replace(b"index 6\n", b"index 06\n"), Fault.BAD_NUMBER),
        (RECEIPT.replace(b"index 6\n", b"index 6 \n"), Fault.BAD_NUMBER),
        (RECEIPT.replace(b"index 6\n", b"index +6\n"), Fault.BAD_NUMBER),
        (RECEIPT.replace(b"index 6\n", b"index -6\n"), Fault.BAD_NUMBER),
        (RECEIPT.replace(b"index 6\n", b"index 7\n"), Fault.PATH_MISMATCH),
        (RECEIPT.replace(b"index 6\n", b"index 39\n"), Fault.WRONG_PROOF_LENGTH),
        (RECEIPT.replace(b"index 6\n", b"index 40\n"), Fault.OUT_OF_RANGE),
        (RECEIPT.replace(b"xr8=\n", b"xr9=\n"), Fault.BAD_BASE64),
        (RECEIPT.replace(b"\n6p+Q", b"\n\n6p+Q"), Fault.BAD_SIGNATURE),
        (RECEIPT.replace(b"\n\nexample", b"\n\n\nexample"), Fault.BAD_SIGNATURE),
        (RECEIPT.replace(b"\n\nexample", b"\nexample"), Fault.BAD_BASE64),
        (replace(PROOF, path=PROOF.path[:-1]).render(), Fault.WRONG_PROOF_LENGTH),
        (replace(PROOF, path=(*PROOF.path, PROOF.path[0])).render(), Fault.WRONG_PROOF_LENGTH),
        (replace(PROOF, path=PROOF.path * 20).render(), Fault.WRONG_PROOF_LENGTH),
        (replace(PROOF, path=(*PROOF.path[:-1], bytes(31))).render(), Fault.BAD_LENGTH),
        (replace(PROOF, path=PROOF.path[::-1]).render(), Fault.PATH_MISMATCH),
        (replace(PROOF, extra=EXTRA + b"\0").render(), Fault.TRAILING_BYTES),
        (replace(PROOF, extra=EXTRA[:-1]).render(), Fault.TOO_SHORT),
        (replace(PROOF, extra=b"").render(), Fault.TOO_SHORT),
        (replace(PROOF, extra=lp(CONTENTS[0]) + RUN.salt + lp(RUN.content)).render(), Fault.NOT_A_RUN),
        (replace(PROOF, extra=lp(CONTENTS[6] + b"\0") + RUN.salt + lp(RUN.content)).render(), Fault.TRAILING_BYTES),
        (replace(PROOF, checkpoint=CHECKPOINT.replace(b"\n40\n", b"\n41\n")).render(), Fault.BAD_SIGNATURE),
        (b"", Fault.BAD_LINE),
    ],
)
def test_a_faulty_receipt_is_refused_by_name(content: bytes, fault: Fault) -> None:
    assert content != RECEIPT
    assert fault_of(verify_receipt, content, KEY) is fault


def test_an_altered_run_does_not_fit_its_commitment() -> None:
    run = parse_run(RUN.content)
    for other in (
        run_bytes(run.round_id, bytes(16), run.ruleset_hash, run.turns),
        run_bytes(run.round_id, run.player_tag, run.ruleset_hash, run.turns[:-1]),
        run_bytes(run.round_id, run.player_tag, bytes(32), run.turns),
    ):
        receipt = receipt_from(TREE, CHECKPOINT, 6, CONTENTS[6], replace(RUN, content=other))
        assert fault_of(verify_receipt, receipt, KEY) is Fault.COMMITMENT_MISMATCH
    receipt = receipt_from(TREE, CHECKPOINT, 6, CONTENTS[6], replace(RUN, salt=bytes(32)))
    assert fault_of(verify_receipt, receipt, KEY) is Fault.COMMITMENT_MISMATCH


def test_a_forged_run_with_a_commitment_of_its_own_is_not_in_the_log() -> None:
    run = parse_run(RUN.content)
    content = run_bytes(run.round_id, bytes(16), run.ruleset_hash, run.turns)
    leaf = replace(LEAF, commitment=run_commitment(RUN.salt, content))
    receipt = receipt_from(TREE, CHECKPOINT, 6, encode(leaf), replace(RUN, content=content))
    assert fault_of(verify_receipt, receipt, KEY) is Fault.PATH_MISMATCH


def test_a_leaf_moved_to_another_round_is_refused() -> None:
    leaf = replace(LEAF, round_id=OPEN_DAY)
    tree, checkpoint = signed_log([leaf])
    assert (
        fault_of(verify_receipt, receipt_from(tree, checkpoint, 0, encode(leaf), RUN), KEY)
        is Fault.RUN_OF_ANOTHER_ROUND
    )


def test_a_receipt_of_a_log_with_another_key_is_refused() -> None:
    forger = SigningKey(SECRET.name, bytes(32))
    note = forger.sign(CHECKPOINT.decode().split("\n\n")[0] + "\n")
    path = prove(inclusion_nodes(6, 40), TREE.hash_of)
    assert (
        fault_of(verify_receipt, make_receipt(CONTENTS[6], RUN.salt, RUN.content, 6, path, note), KEY)
        is Fault.NOT_SIGNED
    )


def test_a_proof_of_the_largest_index_is_read() -> None:
    proof = LogProof(2**63 - 1, (bytes(32),) * 63, CHECKPOINT)
    assert parse_proof(proof.render()) == proof
    assert fault_of(verify_proof, proof, b"", KEY) is Fault.OUT_OF_RANGE
    assert fault_of(parse_proof, replace(proof, path=(bytes(32),) * 64).render()) is Fault.WRONG_PROOF_LENGTH
