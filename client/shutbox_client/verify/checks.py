"""The checks of protocol.md, "Checking", over the files of a log, and what they found."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from shutbox.tlog.audit import LogAudit, Spread, check_bundle, check_known, check_successor
from shutbox.tlog.faults import Fault, Refused
from shutbox.tlog.leaves import RoundLeaf, WithdrawReason
from shutbox.tlog.merkle import Node, Step, consistency_nodes, prove, verify_consistency
from shutbox.tlog.note import Checkpoint, verify_checkpoint
from shutbox.tlog.standings import RankedRun
from shutbox.tlog.tiles import EntryBundle, HashTile, hash_in_tile, parse_hash_tile, tile_of

from .cores import on_all_cores
from .files import CHECKPOINT, Folder
from .known import Known

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Shows what is done: a label and how much there is to do give a function that is told how much more was done."""

CONTRADICTIONS = frozenset((Fault.ROLLED_BACK, Fault.SPLIT_VIEW, Fault.OLD_ROOT_MISMATCH))
"""Faults of a checkpoint beside another one with the same signature: the two together are the proof."""

UNDECIDED = frozenset((Fault.NOT_CLOSED, Fault.UNKNOWN_RULESET))
"""Faults that are none: nothing is wrong, and nothing can be told."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A log that was found right: its audit, and the note that stands for it from now on."""

    audit: LogAudit
    known: Known


@dataclass(frozen=True, slots=True)
class CheckedRound:
    """A closed round that was found right: how many runs were replayed, and the ranking at its close."""

    round: RoundLeaf
    runs: int
    ranking: tuple[RankedRun, ...]
    withdrawn: tuple[tuple[bytes, WithdrawReason, bool], ...]  # run, reason, whether before the close


def check_log(
    files: Folder,
    known: Known,
    others: Iterable[Checkpoint],
    earlier: Checkpoint | None,
    follows: Callable[[RoundLeaf], bool],
    progress: Progress,
) -> Checked:
    """Check a whole log against its signed checkpoint and those known from before. Raises Refused and Missing.

    Where a checkpoint of an earlier log is known, this log has to go on after that one.
    """
    note = files.read(CHECKPOINT)
    checkpoint = verify_checkpoint(note, known.key)
    before = [one for one in (known.checkpoint, *others) if one is not None]
    audit = LogAudit(checkpoint, before, follows)
    for _ in _read(files, audit, progress):
        pass
    if earlier is not None:
        check_successor(audit.state, earlier)
    return Checked(audit, Known(known.key, note))


def check_earlier(files: Folder, successor: Folder, known: Known, audit: LogAudit, progress: Progress) -> Checked:
    """Check a log that has ended, and that each leaf of it stands again, byte for byte, in its successor.

    `known` is its key and what is remembered of it; the audit is that of the successor, whose files are read once more.
    Raises Refused and Missing.
    """
    note = files.read(CHECKPOINT)
    checkpoint = verify_checkpoint(note, known.key)
    check_successor(audit.state, checkpoint)
    if known.checkpoint is not None:
        check_known(known.checkpoint, checkpoint)
    again = {hash for hashes in _read(successor, LogAudit(audit.checkpoint), progress) for hash in hashes}
    ended = LogAudit(checkpoint, [known.checkpoint] if known.checkpoint else [])
    told = (hash for hashes in _read(files, ended, progress) for hash in hashes)
    for index, hash in enumerate(told):
        is_own_succeed = index == 0 and ended.state.succeeds is not None  # which cannot stand again
        if hash not in again and not is_own_succeed:
            raise Refused(Fault.LEAF_LOST, f"leaf {index} of {checkpoint.origin}")
    return Checked(ended, Known(known.key, note))


def _read(files: Folder, audit: LogAudit, progress: Progress) -> Iterator[tuple[bytes, ...]]:
    """Read a whole log into an audit; yield the hashes of the leaves of each entry bundle."""
    size = audit.checkpoint.size
    with progress(f"Checking {size:,} leaves", size) as done:
        fetched = iter(files.fetch(_name(file) for bundle in audit.bundles() for file in (_tile_of(bundle), bundle)))
        for bundle, tile_name, name in zip(audit.bundles(), fetched, fetched, strict=True):
            content = files.read(tile_name)
            audit.add(bundle, files.read(name), content)
            done(bundle.width)
            yield parse_hash_tile(_tile_of(bundle), content)
    for tile, name in zip(audit.tiles(), files.fetch(map(_name, audit.tiles())), strict=True):
        audit.check_tile(tile, files.read(name))
    audit.finish()


def _tile_of(bundle: EntryBundle) -> HashTile:
    return HashTile(0, bundle.index, bundle.width)


def check_round(
    files: Folder, audit: LogAudit, round_id: str, progress: Progress, spread: Spread = on_all_cores
) -> CheckedRound:
    """Check the bundle of a round that the audit has followed. Raises Refused and Missing."""
    history = audit.histories.get(round_id)
    if history is None:
        next(files.bundle(round_id, 0), None)  # what is not in the log and has no bundle either is not known at all
        raise Refused(Fault.ROUND_NOT_LOGGED, round_id)
    if history.close is None:
        raise Refused(Fault.NOT_CLOSED, round_id)
    document = audit.state.rulesets[history.round.ruleset_hash]
    runs = len(history.runs)
    with progress(f"Replaying {runs:,} runs of {round_id}", runs) as done:
        ranking = check_bundle(history, document, files.bundle(round_id, runs), spread, done)
    withdrawn = tuple(
        (run_id, reason, run_id in history.withdrawn_at_close) for run_id, reason in history.withdrawn.items()
    )
    return CheckedRound(history.round, runs, ranking, withdrawn)


def check_against_log(files: Folder, known: Known, others: Iterable[Checkpoint]) -> Known:
    """Check that a log still holds what checkpoints from before stand for, by consistency proofs from its tiles.

    Returns what is known of it now. Raises Refused and Missing.
    """
    note = files.read(CHECKPOINT)
    checkpoint = verify_checkpoint(note, known.key)
    for earlier in (known.checkpoint, *others):
        if earlier is None or not earlier.size:
            continue
        check_known(earlier, checkpoint)
        steps = consistency_nodes(earlier.size, checkpoint.size)
        proof = prove(steps, _hashes(files, steps, checkpoint.size))
        verify_consistency(earlier.size, earlier.root, checkpoint.size, checkpoint.root, proof)
    return Known(known.key, note)


def _hashes(files: Folder, steps: Iterable[Step], size: int) -> Callable[[Node], bytes]:
    nodes = {node: tile_of(node, size) for step in steps for node in step.nodes}
    tiles = {tile: parse_hash_tile(tile, files.read(_name(tile))) for tile in sorted(set(nodes.values()), key=_name)}
    return lambda node: hash_in_tile(node, nodes[node], tiles[nodes[node]])


def _name(file: HashTile | EntryBundle) -> str:
    return f"log/{file.path}"
