"""Ending a statement that another thread waits for."""

from __future__ import annotations

import contextlib
import sqlite3
from typing import Any

import psycopg
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

_TIMEOUT_SECONDS = 2


def break_off(conn: Connection) -> None:
    """Have what runs on the connection fail where it is waited for, unless it is over by then."""
    with contextlib.suppress(psycopg.Error, SQLAlchemyError):
        session: Any = conn.connection.dbapi_connection
        if isinstance(session, sqlite3.Connection):
            session.interrupt()
        elif session:
            session.cancel_safe(timeout=_TIMEOUT_SECONDS)
