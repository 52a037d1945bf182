"""One expression in the words of each database, side by side."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql import operators
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.visitors import InternalTraversal
from sqlalchemy.types import TypeEngine


class Either(ColumnElement[Any]):
    """Compiles to the one or the other expression; the type is PostgreSQL's unless it is given."""

    _traverse_internals = [  # noqa: RUF012 - as SQLAlchemy has it
        ("postgresql", InternalTraversal.dp_clauseelement),
        ("sqlite", InternalTraversal.dp_clauseelement),
        ("type", InternalTraversal.dp_type),
    ]

    def __init__(
        self, *, postgresql: ColumnElement[Any], sqlite: ColumnElement[Any], type_: TypeEngine[Any] | None = None
    ) -> None:
        self.postgresql = postgresql.self_group(operators.getitem)
        self.sqlite = sqlite.self_group(operators.getitem)
        self.type = type_ or postgresql.type

    def self_group(self, against: Any = None) -> Either:
        """Itself: both sides carry their own parentheses, and a condition needs no `= 1` on SQLite."""
        return self

    @property
    def _from_objects(self) -> Any:
        return self.postgresql._from_objects


@compiles(Either)
def _postgresql(element: Either, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.postgresql, **options)


@compiles(Either, "sqlite")
def _sqlite(element: Either, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.sqlite, **options)
