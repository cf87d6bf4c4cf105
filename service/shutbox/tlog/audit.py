"""The checks of a whole log and of a closed round, in the order of protocol.md, "Checking"; piece by piece.

What is read comes as arguments, so that a log of any size is checked in bounded memory, from wherever its files are.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice

from .bundle import check_header, parse_run_line
from .faults import Fault, Refused
from .leaves import CloseLeaf, Leaf, ReinstateLeaf, RoundLeaf, RunLeaf, WithdrawLeaf, decode
from .merkle import Frontier, fold
from .note import Checkpoint
from .standings import Judge, JudgedRun, LoggedRun, RankedRun, RoundHistory, check_judged, close_of
from .tiles import (
    HEIGHT,
    WIDTH,
    EntryBundle,
    HashTile,
    check_entries,
    entry_bundles,
    hash_tiles,
    parse_entry_bundle,
    parse_hash_tile,
    root_of,
)
from .validity import LogState

CHUNK = 1000  # lines that are judged at once, if they are not
CHUNK_BYTES = 1 << 22  # as long as this together


class LogAudit:
    """Checks a log against a signed checkpoint and against checkpoints that are known from before.

    `follows` tells of which rounds everything is kept, to check their bundles afterwards.
    """

    def __init__(
        self,
        checkpoint: Checkpoint,
        known: Iterable[Checkpoint] = (),
        follows: Callable[[RoundLeaf], bool] = lambda _: False,
    ) -> None:
        self.checkpoint = checkpoint
        self.state = LogState()
        self.histories: dict[str, RoundHistory] = {}
        self._follows = follows
        self._known: defaultdict[int, list[Checkpoint]] = defaultdict(list)
        self._blocks = Frontier()  # its leaves are the roots of full entry bundles
        self._last = Frontier()  # of the last entry bundle, as long as it is not full
        self._nodes: dict[int, list[bytes]] = defaultdict(list)  # hashes of tiles of level 1 and up, by level
        for earlier in known:
            check_known(earlier, checkpoint)
            self._known[earlier.size].append(earlier)

    def bundles(self) -> Iterator[EntryBundle]:
        """Yield the entry bundles to add, in order."""
        return entry_bundles(self.checkpoint.size)

    def add(self, bundle: EntryBundle, content: bytes, tile: bytes) -> None:
        """Take the next entry bundle, and the hash tile of level 0 at its place."""
        hashes = parse_hash_tile(HashTile(0, bundle.index, bundle.width), tile)
        entries = parse_entry_bundle(bundle, content)
        check_entries(bundle, entries, hashes)
        ends = {size for size in self._known if bundle.leaves.start < size <= bundle.leaves.stop}
        for index, entry in zip(bundle.leaves, entries, strict=True):
            try:
                self._take(index, decode(entry))
            except Refused as refused:
                raise Refused(refused.fault, f"leaf {index}: {refused.detail}") from None
            if ends:
                self._last, _ = self._last.append(hashes[index - bundle.leaves.start])
                if index + 1 in ends:
                    self._compare_known(index + 1)
        self._fold(bundle, hashes)

    def tiles(self) -> Iterator[HashTile]:
        """Yield the hash tiles of level 1 and up, to be checked after all bundles."""
        return (tile for tile in hash_tiles(self.checkpoint.size) if tile.level)

    def check_tile(self, tile: HashTile, content: bytes) -> None:
        """Refuse a tile whose hashes are not those of the complete subtrees."""
        start = tile.index * WIDTH
        if list(parse_hash_tile(tile, content)) != self._nodes[tile.level][start : start + tile.width]:
            raise Refused(Fault.TILE_MISMATCH, tile.path)

    def finish(self) -> None:
        """Refuse a checkpoint over other leaves."""
        if self.state.size != self.checkpoint.size or self._root() != self.checkpoint.root:
            raise Refused(Fault.ROOT_MISMATCH, f"checkpoint over {self.checkpoint.size} leaves")

    def _take(self, index: int, leaf: Leaf) -> None:
        self.state.add(leaf)
        match leaf:
            case RunLeaf() | CloseLeaf() | WithdrawLeaf() | ReinstateLeaf():
                history = self.histories.get(leaf.round_id)
                if history is not None:
                    history.add(index, leaf)
            case RoundLeaf() if self._follows(leaf):
                self.histories[leaf.round_id] = RoundHistory(leaf)

    def _compare_known(self, size: int) -> None:
        for earlier in self._known[size]:
            if self._root() != earlier.root:
                raise Refused(Fault.OLD_ROOT_MISMATCH, f"{size} of {self.checkpoint.size} leaves")

    def _fold(self, bundle: EntryBundle, hashes: tuple[bytes, ...]) -> None:
        self._last = Frontier()
        if bundle.width < WIDTH:
            for hash in hashes:
                self._last, _ = self._last.append(hash)
            return
        self._blocks, complete = self._blocks.append(root_of(hashes))
        for node, hash in complete:
            if node.level % HEIGHT == 0:
                self._nodes[node.level // HEIGHT + 1].append(hash)

    def _root(self) -> bytes:
        return fold([*self._blocks.hashes, *self._last.hashes])


def check_successor(leaves: LogState, earlier: Checkpoint) -> None:
    """Refuse a log that does not go on where an earlier one, known by a checkpoint of it, ended."""
    begins = leaves.succeeds
    if begins is None or begins.origin != earlier.origin:
        raise Refused(Fault.ORIGIN_MISMATCH, f"it does not say that it goes on after {earlier.origin}")
    check_known(earlier, Checkpoint(begins.origin, begins.size, begins.root))


def check_known(earlier: Checkpoint, checkpoint: Checkpoint) -> None:
    """Refuse a checkpoint that one known from before shows to be wrong, as far as that is seen without the leaves."""
    if earlier.size > checkpoint.size:
        raise Refused(Fault.ROLLED_BACK, f"from {earlier.size} leaves to {checkpoint.size}")
    if earlier.size == checkpoint.size and earlier.root != checkpoint.root:
        raise Refused(Fault.SPLIT_VIEW, f"two roots for {checkpoint.size} leaves")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some lines of a bundle, the number of the first among the runs, and the RUN leaves that should stand there."""

    first: int
    logged: tuple[LoggedRun, ...]
    lines: tuple[bytes, ...]


