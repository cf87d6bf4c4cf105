"""The tables. Times are unix milliseconds, sets of tiles are masks, ids are UUIDv7 made by the application."""

from datetime import date
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Date,
    ForeignKey,
    Index,
    LargeBinary,
    MetaData,
    String,
    UniqueConstraint,
    Uuid,
    and_,
    literal_column,
    text,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

Milliseconds = BigInteger


def _waiting_for_the_log(name: str, condition: str, *columns: str) -> Index:
    """Return an index of the few rows that are not logged yet: the log looks for them each second."""
    for_sqlite = condition.replace("to_log", "to_log = 1")  # as SQLAlchemy asks for it: else it is not used
    return Index(name, *columns, postgresql_where=text(condition), sqlite_where=text(for_sqlite))


class Base(DeclarativeBase):
    """The base of all rows; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class ChainRow(Base):
    """What is public of a chain of day secrets."""

    __tablename__ = "chains"
    chain_id: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    first_day: Mapped[date] = mapped_column(Date)
    length: Mapped[int]
    anchor: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[int | None] = mapped_column(Milliseconds)  # null: from before this was stored
    leaf_index: Mapped[int | None] = mapped_column(BigInteger)  # of its CHAIN leaf


class DayRow(Base):
    """A day of the daily; its secret is stored when it is disclosed."""

    __tablename__ = "days"
    day: Mapped[date] = mapped_column(Date, primary_key=True)
    chain_id: Mapped[bytes] = mapped_column(ForeignKey("chains.chain_id"))
    link: Mapped[int]
    day_secret: Mapped[bytes | None] = mapped_column(LargeBinary)
    closed_at: Mapped[int | None] = mapped_column(Milliseconds)


class RoundRow(Base):
    """A round: the gate of every write to it. `state` only moves forward; `seed` is stored when it is disclosed."""

    __tablename__ = "rounds"
    __table_args__ = (
        Index(None, "state", "closes_at"),
        _waiting_for_the_log("ix_rounds_not_logged", "day IS NOT NULL AND leaf_index IS NULL", "day", "round_id"),
        _waiting_for_the_log(
            "ix_rounds_close_not_logged", "day IS NOT NULL AND close_leaf_index IS NULL", "day", "round_id"
        ),
        _waiting_for_the_log(
            "ix_rounds_challenge_not_logged",
            "kind = 'challenge' AND close_leaf_index IS NULL",
            "created_at",
            "round_id",
        ),
    )
    round_id: Mapped[str] = mapped_column(String(80), primary_key=True)
    kind: Mapped[str] = mapped_column(String(16))
    mode: Mapped[str] = mapped_column(String(8))
    ruleset_hash: Mapped[bytes] = mapped_column(LargeBinary)
    day: Mapped[date | None] = mapped_column(ForeignKey("days.day"), index=True)
    owner_id: Mapped[UUID | None] = mapped_column(ForeignKey("players.player_id"), index=True)
    commitment: Mapped[bytes] = mapped_column(LargeBinary)
    given_seed: Mapped[bytes | None] = mapped_column(LargeBinary)  # a practice seed that its owner chose
    seed: Mapped[bytes | None] = mapped_column(LargeBinary)
    created_at: Mapped[int] = mapped_column(Milliseconds)
    opens_at: Mapped[int] = mapped_column(Milliseconds)
    entries_until: Mapped[int] = mapped_column(Milliseconds)
    closes_at: Mapped[int] = mapped_column(Milliseconds)
    state: Mapped[int]  # the state that was reached, as a rounds.State
    closed_at: Mapped[int | None] = mapped_column(Milliseconds)  # null of practice that closed in 0004
    best_possible_penalty: Mapped[int | None] = mapped_column(BigInteger)
    missed_placements: Mapped[int] = mapped_column(default=0)  # that Redis missed: above 0 ranks come from SQL
    leaf_index: Mapped[int | None] = mapped_column(BigInteger)  # of its ROUND leaf
    close_leaf_index: Mapped[int | None] = mapped_column(BigInteger)

    @staticmethod
    def challenges_to_log() -> ColumnElement[bool]:
        """Challenges whose close is not logged, in the words of their index: a parameter would not be found in it."""
        return and_(RoundRow.kind == literal_column("'challenge'"), RoundRow.close_leaf_index.is_(None))


class PlayerRow(Base):
    """A player; a guest has no name. `name_key` is the name as it is compared."""

    __tablename__ = "players"
    player_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    name: Mapped[str | None] = mapped_column(String(32))
    name_key: Mapped[str | None] = mapped_column(String(128), unique=True)
    bot: Mapped[bool]
    created_at: Mapped[int] = mapped_column(Milliseconds)
    deleted_at: Mapped[int | None] = mapped_column(Milliseconds)
    hidden_at: Mapped[int | None] = mapped_column(Milliseconds)  # by the operator: the name is not shown
    banned_at: Mapped[int | None] = mapped_column(Milliseconds)  # by the operator: nothing more is written


class HeldNameRow(Base):
    """A name, as its hash only, that its player (null: deleted) gave up, and that nobody else may take before then."""

    __tablename__ = "held_names"
    name_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    player_id: Mapped[UUID | None] = mapped_column(ForeignKey("players.player_id"), index=True)
    until: Mapped[int] = mapped_column(Milliseconds)


class TokenRow(Base):
    """A token, as its hash only."""

    __tablename__ = "tokens"
    token_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.player_id"), index=True)
    label: Mapped[str] = mapped_column(String(64))
    scopes: Mapped[str] = mapped_column(String(64))  # words of play, read, league
    browser: Mapped[bool]  # it is the cookie of a browser: a session
    created_at: Mapped[int] = mapped_column(Milliseconds)
    last_used: Mapped[date | None] = mapped_column(Date)


class CodeRow(Base):
    """A code that lets another device act for a player, as its hash only; a new one of its kind replaces it."""

    __tablename__ = "codes"
    __table_args__ = (UniqueConstraint("player_id", "kind"),)
    code_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.player_id"))
    kind: Mapped[str] = mapped_column(String(16))
    created_at: Mapped[int] = mapped_column(Milliseconds)
    expires_at: Mapped[int | None] = mapped_column(Milliseconds)  # null: it has no end
    used_at: Mapped[int | None] = mapped_column(Milliseconds)
    used_key: Mapped[bytes | None] = mapped_column(LargeBinary)  # hash of the Idempotency-Key that it was used with
    token_id: Mapped[UUID | None] = mapped_column(Uuid)  # that its use has given, which may have been ended


class EntryRow(Base):
    """A player's part in a round. `player_tag` stands for the player in the bytes of its runs."""

    __tablename__ = "entries"
    __table_args__ = (UniqueConstraint("round_id", "player_id"),)
    entry_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    round_id: Mapped[str] = mapped_column(ForeignKey("rounds.round_id"))
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.player_id"), index=True)
    player_tag: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[int] = mapped_column(Milliseconds)


