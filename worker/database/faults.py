"""What an error of the database means for whoever met it."""

from __future__ import annotations

import sqlite3

import psycopg
from sqlalchemy import ExceptionContext
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout

READ_ONLY_TRANSACTION = "25006"
LOCK_NOT_AVAILABLE = "55P03"
INSUFFICIENT_PRIVILEGE = "42501"
RETRYABLE = frozenset({"40001", "40P01"})
QUERY_CANCELED = "57014"

_SQLITE_BUSY = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_SQLITE_OUT_OF_REACH = _SQLITE_BUSY | {
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_NOMEM,
}
_SQLITE_FORBIDDEN = frozenset({sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH})


def is_outage(error: BaseException) -> bool:
    """Whether the database, not the statement, is at fault: worth another try later."""
    if isinstance(error, DBAPIError) and error.connection_invalidated:
        return True
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        return _sqlite_code(cause) in _SQLITE_OUT_OF_REACH
    return isinstance(error, OperationalError | PoolTimeout | TimeoutError | psycopg.OperationalError)


def is_busy(error: BaseException) -> bool:
    """Whether others hold what the statement needs, for longer than it would wait."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, sqlite3.Error):
        return _sqlite_code(cause) in _SQLITE_BUSY
    return getattr(cause, "sqlstate", None) == LOCK_NOT_AVAILABLE


def is_retryable(error: BaseException) -> bool:
    """Whether the whole transaction may simply be repeated: a deadlock or a serialization failure (A-23)."""
    if not isinstance(error, DBAPIError):
        return False
    if isinstance(error.orig, sqlite3.Error):
        return is_busy(error)
    return getattr(error.orig, "sqlstate", None) in RETRYABLE


def is_strained(error: BaseException) -> bool:
    """Whether the database is there, but the statement lost to others or took longer than it may."""
    cause = error.orig if isinstance(error, DBAPIError) else error
    return is_busy(error) or is_retryable(error) or getattr(cause, "sqlstate", None) == QUERY_CANCELED


def is_forbidden(error: BaseException) -> bool:
    """Whether this role lacks a privilege, which no retry brings."""
    if not isinstance(error, DBAPIError):
        return False
    if isinstance(error.orig, sqlite3.Error):
        return _sqlite_code(error.orig) in _SQLITE_FORBIDDEN
    return getattr(error.orig, "sqlstate", None) == INSUFFICIENT_PRIVILEGE


def leave_a_read_only_server(context: ExceptionContext) -> None:
    """After a fail-over the pool must not keep sessions on the old primary (A-16)."""
    if getattr(context.original_exception, "sqlstate", None) == READ_ONLY_TRANSACTION:
        context.is_disconnect = True


def code_of(error: DBAPIError) -> str | None:
    """The database's own name for the error."""
    code: str | None = getattr(error.orig, "sqlstate", None) or getattr(error.orig, "sqlite_errorname", None)
    return code


def _sqlite_code(error: sqlite3.Error) -> int:
    """The primary code; the bits above it only say which kind of it."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF
