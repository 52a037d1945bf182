"""The outbox as an operator asks about it: what the relay has not taken yet, and what it set aside and why."""

from __future__ import annotations

from sqlalchemy import func, select, true

from worker.queries.outbox import NOBODY
from worker.queries.schema import event_outbox

COUNTED = 10_000
"""Events counted of each kind; where there are more, as many are said."""

_fresh = (
    select(event_outbox.c.created_at)
    .where(event_outbox.c.relayed_at.is_(None), event_outbox.c.retry_at.is_(None))
    .order_by(event_outbox.c.created_at, event_outbox.c.id)
    .limit(COUNTED)
    .subquery("fresh")
)
_parked = (
    select(event_outbox.c.created_at, event_outbox.c.event_type, event_outbox.c.relay_error)
    .where(event_outbox.c.relayed_at.is_(None), event_outbox.c.retry_at.is_not(None))
    .order_by(event_outbox.c.retry_at)
    .limit(COUNTED)
    .subquery("parked")
)
_unsubscribed = _parked.c.relay_error == NOBODY
_failing = _parked.c.relay_error != NOBODY
_waiting = select(func.count().label("fresh"), func.min(_fresh.c.created_at).label("fresh_since")).select_from(_fresh)
_aside = select(
    func.count().filter(_unsubscribed).label("unsubscribed"),
    func.min(_parked.c.created_at).filter(_unsubscribed).label("unsubscribed_since"),
    func.min(_parked.c.event_type).filter(_unsubscribed).label("unsubscribed_type"),
    func.count(_parked.c.event_type.distinct()).filter(_unsubscribed).label("unsubscribed_types"),
    func.count().filter(_failing).label("failing"),
    func.min(_parked.c.created_at).filter(_failing).label("failing_since"),
    func.min(_parked.c.relay_error).filter(_failing).label("failing_error"),
)
_waiting_row, _aside_row = _waiting.subquery("waiting"), _aside.subquery("aside")
OUTBOX = select(_waiting_row, _aside_row).select_from(_waiting_row.join(_aside_row, true()))
