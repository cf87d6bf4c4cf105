"""The bytes of a log written down from the text of protocol.md: nothing of `tlog` in it, so that it can be a judge."""

import json
from base64 import b64encode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from hmac import digest
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from tests.tlog.reference import Reference

LEAF_FIELDS = {
    "CHAIN": "1 chain_id:raw N:u32 first_day:u32 c_0:raw",
    "ROUND": "2 kind:u8 mode:u8 round_id:lp ruleset_hash:raw commitment:raw chain_id:raw i:u32 day:u32 opens:u64 "
    "closes:u64",
    "RUN": "3 round_id:lp run_id:raw run_commitment:raw",
    "CLOSE": "4 round_id:lp seed:raw c_i:raw ranked:u32 ranking_hash:raw",
    "WITHDRAW": "5 round_id:lp run_id:raw reason:u8",
    "RULESET": "6 document:raw",
    "REINSTATE": "7 round_id:lp run_id:raw",
    "SUCCEED": "8 origin:lp size:u64 root:raw",
}
"""Type, and what follows t, of each leaf."""

HEADER = (
    *("round_id", "kind", "mode", "ruleset_document", "ruleset_hash", "commitment", "chain_id", "i", "day"),
    *("opens", "closes", "seed", "day_secret", "ranked", "ranking_hash"),
)
"""The members of the first line of a bundle."""

Fields = dict[str, Any]


def h(*parts: bytes) -> bytes:
    return sha256(b"".join(parts)).digest()


def number(width: int, value: int) -> bytes:
    return value.to_bytes(width, "big")


def lp(content: bytes) -> bytes:
    return number(2, len(content)) + content


def tag(name: str) -> bytes:
    return lp(f"shutbox/1/{name}".encode())


def base64(content: bytes) -> str:
    return b64encode(content).decode()


def leaf_bytes(fields: Fields) -> bytes:
    """Return a leaf from its fields by name; `type` is a word, times and numbers are int, ids of rounds are text."""
    type, *form = LEAF_FIELDS[fields["type"]].split()
    content = [b"\x01", number(1, int(type)), number(8, fields["t"])]
    for name, kind in (field.split(":") for field in form):
        value = fields[name]
        if kind == "raw":
            content.append(value)
        elif kind == "lp":
            content.append(lp(value.encode("latin-1")))
        else:
            content.append(number(int(kind[1:]) // 8, value))
    return b"".join(content)


def links_of(chain_id: bytes, last: bytes, length: int) -> list[bytes]:
    """Return c_0 … c_N from c_N."""
    links = [last]
    for i in range(length, 0, -1):
        links.insert(0, h(tag("chain"), chain_id, number(4, i), links[0]))
    return links


def day_seed(link: bytes, day: int, mode: str, ruleset_hash: bytes) -> bytes:
    return digest(link, tag("day-seed") + number(4, day) + lp(mode.encode()) + ruleset_hash, "sha256")


def commitment(ruleset_hash: bytes, seed: bytes) -> bytes:
    return h(tag("commitment"), ruleset_hash, seed)


def run_bytes(round_id: str, player_tag: bytes, ruleset_hash: bytes, turns: Sequence[Fields]) -> bytes:
    """Return a run from turns as the API writes them."""
    played = [number(1, turn["dice"]) + number(2, sum(1 << (tile - 1) for tile in turn["shut"])) for turn in turns]
    return b"\x01" + lp(round_id.encode()) + player_tag + ruleset_hash + number(1, len(turns)) + b"".join(played)


def run_commitment(salt: bytes, run: bytes) -> bytes:
    return h(tag("run"), salt, lp(run))


def ranking_hash(ranked: Iterable[tuple[int, bytes]]) -> bytes:
    """Return the hash of ranks and run commitments in order."""
    return h(tag("ranking"), *(number(4, rank) + commitment for rank, commitment in ranked))


@dataclass(frozen=True, slots=True)
class Signer:
    """The key of a log and its name."""

    name: str
    secret: bytes

    @property
    def _public(self) -> bytes:
        return Ed25519PrivateKey.from_private_bytes(self.secret).public_key().public_bytes_raw()

    @property
    def key_id(self) -> bytes:
        return h(self.name.encode(), b"\n\x01", self._public)[:4]

    @property
    def key(self) -> str:
        return f"{self.name}+{self.key_id.hex()}+{base64(bytes((1,)) + self._public)}"

    def line(self, text: str) -> str:
        """Return the signature line for the text of a note."""
        signature = Ed25519PrivateKey.from_private_bytes(self.secret).sign(text.encode())
        return f"— {self.name} {base64(self.key_id + signature)}\n"

    def note(self, text: str) -> str:
        return f"{text}\n{self.line(text)}"

    def checkpoint(self, size: int, root: bytes) -> str:
        return self.note(f"{self.name}\n{size}\n{base64(root)}\n")


def log_files(leaves: Sequence[bytes], signer: Signer) -> dict[str, bytes]:
    """Return the files of a log of fewer than 65,536 leaves: checkpoint, hash tiles, entry bundles."""
    tree, size = Reference(leaves), len(leaves)
    files = {"checkpoint": signer.checkpoint(size, tree.root(0, size)).encode()}
    for start in range(0, size, 256):
        end = min(start + 256, size)
        place = f"{start // 256:03}" + (f".p/{end - start}" if end - start < 256 else "")
        files[f"tile/0/{place}"] = b"".join(tree.root(index, index + 1) for index in range(start, end))
        files[f"tile/entries/{place}"] = b"".join(map(lp, leaves[start:end]))
    if full := size // 256:
        files[f"tile/1/000.p/{full}"] = b"".join(tree.root(256 * n, 256 * n + 256) for n in range(full))
    return files


def receipt(tree: Reference, index: int, salt: bytes, run: bytes, size: int, checkpoint: str) -> str:
    """Return the receipt of the RUN leaf at an index of the first `size` leaves."""
    extra = base64(lp(tree.leaves[index]) + salt + lp(run))
    path = "".join(f"{base64(hash)}\n" for hash in tree.path(index, 0, size))
    return f"c2sp.org/tlog-proof@v1\nextra {extra}\nindex {index}\n{path}\n{checkpoint}"


def line(members: Fields) -> str:
    """Return a line of a bundle; bytes are written as hex."""
    plain = {name: value.hex() if isinstance(value, bytes) else value for name, value in members.items()}
    return json.dumps(plain, separators=(",", ":")) + "\n"
