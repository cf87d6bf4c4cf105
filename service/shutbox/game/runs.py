"""The bytes of a run (protocol.md, "Runs")."""

from collections.abc import Sequence
from hashlib import sha256

from .encoding import lp, mask_of, tag, tiles_of
from .replay import Turn

_TURN_LENGTH = 3


def turn_bytes(turns: Sequence[Turn]) -> bytes:
    """Return n × (u8 dice || u16 shut mask) of legal turns."""
    return b"".join(bytes((dice,)) + mask_of(shut).to_bytes(2, "big") for dice, shut in turns)


def turns_from(content: bytes) -> tuple[Turn, ...]:
    """Return the turns that `turn_bytes` wrote."""
    return tuple(
        Turn(content[start], tiles_of(int.from_bytes(content[start + 1 : start + _TURN_LENGTH], "big")))
        for start in range(0, len(content), _TURN_LENGTH)
    )


def run_bytes(round_id: str, player_tag: bytes, ruleset_hash: bytes, turns: Sequence[Turn]) -> bytes:
    """Return the bytes that stand for a whole run."""
    return b"\x01" + lp(round_id.encode()) + player_tag + ruleset_hash + bytes((len(turns),)) + turn_bytes(turns)


def run_commitment(salt: bytes, run: bytes) -> bytes:
    """Return what the log holds of a run until its round has closed."""
    return sha256(tag("run") + salt + lp(run)).digest()
