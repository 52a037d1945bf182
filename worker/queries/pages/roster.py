"""The workers told to a program: every process page by page, what it holds, and how its last attempts ended."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, bindparam, func, select

from worker.database import Timestamp, among
from worker.database.aggregates import tally
from worker.queries.pages import fleet, readiness, workers
from worker.queries.pages.fleet import State
from worker.queries.schema import job_attempts as attempt
from worker.queries.schema import worker_instances as instance

COUNTED = 1_000
"""The newest attempts of a worker that are counted by how they ended."""

STOPPED = select(func.count()).select_from(instance).where(instance.c.stopped_at.is_not(None))
_last = (
    select(attempt.c.outcome, attempt.c.finished_at)
    .where(attempt.c.worker_id == instance.c.instance_id)
    .where(attempt.c.finished_at >= bindparam("since", type_=Timestamp))
    .order_by(attempt.c.finished_at.desc())
    .correlate(instance)
)
_counted = _last.limit(COUNTED).subquery("counted")
_by_outcome = select(_counted.c.outcome, func.count().label("attempts")).group_by(_counted.c.outcome).subquery("ended")
_times = _last.with_only_columns(attempt.c.finished_at)
ENDED = select(
    instance.c.instance_id,
    select(tally(_by_outcome.c.outcome, _by_outcome.c.attempts)).scalar_subquery().label("outcomes"),
    _times.limit(1).scalar_subquery().label("last_finished_at"),
    _times.offset(COUNTED - 1).limit(1).scalar_subquery().label("counted_since"),
).where(among(instance.c.instance_id, "of_workers"))


@dataclass(frozen=True, slots=True)
class AttemptCounts:
    """Attempts of one worker by how they ended."""

    completed: int = 0
    failed: int = 0
    dead_letter: int = 0
    cancelled: int = 0
    lease_expired: int = 0
    superseded: int = 0
    released: int = 0
    abandoned: int = 0


@dataclass(frozen=True, slots=True)
class WorkerSummary:
    """One process; `holds` is counted among the running jobs as it is asked, so that a crash leaves no phantom claims.

    `attempts` are those that ended in the window, the newest thousand at most: since `counted_since`.
    """

    instance_id: str
    component: str
    role: str | None
    label: str | None
    metadata: Mapping[str, Any] | None
    host: str | None
    pid: int | None
    version: str | None
    job_types: Sequence[str]
    queues: Sequence[str] | None
    concurrency: int
    state: State
    started_at: datetime
    last_heartbeat_at: datetime
    drain_requested_at: datetime | None
    stopped_at: datetime | None
    holds: int
    attempts: AttemptCounts
    counted_since: datetime
    last_finished_at: datetime | None


_STORED = [each.name for each in fields(WorkerSummary) if each.name in instance.c]


@dataclass(frozen=True, slots=True)
class WorkersSummary:
    """All processes by state, and one page of them, the last to start first.

    Without `stale_after_seconds` a worker is silent after three of its own intervals without a beat. What has not
    stopped is counted among the thousand processes heard of last.
    """

    at: datetime
    window_hours: int
    stale_after_seconds: float | None
    live: int
    draining: int
    silent: int
    stopped: int
    claimed_by_silent_workers: int
    workers: tuple[WorkerSummary, ...]
    next_cursor: str | None


def read(
    conn: Connection,
    *,
    hours: int,
    limit: int,
    cursor: str | None = None,
    stale_after_seconds: float | None = None,
    now: datetime | None = None,
) -> WorkersSummary:
    """One page of the processes; the counts are of all, whatever the page."""
    at = now or readiness.clock(conn)
    held = fleet.held(conn)
    present = fleet.read(conn, held=held, now=at, stale_after_seconds=stale_after_seconds)
    states = Counter(each.state for each in present)
    rows, next_cursor = workers.every(conn, cursor=cursor, limit=limit, now=at)
    facts = _facts(conn, rows, held, since=at - timedelta(hours=hours))
    return WorkersSummary(
        at=at,
        window_hours=hours,
        stale_after_seconds=stale_after_seconds,
        live=states[State.LIVE],
        draining=states[State.DRAINING],
        silent=states[State.SILENT],
        stopped=conn.execute(STOPPED).scalar_one(),
        claimed_by_silent_workers=sum(each.busy for each in present if each.state is State.SILENT),
        workers=tuple(
            WorkerSummary(
                **{name: getattr(row, name) for name in _STORED},
                state=fleet.state_of(row, at, stale_after_seconds=stale_after_seconds),
                **facts[row.instance_id],
            )
            for row in rows
        ),
        next_cursor=next_cursor,
    )


def _facts(conn: Connection, rows: Sequence[Any], held: Iterable[Any], *, since: datetime) -> dict[str, dict[str, Any]]:
    """What is known of each process beside its row."""
    holds: Counter[str | None] = Counter()
    for row in held:
        holds[row.locked_by] += row.jobs
    of_workers = [row.instance_id for row in rows]
    return {
        row.instance_id: {
            "holds": holds[row.instance_id],
            "attempts": AttemptCounts(**(row.outcomes or {})),
            "counted_since": row.counted_since or since,
            "last_finished_at": row.last_finished_at,
        }
        for row in conn.execute(ENDED, {"of_workers": of_workers, "since": since})
    }
