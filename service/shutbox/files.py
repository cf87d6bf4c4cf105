"""Files that are there as a whole or not at all, also after a crash."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from secrets import token_hex


def create(file: Path, content: bytes) -> bool:
    """Write a file that only its owner can read, unless its name is taken; tell whether it was written."""
    if file.exists():
        return False
    with _draft(file, content, 0o600) as draft:
        try:
            os.link(draft, file)
        except FileExistsError:
            return False
        sync_folder(file.parent)
        return True


def replace(file: Path, content: bytes, mode: int = 0o600, owned_as: os.stat_result | None = None) -> None:
    """Write a file, in the place of the one that has its name; it belongs to whom it is said to."""
    with _draft(file, content, mode) as draft:
        if owned_as is not None:
            os.chown(draft, owned_as.st_uid, owned_as.st_gid)
        os.replace(draft, file)
        sync_folder(file.parent)


def sync_folder(folder: Path) -> None:
    """Come back once the names in a folder are on disk."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def _draft(file: Path, content: bytes, mode: int) -> Iterator[Path]:
    """Write the content beside the file under a name of its own, on disk; what is left of it goes at the end."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
        yield draft
    finally:
        draft.unlink(missing_ok=True)
