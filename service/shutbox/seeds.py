"""Secrets, seeds and commitments (protocol.md): the chain of day secrets, the key for other seeds, the log's key."""

import json
import os
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from hmac import compare_digest, digest
from pathlib import Path
from secrets import token_bytes, token_hex
from typing import Any

from .errors import StartRefused
from .game.encoding import lp, tag
from .tlog import disclosure
from .tlog.faults import Refused
from .tlog.note import SigningKey

CHAIN_DAYS = 3650


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

    @classmethod
    def create(cls, first_day: date, length: int = CHAIN_DAYS) -> "Chain":
        """Return a new chain of that many days."""
        return cls(token_bytes(16), first_day, length, length, token_bytes(32))

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

    @property
    def last_day(self) -> date:
        """The last day that this node can make."""
        return self.first_day + timedelta(days=self.loaded - 1)


@dataclass(frozen=True)
class Secrets:
    """What a node needs to make seeds and to sign. Nothing of it may be shown, logged or stored elsewhere."""

    chain: Chain
    round_key: bytes = field(repr=False)
    log_key: SigningKey = field(repr=False)


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


def load_secrets(chain_file: Path, round_key_file: Path, log_key_file: Path) -> Secrets:
    """Read all files. Raises StartRefused if one is missing, readable by others or not what it should be."""
    chain, key = _read(chain_file), _read(round_key_file)
    try:
        loaded = Chain(
            _bytes(chain["chain_id"], 16),
            date.fromisoformat(chain["first_day"]),
            int(chain["length"]),
            int(chain["link"]),
            _bytes(chain["secret"], 32),
        )
        if not 1 <= loaded.loaded <= loaded.length:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise StartRefused(f"{chain_file} is not a chain file: restore it from a backup") from None
    try:
        round_key = _bytes(key["key"], 32)
    except (KeyError, TypeError, ValueError):
        raise StartRefused(f"{round_key_file} is not a round key file: restore it from a backup") from None
    return Secrets(loaded, round_key, load_log_key(log_key_file))


def load_log_key(file: Path) -> SigningKey:
    """Read the key that signs the log. Raises StartRefused as `load_secrets` does."""
    content = _read(file)
    try:
        return SigningKey(content["origin"], _bytes(content["key"], 32))
    except (KeyError, TypeError, ValueError, Refused):
        raise StartRefused(f"{file} is not a log key file: restore it from a backup") from None


def create_log_key(file: Path, origin: str) -> None:
    """Create the key of a log that nothing was signed for yet, unless the file exists."""
    _create(file, {"origin": origin, "key": token_hex(32)})


def create_secrets(chain_file: Path, round_key_file: Path, first_day: date) -> None:
    """Create each file that does not exist; of several processes one wins and the others find its file."""
    chain = Chain.create(first_day)
    _create(
        chain_file,
        {
            "chain_id": chain.chain_id.hex(),
            "first_day": chain.first_day.isoformat(),
            "length": chain.length,
            "link": chain.loaded,
            "secret": chain.secret.hex(),
        },
    )
    _create(round_key_file, {"key": token_hex(32)})


def _create(file: Path, content: dict[str, Any]) -> None:
    """Write a whole file under its name at once, readable by its owner only, unless the name is taken."""
    if file.exists():
        return
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}.{token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as stream:
            json.dump(content, stream, indent=1)
            stream.flush()
            os.fsync(stream.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:
            return
        folder = os.open(file.parent, os.O_RDONLY)
        os.fsync(folder)
        os.close(folder)
    finally:
        draft.unlink()


def _read(file: Path) -> dict[str, Any]:
    try:
        if file.stat().st_mode & 0o077:
            raise StartRefused(f"{file} holds a secret but others can read it: run chmod 600 {file}")
        content = json.loads(file.read_text())
    except FileNotFoundError:
        raise StartRefused(f"{file} is missing: restore it from a backup, or copy it from the first node") from None
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
