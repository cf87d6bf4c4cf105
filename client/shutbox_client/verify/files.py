"""The files that are checked: a folder of them, which may be filled from the service while they are asked for.

`log/…` lies there as the service names it, bundles as `bundles/<round id>.ndjson`, the name they are downloaded with.
"""

import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from itertools import islice
from pathlib import Path
from urllib.parse import quote

from shutbox.tlog.bundle import LONGEST_LINE
from shutbox.tlog.leaves import LONGEST_LEAF
from shutbox.tlog.merkle import HASH_LENGTH
from shutbox.tlog.note import LONGEST_NOTE
from shutbox.tlog.tiles import WIDTH

from ..calls.caller import API
from ..client import Client
from ..kept import place

_AT_ONCE = 8
_BATCH = 64
KEY, CHECKPOINT = "log/key", "log/checkpoint"


class Missing(Exception):
    """A file is not there, so nothing can be decided; the text names it."""


class Folder:
    """Files as they lie in a folder."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self, name: str) -> bytes:
        """Return the content of a file. Raises Missing."""
        with suppress(OSError):
            return self._found(name).read_bytes()
        raise Missing(f"{name} cannot be read in {self.path}")

    def key(self) -> str:
        """Return the text of the key that is seen there. Raises Missing."""
        return self.read(KEY).decode("ascii", "replace").strip()

    def read_again(self, name: str) -> bytes:
        """Return a file that was read before, as it was then. Raises Missing."""
        return Folder._found(self, name).read_bytes()

    def forget_kept(self) -> bool:
        """Let files that were there from before be fetched anew; tell whether there were any."""
        return False

    def fetch(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the names of files once they may be read."""
        yield from names

    def bundle(self, round_id: str, runs: int) -> Iterator[bytes]:
        """Yield the lines of a bundle of that many runs, each with its newline. Raises Missing."""
        name = bundle_name(round_id)
        try:
            stream = self._found(name, (runs + 1) * LONGEST_LINE).open("rb")
        except OSError:
            raise Missing(f"{name} is not in {self.path}") from None
        with stream:
            while line := stream.readline(LONGEST_LINE + 1):  # one that is longer comes in pieces, none of them a line
                yield line

    def _found(self, name: str, limit: int = 0) -> Path:
        """Return where a file is; `limit`: how large a bundle can be."""
        return self.path / name


class Kept(Folder):
    """The public files of a log that has ended, as `shutbox log succeed` keeps them: a folder of their own."""

    def _found(self, name: str, limit: int = 0) -> Path:
        return self.path / ("verifier-key" if name == KEY else name.removeprefix("log/"))


class Mirror(Folder):
    """A folder into which files of a service are copied when they are asked for.

    What never changes is copied once, so a folder holds the files of one log only, that of its key. Raises Problem and
    Unreachable as the client does.
    """

    def __init__(self, path: Path, client: Client) -> None:
        super().__init__(path)
        self._client = client
        self._copied: set[str] = set()
        self._kept: set[str] = set()  # that were used and were there before

    def key(self) -> str:
        """Return the key that the service shows now, whatever the folder holds."""
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "key"
            self._client.download(_address(KEY), file, _largest(KEY))
            return file.read_bytes().decode("ascii", "replace").strip()

    def forget_kept(self) -> bool:
        """Remove what was there before and was used: it may be damaged."""
        kept, self._kept = self._kept, set()
        for name in kept:
            (self.path / name).unlink(missing_ok=True)
        return bool(kept)

    def belong_to(self, key: str) -> None:
        """Let the folder be that of a log, by its key. Raises Missing if it holds the files of another one."""
        file = self.path / KEY
        with suppress(OSError):
            if file.read_text("ascii", "replace").strip() != key:
                raise Missing(f"{self.path} holds files of another log: name another folder")
            return
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{key}\n")
        except OSError as error:
            raise Missing(f"{file} cannot be written: {error.strerror}") from None

    def fetch(self, names: Iterable[str]) -> Iterator[str]:
        """Yield the names of files, of which a few are copied at once."""
        waiting = iter(names)
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            while batch := list(islice(waiting, _BATCH)):
                for name, _ in zip(batch, threads.map(self._found, batch), strict=True):
                    yield name

    def _found(self, name: str, limit: int = 0) -> Path:
        file = super()._found(name)
        if name == CHECKPOINT or not file.exists():
            self._copy(name, file, limit or _largest(name))
            self._copied.add(name)
        elif name not in self._copied:
            self._kept.add(name)
        return file

    def _copy(self, name: str, file: Path, limit: int) -> None:
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            with place(file) as draft:
                self._client.download(_address(name), draft, limit)
        except OSError as error:
            raise Missing(f"{file} cannot be written: {error.strerror}") from None


def _largest(name: str) -> int:
    """Return how large a file of a log can be."""
    if name.startswith("log/tile/entries/"):
        return WIDTH * (2 + LONGEST_LEAF)
    return WIDTH * HASH_LENGTH if name.startswith("log/tile/") else LONGEST_NOTE


def bundle_name(round_id: str) -> str:
    """Return the file of the bundle of a round."""
    return f"bundles/{quote(round_id, safe='')}.ndjson"


def _address(name: str) -> str:
    """Return where the service has a file."""
    folder, _, rest = name.partition("/")
    if folder == "bundles":
        return f"{API}/rounds/{rest.removesuffix('.ndjson')}/bundle"
    return f"/{name}"
