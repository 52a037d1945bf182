"""The only place that knows which database this is: engines, column types, the SQL clock, and wake-ups."""

from __future__ import annotations

import contextlib
import json
import os
import socket
from datetime import datetime
from functools import partial
from typing import Any, TypeAlias

import psycopg
from sqlalchemy import (
    JSON,
    TIMESTAMP,
    BindParameter,
    CheckConstraint,
    ColumnElement,
    Connection,
    Engine,
    ExceptionContext,
    Select,
    Text,
    Uuid,
    any_,
    bindparam,
    column,
    create_engine,
    event,
    func,
    literal,
    make_url,
    select,
    table,
)
from sqlalchemy import Row as AnyRow
from sqlalchemy import cast as sql_cast
from sqlalchemy.dialects import postgresql
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.sql.selectable import TableValuedAlias
from sqlalchemy.types import TypeEngine

__all__ = ("Connection", "Engine")
"""The two names of SQLAlchemy that others may know."""

Row: TypeAlias = AnyRow[*tuple[Any, ...]]
"""One row of an answer; its columns are attributes."""

Id = Uuid()
Json = JSON(none_as_null=True).with_variant(postgresql.JSONB(none_as_null=True), "postgresql")
Names = JSON().with_variant(postgresql.ARRAY(Text), "postgresql")
Timestamp = TIMESTAMP(timezone=True)

insert = postgresql.insert
"""An INSERT that can say ON CONFLICT; the one spelling, so that it stays a switch."""

READ_ONLY_TRANSACTION = "25006"
INSUFFICIENT_PRIVILEGE = "42501"
RETRYABLE = frozenset({"40001", "40P01"})


def url_of(text: str) -> str:
    """The SQLAlchemy URL for `postgres://` and `postgresql://` addresses; others pass unchanged."""
    for prefix in ("postgres://", "postgresql://"):
        if text.startswith(prefix):
            return "postgresql+psycopg://" + text.removeprefix(prefix)
    return text


def connect(url: str, *, application_name: str, pool_size: int = 5, pre_ping: bool = False) -> Engine:
    """An engine whose sessions are bounded: statements by 30 s, idle transactions by 60 s, the pool by 5 s."""
    engine = create_engine(
        url,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=5,
        pool_pre_ping=pre_ping,
        hide_parameters=True,  # an error must not carry payloads or addresses
        json_serializer=partial(json.dumps, allow_nan=False, ensure_ascii=False),
        connect_args={
            "application_name": application_name,
            "connect_timeout": 5,
            "options": "-c statement_timeout=30s -c idle_in_transaction_session_timeout=60s -c timezone=UTC",
        },
    )
    event.listen(engine, "handle_error", _leave_a_read_only_server)
    return engine


def autocommit(engine: Engine) -> Engine:
    """The same pool for single statements: one round trip instead of three."""
    return engine.execution_options(isolation_level="AUTOCOMMIT")


def read_only(engine: Engine) -> Engine:
    """The same pool for transactions that the server refuses to let write."""
    return engine.execution_options(postgresql_readonly=True)


def _leave_a_read_only_server(context: ExceptionContext) -> None:
    """After a fail-over the pool must not keep sessions on the old primary (A-16)."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY_TRANSACTION:
        context.is_disconnect = True


def is_outage(error: BaseException) -> bool:
    """Whether the database, not the statement, is at fault: worth another try later."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    return isinstance(error, OperationalError | PoolTimeout | TimeoutError | psycopg.OperationalError)


def is_retryable(error: BaseException) -> bool:
    """Whether the whole transaction may simply be repeated: a deadlock or a serialization failure (A-23)."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) in RETRYABLE


def is_forbidden(error: BaseException) -> bool:
    """Whether this role lacks a privilege, which no retry brings."""
    return isinstance(error, DBAPIError) and getattr(error.orig, "sqlstate", None) == INSUFFICIENT_PRIVILEGE


def moment(name: str = "at_now") -> ColumnElement[datetime]:
    """The time of the statement by the database's clock, unless the caller binds `at_now` (tests do)."""
    return func.coalesce(optional(name, Timestamp), func.statement_timestamp())


def optional(name: str, type_: Any) -> BindParameter[Any]:
    """A bind parameter that is NULL when the caller leaves it out."""
    return bindparam(name, value=None, type_=type_)


def seconds(amount: ColumnElement[Any] | BindParameter[Any]) -> ColumnElement[Any]:
    """An interval of so many seconds."""
    return func.make_interval(0, 0, 0, 0, 0, 0, amount)


def elapsed_ms(start: ColumnElement[datetime], end: ColumnElement[datetime]) -> ColumnElement[float]:
    """Milliseconds from start to end, never negative."""
    return func.greatest(func.extract("epoch", end - start) * 1000.0, 0)


def greatest(*values: Any) -> ColumnElement[Any]:
    """The largest of the values."""
    return func.greatest(*values)


def least(*values: Any) -> ColumnElement[Any]:
    """The smallest of the values."""
    return func.least(*values)


def minute_of(instant: ColumnElement[datetime]) -> ColumnElement[datetime]:
    """The start of the minute."""
    return func.date_trunc("minute", instant, type_=Timestamp)


