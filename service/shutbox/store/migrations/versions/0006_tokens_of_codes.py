"""Which token the use of a code has given: a repeated use replaces it."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("codes", sa.Column("token_id", sa.Uuid(), nullable=True))


def downgrade() -> None:
    op.drop_column("codes", "token_id")
