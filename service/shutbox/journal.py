"""The journal: what happened goes into the public log here, in order, and is signed; nothing else writes the log.

One transaction checks what is stored against what was signed last, appends, and signs (protocol.md, "The log").
"""

from dataclasses import dataclass, field
from heapq import merge
from itertools import islice, takewhile
from operator import itemgetter
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, Row, Select, exists, func, or_, select, update

from .agreement import WHAT_TO_DO, checked, file_content, keep_witness
from .chains import begun_chains
from .errors import JournalDisagrees, StartRefused
from .game.rulesets import BY_HASH
from .game.runs import run_commitment
from .receipts import bytes_of, logged_runs
from .rounds import Kind, Mode, State
from .seeds import yyyymmdd
from .site import Site
from .store import log as stored
from .store.database import AnySession, writing
from .store.queries import Board, best_runs
from .store.rows import (
    ChainRow,
    CheckpointRow,
    DayRow,
    LoggedRulesetRow,
    RoundRow,
    RunRow,
    WithdrawalRow,
)
from .tlog import leaves, tiles
from .tlog.faults import Fault, Refused
from .tlog.merkle import Frontier, Node, leaf_hash
from .tlog.note import Checkpoint, sign_checkpoint, verify_note
from .tlog.standings import JudgedRun, RankedRun, rank, ranking_hash

BATCH = 1000
_MODES = {Mode.SEALED: leaves.Mode.SEALED, Mode.OPEN: leaves.Mode.OPEN}


@dataclass
class _Batch:
    """What one transaction appends behind what was checked: leaves and the nodes that they complete."""

    frontier: Frontier
    limit: int
    room: int
    contents: list[bytes] = field(default_factory=list)
    nodes: list[tuple[Node, bytes]] = field(default_factory=list)

    def append(self, leaf: leaves.Leaf) -> int:
        """Append a leaf; return its index."""
        content, index = leaves.encode(leaf), self.frontier.size
        self.frontier, complete = self.frontier.append(leaf_hash(content))
        self.contents.append(content)
        self.nodes += complete
        self.room -= 1
        return index

    def store(self, session: AnySession) -> None:
        """Store what was appended since the last time, so that the next step finds it."""
        session.flush()
        if self.contents:
            stored.append(session, self.frontier.size - len(self.contents), self.contents, self.nodes)
            self.contents, self.nodes = [], []


def integrate(site: Site, limit: int = BATCH) -> int:
    """Log about `limit` of what waits, and sign; return how many leaves were appended, 0 once nothing waits.

    Raises JournalDisagrees, and signs nothing, where what is stored is not what was signed last; and OSError where
    the witness cannot be written, though what was signed is stored.
    """
    with writing(site.session):
        stored.lock_log(site.session)
        try:
            start = checked(site, whole=False)
            batch = _Batch(start, limit, limit)
            for step in (
                _append_end_of_earlier,
                _append_chains,
                _append_rounds,
                _append_runs,
                _append_closes,
                _append_challenge_closes,
                _append_later_acts,
            ):
                step(site, batch)
                batch.store(site.session)
            appended = batch.frontier.size - start.size
            if appended:
                _sign(site, batch.frontier)
        except Refused as refused:
            raise JournalDisagrees(f"{refused}. {WHAT_TO_DO}") from None
    keep_witness(site)
    return appended


def check_log(site: Site) -> int:
    """Compare every stored leaf and node with what was signed last; return how many leaves there are.

    Raises JournalDisagrees naming the first that differs.
    """
    try:
        return checked(site, whole=True).size
    except Refused as refused:
        raise JournalDisagrees(f"{refused}. {WHAT_TO_DO}") from None


def has_begun(session: AnySession) -> bool:
    """Tell whether something was signed, or an earlier log has ended, so that any other key would be of no use."""
    return stored.newest_checkpoint(session) is not None or stored.newest_succession(session) is not None


