"""Secrets, seeds and commitments (protocol.md): chains of day secrets, the key for other seeds, the log's key."""

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from hmac import compare_digest, digest
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import Any

from filelock import FileLock

from . import files
from .errors import ChainRefused, StartRefused
from .game.encoding import lp, tag
from .tlog import disclosure
from .tlog.faults import Refused
from .tlog.note import SigningKey

CHAIN_DAYS = 3650
MOST_CHAIN_DAYS = 36_500
_FIRST_DAY = date(1970, 1, 1)  # the protocol knows no day before it


@dataclass(frozen=True)
class Chain:
    """A chain of day secrets as far as this node may know it: link k, and by hashing every earlier one.

    Link i, the secret of day i, is `c_i`; its first day is day 1. `c_0` is public from the start.
    """

    chain_id: bytes
    first_day: date
    length: int
    loaded: int
    secret: bytes = field(repr=False)

    def __post_init__(self) -> None:
        if not 1 <= self.loaded <= self.length <= MOST_CHAIN_DAYS:
            raise ValueError("link")
        if not _FIRST_DAY <= self.first_day <= self.end:  # asked for a day after the year 9999 it raises OverflowError
            raise ValueError("first_day")

    @classmethod
    def create(cls, first_day: date, length: int = CHAIN_DAYS) -> "Chain":
        """Return a new chain of that many days. Raises ChainRefused for days that cannot be."""
        try:
            return cls(token_bytes(16), first_day, length, length, token_bytes(32))
        except (ValueError, OverflowError):
            raise ChainRefused(
                f"a chain has 1 to {MOST_CHAIN_DAYS} days, none before {_FIRST_DAY} or after {date.max}"
            ) from None

    @cached_property
    def _links(self) -> tuple[bytes, ...]:
        links = [self.secret]
        for number in range(self.loaded, 0, -1):
            links.append(disclosure.link_before(self.chain_id, number, links[-1]))
        return tuple(reversed(links))

    @property
    def anchor(self) -> bytes:
        """`c_0`, which is published before the first day."""
        return self._links[0]

    def number_of(self, day: date) -> int | None:
        """Return the number of the link of a day; None if this node cannot have it."""
        number = (day - self.first_day).days + 1
        return number if 1 <= number <= self.loaded else None

    def link(self, number: int) -> bytes:
        """Return `c_number`, which stays secret until its day has closed."""
        return self._links[number]

    def cut(self, number: int) -> "Chain":
        """Return the chain as one may know it who is given link `number`."""
        return Chain(self.chain_id, self.first_day, self.length, number, self.link(number))

    @property
    def last_day(self) -> date:
        """The last day that this node can make."""
        return self.first_day + timedelta(days=self.loaded - 1)

    @property
    def end(self) -> date:
        """The last day of the whole chain."""
        return self.first_day + timedelta(days=self.length - 1)


@dataclass(frozen=True)
class Secrets:
    """What a node needs to make seeds and to sign. Nothing of it may be shown, logged or stored elsewhere."""

    chains: tuple[Chain, ...]  # the order is that in which they begin
    round_key: bytes = field(repr=False)
    log_key: SigningKey = field(repr=False)

    def find_chain(self, chain_id: bytes) -> Chain | None:
        """Return a chain by its id; None if this node was not given it."""
        return next((chain for chain in self.chains if chain.chain_id == chain_id), None)

    def links_of(self, day: date) -> Iterator[bytes]:
        """Yield the links that could be the secret of a day: the commitment of its rounds tells which of them is."""
        for chain in reversed(self.chains):
            number = chain.number_of(day)
            if number is not None:
                yield chain.link(number)


def day_seed(link: bytes, day: date, mode: str, ruleset_hash: bytes) -> bytes:
    """Return the seed of a daily round; sealed and open seeds are siblings, neither leads to the other."""
    return disclosure.day_seed(link, yyyymmdd(day), mode, ruleset_hash)


def round_seed(round_key: bytes, round_id: str) -> bytes:
    """Return the seed of a round that is no daily."""
    return digest(round_key, tag("round-seed") + lp(round_id.encode()), "sha256")


def commits_to(committed: bytes, ruleset_hash: bytes, seed: bytes) -> bool:
    """Tell whether a seed is the one that was committed to."""
    return compare_digest(committed, disclosure.commitment(ruleset_hash, seed))


def yyyymmdd(day: date) -> int:
    """Return a day as the number that the protocol writes: 20261130."""
    return day.year * 10_000 + day.month * 100 + day.day


def load_secrets(
    chain_file: Path, round_key_file: Path, log_key_file: Path, *, log_key: SigningKey | None = None
) -> Secrets:
    """Read all files, the last unless its key is given.

    Raises StartRefused if one is missing, readable by others or not what it should be.
    """
    chains, key = read_chains(chain_file), _read(round_key_file)
    try:
        round_key = _bytes(key["key"], 32)
    except (KeyError, TypeError, ValueError):
        raise StartRefused(f"{round_key_file} is not a round key file: restore it from a backup") from None
    return Secrets(chains, round_key, log_key or load_log_key(log_key_file))


def read_chains(file: Path) -> tuple[Chain, ...]:
    """Read a chain file: one chain, or a list of them. Raises StartRefused as `load_secrets` does."""
    content = _read(file)
    try:
        chains = tuple(_chain_from(entry) for entry in content.get("chains", [content]))
        if not 0 < len(chains) == len({chain.chain_id for chain in chains}):
            raise ValueError
    except (KeyError, TypeError, ValueError, OverflowError):
        raise StartRefused(f"{file} is not a chain file: restore it from a backup") from None
    return chains


