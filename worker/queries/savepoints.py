"""Set operations that one bad row cannot stop (A-11, A-35, A-45)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from worker.database import code_of, is_outage

Item = TypeVar("Item")


def apart(
    conn: Connection, items: Sequence[Item], act: Callable[[Sequence[Item]], None]
) -> list[tuple[Item, DBAPIError]]:
    """Do `act` to the whole set; when the database refuses it, to each item alone. Returns the items that failed."""
    try:
        with conn.begin_nested():
            act(items)
        return []
    except DBAPIError as error:
        if is_outage(error):
            raise
        if len(items) == 1:
            return [(items[0], error)]
    return [failed for item in items for failed in apart(conn, [item], act)]


def reason(error: DBAPIError) -> str:
    """Why the database refused, without the row it refused."""
    return f"{type(error.orig).__name__} ({code_of(error) or 'no code'})"