def check_log_key(site: Site) -> None:
    """Refuse to start with a key that is not the one that signed the log, or that is to sign it."""
    succession, name = stored.newest_succession(site.session), site.secrets.log_key.name
    if succession is not None and succession.successor != name:
        raise StartRefused(
            f"{site.settings.log_key_file} is the key of {name}, and the log is {succession.successor} now: copy the "
            "file from the node where `shutbox log succeed` was run. If that was broken off, run "
            f"`shutbox log succeed --origin {succession.successor}` there again"
        )
    newest = stored.newest_checkpoint(site.session)
    if newest is None:
        return
    try:
        verify_note(newest.note, site.secrets.log_key.verifier)
    except Refused as refused:
        if refused.fault is Fault.NOT_SIGNED:
            raise StartRefused(
                f"{site.settings.log_key_file} did not sign the log of this database: restore the file that was "
                "beside it, or copy the one of the first node. If the database was restored from before that file was "
                "made, restore a newer backup, or end the log with `shutbox log succeed`"
            ) from None


# What is served


def checkpoint(site: Site) -> bytes | None:
    """Return the newest signed checkpoint; None as long as nothing is logged."""
    newest = stored.newest_checkpoint(site.session)
    return None if newest is None else newest.note


def tile(site: Site, path: str) -> bytes | None:
    """Return the tile or entry bundle at a path below `/log/`; None unless the signed checkpoint covers all of it.

    Raises JournalDisagrees where what is stored does not lead to what was signed.
    """
    newest = stored.newest_checkpoint(site.session)
    try:
        wanted = tiles.parse_path(path)
    except Refused:
        return None
    if newest is None or not tiles.exists(wanted, newest.size):
        return None
    return file_content(site.session, wanted, newest.size, newest.root)


# What waits


def _append_end_of_earlier(site: Site, batch: _Batch) -> None:
    """Begin a successor with the log that it succeeds."""
    ended = stored.newest_succession(site.session)
    if ended is not None and batch.frontier.size == 0:
        batch.append(leaves.SucceedLeaf(ended.succeeded_at, ended.origin, ended.size, ended.root))


def _append_chains(site: Site, batch: _Batch) -> None:
    """Log chains in the order in which they rule, each once all rounds of those before it are logged.

    A later chain rules its days from its leaf on, so rounds that an earlier one has made for them come before it.
    """
    rounds = _waiting_rounds().exists()
    for row in (row for row in begun_chains(site.session) if row.leaf_index is None):
        if site.session.scalar(select(rounds)):
            return
        row.leaf_index = batch.append(
            leaves.ChainLeaf(_made_at(site, row), row.chain_id, row.length, yyyymmdd(row.first_day), row.anchor)
        )


def _made_at(site: Site, row: ChainRow) -> int:
    if row.created_at is not None:
        return row.created_at
    first = site.session.scalar(  # it was made with its first rounds
        select(func.min(RoundRow.created_at))
        .join(DayRow, DayRow.day == RoundRow.day)
        .where(DayRow.chain_id == row.chain_id)
    )
    return site.clock() if first is None else first


def _append_rounds(site: Site, batch: _Batch) -> None:
    """Log daily rounds and challenges, each behind its ruleset."""
    known = {row.ruleset_hash: row for row in site.session.scalars(select(LoggedRulesetRow))}
    logged = {ruleset_hash for ruleset_hash, row in known.items() if row.leaf_index is not None}
    dailies = _waiting_rounds().order_by(RoundRow.day, RoundRow.round_id)
    challenges = select(RoundRow).where(RoundRow.challenges_to_log(), RoundRow.leaf_index.is_(None))
    challenges = challenges.order_by(RoundRow.created_at, RoundRow.round_id)
    room = max(0, batch.room)
    found: list[tuple[RoundRow, DayRow | None]] = [(row, day) for row, day in site.session.execute(dailies.limit(room))]
    found += ((row, None) for row in site.session.scalars(challenges.limit(room)))
    for row, _ in found:
        if row.ruleset_hash not in logged and batch.room > 0:
            earlier = known.get(row.ruleset_hash)
            ruleset = earlier or LoggedRulesetRow(ruleset_hash=row.ruleset_hash, queued_at=row.created_at)
            document = BY_HASH[row.ruleset_hash].document
            ruleset.leaf_index = batch.append(leaves.RulesetLeaf(ruleset.queued_at, document))
            site.session.add(ruleset)
            logged.add(row.ruleset_hash)
    for row, day in takewhile(lambda pair: pair[0].ruleset_hash in logged and batch.room > 0, found):
        row.leaf_index = batch.append(_round_leaf(row, day))