class AttemptRow(Base):
    """The one attempt of an entry on a sealed round."""

    __tablename__ = "attempts"
    attempt_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    entry_id: Mapped[UUID] = mapped_column(ForeignKey("entries.entry_id"), unique=True)
    started_at: Mapped[int] = mapped_column(Milliseconds)
    abandoned_at: Mapped[int | None] = mapped_column(Milliseconds)


class MoveRow(Base):
    """A decision of an attempt, a number of dice or a set of tiles; the key makes the first one the only one."""

    __tablename__ = "moves"
    attempt_id: Mapped[UUID] = mapped_column(ForeignKey("attempts.attempt_id"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    dice: Mapped[int | None]
    shut: Mapped[int | None]
    decided_at: Mapped[int] = mapped_column(Milliseconds)


class RunRow(Base):
    """A verified run; never changed but for `leaf_index`. Runs to be logged without one are the log's queue."""

    __tablename__ = "runs"
    __table_args__ = (
        UniqueConstraint("entry_id", "turns"),
        Index(None, "round_id", "rank_key", "run_id"),
        _waiting_for_the_log(
            "ix_runs_not_logged",
            "to_log AND coalesce(leaf_index, -1) < 0",
            "accepted_at",
            "run_id",
        ),
    )
    run_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    entry_id: Mapped[UUID] = mapped_column(ForeignKey("entries.entry_id"))
    round_id: Mapped[str] = mapped_column(ForeignKey("rounds.round_id"))
    turns: Mapped[bytes] = mapped_column(LargeBinary)
    open: Mapped[int]
    score: Mapped[int] = mapped_column(BigInteger)
    penalty: Mapped[int] = mapped_column(BigInteger)
    given_away_milli: Mapped[int | None] = mapped_column(BigInteger)  # of a sealed round
    rank_key: Mapped[int] = mapped_column(BigInteger)
    accepted_at: Mapped[int] = mapped_column(Milliseconds)
    salt: Mapped[bytes] = mapped_column(LargeBinary)
    to_log: Mapped[bool]
    leaf_index: Mapped[int | None] = mapped_column(BigInteger, unique=True)

    @staticmethod
    def queued() -> ColumnElement[bool]:
        """What the log's queue is; in other words SQLite would read all runs that are never logged instead."""
        return and_(RunRow.to_log, literal_column("coalesce(runs.leaf_index, -1)", BigInteger()) < literal_column("0"))


class WithdrawalRow(Base):
    """An operator's act on a run: withdrawn for a reason, or (without one) reinstated; only its leaf is added later."""

    __tablename__ = "withdrawals"
    __table_args__ = (_waiting_for_the_log("ix_withdrawals_not_logged", "leaf_index IS NULL", "withdrawal_id"),)
    withdrawal_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.run_id"), index=True)
    reason: Mapped[int | None]  # a tlog.leaves.WithdrawReason
    note: Mapped[str] = mapped_column(String(200))
    at: Mapped[int] = mapped_column(Milliseconds)  # the acts on one run are in this order
    after_close: Mapped[bool]  # the round had closed: its ranking at the close knows nothing of it
    leaf_index: Mapped[int | None] = mapped_column(BigInteger)


class WithdrawnRow(Base):
    """A run that is withdrawn now, which no board ranks."""

    __tablename__ = "withdrawn_runs"
    run_id: Mapped[UUID] = mapped_column(ForeignKey("runs.run_id"), primary_key=True)


class LeagueRow(Base):
    """Players joined by an invite code."""

    __tablename__ = "leagues"
    league_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    name: Mapped[str] = mapped_column(String(64))
    owner_id: Mapped[UUID] = mapped_column(ForeignKey("players.player_id"), index=True)
    created_at: Mapped[int] = mapped_column(Milliseconds)
    closed_at: Mapped[int | None] = mapped_column(Milliseconds)


class LeagueCodeRow(Base):
    """An invite code of a league; one that was replaced is kept, so that it can be told from one that never was."""

    __tablename__ = "league_codes"
    code: Mapped[str] = mapped_column(String(16), primary_key=True)
    league_id: Mapped[UUID] = mapped_column(ForeignKey("leagues.league_id"), index=True)
    created_at: Mapped[int] = mapped_column(Milliseconds)
    ended_at: Mapped[int | None] = mapped_column(Milliseconds)


class MemberRow(Base):
    """A player of a league."""

    __tablename__ = "league_members"
    league_id: Mapped[UUID] = mapped_column(ForeignKey("leagues.league_id"), primary_key=True)
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.player_id"), primary_key=True, index=True)
    joined_at: Mapped[int] = mapped_column(Milliseconds)


class ChallengeRow(Base):
    """What a challenge round has beside a round: how many may play it."""

    __tablename__ = "challenges"
    round_id: Mapped[str] = mapped_column(ForeignKey("rounds.round_id"), primary_key=True)
    most_players: Mapped[int]


class AuditRow(Base):
    """An act on a player or a run that its operator or its player can look up; never changed."""

    __tablename__ = "audit"
    audit_id: Mapped[UUID] = mapped_column(Uuid, primary_key=True)
    at: Mapped[int] = mapped_column(Milliseconds)
    actor: Mapped[str] = mapped_column(String(16))  # operator or player
    act: Mapped[str] = mapped_column(String(32))
    player_id: Mapped[UUID | None] = mapped_column(ForeignKey("players.player_id"), index=True)
    run_id: Mapped[UUID | None] = mapped_column(ForeignKey("runs.run_id"))
    note: Mapped[str] = mapped_column(String(200))


class LeafRow(Base):
    """A leaf of the log; never changed, and gone only with the whole log (see SuccessionRow)."""

    __tablename__ = "leaves"
    leaf_index: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    leaf: Mapped[bytes] = mapped_column(LargeBinary)


class NodeRow(Base):
    """The hash of a complete subtree of the log, by height and number from the left; never changed."""

    __tablename__ = "nodes"
    level: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    number: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    hash: Mapped[bytes] = mapped_column(LargeBinary)


class CheckpointRow(Base):
    """What was signed: a size of the log, its root, and the signed note; never changed."""

    __tablename__ = "checkpoints"
    size: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    root: Mapped[bytes] = mapped_column(LargeBinary)
    note: Mapped[bytes] = mapped_column(LargeBinary)
    signed_at: Mapped[int] = mapped_column(Milliseconds)


class LoggedRulesetRow(Base):
    """A ruleset that was logged; with `leaf_index` null in an earlier log only."""

    __tablename__ = "logged_rulesets"
    ruleset_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    queued_at: Mapped[int] = mapped_column(Milliseconds)  # t of its RULESET leaf
    leaf_index: Mapped[int | None] = mapped_column(BigInteger)


class SuccessionRow(Base):
    """The end of a log, and its successor, whose first leaf is made of the newest of these rows."""

    __tablename__ = "successions"
    number: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    origin: Mapped[str]  # of the log that ended, at this size and root
    size: Mapped[int] = mapped_column(BigInteger)
    root: Mapped[bytes] = mapped_column(LargeBinary)
    successor: Mapped[str]  # the origin of the log that follows
    succeeded_at: Mapped[int] = mapped_column(Milliseconds)


class IdempotencyRow(Base):
    """A key that a player sent with a request that makes a round or a league, and what it made."""

    __tablename__ = "idempotency_keys"
    player_id: Mapped[UUID] = mapped_column(ForeignKey("players.player_id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    request_hash: Mapped[bytes] = mapped_column(LargeBinary)
    round_id: Mapped[str | None] = mapped_column(ForeignKey("rounds.round_id"), index=True)
    league_id: Mapped[UUID | None] = mapped_column(ForeignKey("leagues.league_id"))


class LeaseRow(Base):
    """Who leads a task that one process should do, and until when; or until when a task was done."""

    __tablename__ = "leases"
    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    holder: Mapped[str] = mapped_column(String(64))
    until: Mapped[int] = mapped_column(Milliseconds)
