"""An INSERT that can say ON CONFLICT."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import Connection, Select, true
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler


class insert(postgresql.Insert):  # noqa: N801 - reads as the verb that it is
    """The one spelling, for both databases."""

    inherit_cache = True


def takes_what_moved(conn: Connection) -> bool:
    """Whether an INSERT may take its rows from an UPDATE that is part of it."""
    return conn.dialect.name == "postgresql"


@compiles(insert, "sqlite")
def _sqlite(statement: insert, compiler: SQLCompiler, **options: Any) -> str:
    """After a SELECT without WHERE, SQLite would take ON CONFLICT for the ON of a join."""
    rows = statement.select
    if isinstance(rows, Select) and rows.whereclause is None:
        statement = statement._clone()
        statement.select = rows.where(true())
    compile_insert: Callable[..., str] = compiler.visit_insert
    return compile_insert(statement, **options)
