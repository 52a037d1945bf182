"""How a session on a SQLite file is opened, with the functions that SQLite lacks, and how a change of it is noticed."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from datetime import datetime
from threading import Event
from time import monotonic, time_ns
from typing import Any

from sqlalchemy import URL, Connection, Engine, event

from worker.database.types import microseconds
from worker.errors import ConfigurationError

_OLDEST = (3, 38)
_BUSY_SECONDS = 10
_LOOK_EVERY_SECONDS = 0.03


def options() -> dict[str, Any]:
    """What an engine needs to know."""
    return {"connect_args": {"timeout": _BUSY_SECONDS, "isolation_level": None, "factory": Session}}


def furnish(engine: Engine) -> None:
    """A file has no schemas: tables are called by their names alone; transactions begin as `begin` says."""
    if sqlite3.sqlite_version_info < _OLDEST:
        raise ConfigurationError(f"DATABASE_URL: SQLite {sqlite3.sqlite_version} is too old; 3.38 works")
    engine.dialect.identifier_preparer.schema_for_object = _no_schema
    event.listen(engine, "begin", begin)


def _no_schema(_: Any) -> Any:
    return None


def begin(conn: Connection) -> None:
    """Begin as a writer, who is alone from the start, so that nothing read is out of date when it writes."""
    wanted = conn.get_execution_options()
    read_only = bool(wanted.get("postgresql_readonly"))
    session: Any = conn.connection.dbapi_connection
    session.refuse_writes(read_only)
    if wanted.get("isolation_level") != "AUTOCOMMIT":
        session.isolation_level = None  # the pool sets it to Python's own way of beginning
        conn.exec_driver_sql("BEGIN" if read_only else "BEGIN IMMEDIATE")


class Session(sqlite3.Connection):
    """A connection whose clock stands still during a statement."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._instant = 0
        self._refuses_writes = False
        for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
            self.execute(f"PRAGMA {pragma}").close()
        self.create_function("statement_instant", 0, lambda: self._instant, deterministic=True)
        for function in (stored_json, instant_of, sha256_hex, small_letters):
            self.create_function(function.__name__, 1, function, deterministic=True)

    def cursor(self, *arguments: Any, **options: Any) -> Any:
        """A cursor for one statement, at the time of now."""
        self._instant = time_ns() // 1000
        return super().cursor(*arguments, **options)

    def refuse_writes(self, wanted: bool) -> None:  # noqa: FBT001 - the one thing it is asked
        """Let this session only read, or write again."""
        if wanted != self._refuses_writes:
            self.execute(f"PRAGMA query_only = {wanted:d}").close()
            self._refuses_writes = wanted


def stored_json(text: str | None) -> str | None:
    """One form for all texts of a document; ValueError when it is none."""
    if text is None:
        return None
    return json.dumps(json.loads(text), sort_keys=True, ensure_ascii=False)


def instant_of(text: str | None) -> int | None:
    """An ISO time with its offset as the file keeps it."""
    return None if text is None else microseconds(datetime.fromisoformat(text))


def small_letters(text: str | None) -> str | None:
    """The text in small letters of every alphabet: SQLite's own `lower` knows those of English alone."""
    return None if text is None else text.lower()


def sha256_hex(text: str | None) -> str | None:
    """The SHA-256 of a text, in hex."""
    return None if text is None else hashlib.sha256(text.encode()).hexdigest()


class SqliteListener:
    """Watches the file: any commit of another connection may be the hint, on any channel."""

    def __init__(self, url: URL, channels: tuple[str, ...]) -> None:
        self._path = url.database or ""
        self._channels = frozenset(channels)
        self._connection: sqlite3.Connection | None = None
        self._version = -1
        self._interrupted = Event()

    def wait(self, timeout_seconds: float) -> set[str]:
        """All channels once the file changed, else none; sqlite3.OperationalError when it is out of reach."""
        connection = self._connection or self._open()
        deadline = monotonic() + timeout_seconds
        while not (changed := self._look(connection)) and (left := deadline - monotonic()) > 0:
            if self._interrupted.wait(min(left, _LOOK_EVERY_SECONDS)):
                break
        self._interrupted.clear()
        return set(self._channels) if changed else set()

    def interrupt(self) -> None:
        """Break off a wait from another thread: it ends with nothing heard."""
        self._interrupted.set()

    def close(self) -> None:
        """Give the connection back."""
        if self._connection:
            self._connection.close()
        self._connection = None

    def _open(self) -> sqlite3.Connection:
        self._connection = sqlite3.connect(self._path, timeout=_BUSY_SECONDS, check_same_thread=False)
        self._look(self._connection)
        return self._connection

    def _look(self, connection: sqlite3.Connection) -> bool:
        before, self._version = self._version, connection.execute("PRAGMA data_version").fetchone()[0]
        return before != self._version
