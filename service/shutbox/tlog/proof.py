"""Proofs that a leaf is in the log, as C2SP tlog-proof, and the receipt of a run (protocol.md, "Receipt")."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..game.encoding import lp
from ..game.runs import run_commitment
from .faults import Fault, Refused
from .leaves import RunLeaf, decode
from .merkle import leaf_hash, verify_inclusion
from .note import Checkpoint, VerifierKey, verify_checkpoint
from .reading import NUMBER_LIMIT, Reader, base64_text, decimal, from_base64, hash_from_base64, text_from
from .runs import Run, parse_run

HEADER = "c2sp.org/tlog-proof@v1"
SALT_LENGTH = 32
LONGEST_PATH = NUMBER_LIMIT.bit_length() - 1


@dataclass(frozen=True, slots=True)
class LogProof:
    """The parts of a tlog-proof: a path from leaf `index` to a checkpoint, kept as the note's bytes."""

    index: int
    path: tuple[bytes, ...]
    checkpoint: bytes
    extra: bytes | None = None

    def render(self) -> bytes:
        """Return the proof as a file."""
        lines = [HEADER]
        if self.extra is not None:
            lines.append(f"extra {base64_text(self.extra)}")
        lines.append(f"index {self.index}")
        lines += [base64_text(hash) for hash in self.path]
        return "\n".join(lines).encode() + b"\n\n" + self.checkpoint


@dataclass(frozen=True, slots=True)
class Receipt:
    """What a verified receipt says: this run is leaf `index` of the log whose checkpoint was signed."""

    index: int
    leaf: RunLeaf
    salt: bytes = field(repr=False)
    run: Run
    checkpoint: Checkpoint


def parse_proof(content: bytes) -> LogProof:
    """Return the parts of a tlog-proof; nothing of it is believed yet."""
    text = text_from(content)
    above, blank, checkpoint = text.partition("\n\n")
    header, *lines = above.split("\n")
    if header != HEADER or not blank:
        raise Refused(Fault.BAD_LINE, f"a proof begins with {HEADER}")
    extra = None
    if lines and lines[0].startswith("extra "):
        extra = from_base64(lines.pop(0).removeprefix("extra "))
    if not lines or not lines[0].startswith("index "):
        raise Refused(Fault.BAD_LINE, "a proof has an index")
    index = decimal(lines.pop(0).removeprefix("index "))
    if len(lines) > LONGEST_PATH:
        raise Refused(Fault.WRONG_PROOF_LENGTH, f"{len(lines)} hashes")
    return LogProof(index, tuple(hash_from_base64(line) for line in lines), checkpoint.encode(), extra)


def verify_proof(proof: LogProof, leaf: bytes, key: VerifierKey) -> Checkpoint:
    """Return the signed checkpoint in which the leaf stands at the index of the proof."""
    checkpoint = verify_checkpoint(proof.checkpoint, key)
    verify_inclusion(leaf_hash(leaf), proof.index, checkpoint.size, proof.path, checkpoint.root)
    return checkpoint


def make_receipt(leaf: bytes, salt: bytes, run: bytes, index: int, path: Sequence[bytes], checkpoint: bytes) -> bytes:
    """Return the receipt of a run: the bytes of its RUN leaf, salt and run, its path, and a signed checkpoint."""
    return LogProof(index, tuple(path), checkpoint, lp(leaf) + salt + lp(run)).render()


def verify_receipt(content: bytes, key: VerifierKey) -> Receipt:
    """Return what a receipt says. Refused names the first thing that is wrong with it."""
    proof = parse_proof(content)
    if proof.extra is None:
        raise Refused(Fault.BAD_LINE, "a receipt has extra data")
    fields = Reader(proof.extra, "extra")
    leaf_content, salt, run_content = fields.lp(), fields.take(SALT_LENGTH), fields.lp()
    fields.end()
    leaf = decode(leaf_content)
    if not isinstance(leaf, RunLeaf):
        raise Refused(Fault.NOT_A_RUN)
    run = open_commitment(leaf, salt, run_content)
    return Receipt(proof.index, leaf, salt, run, verify_proof(proof, leaf_content, key))


def open_commitment(leaf: RunLeaf, salt: bytes, run: bytes) -> Run:
    """Return the run that a RUN leaf committed to."""
    if run_commitment(salt, run) != leaf.commitment:
        raise Refused(Fault.COMMITMENT_MISMATCH, f"run {leaf.run_id.hex()}")
    parsed = parse_run(run)
    if parsed.round_id != leaf.round_id:
        raise Refused(Fault.RUN_OF_ANOTHER_ROUND, f"run {leaf.run_id.hex()}")
    return parsed
