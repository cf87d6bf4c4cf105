"""A log for tests: runs by the hundred, all that is stored of it, its leaves read back, and databases restored."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from shutbox.bundles import bundle, disclosure
from shutbox.config import Settings
from shutbox.journal import checkpoint, integrate
from shutbox.rounds import enter, get_round, hold_round, seed_of
from shutbox.runs import accept
from shutbox.site import Site
from shutbox.store.database import writing
from shutbox.store.rows import Base, LeafRow, PlayerRow
from shutbox.succession import Succeeded, succeed
from shutbox.tlog.audit import check_bundle
from shutbox.tlog.leaves import CloseLeaf, Leaf, decode
from shutbox.tlog.merkle import Frontier, leaf_hash
from shutbox.tlog.note import Checkpoint, SigningKey, VerifierKey, verify_checkpoint
from shutbox.tlog.tiles import check_entries, entry_bundles, hash_tiles, parse_entry_bundle, parse_hash_tile
from sqlalchemy import delete, insert, select

from tests.conftest import LOG_KEY
from tests.players import any_of, as_turns, legal_turns
from tests.tlog.whole_logs import first_difference, history_of

SEALED, OPENED = "2026-11-30-classic", "2026-11-30-classic-open"
NEW_KEY = SigningKey("localhost/shutbox/log-2", b"t" * 32)
THIRD_KEY = SigningKey("localhost/shutbox/log-3", b"u" * 32)


def fill(site: Site, count: int, round_id: str = OPENED) -> None:
    """Accept a run of each of `count` new players, without the API and without Redis."""
    seed = seed_of(site, get_round(site, round_id)).hex()
    with writing(site.session):
        round = hold_round(site, round_id)
        for number in range(count):
            player_id = site.new_id()
            site.session.add(PlayerRow(player_id=player_id, bot=False, created_at=site.clock()))
            site.session.flush()
            accept(site, round, enter(site, round, player_id), as_turns(legal_turns("classic", seed, any_of(number))))


def log_all(site: Site, limit: int = 1000) -> int:
    """Log all that waits; return how many leaves were appended."""
    appended = 0
    while more := integrate(site, limit):
        appended += more
    return appended


def contents(site: Site) -> list[bytes]:
    """Return the stored leaves."""
    return list(site.session.scalars(select(LeafRow.leaf).order_by(LeafRow.leaf_index)))


def logged(site: Site) -> list[Leaf]:
    """Return the leaves of the log, which is valid."""
    leaves = [decode(content) for content in contents(site)]
    assert first_difference(leaves) is None
    return leaves


def check_closed_rounds(site: Site) -> int:
    """Recompute the ranking of every closed round from its leaves and its bundle; count them."""
    leaves = logged(site)
    closes = [leaf for leaf in leaves if isinstance(leaf, CloseLeaf)]
    for close in closes:
        document = get_round(site, close.round_id).ruleset.document
        ranking = check_bundle(
            history_of(close.round_id, leaves), document, bundle(site, disclosure(site, close.round_id))
        )
        assert len(ranking) == close.ranked
    return len(closes)


def successor_of(site: Site, key: SigningKey) -> Site:
    """Return the installation with another key of the log."""
    return replace(site, secrets=replace(site.secrets, log_key=key))


def end_log(
    site: Site, key: SigningKey = NEW_KEY, old: SigningKey | None = LOG_KEY, **given: Any
) -> tuple[Site, Succeeded]:
    """End the log without asking; return the installation with the key of the successor."""
    follower = successor_of(site, key)
    options = {"given": None, "folder": None, "agree": lambda *_: None, **given}
    return follower, succeed(follower, old, **options)


def signed(site: Site) -> Checkpoint:
    """Return the newest checkpoint, which the key of the site signed."""
    return verify_checkpoint(checkpoint(site) or b"", site.secrets.log_key.verifier)


def put_key(settings: Settings, key: SigningKey = LOG_KEY) -> Path:
    """Write the key file of the log, and return it."""
    settings.log_key_file.write_text(json.dumps({"origin": key.name, "key": key.secret.hex()}))
    settings.log_key_file.chmod(0o600)
    return settings.log_key_file


def read_log(folder: Path, key: VerifierKey) -> tuple[Checkpoint, list[bytes]]:
    """Return checkpoint and leaves of the files of a log, each of which is what the checkpoint says."""
    checkpoint = verify_checkpoint((folder / "checkpoint").read_bytes(), key)
    tiles = {tile: parse_hash_tile(tile, (folder / tile.path).read_bytes()) for tile in hash_tiles(checkpoint.size)}
    level_0 = {tile.index: hashes for tile, hashes in tiles.items() if tile.level == 0}
    leaves: list[bytes] = []
    frontier = Frontier()
    for entries_file in entry_bundles(checkpoint.size):
        entries = parse_entry_bundle(entries_file, (folder / entries_file.path).read_bytes())
        check_entries(entries_file, entries, level_0[entries_file.index])
        leaves += entries
    for leaf in leaves:
        frontier, complete = frontier.append(leaf_hash(leaf))
        for node, hash in complete:
            if node.level and node.level % 8 == 0:
                tile = next(tile for tile in tiles if tile.level * 8 == node.level and node in tile.nodes())
                assert tiles[tile][node.index % 256] == hash
    assert frontier.root() == checkpoint.root
    return checkpoint, leaves


Snapshot = dict[Any, list[Any]]


def back_up(site: Site) -> Snapshot:
    """Return everything that the database holds."""
    site.session.rollback()
    tables = Base.metadata.sorted_tables
    return {table: [row._asdict() for row in site.session.execute(select(table))] for table in tables}


def restore(site: Site, snapshot: Snapshot) -> None:
    """Let the database hold what it held when it was backed up, and nothing else."""
    with writing(site.session):
        for table in reversed(Base.metadata.sorted_tables):
            site.session.execute(delete(table))
        for table, rows in snapshot.items():
            if rows:
                site.session.execute(insert(table), rows)
