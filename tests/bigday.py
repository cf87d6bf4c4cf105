"""A closed day of any size as files: its log, signed, and the bundle of its sealed classic; without a service."""

from datetime import date
from hashlib import sha256
from pathlib import Path

from shutbox.game.rulesets import CATALOGUE
from shutbox.game.runs import run_bytes, run_commitment
from shutbox.seeds import Chain, day_seed
from shutbox.tlog import leaves
from shutbox.tlog.bundle import BundleRun, render_header, render_run
from shutbox.tlog.dates import midnight
from shutbox.tlog.disclosure import commitment
from shutbox.tlog.merkle import Frontier, Node, leaf_hash
from shutbox.tlog.note import Checkpoint, SigningKey, sign_checkpoint
from shutbox.tlog.standings import Judge, LoggedRun, rank, ranking_hash
from shutbox.tlog.tiles import entry_bundles, hash_tiles, render_entry_bundle, render_hash_tile

from tests.players import any_of, as_turns, legal_turns

KEY = SigningKey("localhost/shutbox/log", b"s" * 32)
DAY, ROUND_ID = "2026-11-30", "2026-11-30-classic"


def write_day(folder: Path, runs: int) -> None:
    """Write the files of a log whose only round has that many runs, as `shutbox-client verify --files` reads them."""
    classic, number = CATALOGUE["classic"], 20261130
    chain = Chain(bytes(16), date(2026, 11, 30), 10, 10, bytes(32))
    seed = day_seed(chain.link(1), chain.first_day, "sealed", classic.hash)
    opens = midnight(number)
    place = (chain.chain_id, 1, number, opens, opens + 26 * 3_600_000)
    round = leaves.RoundLeaf(
        opens,
        leaves.Kind.DAILY,
        leaves.Mode.SEALED,
        ROUND_ID,
        classic.hash,
        commitment(classic.hash, seed),
        *place,
    )
    chain_leaf = leaves.ChainLeaf(0, chain.chain_id, chain.length, number, chain.anchor)
    log: list[leaves.Leaf] = [chain_leaf, leaves.RulesetLeaf(0, classic.document), round]
    disclosed = [_run(place, seed) for place in range(runs)]
    judge = Judge(round, seed)
    judged = []
    for run in disclosed:
        logged = LoggedRun(run.leaf_index, run.run_id, run_commitment(run.salt, run.content))
        judged.append(judge.judge(logged, run.salt, run.content))
        log.append(leaves.RunLeaf(opens, ROUND_ID, run.run_id, logged.commitment))
    ranking = rank(judged)
    close = leaves.CloseLeaf(opens, ROUND_ID, seed, chain.link(1), len(ranking), ranking_hash(ranking))
    log.append(close)
    ranks = {ranked.run.run_id: ranked.rank for ranked in ranking}
    bundle = folder / "bundles" / f"{ROUND_ID}.ndjson"
    bundle.parent.mkdir(parents=True)
    with bundle.open("wb") as stream:
        stream.write(render_header(round, classic.document, close))
        for run in disclosed:
            stream.write(render_run(BundleRun(run.run_id, run.leaf_index, run.salt, run.content, ranks[run.run_id])))
    _write_log(folder / "log", [leaves.encode(leaf) for leaf in log])


def _run(place: int, seed: bytes) -> BundleRun:
    """Return a run of a player of its own, by one of 2,000 ways to play."""
    draw = sha256(place.to_bytes(8, "big")).digest()
    turns = as_turns(legal_turns("classic", seed.hex(), any_of(place % 2000)))
    content = run_bytes(ROUND_ID, draw[:16], CATALOGUE["classic"].hash, turns)
    return BundleRun(place.to_bytes(16, "big"), 3 + place, draw, content, None)


def _write_log(folder: Path, entries: list[bytes]) -> None:
    frontier, nodes = Frontier(), dict[Node, bytes]()
    for entry in entries:
        frontier, complete = frontier.append(leaf_hash(entry))
        nodes.update(complete)
    size = len(entries)
    files = {tile.path: render_hash_tile(tile, nodes.__getitem__) for tile in hash_tiles(size)}
    for bundle in entry_bundles(size):
        files[bundle.path] = render_entry_bundle(entries[bundle.leaves.start : bundle.leaves.stop])
    files["key"] = f"{KEY.verifier.text}\n".encode()
    files["checkpoint"] = sign_checkpoint(Checkpoint(KEY.name, size, frontier.root()), KEY)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
