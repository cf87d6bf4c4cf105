"""Reading the bytes of a run (protocol.md, "Runs"); `game.runs` writes them."""

from dataclasses import dataclass

from ..game.replay import Turn
from ..game.runs import turns_from
from .faults import Fault, Refused
from .reading import Reader

_VERSION = 1
_TURN_LENGTH = 3


@dataclass(frozen=True, slots=True)
class Run:
    """A finished round as it was played; whether it is legal is for replay to say."""

    round_id: str
    player_tag: bytes
    ruleset_hash: bytes
    turns: tuple[Turn, ...]


def parse_run(content: bytes) -> Run:
    """Return the run that the bytes are; `run_bytes` turns it into the same bytes."""
    fields = Reader(content, "run")
    version = fields.number(1)
    if version != _VERSION:
        raise Refused(Fault.UNKNOWN_VERSION, f"run version {version}")
    named = fields.round_id(), fields.take(16), fields.take(32)
    turns = fields.take(_TURN_LENGTH * fields.number(1))
    fields.end()
    return Run(*named, turns_from(turns))
