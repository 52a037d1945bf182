"""Events that wait."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, insert

from tests.factories import NOON
from worker.model import new_id
from worker.queries.schema import event_outbox


def published(conn: Connection, *, since: datetime, error: str | None = None) -> None:
    row = {"id": new_id(), "event_id": str(new_id()), "event_type": "order.created", "payload": {}}
    row |= {
        "source": "api",
        "occurred_at": since,
        "created_at": since,
        "relay_error": error,
        "retry_at": error and NOON,
    }
    conn.execute(insert(event_outbox), row)
