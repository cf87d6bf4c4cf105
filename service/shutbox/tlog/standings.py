"""The ranking of a closed round from its leaves and its disclosed runs (protocol.md, "Order", "Bundle").

A run is judged alone, so a caller may spread the runs of a large round over its cores.
"""

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple

from ..game.analysis import given_away_milli
from ..game.dice import deal
from ..game.encoding import tag, u32
from ..game.replay import replay
from ..game.rules import rules_of
from ..game.rulesets import BY_HASH
from ..game.runs import run_bytes, run_commitment, turns_from
from .faults import Fault, Refused
from .leaves import CloseLeaf, Leaf, Mode, ReinstateLeaf, RoundLeaf, RunLeaf, WithdrawLeaf, WithdrawReason
from .runs import parse_run


class LoggedRun(NamedTuple):
    """What a RUN leaf says beside its round, and where it stands."""

    leaf_index: int
    run_id: bytes
    commitment: bytes


@dataclass(slots=True)
class RoundHistory:
    """What the leaves so far say of one round: its runs in log order; what was withdrawn, at the close and now."""

    round: RoundLeaf
    runs: list[LoggedRun] = field(default_factory=list)
    close: CloseLeaf | None = None
    withdrawn_at_close: frozenset[bytes] = frozenset()
    withdrawn: dict[bytes, WithdrawReason] = field(default_factory=dict)

    def add(self, index: int, leaf: Leaf) -> None:
        """Take the next leaf that names the round."""
        match leaf:
            case RunLeaf():
                self.runs.append(LoggedRun(index, leaf.run_id, leaf.commitment))
            case CloseLeaf():
                self.close, self.withdrawn_at_close = leaf, frozenset(self.withdrawn)
            case WithdrawLeaf():
                self.withdrawn[leaf.run_id] = leaf.reason
            case ReinstateLeaf():
                self.withdrawn.pop(leaf.run_id, None)


class JudgedRun(NamedTuple):
    """A run that replay has found legal."""

    run_id: bytes
    commitment: bytes
    player_tag: bytes
    score: int
    given_away_milli: int  # 0 on an open round

    @property
    def result(self) -> tuple[int, int]:
        """What shares a rank; lower is better."""
        return -self.score, self.given_away_milli


@dataclass(frozen=True, slots=True)
class RankedRun:
    """A player's best run and its rank."""

    rank: int
    run: JudgedRun


class Judge:
    """Judges the runs of one round on its dice. Refuses a ruleset that is not known here: that decides nothing.

    Many players take the same turns, so what turns are worth is remembered.
    """

    def __init__(self, round: RoundLeaf, seed: bytes) -> None:
        ruleset = BY_HASH.get(round.ruleset_hash)
        if ruleset is None:
            raise Refused(Fault.UNKNOWN_RULESET, round.ruleset_hash.hex())
        self.round = round
        self.seed = seed
        self._rules = rules_of(ruleset)
        self._table = deal(self._rules, seed)
        self._worth: dict[bytes, tuple[int, int]] = {}
        self._before_tag = run_bytes(round.round_id, b"", b"", ())[:-1]

    def judge(self, logged: LoggedRun, salt: bytes, content: bytes) -> JudgedRun:
        """Return what a run was worth. Refuses one that its leaf did not commit to, or that replay refuses."""
        if run_commitment(salt, content) != logged.commitment:
            raise Refused(Fault.COMMITMENT_MISMATCH, f"run {logged.run_id.hex()}")
        start = len(self._before_tag)
        tag_end, hash_end = start + 16, start + 48
        turns = content[hash_end + 1 :]
        is_one = len(content) > hash_end and len(turns) == 3 * content[hash_end]
        if (
            not (is_one and content.startswith(self._before_tag))
            or content[tag_end:hash_end] != self.round.ruleset_hash
        ):
            parse_run(content)  # which names what is wrong with it
            raise Refused(Fault.RUN_OF_ANOTHER_ROUND, f"run {logged.run_id.hex()}")
        worth = self._worth.get(turns)
        if worth is None:
            worth = self._worth[turns] = self._judged(turns, logged.run_id)
        return JudgedRun(logged.run_id, logged.commitment, content[start:tag_end], *worth)

    def _judged(self, content: bytes, run_id: bytes) -> tuple[int, int]:
        """Return score and points given away, in thousandths."""
        turns = turns_from(content)
        replayed = replay(self._rules, self._table, turns)
        if replayed.refusal is not None:
            reason, turn = replayed.refusal
            raise Refused(Fault.ILLEGAL_RUN, f"run {run_id.hex()}: {reason} on turn {turn}")
        score = self._rules.opening_penalty - self._rules.penalties[replayed.open]
        sealed = self.round.mode is Mode.SEALED
        return score, given_away_milli(self._rules, self._table, turns) if sealed else 0


def rank(runs: Iterable[JudgedRun], withdrawn: Container[bytes] = frozenset()) -> tuple[RankedRun, ...]:
    """Return the best run of each player in order, without those withdrawn; equal results share a rank (1, 2, 2, 4)."""
    best: dict[bytes, JudgedRun] = {}
    for run in sorted(runs, key=lambda run: (run.result, run.run_id)):
        if run.run_id not in withdrawn:
            best.setdefault(run.player_tag, run)
    ranked: list[RankedRun] = []
    for place, run in enumerate(best.values(), start=1):
        shared = ranked and ranked[-1].run.result == run.result
        ranked.append(RankedRun(ranked[-1].rank if shared else place, run))
    return tuple(ranked)


def ranking_hash(ranked: Iterable[RankedRun]) -> bytes:
    """Return the hash of a ranking."""
    return sha256(tag("ranking") + b"".join(u32(place.rank) + place.run.commitment for place in ranked)).digest()


def check_judged(history: RoundHistory, judged: Sequence[JudgedRun]) -> tuple[RankedRun, ...]:
    """Return the ranking at the close from all judged runs. Refuses one that differs from what the CLOSE says."""
    close = close_of(history)
    if history.round.mode is Mode.SEALED and len({run.player_tag for run in judged}) < len(judged):
        raise Refused(Fault.REPEATED_PLAYER, close.round_id)
    ranked = rank(judged, history.withdrawn_at_close)
    if len(ranked) != close.ranked:
        raise Refused(Fault.RANKED_MISMATCH, f"{close.round_id}: {len(ranked)} instead of {close.ranked}")
    if ranking_hash(ranked) != close.ranking_hash:
        raise Refused(Fault.RANKING_MISMATCH, close.round_id)
    return ranked


def close_of(history: RoundHistory) -> CloseLeaf:
    """Return the CLOSE of a round. Refuses a round that has not closed: that decides nothing."""
    if history.close is None:
        raise Refused(Fault.NOT_CLOSED, history.round.round_id)
    return history.close
