"""Opening a database: SQLite for one machine, PostgreSQL by its address; both get the newest tables first."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from semildp.errors import InputError

WRITE = "semildp_write"  # execution option of a connection that will write
BUSY_SECONDS = 10  # for another process's transaction to end, before a refusal
CACHE_KILOBYTES = 32_768  # of each of SQLite's connections: the index of 300,000 tokens
LOG_PAGES = 8_000  # of 4 KiB in SQLite's log before they are moved to the file; by trial, batches gain from it
# The connection that was used last is used next: SQLite's cache of one is void once another has written.
_CONNECTIONS: dict[str, Any] = {"pool_size": 4, "max_overflow": 4, "pool_use_lifo": True}
_MIGRATING = 0x73656D69  # any fixed number: the name of the lock


def open_engine(url: str) -> Engine:
    """Return an engine with durable commits; statements' values are in no error message."""
    try:
        address = make_url(url)
    except ArgumentError:
        raise InputError("The database must be given as sqlite:///file or postgresql://user@host/name.") from None
    if address.get_backend_name() == "sqlite":
        engine = create_engine(address, hide_parameters=True, connect_args={"timeout": BUSY_SECONDS}, **_CONNECTIONS)
        event.listen(engine, "connect", _sqlite_connected)
        event.listen(engine, "begin", _sqlite_begin)
        return engine
    if address.get_backend_name() != "postgresql":
        raise InputError(f"The database must be SQLite or PostgreSQL. Got {address.get_backend_name()!r}.")
    arguments = {
        "connect_timeout": BUSY_SECONDS,
        "options": f"-c synchronous_commit=on -c lock_timeout={BUSY_SECONDS}s -c statement_timeout=300s "
        "-c idle_in_transaction_session_timeout=300s",
    }
    address = address.set(drivername="postgresql+psycopg")
    return create_engine(address, hide_parameters=True, pool_pre_ping=True, connect_args=arguments, **_CONNECTIONS)


def _sqlite_connected(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # transactions are begun below, not by the driver
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "secure_delete=ON",
        f"cache_size=-{CACHE_KILOBYTES}",
        f"wal_autocheckpoint={LOG_PAGES}",
        f"busy_timeout={BUSY_SECONDS * 1000}",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _sqlite_begin(connection: Connection) -> None:
    write = connection.get_execution_options().get(WRITE, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")


def migrate(engine: Engine, form: str = "head") -> None:
    """Bring the tables to the newest form, or to a given one; of several processes that start, one does it."""
    config = Config()
    config.set_main_option("script_location", str(files("semildp.service") / "migrations"))
    config.set_main_option("path_separator", "os")
    with engine.connect().execution_options(**{WRITE: True}) as connection, connection.begin():
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_MIGRATING})")
        config.attributes["connection"] = connection
        command.upgrade(config, form)
