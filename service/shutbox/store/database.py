"""The engine and its transactions: one durable commit before an answer, on SQLite and on PostgreSQL."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from flask_sqlalchemy import SQLAlchemy
from sqlalchemy import Connection, Engine, Table, event
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.orm import Session, scoped_session

from .rows import Base

AnySession = Session | scoped_session[Any]
AnyValue = TypeVar("AnyValue")

db = SQLAlchemy(model_class=Base, disable_autonaming=True)

MIGRATIONS = Path(__file__).parent / "migrations"

_BUSY_MS = 20_000


@contextmanager
def writing(session: AnySession) -> Iterator[None]:
    """Hold one write transaction: committed durably at the end, rolled back if anything is raised.

    On SQLite it takes the write lock at once: a transaction that reads first and then writes fails when
    another has written in between.
    """
    session.rollback()
    session.connection(execution_options={"sqlite_begin": "IMMEDIATE"})
    try:
        yield
        session.commit()
    except BaseException:
        session.rollback()
        raise


def streamed(session: AnySession, pages: Iterable[Iterable[AnyValue]]) -> Iterator[AnyValue]:
    """Yield the values of all pages while no transaction is open: who takes them may be slow.

    A page is read when it is reached, and holds plain values, no rows of the session.
    """
    for page in pages:
        session.rollback()
        yield from page
    session.rollback()


def insert_or_nothing(session: AnySession, table: Any, values: dict[str, Any]) -> bool:
    """Insert a row unless one with the same key stands; tell whether it was inserted."""
    dialect = postgresql if session.get_bind().dialect.name == "postgresql" else sqlite
    statement = dialect.insert(table).values(**values).on_conflict_do_nothing()
    key: Table = table.__table__
    return session.execute(statement.returning(*key.primary_key.columns)).first() is not None


def prepare_engine(engine: Engine) -> None:
    """Set up the connections of an engine."""
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _connect_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        event.listen(engine, "handle_error", _without_row)


def _connect_sqlite(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # the driver begins nothing by itself: see _begin_sqlite
    for pragma in (
        f"busy_timeout = {_BUSY_MS}",
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql(f"BEGIN {connection.get_execution_options().get('sqlite_begin', 'DEFERRED')}")


def _without_row(context: ExceptionContext) -> None:
    """Take out of an error what PostgreSQL says of the failing row: it can hold seeds and salts, and errors are logged.

    `hide_parameters` hides what was sent, not what comes back.
    """
    detail = getattr(getattr(context.original_exception, "diag", None), "message_detail", None)
    for error in (context.original_exception, context.sqlalchemy_exception):
        if detail and error is not None:
            error.args = tuple(str(part).replace(detail, "(not shown)") for part in error.args)
