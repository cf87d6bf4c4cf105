"""Leagues, challenges, withdrawals, held names, scopes of tokens, and the audit trail."""

import unicodedata

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    _players()
    _runs()
    _leagues()
    op.create_table(
        "challenges",
        sa.Column("round_id", sa.String(length=80), nullable=False),
        sa.Column("most_players", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["round_id"], ["rounds.round_id"], name=op.f("fk_challenges_round_id")),
        sa.PrimaryKeyConstraint("round_id", name=op.f("pk_challenges")),
    )
    op.add_column("rounds", sa.Column("closed_at", sa.BigInteger(), nullable=True))
    closed = "UPDATE rounds SET closed_at = (SELECT days.closed_at FROM days WHERE days.day = rounds.day)"
    op.execute(f"{closed} WHERE day IS NOT NULL")
    running = sa.text("kind = 'challenge' AND close_leaf_index IS NULL")
    op.create_index(
        "ix_rounds_challenge_not_logged",
        "rounds",
        ["created_at", "round_id"],
        sqlite_where=running,
        postgresql_where=running,
    )
    op.create_table(
        "audit",
        sa.Column("audit_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(length=16), nullable=False),
        sa.Column("act", sa.String(length=32), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=True),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.player_id"], name=op.f("fk_audit_player_id")),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_audit_run_id")),
        sa.PrimaryKeyConstraint("audit_id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_player_id"), "audit", ["player_id"])


def downgrade() -> None:
    """Leagues, challenges and withdrawals are forgotten; what was logged of them stays in the log."""
    keys = sa.text("DELETE FROM idempotency_keys WHERE round_id IS NULL")
    op.get_bind().execute(keys)
    with op.batch_alter_table("idempotency_keys") as table:
        table.drop_constraint("fk_idempotency_keys_league_id", type_="foreignkey")
        table.drop_column("league_id")
        table.alter_column("round_id", existing_type=sa.String(length=80), nullable=False)
    for name in ("audit", "challenges", "league_members", "league_codes", "leagues", "withdrawn_runs", "withdrawals"):
        op.drop_table(name)
    op.drop_table("held_names")
    op.drop_index("ix_rounds_challenge_not_logged", "rounds")
    op.drop_column("rounds", "closed_at")
    op.drop_column("codes", "used_key")
    for table_name, columns in (
        ("tokens", ("last_used", "browser", "scopes")),
        ("players", ("banned_at", "hidden_at")),
    ):
        for column in columns:
            op.drop_column(table_name, column)


def _players() -> None:
    op.add_column("players", sa.Column("hidden_at", sa.BigInteger(), nullable=True))
    op.add_column("players", sa.Column("banned_at", sa.BigInteger(), nullable=True))
    op.add_column("codes", sa.Column("used_key", sa.LargeBinary(), nullable=True))
    op.create_table(
        "held_names",
        sa.Column("name_hash", sa.LargeBinary(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=True),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["player_id"], ["players.player_id"], name=op.f("fk_held_names_player_id")),
        sa.PrimaryKeyConstraint("name_hash", name=op.f("pk_held_names")),
    )
    op.create_index(op.f("ix_held_names_player_id"), "held_names", ["player_id"])
    every = sa.Column("scopes", sa.String(length=64), nullable=False, server_default="play read league")
    op.add_column("tokens", every)
    op.add_column("tokens", sa.Column("browser", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("tokens", sa.Column("last_used", sa.Date(), nullable=True))
    with op.batch_alter_table("tokens") as table:
        table.alter_column("scopes", existing_type=sa.String(length=64), server_default=None)
        table.alter_column("browser", existing_type=sa.Boolean(), server_default=None)
    _compare_names_anew()
    known = sa.text("UPDATE tokens SET last_used = CURRENT_DATE")  # else all guests would seem to be gone for long
    op.get_bind().execute(known)


def _compare_names_anew() -> None:
    """Names are the same now if their letters are, however wide or styled; of two that became so both are kept."""
    connection = op.get_bind()
    names = sa.text("SELECT player_id, name, name_key FROM players WHERE name IS NOT NULL ORDER BY player_id")
    anew = sa.text(
        "UPDATE players SET name_key = :key WHERE player_id = :id "
        "AND NOT EXISTS (SELECT 1 FROM players AS other WHERE other.name_key = :key)"
    )
    for player_id, name, key in connection.execute(names).all():
        compared = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
        if compared != key:
            connection.execute(anew, {"key": compared, "id": player_id})


def _runs() -> None:
    op.create_table(
        "withdrawals",
        sa.Column("withdrawal_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("reason", sa.Integer(), nullable=True),
        sa.Column("note", sa.String(length=200), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("after_close", sa.Boolean(), nullable=False),
        sa.Column("leaf_index", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_withdrawals_run_id")),
        sa.PrimaryKeyConstraint("withdrawal_id", name=op.f("pk_withdrawals")),
    )
    op.create_index(op.f("ix_withdrawals_run_id"), "withdrawals", ["run_id"])
    waiting = sa.text("leaf_index IS NULL")
    op.create_index(
        "ix_withdrawals_not_logged", "withdrawals", ["withdrawal_id"], sqlite_where=waiting, postgresql_where=waiting
    )
    op.create_table(
        "withdrawn_runs",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.run_id"], name=op.f("fk_withdrawn_runs_run_id")),
        sa.PrimaryKeyConstraint("run_id", name=op.f("pk_withdrawn_runs")),
    )


def _leagues() -> None:
    op.create_table(
        "leagues",
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(length=64), nullable=False),
        sa.Column("owner_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["players.player_id"], name=op.f("fk_leagues_owner_id")),
        sa.PrimaryKeyConstraint("league_id", name=op.f("pk_leagues")),
    )
    op.create_index(op.f("ix_leagues_owner_id"), "leagues", ["owner_id"])
    op.create_table(
        "league_codes",
        sa.Column("code", sa.String(length=16), nullable=False),
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.league_id"], name=op.f("fk_league_codes_league_id")),
        sa.PrimaryKeyConstraint("code", name=op.f("pk_league_codes")),
    )
    op.create_index(op.f("ix_league_codes_league_id"), "league_codes", ["league_id"])
    op.create_table(
        "league_members",
        sa.Column("league_id", sa.Uuid(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("joined_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["league_id"], ["leagues.league_id"], name=op.f("fk_league_members_league_id")),
        sa.ForeignKeyConstraint(["player_id"], ["players.player_id"], name=op.f("fk_league_members_player_id")),
        sa.PrimaryKeyConstraint("league_id", "player_id", name=op.f("pk_league_members")),
    )
    op.create_index(op.f("ix_league_members_player_id"), "league_members", ["player_id"])
    with op.batch_alter_table("idempotency_keys") as table:
        table.alter_column("round_id", existing_type=sa.String(length=80), nullable=True)
        table.add_column(sa.Column("league_id", sa.Uuid(), nullable=True))
        table.create_foreign_key("fk_idempotency_keys_league_id", "leagues", ["league_id"], ["league_id"])
