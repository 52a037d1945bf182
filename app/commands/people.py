"""The operator whom a command names."""

from __future__ import annotations

from app.commands.refusals import Failed
from worker.database import Connection, Row
from worker.queries import operators


def known(conn: Connection, name: str) -> Row:
    """The operator of that name, disabled or not; Failed when nobody is called so."""
    found = operators.by_name(conn, name=name)
    if found is None:
        raise Failed(f"nobody is called {name[:100]!r}")
    return found