def _chain_from(entry: dict[str, Any]) -> Chain:
    return Chain(
        _bytes(entry["chain_id"], 16),
        date.fromisoformat(entry["first_day"]),
        int(entry["length"]),
        int(entry["link"]),
        _bytes(entry["secret"], 32),
    )


def load_log_key(file: Path) -> SigningKey:
    """Read the key that signs the log. Raises StartRefused as `load_secrets` does."""
    content = _read(file, ". Where it is lost for good, `shutbox log succeed` ends the log and begins another")
    try:
        return SigningKey(content["origin"], _bytes(content["key"], 32))
    except (KeyError, TypeError, ValueError, Refused):
        raise StartRefused(f"{file} is not a log key file: restore it from a backup") from None


def find_log_key(file: Path) -> SigningKey | None:
    """Read the key that signs the log; None if the file is missing. Raises StartRefused as `load_secrets` does."""
    return load_log_key(file) if os.path.exists(file) else None


def create_log_key(file: Path, origin: str) -> None:
    """Create the key of a log that nothing was signed for yet, unless the file exists."""
    files.create(file, _text_of(new_log_key(origin)))


def new_log_key(origin: str) -> SigningKey:
    """Return a new key for a log with that name."""
    return SigningKey(origin, token_bytes(32))


def replace_log_key(file: Path, key: SigningKey) -> Path | None:
    """Put a key in the place of another one, which is kept beside it; return where, None if there was none.

    At every moment the file holds one of the two, and the other one is nowhere or under its new name as well.
    """
    kept = _kept_beside(file) if file.exists() else None
    files.replace(file, _text_of(key))
    return kept


def _kept_beside(file: Path) -> Path:
    """Give a key file another name as well, one that says whose key it is and is not taken."""
    safe, number = re.sub(r"[^A-Za-z0-9.]+", "-", load_log_key(file).name)[:100], 1
    while True:
        kept = file.with_name(f"{file.stem}-{safe}-{number}{file.suffix}")
        try:
            os.link(file, kept)
        except FileExistsError:
            if not kept.samefile(file):  # else this was begun before and broken off
                number += 1
                continue
        files.sync_folder(file.parent)
        return kept


def _text_of(key: SigningKey) -> bytes:
    return _encoded({"origin": key.name, "key": key.secret.hex()})


def create_secrets(chain_file: Path, round_key_file: Path, first_day: date) -> None:
    """Create each file that does not exist; of several processes one wins and the others find its file."""
    create_chain_file(chain_file, Chain.create(first_day))
    _create(round_key_file, {"key": token_hex(32)})


def create_chain_file(file: Path, chain: Chain) -> bool:
    """Create a file with one chain, unless the name is taken; tell whether it was created."""
    return _create(file, _content_of((chain,)))


@contextmanager
def changing(chain_file: Path) -> Iterator[None]:
    """Keep every other command out that would change a chain file, from reading it to writing it."""
    lock = FileLock(chain_file.with_name(f".{chain_file.name}.lock"))
    try:
        lock.acquire()
    except OSError as error:
        raise StartRefused(f"{chain_file} cannot be changed: {error.strerror}") from None
    try:
        yield
    finally:
        lock.release()


def write_chains(chain_file: Path, chains: tuple[Chain, ...]) -> None:
    """Put other chains into a chain file: at each moment it holds all of the old ones or all of the new."""
    file = chain_file.resolve()  # a symbolic link stays one
    with _saying_what_cannot_be_written(file):
        files.replace(file, _encoded(_content_of(chains)), owned_as=file.stat())


def _content_of(chains: tuple[Chain, ...]) -> dict[str, Any]:
    """Return one chain as versions before wrote it, several as a list."""
    entries: list[dict[str, Any]] = [
        {
            "chain_id": chain.chain_id.hex(),
            "first_day": chain.first_day.isoformat(),
            "length": chain.length,
            "link": chain.loaded,
            "secret": chain.secret.hex(),
        }
        for chain in chains
    ]
    return entries[0] if len(entries) == 1 else {"chains": entries}


def _create(file: Path, content: dict[str, Any]) -> bool:
    """Write a whole file under its name at once, unless the name is taken; tell whether it was written."""
    with _saying_what_cannot_be_written(file):
        return files.create(file, _encoded(content))


def _encoded(content: dict[str, Any]) -> bytes:
    return json.dumps(content, indent=1).encode()


@contextmanager
def _saying_what_cannot_be_written(file: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StartRefused(f"{file} cannot be written: {error.strerror}") from None


def _read(file: Path, where_lost: str = "") -> dict[str, Any]:
    try:
        if file.stat().st_mode & 0o077:
            raise StartRefused(f"{file} holds a secret but others can read it: run chmod 600 {file}")
        content = json.loads(file.read_text())
    except FileNotFoundError:
        if not file.parent.exists():
            raise StartRefused(
                f"there is no installation in {file.parent}: name its folder, `shutbox --data-dir DIR COMMAND`, or set "
                "SHUTBOX_DATA_DIR"
            ) from None
        advice = f"restore it from a backup, or copy it from the first node{where_lost}"
        raise StartRefused(f"{file} is missing: {advice}") from None
    except (OSError, ValueError):
        raise StartRefused(f"{file} cannot be read: restore it from a backup") from None
    if not isinstance(content, dict):
        raise StartRefused(f"{file} is not what it should be: restore it from a backup")
    return content


def _bytes(text: str, length: int) -> bytes:
    """Decode lower-case hex; `bytes.fromhex` alone would pass over white space."""
    decoded = bytes.fromhex(text)
    if decoded.hex() != text or len(decoded) != length:
        raise ValueError
    return decoded
