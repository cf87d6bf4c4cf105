"""Files that the client keeps: written whole or not at all, mode 0600, where the XDG specification says."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO


def xdg_folder(variable: str, default: str, environment: Mapping[str, str]) -> Path:
    """Return the folder of this program below the one that a variable names; `default` is relative to the home."""
    named = Path(environment.get(variable, ""))
    return (named if named.is_absolute() else Path.home() / default) / "shutbox"


@contextmanager
def writing(path: Path) -> Iterator[TextIO]:
    """Yield a stream whose content becomes the file at the end; nothing is left behind if that fails.

    A place that cannot be written is found before anything is done inside. Raises OSError.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with place(path) as draft, draft.open("w", encoding="utf-8") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


@contextmanager
def place(path: Path) -> Iterator[Path]:
    """Yield an empty file beside the path, which takes its name at the end, or is gone. Raises OSError."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=".")  # made with mode 0600
    os.close(descriptor)
    draft = Path(name)
    try:
        yield draft
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
