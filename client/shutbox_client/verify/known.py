"""What is known of a log from before: its key and the last checkpoint that was found right, and of logs before it."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from filelock import FileLock
from shutbox.tlog.audit import check_known
from shutbox.tlog.faults import Refused
from shutbox.tlog.note import Checkpoint, VerifierKey, verify_checkpoint

from ..kept import writing, xdg_folder
from .files import Missing


@dataclass(frozen=True, slots=True)
class Known:
    """A key and a checkpoint that it signed, kept as the note."""

    key: VerifierKey
    note: bytes | None = None

    @property
    def checkpoint(self) -> Checkpoint | None:
        """The checkpoint, verified again."""
        return None if self.note is None else verify_checkpoint(self.note, self.key)


@dataclass(frozen=True, slots=True)
class KnownFile:
    """Where that is remembered: one file a server, or a log, under the XDG state folder."""

    path: Path

    @classmethod
    def of(cls, server: str, environment: Mapping[str, str] = os.environ) -> "KnownFile":
        """Return the file of a server, whose whole address is the name; or that of a log, by its origin."""
        folder = xdg_folder("XDG_STATE_HOME", ".local/state", environment)
        return cls(folder / f"{quote(server, safe='')}.log.json")

    def read(self) -> tuple[Known, ...]:
        """Return the log that is remembered, last, behind those that have ended. Raises Missing for a damaged file."""
        try:
            content = json.loads(self.path.read_text("utf-8"))
            return tuple(_known_from(log) for log in content["logs"])
        except FileNotFoundError:
            return ()
        except (OSError, ValueError, TypeError, KeyError, AttributeError, Refused):
            raise Missing(
                f"{self.path} is not what was remembered of the log: restore it, or remove it to begin anew"
            ) from None

    def remember(self, found: Known) -> None:
        """Remember what was found right, unless more of that log is remembered: another check may have been quicker.

        Raises Refused if that contradicts it, and Missing where it cannot be written.
        """
        try:
            self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with FileLock(self.path.with_name(f".{self.path.name}.lock")):
                logs = list(self.read())
                if not logs or logs[-1].key != found.key:
                    logs.append(found)
                elif not _is_behind(found, logs[-1]):
                    logs[-1] = found
                with writing(self.path) as stream:
                    json.dump({"logs": [_plain(log) for log in logs]}, stream, indent=1)
        except OSError as error:
            raise Missing(f"{self.path} cannot be written: {error.strerror}") from None

    def keep_contradiction(self, note: bytes) -> Path:
        """Keep a checkpoint that contradicts what is known, beside it: the two together prove it. Raises Missing."""
        number = 1
        while (file := self.path.with_name(f"{self.path.name}.contradiction-{number}")).exists():
            if file.read_bytes() == note:
                return file
            number += 1
        try:
            with writing(file) as stream:
                stream.write(note.decode())
        except OSError as error:
            raise Missing(f"{file} cannot be written: {error.strerror}") from None
        return file


def _known_from(log: Any) -> Known:
    note = log["checkpoint"]
    known = Known(VerifierKey.parse(log["key"]), None if note is None else note.encode())
    if note is not None:
        verify_checkpoint(note.encode(), known.key)
    return known


def _plain(log: Known) -> dict[str, str | None]:
    return {"key": log.key.text, "checkpoint": None if log.note is None else log.note.decode()}


def _is_behind(found: Known, remembered: Known) -> bool:
    """Tell whether more is remembered of a log; refuse two roots of one size."""
    new, old = found.checkpoint, remembered.checkpoint
    if new is None or (old is not None and new.size < old.size):
        return True
    if old is not None:
        check_known(old, new)
    return False
