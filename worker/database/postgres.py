"""How a session on PostgreSQL is opened, and how its hints are heard."""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Any

import psycopg
from sqlalchemy import URL, Engine

from worker.database import plans, pooler

_ALIVE: dict[str, Any] = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 25_000,
}
"""A session whose server is gone without a word is noticed within half a minute."""
_SETTINGS = "-c statement_timeout=30s -c idle_in_transaction_session_timeout=60s -c timezone=UTC"


def options(application_name: str, *, lent: bool, planned_once: bool) -> dict[str, Any]:
    """What an engine needs to know."""
    known: dict[str, Any] = pooler.options() if lent else {"connect_args": {"options": _SETTINGS}}
    if planned_once and not lent:
        known["connect_args"] = {"options": f"{_SETTINGS} {plans.SETTINGS}", "prepare_threshold": 0}
    known["connect_args"] |= {**_ALIVE, "application_name": application_name, "connect_timeout": 5}
    return known


def furnish(engine: Engine, *, planned_once: bool) -> None:
    """A session is our own, with its settings, or is lent to us and left as it was found."""
    if pooler.is_lent(engine):
        pooler.furnish(engine)
        return
    pooler.notice(engine, "statement_timeout", "30s")
    if planned_once:
        plans.keep(engine)


class PostgresListener:
    """LISTEN on a connection of its own; a lost one is opened anew (A-17)."""

    def __init__(self, url: URL, channels: tuple[str, ...]) -> None:
        self._url = url
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
            **_ALIVE | arguments, autocommit=True, connect_timeout=5, application_name="watchfloor listener",
        )  # fmt: skip
        for channel in self._channels:
            self._connection.execute(psycopg.sql.SQL("listen {}").format(psycopg.sql.Identifier(channel)))
        return self._connection
