"""Is a log valid? A fold over its leaves with every rule that needs no bundle (protocol.md, "A log is valid when")."""

import re
from collections import Counter
from dataclasses import dataclass, field

from ..game.rulesets import BY_HASH
from .dates import day_number, iso, midnight
from .disclosure import commitment, day_seed, earlier_link
from .faults import Fault, Refused
from .leaves import (
    ChainLeaf,
    CloseLeaf,
    Kind,
    Leaf,
    Mode,
    ReinstateLeaf,
    RoundLeaf,
    RulesetLeaf,
    RunLeaf,
    SucceedLeaf,
    WithdrawLeaf,
)

_CHALLENGE_ID = re.compile(r"challenge-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


@dataclass(slots=True)
class RoundState:
    """What the leaves so far say of a round."""

    leaf: RoundLeaf
    run_ids: set[bytes] = field(default_factory=set)
    close: CloseLeaf | None = None


class LogState:
    """What the leaves so far say; `add` refuses the next one if a rule forbids it, and is then unchanged."""

    def __init__(self) -> None:
        self.size = 0
        self.succeeds: SucceedLeaf | None = None
        self.rounds: dict[str, RoundState] = {}
        self.rulesets: dict[bytes, bytes] = {}  # documents by hash
        self.chains: dict[bytes, ChainLeaf] = {}
        self.last_closed_day = 0
        self._open_dailies: Counter[int] = Counter()  # by day: rounds that have not closed
        self._disclosed: dict[bytes, tuple[int, bytes]] = {}  # by chain: the latest link that was found right

    def add(self, leaf: Leaf) -> None:
        """Take the next leaf of the log, or refuse it."""
        match leaf:
            case RunLeaf():
                self._add_run(leaf)
            case RoundLeaf():
                self._add_round(leaf)
            case CloseLeaf():
                self._add_close(leaf)
            case WithdrawLeaf() | ReinstateLeaf():
                if leaf.run_id not in self._round(leaf.round_id).run_ids:
                    raise Refused(Fault.RUN_NOT_LOGGED, leaf.run_id.hex())
            case RulesetLeaf():
                self.rulesets[leaf.ruleset_hash] = leaf.document
            case ChainLeaf():
                self._add_chain(leaf)
            case SucceedLeaf():
                if self.size:
                    raise Refused(Fault.SUCCEED_NOT_FIRST)
                self.succeeds = leaf
        self.size += 1

    def _round(self, round_id: str) -> RoundState:
        if round_id not in self.rounds:
            raise Refused(Fault.ROUND_NOT_LOGGED, round_id)
        return self.rounds[round_id]

    def _add_chain(self, leaf: ChainLeaf) -> None:
        if leaf.chain_id in self.chains:  # else the same id could name two anchors
            raise Refused(Fault.REPEATED_CHAIN, leaf.chain_id.hex())
        self.chains[leaf.chain_id] = leaf
        self._disclosed[leaf.chain_id] = (0, leaf.anchor)

    def _add_round(self, leaf: RoundLeaf) -> None:
        if leaf.round_id in self.rounds:
            raise Refused(Fault.REPEATED_ROUND, leaf.round_id)
        if leaf.ruleset_hash not in self.rulesets:
            raise Refused(Fault.RULESET_NOT_LOGGED, leaf.round_id)
        if leaf.kind is Kind.DAILY:
            self._check_daily(leaf)
            self._open_dailies[leaf.day] += 1
        elif not _CHALLENGE_ID.fullmatch(leaf.round_id):
            raise Refused(Fault.ROUND_ID_MISMATCH, leaf.round_id)
        self.rounds[leaf.round_id] = RoundState(leaf)

    def _check_daily(self, leaf: RoundLeaf) -> None:
        chain = self.chains.get(leaf.chain_id)
        if chain is None:
            raise Refused(Fault.CHAIN_NOT_LOGGED, leaf.round_id)
        if not 1 <= leaf.link <= chain.links:
            raise Refused(Fault.LINK_OUT_OF_RANGE, leaf.round_id)
        if day_number(leaf.day) != day_number(chain.first_day) + leaf.link - 1:
            raise Refused(Fault.DAY_MISMATCH, leaf.round_id)
        if leaf.chain_id != next(id for id, began in reversed(self.chains.items()) if began.first_day <= leaf.day):
            raise Refused(Fault.CHAIN_NOT_RULING, leaf.round_id)
        if not _names_daily(leaf):
            raise Refused(Fault.ROUND_ID_MISMATCH, leaf.round_id)
        if leaf.opens != midnight(leaf.day):
            raise Refused(Fault.OPENS_MISMATCH, leaf.round_id)
        self._check_not_disclosed(leaf)

    def _add_run(self, leaf: RunLeaf) -> None:
        round = self._round(leaf.round_id)
        if round.close is not None:
            raise Refused(Fault.ROUND_CLOSED, leaf.round_id)
        if leaf.run_id in round.run_ids:  # else a WITHDRAW would not say which of them
            raise Refused(Fault.REPEATED_RUN, leaf.run_id.hex())
        self._check_not_disclosed(round.leaf)
        round.run_ids.add(leaf.run_id)

    def _check_not_disclosed(self, leaf: RoundLeaf) -> None:
        """Refuse more of a daily whose dice follow from a secret that is in the log: one CLOSE ends the whole day."""
        if leaf.kind is Kind.DAILY and leaf.day <= self.last_closed_day:
            raise Refused(Fault.DAYS_OUT_OF_ORDER, leaf.round_id)

    def _add_close(self, leaf: CloseLeaf) -> None:
        round = self._round(leaf.round_id)
        if round.close is not None:
            raise Refused(Fault.REPEATED_CLOSE, leaf.round_id)
        if round.leaf.kind is Kind.CHALLENGE and any(leaf.day_secret):
            raise Refused(Fault.NOT_ZERO, leaf.round_id)
        if round.leaf.kind is Kind.DAILY:
            self._check_day_secret(round.leaf, leaf)
        if commitment(round.leaf.ruleset_hash, leaf.seed) != round.leaf.commitment:
            raise Refused(Fault.SEED_MISMATCH, leaf.round_id)
        if round.leaf.kind is Kind.DAILY:
            self.last_closed_day = round.leaf.day
            self._disclosed[round.leaf.chain_id] = (round.leaf.link, leaf.day_secret)
            self._open_dailies -= Counter((round.leaf.day,))  # drops a day that has none any more
        round.close = leaf

    def _check_day_secret(self, leaf: RoundLeaf, close: CloseLeaf) -> None:
        """Hash back to the latest link that was found right, which has itself been hashed back to c_0."""
        if min(self._open_dailies) < leaf.day:
            raise Refused(Fault.DAYS_OUT_OF_ORDER, leaf.round_id)
        number, link = self._disclosed[leaf.chain_id]
        if earlier_link(leaf.chain_id, leaf.link, close.day_secret, number) != link:
            raise Refused(Fault.LINK_MISMATCH, leaf.round_id)
        if day_seed(close.day_secret, leaf.day, leaf.mode.word, leaf.ruleset_hash) != close.seed:
            raise Refused(Fault.SEED_NOT_DERIVED, leaf.round_id)


def _names_daily(leaf: RoundLeaf) -> bool:
    """Tell whether a daily's id agrees with its day, ruleset and mode, as far as the ruleset's name is known."""
    suffix = "-open" if leaf.mode is Mode.OPEN else ""
    ruleset = BY_HASH.get(leaf.ruleset_hash)
    if ruleset is None:
        return leaf.round_id.startswith(f"{iso(leaf.day)}-") and leaf.round_id.endswith(suffix)
    return leaf.round_id == f"{iso(leaf.day)}-{ruleset.id}{suffix}"
