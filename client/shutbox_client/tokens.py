"""The token that the client keeps for a player: one file a server, mode 0600, under the XDG config folder."""

import os
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

from .kept import writing, xdg_folder


class ReadableByOthers(Exception):
    """Not only its owner may read the file, so its token may be known to others."""


@dataclass(frozen=True, slots=True)
class TokenFile:
    """Where the token for a server is kept."""

    path: Path

    @classmethod
    def of(cls, server: str, environment: Mapping[str, str] = os.environ) -> "TokenFile":
        """Return the file of a server, whose whole address is the name, so that no two share one."""
        folder = xdg_folder("XDG_CONFIG_HOME", ".config", environment)
        return cls(folder / f"{quote(server, safe='')}.token")

    def read(self) -> str | None:
        """Return the token that was kept; None if there is none. Raises ReadableByOthers and OSError."""
        try:
            with self.path.open(encoding="ascii") as file:
                if os.name == "posix" and os.fstat(file.fileno()).st_mode & 0o077:
                    raise ReadableByOthers
                words = file.read().split()
        except (FileNotFoundError, UnicodeDecodeError):
            return None
        return words[0] if words else None

    def writing(self) -> AbstractContextManager[TextIO]:
        """Return a stream whose content becomes the file at the end.

        It is opened before the token exists: a place that cannot be written is found before a player is made.
        Raises OSError.
        """
        return writing(self.path)
