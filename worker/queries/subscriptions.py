"""Which subscribers there are in the whole deployment, as the processes that register them say (A-60)."""

from __future__ import annotations

import json
from datetime import datetime

from sqlalchemy import Connection, Text, literal, select

from worker.database import among, insert, moment, records, seconds
from worker.queries.schema import subscriptions
from worker.subscribers import Subscribers

SAID_AGAIN_SECONDS = 60
FORGOTTEN_SECONDS = 300
"""A subscriber that no process has named for so long is gone; its events are no longer kept for it."""

_SAID = records("subscribers", subscriber_id=Text(), event_type=Text())
_declare = insert(subscriptions).from_select(
    ["subscriber_id", "event_type", "seen_at"], select(_SAID.c.subscriber_id, _SAID.c.event_type, moment())
)
DECLARE = _declare.on_conflict_do_update(
    index_elements=["subscriber_id"], set_={name: _declare.excluded[name] for name in ("event_type", "seen_at")}
)
_unknown = (
    subscriptions.c.seen_at > moment() - seconds(literal(FORGOTTEN_SECONDS)),
    ~among(subscriptions.c.subscriber_id, "registered"),
)
ELSEWHERE = select(subscriptions.c.event_type).where(*_unknown)
UNKNOWN = select(subscriptions.c.subscriber_id).where(*_unknown).order_by(subscriptions.c.subscriber_id)


def declare(conn: Connection, subscribers: Subscribers, *, now: datetime | None = None) -> list[str]:
    """Say which subscribers this process registers; the ids of those that others do and this one does not."""
    ours = [{"subscriber_id": each.subscriber_id, "event_type": each.event_type} for each in subscribers.all()]
    if ours:
        conn.execute(DECLARE, {"subscribers": json.dumps(ours), "at_now": now})
    registered = [each["subscriber_id"] for each in ours]
    return list(conn.execute(UNKNOWN, {"registered": registered, "at_now": now}).scalars())
