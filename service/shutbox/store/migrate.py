"""Migrating the database to this version: a command, never an effect of starting the web."""

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from filelock import FileLock
from sqlalchemy import Engine, text

from .database import MIGRATIONS

_LOCK = 7_326_881  # any number of ours


def migrate(engine: Engine) -> None:
    """Bring the database to the newest migration; of several processes one does it and the others wait."""
    config = _config()
    if engine.dialect.name == "sqlite":
        with FileLock(f"{engine.url.database}.migrating"), engine.connect() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            return
    with engine.connect() as connection:
        connection.execute(text(f"SELECT pg_advisory_lock({_LOCK})"))
        connection.commit()
        try:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
        finally:
            connection.rollback()
            connection.execute(text(f"SELECT pg_advisory_unlock({_LOCK})"))
            connection.commit()


def newest_migration() -> str:
    """Return the id of the migration that this version of the code needs."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    if head is None:
        raise LookupError("there are no migrations")
    return head


def _config() -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    return config
