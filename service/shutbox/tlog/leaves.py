"""The eight leaves of the log (protocol.md, "The log"): values that are checked when made, their bytes, and back.

Ids and hashes are bytes, days are yyyymmdd, times are unix ms.
"""

from dataclasses import dataclass
from enum import IntEnum
from hashlib import sha256

from ..game.encoding import lp, tag, u32
from .dates import day_number
from .faults import Fault, Refused
from .reading import Reader, checked_length, checked_number, checked_origin, checked_round_id

VERSION = 1
LONGEST_LEAF = 0xFFFF  # an entry bundle writes the length of a leaf as a u16


class LeafType(IntEnum):
    """The second byte of a leaf."""

    CHAIN = 1
    ROUND = 2
    RUN = 3
    CLOSE = 4
    WITHDRAW = 5
    RULESET = 6
    REINSTATE = 7
    SUCCEED = 8


class Kind(IntEnum):
    """What a logged round is."""

    DAILY = 1
    CHALLENGE = 2


class Mode(IntEnum):
    """Whether the seed is kept until the close (sealed) or issued up front (open)."""

    SEALED = 1
    OPEN = 2

    @property
    def word(self) -> str:
        """The mode as day seeds, round ids and bundles write it."""
        return self.name.lower()


class WithdrawReason(IntEnum):
    """Why a run was withdrawn."""

    PLAYER_ASKED = 1
    UNFAIR_PLAY = 2
    OPERATORS_ERROR = 3
    OTHER = 4

    @property
    def word(self) -> str:
        """The reason as commands and the API write it."""
        return ("player", "unfair", "error", "other")[self - 1]


@dataclass(frozen=True, slots=True)
class ChainLeaf:
    """A chain of day secrets begins: N links, the first for `first_day`, and `anchor` = c_0."""

    t: int
    chain_id: bytes
    links: int
    first_day: int
    anchor: bytes

    def __post_init__(self) -> None:
        checked_number(self.t, 8, "t")
        checked_length(self.chain_id, 16, "chain_id")
        checked_number(self.links, 4, "N")
        day_number(self.first_day)
        checked_length(self.anchor, 32, "c_0")

    def body(self) -> bytes:
        """Return what follows t."""
        return self.chain_id + u32(self.links) + u32(self.first_day) + self.anchor


@dataclass(frozen=True, slots=True)
class RoundLeaf:
    """A round is committed to. A challenge has no chain: chain_id, link (i) and day are zero."""

    t: int
    kind: Kind
    mode: Mode
    round_id: str
    ruleset_hash: bytes
    commitment: bytes
    chain_id: bytes
    link: int
    day: int
    opens: int
    closes: int

    def __post_init__(self) -> None:
        for number, width, what in ((self.t, 8, "t"), (self.link, 4, "i"), (self.opens, 8, "opens")):
            checked_number(number, width, what)
        checked_number(self.closes, 8, "closes")
        checked_round_id(self.round_id)
        checked_length(self.ruleset_hash, 32, "ruleset_hash")
        checked_length(self.commitment, 32, "commitment")
        checked_length(self.chain_id, 16, "chain_id")
        if self.kind is Kind.DAILY:
            day_number(self.day)
        elif any(self.chain_id) or self.link or self.day:
            raise Refused(Fault.NOT_ZERO, "chain_id, i or day of a challenge")

    def body(self) -> bytes:
        """Return what follows t."""
        named = bytes((self.kind, self.mode)) + lp(self.round_id.encode()) + self.ruleset_hash + self.commitment
        times = self.opens.to_bytes(8, "big") + self.closes.to_bytes(8, "big")
        return named + self.chain_id + u32(self.link) + u32(self.day) + times


@dataclass(frozen=True, slots=True)
class RunLeaf:
    """A run was accepted; what it was is hidden in a salted commitment until the close."""

    t: int
    round_id: str
    run_id: bytes
    commitment: bytes

    def __post_init__(self) -> None:
        _check_named_run(self.t, self.round_id, self.run_id)
        checked_length(self.commitment, 32, "run_commitment")

    def body(self) -> bytes:
        """Return what follows t."""
        return lp(self.round_id.encode()) + self.run_id + self.commitment


@dataclass(frozen=True, slots=True)
class CloseLeaf:
    """A round has closed: its seed, its day secret c_i (a challenge: zero), and what was ranked."""

    t: int
    round_id: str
    seed: bytes
    day_secret: bytes
    ranked: int
    ranking_hash: bytes

    def __post_init__(self) -> None:
        checked_number(self.t, 8, "t")
        checked_round_id(self.round_id)
        checked_length(self.seed, 32, "seed")
        checked_length(self.day_secret, 32, "c_i")
        checked_number(self.ranked, 4, "ranked")
        checked_length(self.ranking_hash, 32, "ranking_hash")

    def body(self) -> bytes:
        """Return what follows t."""
        return lp(self.round_id.encode()) + self.seed + self.day_secret + u32(self.ranked) + self.ranking_hash


@dataclass(frozen=True, slots=True)
class WithdrawLeaf:
    """A run is no longer ranked."""

    t: int
    round_id: str
    run_id: bytes
    reason: WithdrawReason

    def __post_init__(self) -> None:
        _check_named_run(self.t, self.round_id, self.run_id)

    def body(self) -> bytes:
        """Return what follows t."""
        return lp(self.round_id.encode()) + self.run_id + bytes((self.reason,))


