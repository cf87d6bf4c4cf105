"""Succession: a log that cannot be signed any more ends, and another one tells everything again that SQL still holds.

In this order, so that what is broken off anywhere is completed by doing it again: the public files of the log are kept;
one transaction empties the log and stores its end, which decides it; the new key takes the place of the old one. From
then on the journal begins the successor with a SUCCEED leaf (protocol.md, "The log").
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain, count
from pathlib import Path

from . import files
from .agreement import claimed, file_content
from .config import Settings
from .errors import JournalDisagrees, StartRefused
from .journal import check_log_key
from .seeds import replace_log_key
from .site import Site
from .store import log as stored
from .store.database import writing
from .store.rows import SuccessionRow
from .tlog.faults import Fault, Refused
from .tlog.note import Checkpoint, SigningKey, VerifierKey, verify_checkpoint
from .tlog.tiles import EntryBundle, HashTile, entry_bundles, hash_tiles

PUBLIC_FILES = ("checkpoint", "newest-checkpoint", "verifier-key", "tile")
_READABLE = 0o644


@dataclass(frozen=True, slots=True)
class End:
    """Where a log ends: its newest checkpoint that is known, as a signed note, and the one that the database holds."""

    newest: Checkpoint
    note: bytes
    key: VerifierKey | None  # that signed it; None if it is not at hand, so that nobody here can tell who did
    held: Checkpoint | None  # None: no checkpoint, or a damaged one
    held_note: bytes | None


@dataclass(frozen=True, slots=True)
class Succeeded:
    """What was done: where the public files are, which of them could not be made, and where the old key is."""

    folder: Path | None = None
    missing: tuple[str, ...] = ()
    old_key_file: Path | None = None


def succeed(
    site: Site, old: SigningKey | None, given: bytes | None, folder: Path | None, agree: Callable[[End, Path], None]
) -> Succeeded:
    """End the log and let the key of this site sign another, or complete what was broken off.

    `old` is the key that is in its file now, `given` a checkpoint newer than the stored one, `folder` where the public
    files are to be kept. `agree` raises if it must not be done. Raises StartRefused with what to do instead.
    """
    done = Succeeded()
    if not _is_decided(site):
        end = find_end(site, old, given)
        kept_in = folder or _free_folder(site.settings)
        _check_folder(kept_in)
        agree(end, kept_in)
        done = Succeeded(kept_in, keep_files(site, end, kept_in))
        _decide(site, end)
    check_log_key(site)
    if old == site.secrets.log_key:
        return done
    return Succeeded(done.folder, done.missing, replace_log_key(site.settings.log_key_file, site.secrets.log_key))


def find_end(site: Site, old: SigningKey | None, given: bytes | None) -> End:
    """Return where the present log ends. Raises StartRefused where that cannot be told."""
    row, witness = stored.newest_checkpoint(site.session), site.settings.log_witness_file
    notes = [  # what is not of one log with what stands before it is of an earlier one
        ("--checkpoint", given),
        (str(witness), witness.read_bytes() if witness.exists() else None),
        ("the database", row.note if row else None),
    ]
    known = [(where, note) for where, note in notes if note is not None]
    ended = stored.ended_origins(site.session)
    claims = [claim for claim in _claims(known, old, given is not None) if claim.said.origin not in ended]
    if given is not None:
        _check_given(given, claims)
    if old is not None and claims and old.name not in {claim.said.origin for claim in claims}:
        raise StartRefused(
            f"{site.settings.log_key_file} is the key of {old.name}, and no checkpoint of that log is here: give its "
            "newest one with --checkpoint, or move the key away if it never signed"
        )
    if not claims:
        raise StartRefused("nothing is signed, so there is no log to succeed: a start makes a key where there is none")
    newest = _newest([claim for claim in claims if claim.said.origin == claims[0].said.origin], given)
    if newest.said.origin == site.secrets.log_key.name:
        raise StartRefused(f"{newest.said.origin} is the name of the log that ends: give its successor another one")
    key = old.verifier if old and newest.signed else None
    held = next((claim.said for claim in claims if row and claim.note == row.note), None)
    return End(newest.said, newest.note, key, held, row.note if row else None)


def keep_files(site: Site, end: End, folder: Path) -> tuple[str, ...]:
    """Write the public files of the stored log; return the paths of those that cannot be made of what is stored.

    The checkpoint is written last: a folder that has one is whole.
    """
    _make_folder(folder)
    missing: list[str] = []
    size, root = (end.held.size, end.held.root) if end.held else (0, b"")
    kept: Iterator[HashTile | EntryBundle] = chain(hash_tiles(size), entry_bundles(size))
    for file in kept:
        try:
            content = file_content(site.session, file, size, root)
        except JournalDisagrees:
            missing.append(file.path)
        else:
            _make_folder((folder / file.path).parent)
            files.replace(folder / file.path, content, _READABLE)
    if end.key is not None and (end.held is None or end.held.origin == end.key.name):
        files.replace(folder / "verifier-key", f"{end.key.text}\n".encode(), _READABLE)
    checkpoint = end.held_note if end.held and end.held_note else end.note
    if checkpoint != end.note:
        files.replace(folder / "newest-checkpoint", end.note, _READABLE)
    files.replace(folder / "checkpoint", checkpoint, _READABLE)
    return tuple(missing)


def _is_decided(site: Site) -> bool:
    """Tell whether the database holds the succession already. Raises StartRefused for a name that cannot be."""
    name, last = site.secrets.log_key.name, stored.newest_succession(site.session)
    if last is not None and last.successor == name:
        return True
    if last is not None and stored.newest_checkpoint(site.session) is None:
        raise StartRefused(
            f"{last.successor} succeeds {last.origin}, and nothing is signed for it yet: complete that with "
            f"`shutbox log succeed --origin {last.successor}` and let a worker sign, before another log follows"
        )
    if name in stored.ended_origins(site.session):
        raise StartRefused(f"{name} is the name of a log that has ended: give the successor another one")
    return False


@dataclass(frozen=True, slots=True)
class _Claim:
    """A checkpoint, where it was found, and whether the key at hand signed it."""

    where: str
    note: bytes
    said: Checkpoint
    signed: bool


def _claims(notes: list[tuple[str, bytes]], old: SigningKey | None, others_may_be_damaged: bool) -> list[_Claim]:
    """Return what the notes say. One that is damaged is passed over only behind one that was given."""
    claims: list[_Claim] = []
    for where, note in notes:
        try:
            claims.append(_Claim(where, note, claimed(note), old is not None and _is_signed(note, old.verifier)))
        except Refused as wrong:
            if not (others_may_be_damaged and claims):
                raise StartRefused(
                    f"the checkpoint in {where} is damaged: {wrong}. Give the newest one that anybody has kept, as a "
                    "file, with --checkpoint"
                ) from None
    return claims


def _is_signed(note: bytes, key: VerifierKey) -> bool:
    """Tell whether the key signed a checkpoint; Refused if it did, and the text is another now."""
    try:
        return bool(verify_checkpoint(note, key))
    except Refused as wrong:
        if wrong.fault is not Fault.NOT_SIGNED:
            raise
        return False


def _check_given(given: bytes, claims: list[_Claim]) -> None:
    """Refuse a checkpoint that is of another log, as far as it can be told."""
    if not claims or claims[0].note != given:
        raise StartRefused(f"--checkpoint is of {claimed(given).origin}, a log that has ended already")
    first, *others = claims
    if others and not first.signed:
        if any(claim.signed for claim in others):
            raise StartRefused("--checkpoint was not signed by the key of this log")
        if first.said.origin not in {claim.said.origin for claim in others}:
            raise StartRefused(f"--checkpoint is of {first.said.origin}, and this log is {others[0].said.origin}")


def _newest(claims: list[_Claim], given: bytes | None) -> _Claim:
    """Return the largest of the checkpoints of one log; of equals the one that was given."""
    newest = max(claims, key=lambda claim: claim.said.size)  # the first of equals
    if given is not None and newest.note != given:
        raise StartRefused(
            f"--checkpoint is over {claims[0].said.size} leaves, that in {newest.where} over {newest.said.size}: give "
            "a newer one, or none"
        )
    rivals = [claim for claim in claims if claim.said.size == newest.said.size]
    if given is None and len({claim.said.root for claim in rivals}) > 1:
        raise StartRefused(
            f"the checkpoints in {' and '.join(claim.where for claim in rivals)} have one size and two roots: give the "
            "one that people have seen with --checkpoint"
        )
    return newest


def _free_folder(settings: Settings) -> Path:
    """Return the first folder that does not hold a whole log yet."""
    numbered = (settings.earlier_logs_dir / str(number) for number in count(1))
    return next(folder for folder in numbered if not (folder / "checkpoint").exists())


def _check_folder(folder: Path) -> None:
    """Refuse a folder that holds a log, or something else than what was broken off."""
    if folder.exists():
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
        if "checkpoint" in names or names - set(PUBLIC_FILES):
            raise StartRefused(f"{folder} is not empty: name another folder")


def _make_folder(folder: Path) -> None:
    """Make a folder and those above it that are missing, so that a web server can read them."""
    if not folder.exists():
        _make_folder(folder.parent)
        folder.mkdir()
        folder.chmod(0o755)
        files.sync_folder(folder.parent)


def _decide(site: Site, end: End) -> None:
    """Empty the log and store its end; refuse if it has grown since the files were kept."""
    with writing(site.session):
        stored.lock_log(site.session)
        newest, last = stored.newest_checkpoint(site.session), stored.newest_succession(site.session)
        if (newest and newest.note) != end.held_note or end.newest.origin in stored.ended_origins(site.session):
            raise StartRefused("the log has changed meanwhile: end every worker, then run this again")
        stored.empty_log(site.session)
        site.session.add(
            SuccessionRow(
                number=last.number + 1 if last else 1,
                origin=end.newest.origin,
                size=end.newest.size,
                root=end.newest.root,
                successor=site.secrets.log_key.name,
                succeeded_at=site.clock(),
            )
        )
