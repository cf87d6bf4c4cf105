"""Agreement: what is stored of the log is what was signed; asked before anything is signed, served or kept.

Outside the database each node keeps the newest checkpoint that it signed: the witness. A database that was restored
from an older backup agrees with itself; only the witness tells that people may have seen more.
"""

from . import files
from .errors import JournalDisagrees
from .site import Site
from .store import log as stored
from .store.database import AnySession
from .store.rows import CheckpointRow
from .tlog import tiles
from .tlog.faults import Refused
from .tlog.merkle import Frontier, Node, leaf_hash, prove, root_above, root_nodes, steps_above
from .tlog.note import Checkpoint, parse_note, verify_checkpoint

WHAT_TO_DO = (
    "Nothing is signed until it is mended. Restore leaves, nodes and checkpoints from a backup that is not older "
    "than the newest checkpoint; never delete or change rows of the log by hand"
)
_CHUNK = 4096


def checked(site: Site, whole: bool) -> Frontier:
    """Return the frontier of the stored log, which was found to be the one that was signed last.

    Leaves and nodes of the last, partial entry bundle are hashed again, with `whole` all of them. Raises
    JournalDisagrees, or Refused where a note or leaf is not one.
    """
    witness = _witness(site)
    if whole:  # beside it another writer may append: what is read now is not older than the witness
        site.session.rollback()
    _check_succession(site)
    newest = stored.newest_checkpoint(site.session)
    size = newest.size if newest else 0
    count = stored.leaf_count(site.session)
    if count < size or (count > size and not whole):
        raise JournalDisagrees(f"{count} leaves are stored, and the last checkpoint is over {size}. {WHAT_TO_DO}")
    _check_not_behind(site, witness, size)
    if newest is None:
        return Frontier()
    frontier = _checked_against(site, newest, whole)
    if witness is not None and _root_at(site.session, witness.size) != witness.root:
        raise JournalDisagrees(
            f"leaves and nodes give another root than checkpoint {witness.size} in {site.settings.log_witness_file}. "
            f"{WHAT_TO_DO}"
        )
    return frontier


def keep_witness(site: Site) -> None:
    """Keep the newest stored checkpoint as the witness, unless that is kept already.

    Raises JournalDisagrees where a newer one is kept or the key did not sign this one, OSError where it cannot be kept.
    """
    witness = _witness(site)
    site.session.rollback()  # another writer may append: what is read now is not older than the witness
    _check_succession(site)
    newest = stored.newest_checkpoint(site.session)
    _check_not_behind(site, witness, newest.size if newest else 0)
    if newest is not None and (witness is None or witness.size < newest.size):
        try:
            verify_checkpoint(newest.note, site.secrets.log_key.verifier)
        except Refused as refused:
            raise JournalDisagrees(f"{refused}. {WHAT_TO_DO}") from None
        files.replace(site.settings.log_witness_file, newest.note)


def claimed(note: bytes) -> Checkpoint:
    """Return what a signed checkpoint says, whoever signed it. Raises Refused."""
    return Checkpoint.parse(parse_note(note).text)


def file_content(session: AnySession, file: tiles.HashTile | tiles.EntryBundle, size: int, root: bytes) -> bytes:
    """Return a tile or entry bundle of the stored log. Raises JournalDisagrees unless it leads to this root.

    What is served once is kept for ever, so each hash is followed up to the root, and each leaf to its hash.
    """
    tile = file if isinstance(file, tiles.HashTile) else tiles.HashTile(0, file.index, file.width)
    tops = [  # the perfect subtrees that the tile's hashes make, the largest first
        Node(tile.level * tiles.HEIGHT + node.level, (tile.index * tiles.WIDTH >> node.level) + node.index)
        for node in root_nodes(tile.width)
    ]
    steps = [steps_above(top, size) for top in tops]
    above = (node for path in steps for step in path for node in step.nodes)
    hash_of = stored.stored_hashes(session, [*tile.nodes(), *above])
    try:
        frontier = Frontier()
        for node in tile.nodes():
            frontier, _ = frontier.append(hash_of(node))
        roots = {
            root_above(hash, path, prove(path, hash_of)) for hash, path in zip(frontier.hashes, steps, strict=True)
        }
        if roots != {root}:
            raise JournalDisagrees(f"{tile.path} does not lead to the root of checkpoint {size}. {WHAT_TO_DO}")
        if isinstance(file, tiles.HashTile):
            return tiles.render_hash_tile(tile, hash_of)
        entries = stored.leaves_in(session, file.leaves.start, file.leaves.stop)
        tiles.check_entries(file, entries, [hash_of(node) for node in tile.nodes()])
        return tiles.render_entry_bundle(entries)
    except (KeyError, Refused) as wrong:
        raise JournalDisagrees(f"{file.path} cannot be made of what is stored: {wrong!r}. {WHAT_TO_DO}") from None


