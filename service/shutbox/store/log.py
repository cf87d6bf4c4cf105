"""The log as SQL holds it: leaves, hashes of complete nodes, signed checkpoints.

None of them is ever changed; they go all at once when the log is succeeded by another.
"""

from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Row, and_, delete, func, insert, or_, select, text, tuple_, update

from ..tlog.merkle import HashOf, Node
from .database import AnySession
from .rows import (
    ChainRow,
    CheckpointRow,
    LeafRow,
    LoggedRulesetRow,
    NodeRow,
    RoundRow,
    RunRow,
    SuccessionRow,
    WithdrawalRow,
)


def lock_log(session: AnySession) -> None:
    """Keep every other writer of the log out until the transaction ends; SQLite has one writer as it is."""
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("LOCK TABLE checkpoints IN SHARE ROW EXCLUSIVE MODE"))


def newest_checkpoint(session: AnySession) -> CheckpointRow | None:
    """Return the checkpoint that was signed last."""
    newest = select(CheckpointRow).order_by(CheckpointRow.size.desc()).limit(1)
    return session.scalars(newest.execution_options(populate_existing=True)).first()


def newest_succession(session: AnySession) -> SuccessionRow | None:
    """Return the end of the last log before the present one; None if that is the first."""
    newest = select(SuccessionRow).order_by(SuccessionRow.number.desc()).limit(1)
    return session.scalars(newest.execution_options(populate_existing=True)).first()


def ended_origins(session: AnySession) -> set[str]:
    """Return the names of all logs that have ended."""
    return set(session.scalars(select(SuccessionRow.origin)))


def empty_log(session: AnySession) -> None:
    """Take everything out of the log, so that all that was logged waits again."""
    for row in (LeafRow, NodeRow, CheckpointRow):
        session.execute(delete(row))
    for indexed in (ChainRow, LoggedRulesetRow, RunRow, WithdrawalRow):
        session.execute(update(indexed).where(indexed.leaf_index.is_not(None)).values(leaf_index=None))
    logged = RoundRow.leaf_index.is_not(None)
    session.execute(update(RoundRow).where(logged).values(leaf_index=None, close_leaf_index=None))


def waiting_acts(session: AnySession, limit: int, after_close: bool) -> Sequence[Row[Any]]:
    """Return what was done to runs and is not logged yet, in order, before or after the close of their rounds.

    Of rounds whose ROUND is logged, or with `after_close` whose CLOSE is. A row is (withdrawal_id, run_id, reason, at,
    round_id, run_index), the last one null until the run is logged.
    """
    of_act = (WithdrawalRow.withdrawal_id, WithdrawalRow.run_id, WithdrawalRow.reason, WithdrawalRow.at)
    columns: list[Any] = [*of_act, RunRow.round_id, RunRow.leaf_index.label("run_index")]
    follows = RoundRow.close_leaf_index if after_close else RoundRow.leaf_index
    return session.execute(
        select(*columns)
        .join(RunRow, RunRow.run_id == WithdrawalRow.run_id)
        .join(RoundRow, RoundRow.round_id == RunRow.round_id)
        .where(WithdrawalRow.leaf_index.is_(None), WithdrawalRow.after_close == after_close, follows.is_not(None))
        .order_by(WithdrawalRow.at, WithdrawalRow.withdrawal_id)
        .limit(limit)
    ).all()


def acts_on(session: AnySession, round_id: str) -> Sequence[bytes]:
    """Return the leaves of what was done to the runs of a round, in the order of the log."""
    return session.scalars(
        select(LeafRow.leaf)
        .join(WithdrawalRow, WithdrawalRow.leaf_index == LeafRow.leaf_index)
        .join(RunRow, RunRow.run_id == WithdrawalRow.run_id)
        .where(RunRow.round_id == round_id)
        .order_by(LeafRow.leaf_index)
    ).all()


def leaves_in(session: AnySession, start: int, end: int) -> Sequence[bytes]:
    """Return leaves start … end - 1, without those that are missing."""
    within = select(LeafRow.leaf).where(LeafRow.leaf_index >= start, LeafRow.leaf_index < end)
    return session.scalars(within.order_by(LeafRow.leaf_index)).all()


def leaf_count(session: AnySession) -> int:
    """Return one more than the greatest index of a stored leaf."""
    greatest = session.scalar(select(func.max(LeafRow.leaf_index)))
    return 0 if greatest is None else greatest + 1


def stored_hashes(session: AnySession, nodes: Iterable[Node]) -> HashOf:
    """Return where the hashes of these nodes are, read at once; asked for one that is missing it raises KeyError."""
    wanted = [(node.level, node.index) for node in nodes]
    found = select(NodeRow.level, NodeRow.number, NodeRow.hash).where(tuple_(NodeRow.level, NodeRow.number).in_(wanted))
    return {Node(level, number): hash for level, number, hash in session.execute(found)}.__getitem__


def hashes_completed_in(session: AnySession, start: int, end: int) -> dict[Node, bytes]:
    """Return the hashes of all nodes whose last leaf is one of start … end - 1."""
    levels = range(end.bit_length())
    ranges = (
        and_(NodeRow.level == level, NodeRow.number >= start >> level, NodeRow.number < end >> level)
        for level in levels
    )
    found = session.execute(select(NodeRow.level, NodeRow.number, NodeRow.hash).where(or_(*ranges)))
    return {Node(level, number): hash for level, number, hash in found}


def append(session: AnySession, start: int, leaves: Sequence[bytes], nodes: Sequence[tuple[Node, bytes]]) -> None:
    """Store new leaves and the nodes that they complete."""
    numbered: list[dict[str, Any]] = [{"leaf_index": start + n, "leaf": leaf} for n, leaf in enumerate(leaves)]
    session.execute(insert(LeafRow), numbered)
    session.execute(
        insert(NodeRow), [{"level": node.level, "number": node.index, "hash": hash} for node, hash in nodes]
    )
