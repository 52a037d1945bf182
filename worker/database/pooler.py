"""A pooler that lends us another session of the server for each transaction (A-20).

What a session keeps is lost there, or met by a stranger: prepared statements, settings, LISTEN. So none is used, and
hints are not heard: polling finds the work.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from threading import Event
from typing import Any

import psycopg
from psycopg.types.datetime import TimestamptzLoader
from sqlalchemy import URL

from worker.errors import ConfigurationError

MARK = "pooler"
# What PgBouncer and RDS Proxy say to settings that come with a connection
_REFUSES_SETTINGS = re.compile(r"startup parameter|command-line options")
_UNDECLARED = "DATABASE_URL: a pooler stands there, which has to be said: WATCHFLOOR_POOLER=transaction"
_NO_SESSION = (
    "WATCHFLOOR_POOLER=transaction: a migration needs a session of its own;"
    " run `watchfloor migrate` with the server itself in MIGRATIONS_DATABASE_URL"
)


def marked(url: str) -> str:
    """The address, known from now on to be a pooler's."""
    return f"{url}{'&' if '?' in url else '?'}{MARK}=transaction"


def is_marked(url: URL) -> bool:
    """Whether it is known to be one."""
    return MARK in url.query


def require_session(url: URL) -> None:
    """ConfigurationError where sessions are only lent."""
    if is_marked(url):
        raise ConfigurationError(_NO_SESSION)


def borrow(**parameters: Any) -> psycopg.Connection[Any]:
    """A connection that leaves nothing behind in the sessions it is lent."""
    connection = psycopg.connect(prepare_threshold=None, **parameters)
    connection.adapters.register_loader("timestamptz", _UtcLoader)
    return connection


@contextmanager
def discovered() -> Iterator[None]:
    """ConfigurationError for a pooler that nobody spoke of: it refuses the settings of a session."""
    try:
        yield
    except psycopg.OperationalError as error:
        if _REFUSES_SETTINGS.search(str(error)):
            raise ConfigurationError(_UNDECLARED) from None
        raise


def require_setting(session: psycopg.Connection[Any], name: str, value: str) -> None:
    """ConfigurationError, and no session, for a pooler that drops what it was opened with."""
    session.autocommit = True
    found = session.execute("SELECT current_setting(%s)", [name]).fetchone()
    session.autocommit = False
    if found != (value,):
        session.close()
        raise ConfigurationError(_UNDECLARED)


class _UtcLoader(TimestamptzLoader):
    """Times in UTC, whatever zone the lent session is set to."""

    def load(self, data: Any) -> datetime:
        return super().load(data).astimezone(UTC)


class DeafListener:
    """Hears nothing, and costs nobody a connection."""

    def __init__(self) -> None:
        self._interrupted = Event()

    def wait(self, timeout_seconds: float) -> set[str]:
        """Nothing, after that time."""
        self._interrupted.wait(timeout_seconds)
        self._interrupted.clear()
        return set()

    def interrupt(self) -> None:
        """Break off a wait from another thread."""
        self._interrupted.set()

    def close(self) -> None:
        """There is nothing to give back."""
