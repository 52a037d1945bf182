"""Tables in the words of each database."""

from __future__ import annotations

from typing import Any

from sqlalchemy import CheckConstraint, Connection, text


def check(name: str, *, postgresql: str, sqlite: str) -> tuple[CheckConstraint, CheckConstraint]:
    """A CHECK constraint in the words of each database."""
    return (
        CheckConstraint(postgresql, name=name).ddl_if(dialect="postgresql"),
        CheckConstraint(sqlite, name=name).ddl_if(dialect="sqlite"),
    )


def bounded(postgresql: str, sqlite: str | None = None) -> dict[str, Any]:
    """What an index is bounded to, for `Index(…, **bounded("status = 'failed'"))`."""
    return {"postgresql_where": text(postgresql), "sqlite_where": text(sqlite or postgresql)}


def schema_of(conn: Connection) -> str | None:
    """The schema that the tables stand in; None in a file, which has none."""
    return None if conn.dialect.name == "sqlite" else "control"
