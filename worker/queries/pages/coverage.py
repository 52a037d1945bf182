"""Which job types the workers that live can run: readiness is capability, not life alone (S1-93, S1-94)."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import func, select

from worker.database import Connection, moment, seconds
from worker.queries.pages.fleet import MISSED_BEATS
from worker.queries.schema import runtime_heartbeats as heartbeat
from worker.queries.schema import worker_instances as instance

_USUAL_INTERVAL_SECONDS = 10
_patience = MISSED_BEATS * func.coalesce(instance.c.heartbeat_interval_seconds, _USUAL_INTERVAL_SECONDS)
FRESH = (
    select(heartbeat.c.detail)
    .join_from(heartbeat, instance, instance.c.instance_id == heartbeat.c.instance_id, isouter=True)
    .where(heartbeat.c.heartbeat_at >= moment() - seconds(_patience))
)


def uncovered(conn: Connection, *, required: Iterable[str], now: datetime | None = None) -> list[str]:
    """The required job types that no component with a fresh beat advertises, by name."""
    details = conn.execute(FRESH, {"at_now": now}).scalars()
    return sorted(set(required).difference(*(detail.get("job_types", ()) for detail in details)))
