"""One look at everything that is kept of a minute."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import Connection

from worker.queries.pages import attention, backlog, figures, tenant_backlog
from worker.queries.pages.attention import Limits, Seen
from worker.queries.pages.backlog import COUNTED, Backlog
from worker.queries.samples import Pair, Sample, TenantPair

_SUMMED = ("ready", "scheduled", "running", "dead")


def look(conn: Connection, *, now: datetime | None = None) -> Sample:
    """The backlog of each pair and of each tenant, counted in full, and how bad each kind of trouble is."""
    seen = figures.sample(conn, now=now)
    rows = backlog.read(conn, held=seen.held, in_full=True, now=seen.at)
    theirs = tenant_backlog.by_tenant(conn, now=seen.at)
    return Sample(
        ready=seen.ready,
        oldest_seconds=_waited(seen.at, seen.ready_since),
        scheduled=seen.depths.scheduled,
        running=seen.running,
        dead=seen.depths.dead,
        pairs=list(_pairs(rows, seen.at)),
        tenants_in_full=all(ready < COUNTED for ready in seen.depths.ready.values()),
        tenants=[TenantPair(each, pair) for each, of in theirs.items() for pair in _pairs(of, seen.at)],
        findings=attention.measure(Seen(conn, seen, Limits())),
    )


def _pairs(rows: Iterable[Backlog], now: datetime) -> Iterable[Pair]:
    """Of a handler that runs jobs of two types, one pair."""
    found: dict[tuple[str, str], Pair] = {}
    for row in rows:
        key = (row.queue, row.handler_key)
        known = asdict(found.get(key, Pair(*key)))
        summed = {name: known[name] + getattr(row, name) for name in _SUMMED}
        oldest = max(known["oldest_seconds"], _waited(now, row.ready_since))
        found[key] = Pair(*key, oldest_seconds=oldest, **summed)
    return found.values()


def _waited(now: datetime, since: datetime | None) -> int:
    return max(round((now - since).total_seconds()), 0) if since else 0
