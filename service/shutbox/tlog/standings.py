"""The ranking of a closed round from its leaves and its disclosed runs (protocol.md, "Order", "Bundle").

`judge` works on one run alone, so a caller may spread the runs of a large round over its cores.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from ..game.analysis import given_away_milli
from ..game.dice import deal
from ..game.encoding import tag, u32
from ..game.replay import replay
from ..game.rules import RollTable, Rules, rules_of
from ..game.rulesets import BY_HASH
from .faults import Fault, Refused
from .leaves import CloseLeaf, Leaf, Mode, ReinstateLeaf, RoundLeaf, RunLeaf, WithdrawLeaf
from .proof import open_commitment


@dataclass(frozen=True, slots=True)
class RoundHistory:
    """What a log says of one round: its runs in log order, and which of them were withdrawn, at the close and now."""

    round: RoundLeaf
    runs: tuple[RunLeaf, ...]
    close: CloseLeaf | None
    withdrawn_at_close: frozenset[bytes]
    withdrawn: frozenset[bytes]


@dataclass(frozen=True, slots=True)
class DisclosedRun:
    """A run as the bundle publishes it."""

    run_id: bytes
    salt: bytes = field(repr=False)
    content: bytes


@dataclass(frozen=True, slots=True)
class Dice:
    """What the runs of a round are replayed on."""

    round: RoundLeaf
    rules: Rules
    table: RollTable


@dataclass(frozen=True, slots=True)
class JudgedRun:
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


def history_of(round_id: str, leaves: Iterable[Leaf]) -> RoundHistory:
    """Gather one round from the leaves of a valid log."""
    round: RoundLeaf | None = None
    close: CloseLeaf | None = None
    runs: list[RunLeaf] = []
    withdrawn: set[bytes] = set()
    at_close: frozenset[bytes] = frozenset()
    for leaf in leaves:
        match leaf:
            case RoundLeaf() if leaf.round_id == round_id:
                round = leaf
            case RunLeaf() if leaf.round_id == round_id:
                runs.append(leaf)
            case CloseLeaf() if leaf.round_id == round_id:
                close, at_close = leaf, frozenset(withdrawn)
            case WithdrawLeaf() if leaf.round_id == round_id:
                withdrawn.add(leaf.run_id)
            case ReinstateLeaf() if leaf.round_id == round_id:
                withdrawn.discard(leaf.run_id)
    if round is None:
        raise Refused(Fault.ROUND_NOT_LOGGED, round_id)
    return RoundHistory(round, tuple(runs), close, at_close, frozenset(withdrawn))


def dice_of(round: RoundLeaf, seed: bytes) -> Dice:
    """Return the dice of a round. Refuses a ruleset that this program does not know: that decides nothing."""
    ruleset = BY_HASH.get(round.ruleset_hash)
    if ruleset is None:
        raise Refused(Fault.UNKNOWN_RULESET, round.ruleset_hash.hex())
    rules = rules_of(ruleset)
    return Dice(round, rules, deal(rules, seed))


def judge(dice: Dice, leaf: RunLeaf, disclosed: DisclosedRun) -> JudgedRun:
    """Return what a run was worth. Refuses one that its leaf did not commit to, or that replay refuses."""
    run = open_commitment(leaf, disclosed.salt, disclosed.content)
    if (run.round_id, run.ruleset_hash) != (dice.round.round_id, dice.round.ruleset_hash):
        raise Refused(Fault.RUN_OF_ANOTHER_ROUND, leaf.run_id.hex())
    replayed = replay(dice.rules, dice.table, run.turns)
    if replayed.refusal is not None:
        reason, turn = replayed.refusal
        raise Refused(Fault.ILLEGAL_RUN, f"run {leaf.run_id.hex()}: {reason} on turn {turn}")
    score = dice.rules.opening_penalty - dice.rules.penalties[replayed.open]
    lost = given_away_milli(dice.rules, dice.table, run.turns) if dice.round.mode is Mode.SEALED else 0
    return JudgedRun(leaf.run_id, leaf.commitment, run.player_tag, score, lost)


def rank(runs: Iterable[JudgedRun], withdrawn: frozenset[bytes] = frozenset()) -> tuple[RankedRun, ...]:
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


def check_disclosed(history: RoundHistory, disclosed: Sequence[DisclosedRun]) -> None:
    """Refuse unless the disclosed runs are the logged ones, all of them, in log order."""
    logged = [leaf.run_id for leaf in history.runs]
    given = [run.run_id for run in disclosed]
    if given == logged:
        return
    for named, known, fault in ((given, set(logged), Fault.RUN_NOT_LOGGED), (logged, set(given), Fault.RUN_MISSING)):
        for run_id in named:
            if run_id not in known:
                raise Refused(fault, run_id.hex())
    if len(given) > len(logged):
        raise Refused(Fault.REPEATED_RUN, history.round.round_id)
    raise Refused(Fault.RUN_OUT_OF_ORDER, history.round.round_id)


def check_judged(history: RoundHistory, judged: Sequence[JudgedRun]) -> tuple[RankedRun, ...]:
    """Return the ranking at the close from all judged runs. Refuses one that differs from what the CLOSE says."""
    close = _close_of(history)
    if history.round.mode is Mode.SEALED and len({run.player_tag for run in judged}) < len(judged):
        raise Refused(Fault.REPEATED_PLAYER, close.round_id)
    ranked = rank(judged, history.withdrawn_at_close)
    if len(ranked) != close.ranked:
        raise Refused(Fault.RANKED_MISMATCH, f"{close.round_id}: {len(ranked)} instead of {close.ranked}")
    if ranking_hash(ranked) != close.ranking_hash:
        raise Refused(Fault.RANKING_MISMATCH, close.round_id)
    return ranked


def check_round(history: RoundHistory, disclosed: Sequence[DisclosedRun]) -> tuple[RankedRun, ...]:
    """Return the ranking of a closed round at its close, everything recomputed from the disclosed runs."""
    check_disclosed(history, disclosed)
    dice = dice_of(history.round, _close_of(history).seed)
    judged = [judge(dice, leaf, run) for leaf, run in zip(history.runs, disclosed, strict=True)]
    return check_judged(history, judged)


def _close_of(history: RoundHistory) -> CloseLeaf:
    if history.close is None:
        raise Refused(Fault.NOT_CLOSED, history.round.round_id)
    return history.close