def _waiting_rounds() -> Select[RoundRow, DayRow]:
    """Select daily rounds that can be logged: their chain is, and they are not."""
    return (
        select(RoundRow, DayRow)
        .join(DayRow, DayRow.day == RoundRow.day)
        .join(ChainRow, ChainRow.chain_id == DayRow.chain_id)
        .where(RoundRow.day.is_not(None), RoundRow.leaf_index.is_(None), RoundRow.kind == Kind.DAILY)
        .where(ChainRow.leaf_index.is_not(None))
    )


def _round_leaf(row: RoundRow, day: DayRow | None) -> leaves.RoundLeaf:
    return leaves.RoundLeaf(
        t=row.created_at,
        kind=leaves.Kind.DAILY if day else leaves.Kind.CHALLENGE,
        mode=_MODES[Mode(row.mode)],
        round_id=row.round_id,
        ruleset_hash=row.ruleset_hash,
        commitment=row.commitment,
        chain_id=day.chain_id if day else bytes(16),
        link=day.link if day else 0,
        day=yyyymmdd(day.day) if day else 0,
        opens=row.opens_at,
        closes=row.closes_at,
    )


def _append_runs(site: Site, batch: _Batch) -> None:
    """Log runs, and what was done to them before the close, as it happened.

    An act is never earlier than its run. So an open run stands behind the withdrawal that let it be logged.
    """
    room = max(0, batch.room)
    waiting = (
        logged_runs()
        .where(RunRow.queued(), RoundRow.leaf_index.is_not(None))
        .order_by(RunRow.accepted_at, RunRow.run_id)
        .limit(room)
    )
    runs = [(run.accepted_at, 0, run) for run in site.session.execute(waiting)]
    found = {run.run_id for _, _, run in runs}
    acts = [  # an act that was committed since with its run, or whose run finds no room, waits for it
        (act.at, 1, act)
        for act in stored.waiting_acts(site.session, room, after_close=False)
        if act.run_index is not None or act.run_id in found
    ]
    logged: list[dict[str, Any]] = []
    acted: list[dict[str, Any]] = []
    for _, is_act, row in islice(merge(runs, acts, key=itemgetter(0, 1)), room):
        if is_act:
            acted.append({"withdrawal_id": row.withdrawal_id, "leaf_index": batch.append(_act_leaf(row))})
        else:
            logged.append({"run_id": row.run_id, "leaf_index": batch.append(_run_leaf(row))})
    if logged:
        site.session.execute(update(RunRow), logged)
    if acted:
        site.session.execute(update(WithdrawalRow), acted)


def _run_leaf(run: Row[Any]) -> leaves.RunLeaf:
    return leaves.RunLeaf(run.accepted_at, run.round_id, run.run_id.bytes, run_commitment(run.salt, bytes_of(run)))


def _act_leaf(act: Row[Any]) -> leaves.Leaf:
    if act.reason is None:
        return leaves.ReinstateLeaf(act.at, act.round_id, act.run_id.bytes)
    return leaves.WithdrawLeaf(act.at, act.round_id, act.run_id.bytes, leaves.WithdrawReason(act.reason))


def _append_closes(site: Site, batch: _Batch) -> None:
    """Log the closes of days in order, each day at once, up to the first of which something is not logged yet."""
    waiting = select(RoundRow.day).where(RoundRow.day.is_not(None), RoundRow.close_leaf_index.is_(None))
    for day in site.session.scalars(waiting.distinct().order_by(RoundRow.day)).all():
        rows = site.session.scalars(select(RoundRow).where(RoundRow.day == day).order_by(RoundRow.round_id)).all()
        whole = all(row.state == State.CLOSED and row.leaf_index is not None for row in rows)
        waits = site.session.scalar(select(exists().where(RoundRow.day == day, _something_waits())))
        if day is None or not whole or waits or (len(rows) > batch.room < batch.limit):
            return
        disclosed = site.session.get_one(DayRow, day)
        for row in rows:
            row.close_leaf_index = batch.append(_close_leaf(site, row, disclosed))