@dataclass(frozen=True, slots=True)
class RulesetLeaf:
    """A ruleset is played from here on. Any document is taken: an unknown one is unverifiable, not invalid."""

    t: int
    document: bytes

    def __post_init__(self) -> None:
        checked_number(self.t, 8, "t")
        checked_length(self.document, 12, "document")

    @property
    def ruleset_hash(self) -> bytes:
        """The hash by which rounds name the ruleset."""
        return sha256(tag("ruleset") + self.document).digest()

    def body(self) -> bytes:
        """Return what follows t."""
        return self.document


@dataclass(frozen=True, slots=True)
class ReinstateLeaf:
    """A withdrawn run is ranked again."""

    t: int
    round_id: str
    run_id: bytes

    def __post_init__(self) -> None:
        _check_named_run(self.t, self.round_id, self.run_id)

    def body(self) -> bytes:
        """Return what follows t."""
        return lp(self.round_id.encode()) + self.run_id


@dataclass(frozen=True, slots=True)
class SucceedLeaf:
    """This log goes on where another ended: the first leaf of a successor."""

    t: int
    origin: str
    size: int
    root: bytes

    def __post_init__(self) -> None:
        checked_number(self.t, 8, "t")
        checked_origin(self.origin)
        checked_number(self.size, 8, "size")
        checked_length(self.root, 32, "root")

    def body(self) -> bytes:
        """Return what follows t."""
        return lp(self.origin.encode()) + self.size.to_bytes(8, "big") + self.root


Leaf = ChainLeaf | RoundLeaf | RunLeaf | CloseLeaf | WithdrawLeaf | RulesetLeaf | ReinstateLeaf | SucceedLeaf

_TYPE_OF: dict[type[Leaf], LeafType] = {
    ChainLeaf: LeafType.CHAIN,
    RoundLeaf: LeafType.ROUND,
    RunLeaf: LeafType.RUN,
    CloseLeaf: LeafType.CLOSE,
    WithdrawLeaf: LeafType.WITHDRAW,
    RulesetLeaf: LeafType.RULESET,
    ReinstateLeaf: LeafType.REINSTATE,
    SucceedLeaf: LeafType.SUCCEED,
}


def encode(leaf: Leaf) -> bytes:
    """Return the bytes of a leaf. Refuses one that is too long for an entry bundle."""
    content = bytes((VERSION, _TYPE_OF[type(leaf)])) + leaf.t.to_bytes(8, "big") + leaf.body()
    if len(content) > LONGEST_LEAF:
        raise Refused(Fault.TOO_LONG, "leaf")
    return content


def decode(content: bytes) -> Leaf:
    """Return the leaf that the bytes are, which is the only one that `encode` turns into them."""
    if len(content) > LONGEST_LEAF:
        raise Refused(Fault.TOO_LONG, "leaf")
    fields = Reader(content, "leaf")
    version, number = fields.number(1), fields.number(1)
    if version != VERSION:
        raise Refused(Fault.UNKNOWN_VERSION, f"leaf version {version}")
    if number not in _READERS:
        raise Refused(Fault.UNKNOWN_TYPE, f"leaf type {number}")
    leaf = _READERS[LeafType(number)](fields.number(8), fields)
    fields.end()
    return leaf


def _chain(t: int, fields: Reader) -> Leaf:
    return ChainLeaf(t, fields.take(16), fields.number(4), fields.number(4), fields.take(32))


def _round(t: int, fields: Reader) -> Leaf:
    kind, mode = fields.number(1), fields.number(1)
    if kind not in tuple(Kind):
        raise Refused(Fault.UNKNOWN_KIND, str(kind))
    if mode not in tuple(Mode):
        raise Refused(Fault.UNKNOWN_MODE, str(mode))
    named = fields.round_id(), fields.take(32), fields.take(32)
    place = fields.take(16), fields.number(4), fields.number(4)
    return RoundLeaf(t, Kind(kind), Mode(mode), *named, *place, fields.number(8), fields.number(8))


def _run(t: int, fields: Reader) -> Leaf:
    return RunLeaf(t, fields.round_id(), fields.take(16), fields.take(32))


def _close(t: int, fields: Reader) -> Leaf:
    return CloseLeaf(t, fields.round_id(), fields.take(32), fields.take(32), fields.number(4), fields.take(32))


def _withdraw(t: int, fields: Reader) -> Leaf:
    round_id, run_id, reason = fields.round_id(), fields.take(16), fields.number(1)
    if reason not in tuple(WithdrawReason):
        raise Refused(Fault.UNKNOWN_REASON, str(reason))
    return WithdrawLeaf(t, round_id, run_id, WithdrawReason(reason))


def _ruleset(t: int, fields: Reader) -> Leaf:
    return RulesetLeaf(t, fields.take(12))


def _reinstate(t: int, fields: Reader) -> Leaf:
    return ReinstateLeaf(t, fields.round_id(), fields.take(16))


def _succeed(t: int, fields: Reader) -> Leaf:
    return SucceedLeaf(t, checked_origin(fields.lp().decode("latin-1")), fields.number(8), fields.take(32))


_READERS = {
    LeafType.CHAIN: _chain,
    LeafType.ROUND: _round,
    LeafType.RUN: _run,
    LeafType.CLOSE: _close,
    LeafType.WITHDRAW: _withdraw,
    LeafType.RULESET: _ruleset,
    LeafType.REINSTATE: _reinstate,
    LeafType.SUCCEED: _succeed,
}


def _check_named_run(t: int, round_id: str, run_id: bytes) -> None:
    checked_number(t, 8, "t")
    checked_round_id(round_id)
    checked_length(run_id, 16, "run_id")
