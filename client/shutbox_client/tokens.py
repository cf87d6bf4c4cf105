"""The token that the client keeps for a player: one file a server, mode 0600, under the XDG config folder."""

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO
from urllib.parse import quote


@dataclass(frozen=True, slots=True)
class TokenFile:
    """Where the token for a server is kept."""

    path: Path

    @classmethod
    def of(cls, server: str, environment: Mapping[str, str] = os.environ) -> "TokenFile":
        """Return the file of a server, whose whole address is the name, so that no two share one."""
        config = Path(environment.get("XDG_CONFIG_HOME", ""))
        folder = config if config.is_absolute() else Path.home() / ".config"  # so the XDG specification
        return cls(folder / "shutbox" / f"{quote(server, safe='')}.token")

    def read(self) -> str | None:
        """Return the token that was kept; None if there is none. Raises OSError."""
        try:
            words = self.path.read_text("ascii").split()
        except (FileNotFoundError, UnicodeDecodeError):
            return None
        return words[0] if words else None

    @contextmanager
    def writing(self) -> Iterator[TextIO]:
        """Yield a stream whose content becomes the file at the end; nothing is left behind if that fails.

        It is opened before the token exists: a place that cannot be written is found before a player is made.
        Raises OSError.
        """
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor, draft = tempfile.mkstemp(dir=self.path.parent, prefix=".")  # made with mode 0600
        try:
            with os.fdopen(descriptor, "w", encoding="ascii") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            Path(draft).replace(self.path)
        except BaseException:
            with suppress(FileNotFoundError):
                Path(draft).unlink()
            raise