def _append_challenge_closes(site: Site, batch: _Batch) -> None:
    """Log the closes of challenges, each by itself once all its runs, and what was done to them, are logged."""
    closed = (RoundRow.leaf_index.is_not(None), RoundRow.state == State.CLOSED)
    waiting = (
        select(RoundRow)
        .where(RoundRow.challenges_to_log(), *closed, ~_something_waits())
        .order_by(RoundRow.closed_at, RoundRow.round_id)
        .limit(max(0, batch.room))
    )
    for row in site.session.scalars(waiting).all():
        row.close_leaf_index = batch.append(_close_leaf(site, row, None))


def _append_later_acts(site: Site, batch: _Batch) -> None:
    """Log what was done to runs of closed rounds, behind their CLOSE: also in a successor, which tells it again."""
    waiting = stored.waiting_acts(site.session, max(0, batch.room), after_close=True)
    acted = [{"withdrawal_id": act.withdrawal_id, "leaf_index": batch.append(_act_leaf(act))} for act in waiting]
    if acted:
        site.session.execute(update(WithdrawalRow), acted)


def _something_waits() -> ColumnElement[bool]:
    """Tell of a round whether a run is not logged yet, or something that was done to one before the close."""
    of_round = RunRow.round_id == RoundRow.round_id
    before_close = (WithdrawalRow.leaf_index.is_(None), ~WithdrawalRow.after_close)
    act = exists().where(*before_close, WithdrawalRow.run_id == RunRow.run_id, of_round)
    return or_(exists().where(RunRow.queued(), of_round), act)


def _close_leaf(site: Site, row: RoundRow, day: DayRow | None) -> leaves.CloseLeaf:
    closed_at, day_secret = (day.closed_at, day.day_secret) if day else (row.closed_at, bytes(32))
    if row.seed is None or day_secret is None or closed_at is None:
        raise JournalDisagrees(
            f"round {row.round_id} is closed, but its seed or its day's secret is not stored. {WHAT_TO_DO}"
        )
    ranked = _ranking(site, row.round_id)
    return leaves.CloseLeaf(closed_at, row.round_id, row.seed, day_secret, len(ranked), ranking_hash(ranked))


def _ranking(site: Site, round_id: str) -> list[RankedRun]:
    """Return what was ranked, in the order of the board. Refuses runs or an order that the log does not bear out."""
    judged: dict[UUID, JudgedRun] = {}
    for run in site.session.execute(logged_runs().where(RunRow.round_id == round_id, RunRow.to_log)):
        commitment = run_commitment(run.salt, bytes_of(run))
        leaf = leaves.decode(run.leaf or b"")
        if not isinstance(leaf, leaves.RunLeaf) or (leaf.run_id, leaf.commitment) != (run.run_id.bytes, commitment):
            raise JournalDisagrees(f"run {run.run_id} is not the one that was logged. {WHAT_TO_DO}")
        judged[run.run_id] = JudgedRun(
            run.run_id.bytes, commitment, run.player_tag, run.score, run.given_away_milli or 0
        )
    ranked: list[RankedRun] = []
    last_key = None
    board = Board(round_id, logged=True, at_close=True)
    for place, (_, run_id, key) in enumerate(best_runs(site.session, board), start=1):
        ranked.append(RankedRun(ranked[-1].rank if key == last_key else place, judged[run_id]))
        last_key = key
    if tuple(ranked) != rank(judged.values(), _withdrawn(site, round_id)):
        raise JournalDisagrees(f"the board of round {round_id} is not in the order of the protocol. {WHAT_TO_DO}")
    return ranked


def _withdrawn(site: Site, round_id: str) -> set[bytes]:
    """Return the runs of a round that are withdrawn by what the log says so far."""
    withdrawn: set[bytes] = set()
    for leaf in map(leaves.decode, stored.acts_on(site.session, round_id)):
        if isinstance(leaf, leaves.WithdrawLeaf):
            withdrawn.add(leaf.run_id)
        elif isinstance(leaf, leaves.ReinstateLeaf):
            withdrawn.discard(leaf.run_id)
    return withdrawn


def _sign(site: Site, frontier: Frontier) -> None:
    key = site.secrets.log_key
    root = frontier.root()
    note = sign_checkpoint(Checkpoint(key.name, frontier.size, root), key)
    site.session.add(CheckpointRow(size=frontier.size, root=root, note=note, signed_at=site.clock()))