def _witness(site: Site) -> Checkpoint | None:
    """Return what this node's witness says of the present log; None if it has none."""
    file, key = site.settings.log_witness_file, site.secrets.log_key.verifier
    try:
        note = file.read_bytes()
        if claimed(note).origin != key.name:  # of a log that has ended
            return None
        return verify_checkpoint(note, key)
    except FileNotFoundError:
        return None
    except (OSError, Refused) as wrong:
        raise JournalDisagrees(
            f"{file} is not a checkpoint that the key of this log signed: {wrong}. Nothing is signed. Restore the key "
            "that did, or find out what happened to the file and move it away"
        ) from None


def _check_not_behind(site: Site, witness: Checkpoint | None, size: int) -> None:
    if witness is not None and witness.size > size:
        raise JournalDisagrees(
            f"the database was restored behind checkpoint {witness.size} in {site.settings.log_witness_file}, which "
            f"may be published: it holds {size} leaves. Nothing is signed. Restore a newer backup, or end this log "
            "with `shutbox log succeed`"
        )


def _check_succession(site: Site) -> None:
    succession, name = stored.newest_succession(site.session), site.secrets.log_key.name
    if succession is not None and succession.successor != name:
        raise JournalDisagrees(
            f"the log {succession.origin} has ended, and this process has the key of {name} instead of "
            f"{succession.successor}. Copy log-key.json from the node where `shutbox log succeed` was run, and restart"
        )


def _checked_against(site: Site, newest: CheckpointRow, whole: bool) -> Frontier:
    signed = verify_checkpoint(newest.note, site.secrets.log_key.verifier)
    if (signed.size, signed.root) != (newest.size, newest.root):
        raise JournalDisagrees(f"the row of checkpoint {newest.size} is not what its note says. {WHAT_TO_DO}")
    start = 0 if whole else (newest.size - 1) // tiles.WIDTH * tiles.WIDTH
    frontier = _hashed_again(site.session, _frontier_at(site.session, start), newest.size)
    if frontier.root() != signed.root:
        raise JournalDisagrees(f"leaves and nodes give another root than checkpoint {newest.size}. {WHAT_TO_DO}")
    return frontier


def _root_at(session: AnySession, size: int) -> bytes:
    return _frontier_at(session, size).root()


def _frontier_at(session: AnySession, size: int) -> Frontier:
    nodes = root_nodes(size)
    try:
        return Frontier.read(size, stored.stored_hashes(session, nodes))
    except KeyError as missing:
        raise JournalDisagrees(f"{missing.args[0]} of the log is missing. {WHAT_TO_DO}") from None


def _hashed_again(session: AnySession, frontier: Frontier, end: int) -> Frontier:
    """Return the frontier at `end`, every leaf hashed again and every node on the way compared with the stored one."""
    for start in range(frontier.size, end, _CHUNK):
        stop = min(start + _CHUNK, end)
        contents = stored.leaves_in(session, start, stop)
        if len(contents) != stop - start:
            raise JournalDisagrees(f"of leaves {start} to {stop - 1} some are missing. {WHAT_TO_DO}")
        hashes = stored.hashes_completed_in(session, start, stop)
        for index, content in enumerate(contents, start):
            frontier, complete = frontier.append(leaf_hash(content))
            for node, hash in complete:
                if hashes.get(node) != hash:
                    what = f"leaf {index} or node" if node.level == 0 else "node"
                    raise JournalDisagrees(
                        f"{what} (level {node.level}, number {node.index}) of the log is not what it was. {WHAT_TO_DO}"
                    )
    return frontier
