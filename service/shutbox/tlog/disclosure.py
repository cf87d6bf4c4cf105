"""What a disclosed day secret proves (protocol.md, "Secrets, seeds, commitments")."""

from hashlib import sha256
from hmac import digest

from ..game.encoding import lp, tag, u32


def commitment(ruleset_hash: bytes, seed: bytes) -> bytes:
    """Return what is published before a seed is disclosed."""
    return sha256(tag("commitment") + ruleset_hash + seed).digest()


def link_before(chain_id: bytes, number: int, link: bytes) -> bytes:
    """Return c_{i-1} from c_i."""
    return sha256(tag("chain") + chain_id + u32(number) + link).digest()


def earlier_link(chain_id: bytes, number: int, link: bytes, earlier: int) -> bytes:
    """Return c_earlier from c_number by hashing back."""
    for i in range(number, earlier, -1):
        link = link_before(chain_id, i, link)
    return link


def day_seed(link: bytes, day: int, mode: str, ruleset_hash: bytes) -> bytes:
    """Return the seed of a daily round; the day is yyyymmdd, the mode `sealed` or `open`."""
    return digest(link, tag("day-seed") + u32(day) + lp(mode.encode()) + ruleset_hash, "sha256")