def bin_of(
    instant: ColumnElement[datetime], length: ColumnElement[Any] | BindParameter[Any]
) -> ColumnElement[datetime]:
    """The start of the slice of so many seconds that the instant lies in; slices are aligned to the epoch."""
    return func.date_bin(seconds(length), instant, func.to_timestamp(0), type_=Timestamp)


def position(haystack: ColumnElement[str], needle: ColumnElement[str] | BindParameter[str]) -> ColumnElement[int]:
    """Where the needle begins in the text, from 1; 0 when it is not in it."""
    return func.strpos(haystack, needle)


def records(name: str, **columns: TypeEngine[Any]) -> TableValuedAlias:
    """Rows from one JSON document bound as `name`: the fastest way to send a set (see `speed.md`)."""
    document = sql_cast(bindparam(name, type_=Text), postgresql.JSONB)
    rows = func.jsonb_to_recordset(document).table_valued(
        *(column(key, type_) for key, type_ in columns.items()), name=f"{name}_rows"
    )
    return rows.render_derived(with_types=True)


def json_of(text: ColumnElement[Any] | BindParameter[Any]) -> ColumnElement[Any]:
    """The stored form of a JSON text."""
    return sql_cast(text, postgresql.JSONB)


def text_of(value: ColumnElement[Any]) -> ColumnElement[str]:
    """The text of a JSON column, so that an unreadable one hurts nobody else (A-35)."""
    return sql_cast(value, Text)


def among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether the column's value is one of the list bound as `name`: one statement whatever the length."""
    return column == any_(bindparam(name, type_=postgresql.ARRAY(column.type)))


def one_of(column: ColumnElement[Any], rows: Select[Any]) -> ColumnElement[bool]:
    """Whether the column's value is among those of a subquery, which runs once: lock and take in one statement."""
    return column == any_(func.array(rows.correlate(None).scalar_subquery(), type_=postgresql.ARRAY(column.type)))


def append_recent(beats: ColumnElement[Any] | None, beat: ColumnElement[int]) -> ColumnElement[Any]:
    """A JSON list of the last 40 values, `beat` the newest."""
    newest = func.jsonb_build_array(beat)
    if beats is None:
        return newest
    return func.jsonb_path_query_array(beats, sql_cast("$[last - 38 to last]", postgresql.JSONPATH)).op("||")(newest)


def digest(value: ColumnElement[str]) -> ColumnElement[str]:
    """The SHA-256 of a text, in hex."""
    return func.encode(func.sha256(func.convert_to(value, "UTF8")), "hex")


_sleepers = table("sleepers", column("channel", Text), schema="control")


def hint(channel: str | BindParameter[str]) -> ColumnElement[Any]:
    """Notify whoever sleeps on the channel when the transaction commits: once, wherever in a statement it stands."""
    name = literal(channel, Text) if isinstance(channel, str) else channel
    asleep = select(literal(1)).select_from(_sleepers).where(_sleepers.c.channel == name).exists()
    return select(func.pg_notify(name, "")).where(asleep).scalar_subquery()


def check(name: str, *, postgresql: str, sqlite: str) -> tuple[CheckConstraint, CheckConstraint]:
    """A CHECK constraint in the words of each database."""
    return (
        CheckConstraint(postgresql, name=name).ddl_if(dialect="postgresql"),
        CheckConstraint(sqlite, name=name).ddl_if(dialect="sqlite"),
    )


def serialise(conn: Connection, name: str) -> None:
    """Let one transaction at a time past this point, until it ends."""
    conn.execute(func.pg_advisory_xact_lock(func.hashtextextended(name, 0)).select())


class Listener:
    """A connection of its own that waits for hints; a lost one is opened anew (A-17)."""

    def __init__(self, url: str, channels: tuple[str, ...]) -> None:
        self._url = make_url(url)
        self._channels = channels
        self._connection: psycopg.Connection[Any] | None = None

    def wait(self, timeout_seconds: float) -> set[str]:
        """The channels notified within the time; psycopg.OperationalError when the server is out of reach."""
        connection = self._connection or self._open()
        heard = {notice.channel for notice in connection.notifies(timeout=timeout_seconds, stop_after=1)}
        if not heard:
            connection.execute("select 1")  # a half-open connection fails here instead of staying silent
        return heard

    def interrupt(self) -> None:
        """Break off a wait from another thread: it ends with psycopg.OperationalError."""
        connection = self._connection
        if connection and not connection.closed:
            with contextlib.suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as wire:
                wire.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Give the connection back."""
        if self._connection:
            self._connection.close()
        self._connection = None

    def _open(self) -> psycopg.Connection[Any]:
        arguments: dict[str, Any] = {
            **self._url.translate_connect_args(username="user", database="dbname"),
            **self._url.query,
        }
        self._connection = psycopg.connect(
            **arguments, autocommit=True, connect_timeout=5, application_name="watchfloor listener",
            keepalives_idle=10, keepalives_interval=5, keepalives_count=3,
        )  # fmt: skip
        for channel in self._channels:
            self._connection.execute(psycopg.sql.SQL("listen {}").format(psycopg.sql.Identifier(channel)))
        return self._connection
