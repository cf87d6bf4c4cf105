"""Successors of a log: what has ended, and the times that leaves are made of again."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "successions",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("origin", sa.String(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("root", sa.LargeBinary(), nullable=False),
        sa.Column("successor", sa.String(), nullable=False),
        sa.Column("succeeded_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("number", name=op.f("pk_successions")),
    )
    op.add_column("chains", sa.Column("created_at", sa.BigInteger(), nullable=True))
    logged = _times("chains", "chain_id")
    for chain_id, _, t in logged:
        update = sa.text("UPDATE chains SET created_at = :t WHERE chain_id = :chain_id")
        op.get_bind().execute(update, {"t": t, "chain_id": chain_id})
    rulesets = _times("logged_rulesets", "ruleset_hash")
    op.drop_table("logged_rulesets")
    _create_logged_rulesets(sa.Column("queued_at", sa.BigInteger(), nullable=False), index_may_be_null=True)
    for ruleset_hash, leaf_index, t in rulesets:
        insert = sa.text("INSERT INTO logged_rulesets (ruleset_hash, queued_at, leaf_index) VALUES (:hash, :t, :index)")
        op.get_bind().execute(insert, {"hash": ruleset_hash, "t": t, "index": leaf_index})


def downgrade() -> None:
    """A successor cannot be taken back: what its log holds stays, and what it succeeded is forgotten."""
    select = sa.text("SELECT ruleset_hash, leaf_index FROM logged_rulesets WHERE leaf_index IS NOT NULL")
    rulesets = op.get_bind().execute(select).all()
    op.drop_table("logged_rulesets")
    _create_logged_rulesets(index_may_be_null=False)
    for ruleset_hash, leaf_index in rulesets:
        insert = sa.text("INSERT INTO logged_rulesets (ruleset_hash, leaf_index) VALUES (:hash, :index)")
        op.get_bind().execute(insert, {"hash": ruleset_hash, "index": leaf_index})
    op.drop_column("chains", "created_at")
    op.drop_table("successions")


def _create_logged_rulesets(*columns: "sa.Column[int]", index_may_be_null: bool) -> None:
    """Make the table anew, since SQLite cannot let a column be null afterwards; nothing refers to it."""
    op.create_table(
        "logged_rulesets",
        sa.Column("ruleset_hash", sa.LargeBinary(), nullable=False),
        *columns,
        sa.Column("leaf_index", sa.BigInteger(), nullable=index_may_be_null),
        sa.PrimaryKeyConstraint("ruleset_hash", name=op.f("pk_logged_rulesets")),
    )


def _times(table: str, key: str) -> list[tuple[bytes, int, int]]:
    """Return the key of each row that is logged, the index of its leaf, and the leaf's t."""
    select = sa.text(
        f"SELECT {key}, leaf_index, leaf FROM {table} JOIN leaves USING (leaf_index)"  # noqa: S608  (names of ours)
    )
    found = op.get_bind().execute(select)
    return [(bytes(id), index, int.from_bytes(bytes(leaf)[2:10], "big")) for id, index, leaf in found]
