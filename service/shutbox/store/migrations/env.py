"""Alembic's entry: runs the migrations on the connection that `shutbox.store.migrate` hands over."""

from alembic import context
from shutbox.store.rows import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    transaction_per_migration=True,
    render_as_batch=connection.dialect.name == "sqlite",
)
with context.begin_transaction():
    context.run_migrations()
