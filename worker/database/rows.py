"""Rows that the two databases find by different means: a whole SELECT in the words of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import (
    ColumnElement,
    FromClause,
    Select,
    false,
    func,
    null,
    select,
    true,
    tuple_,
    type_coerce,
    union_all,
)
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.selectable import SelectBase
from sqlalchemy.sql.visitors import InternalTraversal


class EitherRows(Select[Any]):
    """A SELECT as PostgreSQL has it, that compiles to another one on SQLite; both have the same columns."""

    inherit_cache = False
    _traverse_internals = [  # noqa: RUF012 - as SQLAlchemy has it
        *Select._traverse_internals,
        ("sqlite", InternalTraversal.dp_clauseelement),
    ]

    def __init__(self, *, postgresql: Select[Any], sqlite: SelectBase) -> None:
        self.__dict__.update(postgresql.__dict__)
        self.sqlite = sqlite


@compiles(EitherRows, "sqlite")
def _sqlite(element: EitherRows, compiler: SQLCompiler, **options: Any) -> str:
    return compiler.process(element.sqlite, **options)


def for_each(names: FromClause, rows: Select[Any], *, key: ColumnElement[Any]) -> Select[Any]:
    """What `rows` finds beside each of the names it mentions, in its order and up to its limit; `key` is its id."""
    beside = rows.lateral("rows")
    keys = rows.with_only_columns(key).correlate(names)
    return EitherRows(
        postgresql=select(beside).select_from(names.join(beside, true())),
        sqlite=select(*rows.selected_columns).select_from(names.join(key.table, key.in_(keys))),
    )


def grouped_by(rows: Select[Any], *sets: Sequence[ColumnElement[Any]]) -> Select[Any]:
    """The rows grouped by each set of their columns in turn; the columns of the other sets are NULL."""
    keys = {column for each in sets for column in each}

    def alone(chosen: Sequence[ColumnElement[Any]]) -> Select[Any]:
        columns = (_nothing(each) if each in keys - set(chosen) else each for each in rows.selected_columns)
        return rows.with_only_columns(*columns).group_by(*chosen)

    return EitherRows(
        postgresql=rows.group_by(func.grouping_sets(*(tuple_(*each) for each in sets))),
        sqlite=union_all(*(alone(each) for each in sets)),
    )


def of_server(rows: Select[Any]) -> Select[Any]:
    """What a server tells of itself; a file tells nothing."""
    return EitherRows(
        postgresql=rows, sqlite=select(*(_nothing(each) for each in rows.selected_columns)).where(false())
    )


def _nothing(column: ColumnElement[Any]) -> ColumnElement[Any]:
    return type_coerce(null(), column.type).label(column.name)
