"""A whole log at once: its first fault, and one round gathered from its leaves."""

from collections.abc import Iterable
from dataclasses import dataclass

from shutbox.tlog.faults import Fault, Refused
from shutbox.tlog.leaves import Leaf, RoundLeaf
from shutbox.tlog.standings import RoundHistory
from shutbox.tlog.validity import LogState


@dataclass(frozen=True, slots=True)
class Difference:
    """The first leaf that breaks a rule."""

    index: int
    fault: Fault
    detail: str


def first_difference(leaves: Iterable[Leaf]) -> Difference | None:
    """Return the first leaf that breaks a rule; None if the log is valid as far as it can be told without bundles."""
    state = LogState()
    for index, leaf in enumerate(leaves):
        try:
            state.add(leaf)
        except Refused as refused:
            return Difference(index, refused.fault, refused.detail)
    return None


def history_of(round_id: str, leaves: Iterable[Leaf]) -> RoundHistory:
    """Gather one round from the leaves of a valid log."""
    history: RoundHistory | None = None
    for index, leaf in enumerate(leaves):
        if isinstance(leaf, RoundLeaf) and leaf.round_id == round_id:
            history = RoundHistory(leaf)
        elif history is not None and getattr(leaf, "round_id", None) == round_id:
            history.add(index, leaf)
    if history is None:
        raise Refused(Fault.ROUND_NOT_LOGGED, round_id)
    return history
