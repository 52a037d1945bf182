"""Sets of values bound as one parameter, so that a statement is the same whatever their number."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqlalchemy import (
    JSON,
    TIMESTAMP,
    BindParameter,
    Boolean,
    ColumnElement,
    FromClause,
    Select,
    Text,
    any_,
    bindparam,
    cast,
    column,
    func,
    select,
)
from sqlalchemy.dialects import postgresql
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.types import TypeEngine

from worker.database.either import Either
from worker.database.types import listed


def among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether the column's value is one of the list bound as `name`: one statement whatever the length."""
    values = bindparam(name, type_=listed(column.type))
    return Either(postgresql=column == any_(values), sqlite=column.in_(_values(values)), type_=Boolean())


def one_of(column: ColumnElement[Any], rows: Select[Any]) -> ColumnElement[bool]:
    """Whether the column's value is among those of a subquery, which runs once: lock and take in one statement."""
    alone = rows.correlate(None)
    array = func.array(alone.scalar_subquery(), type_=postgresql.ARRAY(column.type))
    return Either(postgresql=column == any_(array), sqlite=column.in_(alone), type_=Boolean())


def records(name: str, **columns: TypeEngine[Any]) -> FromClause:
    """Rows from one JSON document bound as `name`: the fastest way to send a set (see `speed.md`)."""
    document: BindParameter[str] = bindparam(name, type_=Text)
    return _Rows(document).table_valued(*(column(key, type_) for key, type_ in columns.items()), name=f"{name}_rows")


def arrays(name: str, **columns: TypeEngine[Any]) -> FromClause:
    """Rows from an array a column, each bound as text (see `array_text`): half of what a document costs a server."""
    bound = (bindparam(f"{name}_{key}", type_=Text) for key in columns)
    unnested = func.unnest(
        *(cast(each, postgresql.ARRAY(type_)) for each, type_ in zip(bound, columns.values(), strict=True))
    )
    return unnested.table_valued(*(column(key, type_) for key, type_ in columns.items()), name=name).render_derived()


def array_text(values: Iterable[str]) -> str:
    """An array as PostgreSQL reads it, of values that need no quotes: numbers, ids, instants as ISO has them."""
    return f"{{{','.join(values)}}}"


def holds(names: ColumnElement[Any], name: ColumnElement[str]) -> ColumnElement[bool]:
    """Whether a stored list of names has this one."""
    each = func.json_each(names).table_valued("value", name="each")
    # The names are mentioned beside the function too: within it alone, SQLAlchemy does not see whose column they are
    found = select(each.c.value).where(each.c.value == name, names.is_not(None)).correlate_except(each).exists()
    return Either(postgresql=name == any_(names), sqlite=found, type_=Boolean())


def _values(document: BindParameter[Any]) -> Select[Any]:
    return select(func.json_each(document).table_valued("value", name="listed").c.value)


class _Rows(FunctionElement[Any]):
    inherit_cache = True


@compiles(_Rows)
def _recordset(rows: _Rows, compiler: SQLCompiler, **options: Any) -> str:
    """A subquery, which the planner looks through: the alias that comes after it carries no types on SQLite."""
    types = ", ".join(f"{each.name} {compiler.dialect.type_compiler.process(each.type)}" for each in _columns(rows))
    document = compiler.process(rows.clauses, **options)
    return f"(SELECT * FROM jsonb_to_recordset(CAST({document} AS jsonb)) AS record({types}))"  # noqa: S608 - names of columns


@compiles(_Rows, "sqlite")
def _json_each(rows: _Rows, compiler: SQLCompiler, **options: Any) -> str:
    picked = ", ".join(f"{_field(each, compiler)} AS {each.name}" for each in _columns(rows))
    return f"(SELECT {picked} FROM json_each({compiler.process(rows.clauses, **options)}))"  # noqa: S608 - names of columns


def _field(each: ColumnElement[Any], compiler: SQLCompiler) -> str:
    if isinstance(each.type, JSON):
        return f"stored_json(nullif(value -> '$.{each.key}', 'null'))"
    value = f"json_extract(value, '$.{each.key}')"
    if isinstance(each.type, TIMESTAMP):
        return f"instant_of({value})"
    return f"CAST({value} AS {compiler.dialect.type_compiler.process(each.type)})"


def _columns(rows: _Rows) -> Any:
    kind: Any = rows.type
    return kind._elements
