"""All jobs at a glance: what is open now, what attempts came to in a window, and the dead letters that died last."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Connection, bindparam, select

from worker.queries.pages import backlog, fleet, readiness, windows
from worker.queries.pages.backlog import COUNTED, DEAD
from worker.queries.pages.windows import Window
from worker.queries.schema import job_attempts as attempt
from worker.queries.schema import platform_jobs as job


@dataclass(frozen=True, slots=True)
class Standing:
    """Open jobs as they are now, however old; `queued` is ready (due) and scheduled (due later).

    Of either, some are retrying. A ready job's age counts from when it came due, a running one's from its claim; None
    where there is no such job.
    """

    queued: int
    ready: int
    oldest_ready_seconds: float | None
    scheduled: int
    next_due_seconds: float | None
    retrying: int
    running: int
    oldest_running_seconds: float | None
    dead_letters: int


@dataclass(frozen=True, slots=True)
class QueueSummary:
    """One queue: its open jobs, and the attempts of its jobs that ended in the window."""

    queue: str
    standing: Standing
    window: Window


@dataclass(frozen=True, slots=True)
class SubscriberSummary:
    """The same by handler: a subscriber's id, or the job type where work was put in directly."""

    handler_key: str
    standing: Standing
    window: Window


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A job that failed for good; `last_worker_id` ran its last attempt, None where no record of that is left."""

    id: UUID
    job_type: str
    subscriber_id: str | None
    event_id: str | None
    event_type: str | None
    tenant_id: UUID | None
    queue: str
    source: str
    attempts: int
    max_attempts: int
    replays: int
    generation: int
    error_type: str | None
    error_detail: str | None
    created_at: datetime
    finished_at: datetime
    last_worker_id: str | None


_died = (
    select(*(job.c[each.name] for each in fields(DeadLetter) if each.name in job.c))
    .where(DEAD)
    .order_by(job.c.finished_at.desc(), job.c.id.desc())
    .limit(bindparam("at_most"))
    .subquery("died")
)
DIED_LAST = (
    select(_died, attempt.c.worker_id.label("last_worker_id"))
    .outerjoin(attempt, (attempt.c.job_id == _died.c.id) & (attempt.c.generation == _died.c.generation))
    .order_by(_died.c.finished_at.desc(), _died.c.id.desc())
)


@dataclass(frozen=True, slots=True)
class JobsSummary:
    """All jobs at one moment; where `counted_in_full` is False, counting stopped at a hundred thousand of a kind."""

    at: datetime
    window_hours: int
    counted_in_full: bool
    standing: Standing
    window: Window
    by_queue: tuple[QueueSummary, ...]
    by_subscriber: tuple[SubscriberSummary, ...]
    recent_dead_letters: tuple[DeadLetter, ...]


class _Facts(NamedTuple):
    """What was read, of all or of a part; each row has a queue and a handler."""

    open_work: list[Any]
    held: list[Any]
    ended: list[Any]

    def by(self, column: str) -> dict[str, _Facts]:
        """The part of each queue or handler."""
        parts: defaultdict[str, _Facts] = defaultdict(lambda: _Facts([], [], []))
        for kind, rows in enumerate(self):
            for row in rows:
                parts[getattr(row, column)][kind].append(row)
        return dict(sorted(parts.items()))

    def standing(self, at: datetime) -> Standing:
        """The open jobs, in one."""
        ready, scheduled = self._sum("ready"), self._sum("scheduled")
        return Standing(
            queued=ready + scheduled,
            ready=ready,
            oldest_ready_seconds=_seconds(_first(row.ready_since for row in self.open_work), at),
            scheduled=scheduled,
            next_due_seconds=_seconds(at, _first(row.next_due for row in self.open_work)),
            retrying=self._sum("retrying"),
            running=self._sum("running"),
            oldest_running_seconds=_seconds(_first(row.since for row in self.held), at),
            dead_letters=self._sum("dead"),
        )

    def is_whole(self) -> bool:
        """Whether no kind reached the number at which `backlog` stops counting."""
        ready: Counter[str] = Counter()
        for row in self.open_work:
            ready[row.queue] += row.ready
        return max(self._sum("scheduled"), self._sum("dead"), *ready.values(), 0) < COUNTED

    def _sum(self, count: str) -> int:
        return sum(getattr(row, count) for row in self.open_work)


def read(conn: Connection, *, hours: int, dead_letter_limit: int, now: datetime | None = None) -> JobsSummary:
    """Open jobs whatever their age, attempts of the last hours, and the newest dead letters."""
    at = now or readiness.clock(conn)
    held = fleet.held(conn)
    open_work = backlog.read(conn, held=held, in_full=True, now=at)
    facts = _Facts([*open_work], held, [*windows.ended(conn, hours=hours, now=at)])
    queues, handlers = facts.by("queue").items(), facts.by("handler_key").items()
    dead_letters = conn.execute(DIED_LAST, {"at_most": dead_letter_limit})
    return JobsSummary(
        at=at,
        window_hours=hours,
        counted_in_full=facts.is_whole(),
        standing=facts.standing(at),
        window=windows.window(facts.ended),
        by_queue=tuple(QueueSummary(name, part.standing(at), windows.window(part.ended)) for name, part in queues),
        by_subscriber=tuple(
            SubscriberSummary(name, part.standing(at), windows.window(part.ended)) for name, part in handlers
        ),
        recent_dead_letters=tuple(DeadLetter(**row._mapping) for row in dead_letters),
    )


def _first(times: Iterable[datetime | None]) -> datetime | None:
    return min((each for each in times if each is not None), default=None)


def _seconds(start: datetime | None, end: datetime | None) -> float | None:
    return (end - start).total_seconds() if start and end else None
