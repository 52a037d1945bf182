"""Events: three that nobody subscribes to, two that the relay is about to take."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, insert

from tests.system.seed.clock import NOW, ago, identity
from worker.queries.outbox import NOBODY
from worker.queries.schema import event_outbox


def insert_all(conn: Connection) -> None:
    """The pending ones; what was relayed is no longer of interest."""
    parked = {"relay_error": NOBODY, "relay_attempts": 3, "retry_at": NOW}
    fresh = {"relay_error": None, "relay_attempts": 0, "retry_at": None}
    merged = [_event("customer.merged", number, ago(minutes=18 - 4 * number), **parked) for number in range(3)]
    created = [_event("order.created", number, ago(seconds=1), **fresh) for number in range(2)]
    conn.execute(insert(event_outbox), merged + created)


def _event(event_type: str, number: int, at: datetime, **columns: Any) -> dict[str, Any]:
    event_id = identity(event_type, number, at)
    about = {"id": event_id, "event_id": str(event_id), "event_type": event_type, "source": "shop", "payload": {}}
    return {**about, "occurred_at": at, "created_at": at, **columns}
