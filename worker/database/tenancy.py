"""A tenant's own place: a schema within a server, a file beside a file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import (
    URL,
    BindParameter,
    Connection,
    Engine,
    FromClause,
    Select,
    Text,
    func,
    literal_column,
    make_url,
    select,
    text,
    true,
)
from sqlalchemy import cast as sql_cast
from sqlalchemy.schema import CreateSchema

from worker.database.hints import serialise
from worker.database.roles import APP_RW, OWNER
from worker.database.rows import EitherRows

_ATTACHED = "tenant"
_LOCK_TIMEOUT = "800ms"
_GRANTS = (
    f"GRANT USAGE ON SCHEMA {{schema}} TO {APP_RW}",
    f"GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA {{schema}} TO {APP_RW}",
    f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {{schema}} TO {APP_RW}",
    f"ALTER DEFAULT PRIVILEGES IN SCHEMA {{schema}} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO {APP_RW}",
    f"ALTER DEFAULT PRIVILEGES IN SCHEMA {{schema}} GRANT USAGE ON SEQUENCES TO {APP_RW}",
    f"REVOKE ALL ON {{schema}}.alembic_version FROM {APP_RW}",
)
_IS_THERE = text("SELECT FROM pg_namespace WHERE nspname = :of_name")
_WHOSE = text("SELECT id FROM control.tenants WHERE schema_name = current_schema()")
_OWN_ROWS = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid"
_app_rw = literal_column(f"'{APP_RW}'", Text)


def entrance(tenants: FromClause, tenant_id: BindParameter[Any]) -> Select[Any]:
    """Who the tenant is and whether its place `is_open`; and the way in, all of which ends with the transaction.

    On a server: a role under row security, the tenant's schema as the only place where names are looked up, and the
    tenant whose rows there are.
    """
    schema = func.quote_ident(tenants.c.schema_name)
    may_enter = func.has_schema_privilege(_app_rw, func.to_regnamespace(schema), literal_column("'USAGE'"))
    known = select(tenants.c.schema_name).where(tenants.c.id == tenant_id)
    way_in = known.add_columns(
        func.set_config("role", _app_rw, true()),
        func.set_config("search_path", schema, true()),
        func.set_config("app.tenant_id", sql_cast(tenants.c.id, Text), true()),
        func.coalesce(may_enter, literal_column("false")).label("is_open"),
    )
    return EitherRows(postgresql=way_in, sqlite=known.add_columns(true().label("is_open")))


def open_place(conn: Connection, schema_name: str) -> bool:
    """Have the tenant's file at hand until `leave`; False while there is none. On a server `entrance` did it all."""
    if conn.dialect.name != "sqlite":
        return True
    path = beside(conn.engine.url, schema_name)
    if not path.exists():
        return False
    conn.exec_driver_sql(f"ATTACH DATABASE ? AS {_ATTACHED}", (str(path),))
    # Asked beside the transaction: one that has read of a file does not wait for whoever is still writing to it
    with closing(sqlite3.connect(path)) as beside_it:
        (tables_were_made,) = beside_it.execute("PRAGMA schema_version").fetchone()
    return bool(tables_were_made > 0)


def leave(conn: Connection) -> None:
    """Let go of the tenant's file, so that whoever has the connection next finds none."""
    if conn.dialect.name != "sqlite" or conn.invalidated:
        return
    session: Any = conn.connection.dbapi_connection
    if not any(name == _ATTACHED for _, name, _ in session.execute("PRAGMA database_list")):
        return
    try:
        session.execute(f"DETACH DATABASE {_ATTACHED}")
    except sqlite3.OperationalError:  # somebody still reads rows of it
        conn.invalidate()


def beside(url: URL | str, schema_name: str) -> Path:
    """Where a tenant's file lies: beside the database's own, under its name."""
    file = Path(make_url(url).database or "")
    return file.with_name(f"{file.stem}-{schema_name}{file.suffix}")


def with_tables(conn: Connection, tenants: FromClause) -> list[Any]:
    """The tenants whose place has tables already."""
    known = select(tenants).order_by(tenants.c.slug)
    if conn.dialect.name == "sqlite":
        return [each for each in conn.execute(known) if beside(conn.engine.url, each.schema_name).exists()]
    versions = func.to_regclass(func.quote_ident(tenants.c.schema_name).concat(".alembic_version"))
    return list(conn.execute(known.where(versions.is_not(None))))


@contextmanager
def owning(engine: Engine, schema_name: str) -> Iterator[Connection]:
    """One transaction on a server as the owner of the tenant's schema, in which names are looked up there alone.

    It has all the time it needs, but waits for nobody for long: not for another who is at the same schema, nor for a
    table's lock, behind which the tenant's work would queue.
    """
    with engine.begin() as conn:
        conn.execute(text(f"SET LOCAL ROLE {OWNER}"))
        conn.execute(text("SET LOCAL statement_timeout = 0"))
        conn.execute(text(f"SET LOCAL lock_timeout = '{_LOCK_TIMEOUT}'"))
        serialise(conn, f"watchfloor {schema_name}")
        conn.execute(select(func.set_config("search_path", func.quote_ident(schema_name), true())))
        yield conn


def create_schema(conn: Connection, schema_name: str) -> None:
    """Make the schema of a tenant, unless it is there.

    The table of schemas is asked, for IF NOT EXISTS may go by what the session knew before it waited (A-26).
    """
    if conn.execute(_IS_THERE, {"of_name": schema_name}).first() is None:
        conn.execute(CreateSchema(schema_name))


def grant_schema(conn: Connection, schema_name: str) -> None:
    """Let app_rw work in all tables of a schema, and in those that its owner will make there; versions are no work."""
    schema = conn.dialect.identifier_preparer.quote_identifier(schema_name)
    for statement in _GRANTS:
        conn.exec_driver_sql(statement.format(schema=schema))


def walls(conn: Connection, table: str) -> tuple[str, ...]:
    """What shows each tenant its own rows of a table alone, even to the table's owner; a file needs no walls.

    A schema is one tenant's: nobody leaves rows in another's, where they would be unseen and yet in the way.
    """
    if conn.dialect.name == "sqlite":
        return ()
    whose: UUID = conn.execute(_WHOSE).scalar_one()
    return (
        f"ALTER TABLE {table} ENABLE ROW LEVEL SECURITY",
        f"ALTER TABLE {table} FORCE ROW LEVEL SECURITY",
        f"CREATE POLICY own_rows ON {table} USING ({_OWN_ROWS} AND tenant_id = '{whose}')",
    )
