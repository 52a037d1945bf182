"""A pooler that lends us another session of the server for each transaction (A-20).

What a session keeps is lost there, or met by a stranger: prepared statements, settings, LISTEN. So none is used, and
hints are not heard: polling finds the work.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from threading import Event
from typing import Any, TypeAlias

import psycopg
from psycopg.types.datetime import TimestamptzLoader
from sqlalchemy import URL, Engine, ExceptionContext, event

from worker.errors import ConfigurationError

_MARK = "pooler"
# What PgBouncer and RDS Proxy say to settings that come with a connection
_REFUSES_SETTINGS = re.compile(r"startup parameter|command-line options")
_UNDECLARED = "DATABASE_URL: a pooler stands there, which has to be said: WATCHFLOOR_POOLER=transaction"
_NO_SESSION = (
    "WATCHFLOOR_POOLER=transaction: a migration needs a session of its own;"
    " run `watchfloor migrate` with the server itself in MIGRATIONS_DATABASE_URL"
)

Session: TypeAlias = psycopg.Connection[Any]


def marked(url: str) -> str:
    """The address, known from now on to be a pooler's."""
    return f"{url}{'&' if '?' in url else '?'}{_MARK}=transaction"


def is_marked(url: URL) -> bool:
    """Whether it is known to be one."""
    return _MARK in url.query


def unmarked(url: URL) -> URL:
    """The address as the driver takes it."""
    return url.difference_update_query([_MARK])


def is_lent(engine: Engine) -> bool:
    """Whether the engine's sessions are a pooler's: no hint is heard there, and nothing can be migrated."""
    return bool(engine.get_execution_options().get(_MARK))


def options() -> dict[str, Any]:
    """What an engine needs to know, to leave nothing behind in the sessions it is lent."""
    return {"execution_options": {_MARK: True}, "connect_args": {"prepare_threshold": None}}


def furnish(engine: Engine) -> None:
    """Have times in UTC, whatever zone a session is set to."""
    event.listen(engine, "connect", _read_utc)


def notice(engine: Engine, setting: str, value: str) -> None:
    """Raise ConfigurationError where a pooler that nobody spoke of refuses, or drops, what sessions are opened with."""

    def require_setting(session: Session, _: Any) -> None:
        session.autocommit = True
        # not prepared, or the statement would be gone with the session that a pooler lends for the answer
        found = session.execute("SELECT current_setting(%s)", [setting], prepare=False).fetchone()
        session.autocommit = False
        if found != (value,):
            session.close()
            raise ConfigurationError(_UNDECLARED)

    event.listen(engine, "connect", require_setting)
    event.listen(engine, "handle_error", _explain)


def require_session(engine: Engine) -> None:
    """ConfigurationError where sessions are only lent."""
    if is_lent(engine):
        raise ConfigurationError(_NO_SESSION)


def _explain(context: ExceptionContext) -> None:
    error = context.original_exception
    if isinstance(error, psycopg.OperationalError) and _REFUSES_SETTINGS.search(str(error)):
        raise ConfigurationError(_UNDECLARED)


def _read_utc(session: Session, _: Any) -> None:
    session.adapters.register_loader("timestamptz", _UtcLoader)


class _UtcLoader(TimestamptzLoader):
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
