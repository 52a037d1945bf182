"""The caller's transaction, however it is held: what a producer asks runs in it, and is never committed here (S1-27).

A producer's function is written once, as steps: a generator that yields a statement with its values and is sent the
rows. Here the steps are carried out on whatever the caller has.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from functools import cache, partial
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import psycopg
from psycopg.rows import namedtuple_row
from sqlalchemy import Connection, Executable, make_url
from sqlalchemy.engine.interfaces import Compiled
from sqlalchemy.orm import Session, scoped_session

if TYPE_CHECKING:  # its import asks for greenlet, which only those have who use it
    from sqlalchemy.ext.asyncio import AsyncConnection, AsyncSession

Answer = TypeVar("Answer")
Values: TypeAlias = Mapping[str, Any]
Steps: TypeAlias = Generator[tuple[Executable, Values], Sequence[Any], Answer]

Caller: TypeAlias = Connection | Session | scoped_session[Any] | psycopg.Connection[Any]
"""Who holds a transaction: SQLAlchemy's Connection or Session, or plain psycopg."""
AsyncCaller: TypeAlias = "AsyncConnection | AsyncSession | psycopg.AsyncConnection[Any]"

_DIALECT = make_url("postgresql+psycopg://").get_dialect()()


def carry_out(caller: Caller, steps: Steps[Answer]) -> Answer:
    """What the steps come to in the caller's transaction."""
    ask = _asker(caller)
    with closing(steps):
        try:
            asked = next(steps)
            while True:
                asked = steps.send(ask(*asked))
        except StopIteration as end:
            answer: Answer = end.value
            return answer


async def carry_out_async(caller: AsyncCaller, steps: Steps[Answer]) -> Answer:
    """The same for a caller on an event loop."""
    if not isinstance(caller, psycopg.AsyncConnection):
        return await caller.run_sync(carry_out, steps)
    with closing(steps):
        try:
            asked = next(steps)
            while True:
                asked = steps.send(await _ask_psycopg_async(caller, *asked))
        except StopIteration as end:
            answer: Answer = end.value
            return answer


def _asker(caller: Caller) -> Callable[[Executable, Values], Sequence[Any]]:
    if isinstance(caller, psycopg.Connection):
        return partial(_ask_psycopg, caller)
    if isinstance(caller, Session | scoped_session):
        return partial(_ask, caller.connection())
    if isinstance(caller, Connection):
        return partial(_ask, caller)
    raise TypeError(f"a transaction is held by a connection or a session, not by {type(caller).__name__}")


def _ask(conn: Connection, statement: Executable, values: Values) -> Sequence[Any]:
    answer = conn.execute(statement, values)
    return answer.all() if answer.returns_rows else ()


def _ask_psycopg(conn: psycopg.Connection[Any], statement: Executable, values: Values) -> Sequence[Any]:
    with psycopg.Cursor(conn, row_factory=namedtuple_row) as cursor:
        cursor.execute(*_in_psycopg(statement, values))
        return cursor.fetchall() if cursor.description else ()


async def _ask_psycopg_async(
    conn: psycopg.AsyncConnection[Any], statement: Executable, values: Values
) -> Sequence[Any]:
    async with psycopg.AsyncCursor(conn, row_factory=namedtuple_row) as cursor:
        await cursor.execute(*_in_psycopg(statement, values))
        return await cursor.fetchall() if cursor.description else ()


def _in_psycopg(statement: Executable, values: Values) -> tuple[bytes, dict[str, Any]]:
    """The statement as psycopg's own cursors take it; they answer with the same Python values as SQLAlchemy's."""
    compiled, words, keep = _compiled(statement)
    bound = compiled.construct_params(dict(values)) or {}
    return words, {**bound, **{name: to(bound[name]) for name, to in keep.items()}}


@cache
def _compiled(statement: Executable) -> tuple[Compiled, bytes, dict[str, Callable[[Any], Any]]]:
    """Once for each of our constant statements, with what its values have to go through."""
    compiled: Any = statement.compile(dialect=_DIALECT)  # type: ignore[attr-defined] # every statement of ours has it
    processors = {
        name: bind.type.dialect_impl(_DIALECT).bind_processor(_DIALECT) for bind, name in compiled.bind_names.items()
    }
    return compiled, str(compiled).encode(), {name: to for name, to in processors.items() if to}
