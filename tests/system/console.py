"""The console behind its real server, on a port that it keeps when it is started again."""

from __future__ import annotations

import secrets
import threading
from datetime import datetime
from queue import Queue
from uuid import UUID

from sqlalchemy import Connection, select

from app import sessions
from app.main import create_app
from app.server import Server
from app.settings import ConsoleSettings
from tests import factories
from worker.handlers import Registry
from worker.queries import sessions as stored
from worker.queries.schema import operators

PATIENCE_SECONDS = 20


class Console:
    """One console process as its browsers see it; `now` holds its clock still."""

    def __init__(self, database: str, registry: Registry, *, now: datetime | None = None, **settings: object) -> None:
        self.url = ""
        swift = {"shutdown_grace_seconds": 2, "undo_seconds": 0}
        self._given = {"database_url": database, "port": 0, **swift, **settings}
        self._registry = registry
        self._now = now

    def start(self) -> Console:
        """Serve, and return as soon as it answers."""
        settings = ConsoleSettings.model_validate(self._given)
        app = create_app(settings, registry=self._registry, now=self._now)
        urls: Queue[str] = Queue()
        self._server = Server(app, settings, on_start=urls.put)
        self._thread = threading.Thread(target=self._server.run, name="console")
        self._thread.start()
        self.url = urls.get(timeout=PATIENCE_SECONDS)
        self._given["port"] = int(self.url.rpartition(":")[2])
        return self

    def stop(self) -> None:
        """End the streams and the server."""
        self._server.stop()
        self._thread.join(PATIENCE_SECONDS)
        assert not self._thread.is_alive()

    def link(self, conn: Connection, name: str, role: str) -> str:
        """The path of a one-time link for the operator of that name, who is added if new."""
        return sessions.new_link(conn, operator_id=_operator(conn, name, role), now=self._now)

    def session(self, conn: Connection, name: str, role: str) -> str:
        """The token of a session that the operator of that name, who is added if new, has just begun."""
        token, lasting = secrets.token_urlsafe(), {"idle_seconds": 3600.0, "length_seconds": 3600.0}
        of, hashed = _operator(conn, name, role), sessions.digest(token)
        stored.open_session(
            conn, operator_id=of, token_hash=hashed, address="127.0.0.1", user_agent="tests", now=self._now, **lasting
        )
        return token


def _operator(conn: Connection, name: str, role: str) -> UUID:
    known = conn.execute(select(operators.c.id).where(operators.c.name == name)).scalar_one_or_none()
    return known or factories.operator(conn, name, role)
