"""The log: leaves, nodes, checkpoints, and where in it chains, rounds and runs are."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_COLUMNS = (("chains", "leaf_index"), ("rounds", "leaf_index"), ("rounds", "close_leaf_index"))
_OF_DAYS = ["day", "round_id"]
_INDEXES: tuple[tuple[str, str, list[str], str], ...] = (
    ("ix_rounds_not_logged", "rounds", _OF_DAYS, "day IS NOT NULL AND leaf_index IS NULL"),
    ("ix_rounds_close_not_logged", "rounds", _OF_DAYS, "day IS NOT NULL AND close_leaf_index IS NULL"),
    ("ix_runs_not_logged", "runs", ["accepted_at", "run_id"], "to_log AND coalesce(leaf_index, -1) < 0"),
)


def upgrade() -> None:
    op.create_table(
        "leaves",
        sa.Column("leaf_index", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("leaf", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("leaf_index", name=op.f("pk_leaves")),
    )
    op.create_table(
        "nodes",
        sa.Column("level", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("number", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("level", "number", name=op.f("pk_nodes")),
    )
    op.create_table(
        "checkpoints",
        sa.Column("size", sa.BigInteger(), autoincrement=False, nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.Column("note", sa.LargeBinary(), nullable=False),
        sa.Column("signed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("size", name=op.f("pk_checkpoints")),
    )
    op.create_table(
        "logged_rulesets",
        sa.Column("ruleset_hash", sa.LargeBinary(), nullable=False),
        sa.Column("leaf_index", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("ruleset_hash", name=op.f("pk_logged_rulesets")),
    )
    for table, column in _COLUMNS:  # plain ALTER TABLE: on SQLite a copy of `rounds` would break what refers to it
        op.add_column(table, sa.Column(column, sa.BigInteger(), nullable=True))
    for name, table, columns, condition in _INDEXES:
        for_sqlite = condition.replace("to_log", "to_log = 1")  # as SQLAlchemy asks for it: else it is not used
        op.create_index(name, table, columns, postgresql_where=sa.text(condition), sqlite_where=sa.text(for_sqlite))


def downgrade() -> None:
    for name, table, *_ in _INDEXES:
        op.drop_index(name, table)
    for table, column in reversed(_COLUMNS):
        op.drop_column(table, column)
    for table in ("logged_rulesets", "checkpoints", "nodes", "leaves"):
        op.drop_table(table)