@dataclass(slots=True)
class JudgedChunk:
    """What the lines of a chunk are: runs and their stated ranks, up to the first line that is refused or misplaced."""

    runs: list[JudgedRun] = field(default_factory=list)
    ranks: list[int | None] = field(default_factory=list)
    refused: Refused | None = None
    misplaced: bytes | None = None  # the run id of a line at which another run is logged, or none


Spread = Callable[[Judge, Iterable[Chunk]], Iterable[JudgedChunk]]
"""How chunks are judged: one after the other, or on several cores, their results in order."""


def judge_chunk(judge: Judge, chunk: Chunk) -> JudgedChunk:
    """Judge lines of a bundle."""
    judged = JudgedChunk()
    try:
        for number, line in enumerate(chunk.lines):
            run = parse_run_line(line, chunk.first + number + 2)
            logged = chunk.logged[number] if number < len(chunk.logged) else None
            if logged is None or run.run_id != logged.run_id:
                judged.misplaced = run.run_id
                return judged
            if run.leaf_index != logged.leaf_index:
                raise Refused(Fault.INDEX_MISMATCH, f"run {run.run_id.hex()}")
            judged.runs.append(judge.judge(logged, run.salt, run.content))
            judged.ranks.append(run.rank)
    except Refused as refused:
        judged.refused = refused
    return judged


def one_by_one(judge: Judge, chunks: Iterable[Chunk]) -> Iterator[JudgedChunk]:
    """Judge chunks one after the other."""
    return (judge_chunk(judge, chunk) for chunk in chunks)


def check_bundle(
    history: RoundHistory,
    document: bytes,
    lines: Iterable[bytes],
    spread: Spread = one_by_one,
    progress: Callable[[int], None] = lambda _: None,
) -> tuple[RankedRun, ...]:
    """Return the ranking at the close of a round, everything recomputed from the lines of its bundle.

    Lines keep their newline; `document` is the ruleset's; `progress` is told how many runs were judged since last time.
    """
    close = close_of(history)
    judge = Judge(history.round, close.seed)
    reading = iter(lines)
    check_header(next(reading, b""), history.round, document, close)
    reader = _Lines(history, reading)
    judged: list[JudgedRun] = []
    ranks: list[int | None] = []
    for result in spread(judge, reader.chunks()):
        judged += result.runs
        ranks += result.ranks
        progress(len(result.runs))
        if result.refused is not None:
            raise result.refused
        if result.misplaced is not None:
            raise _name_misplaced(history, len(judged), result.misplaced, reader.count_all())
    if len(judged) < len(history.runs):
        raise Refused(Fault.RUN_MISSING, f"run {history.runs[len(judged)].run_id.hex()}")
    ranking = check_judged(history, judged)
    _check_ranks(ranking, judged, ranks)
    return ranking


class _Lines:
    """Cuts the lines of runs into chunks, and counts them."""

    def __init__(self, history: RoundHistory, lines: Iterator[bytes]) -> None:
        self._history = history
        self._lines = lines
        self._count = 0
        self._unended = False  # whether the last piece has no newline

    def chunks(self) -> Iterator[Chunk]:
        first = 0
        while lines := tuple(self._some()):
            yield Chunk(first, tuple(self._history.runs[first : first + len(lines)]), lines)
            first += len(lines)

    def count_all(self) -> int:
        """Return how many lines there are, those that were not looked at included."""
        for line in self._lines:
            self._take(line)
        return self._count + self._unended

    def _some(self) -> Iterator[bytes]:
        """Yield lines for one chunk: not too many, and not too much."""
        size = 0
        for line in islice(self._lines, CHUNK):
            self._take(line)
            yield line
            size += len(line)
            if size > CHUNK_BYTES:
                return

    def _take(self, line: bytes) -> None:
        """Count a line; one that is too long comes in pieces."""
        self._unended = not line.endswith(b"\n")
        self._count += not self._unended


def _name_misplaced(history: RoundHistory, place: int, run_id: bytes, lines: int) -> Refused:
    """Say what is wrong where a run stands at the place of another one."""
    places = {run.run_id: number for number, run in enumerate(history.runs)}
    name = f"run {run_id.hex()}"
    if run_id not in places:
        return Refused(Fault.RUN_NOT_LOGGED, name)
    if places[run_id] < place:
        return Refused(Fault.REPEATED_RUN, name)
    if lines == len(history.runs):
        return Refused(Fault.RUN_OUT_OF_ORDER, name)
    return Refused(Fault.RUN_MISSING, f"run {history.runs[place].run_id.hex()}")


def _check_ranks(ranking: Iterable[RankedRun], judged: Iterable[JudgedRun], ranks: Iterable[int | None]) -> None:
    ranked = {place.run.run_id: place.rank for place in ranking}
    for run, stated in zip(judged, ranks, strict=True):
        if ranked.get(run.run_id) != stated:
            raise Refused(Fault.RANK_MISMATCH, f"run {run.run_id.hex()}")
