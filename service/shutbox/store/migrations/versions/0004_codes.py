"""Codes by which a player moves to another device, and what finds everything that a deletion removes."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "codes",
        sa.Column("code_hash", sa.LargeBinary(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(length=16), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["player_id"], ["players.player_id"], name=op.f("fk_codes_player_id")),
        sa.PrimaryKeyConstraint("code_hash", name=op.f("pk_codes")),
        sa.UniqueConstraint("player_id", "kind", name=op.f("uq_codes_player_id_kind")),
    )
    op.create_index(op.f("ix_rounds_owner_id"), "rounds", ["owner_id"])
    op.create_index(op.f("ix_idempotency_keys_round_id"), "idempotency_keys", ["round_id"])


def downgrade() -> None:
    op.drop_index(op.f("ix_idempotency_keys_round_id"), "idempotency_keys")
    op.drop_index(op.f("ix_rounds_owner_id"), "rounds")
    op.drop_table("codes")
