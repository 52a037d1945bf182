"""The queue told to a program: what is open, what happened, who works, and replay of what failed for good.

Importing it touches no database. `Admin(database)` is built once, by an API, a script or a dashboard, and shared.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from worker.database import Engine, connect, read_only, url_of
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import dead_letters
from worker.queries.audit import Actor
from worker.queries.pages import attempts, histories, roster, summary
from worker.queries.pages.attempts import AttemptDetail, AttemptsPage
from worker.queries.pages.histories import JobDetail
from worker.queries.pages.roster import WorkersSummary, WorkerSummary
from worker.queries.pages.summary import DeadLetter, JobsSummary, QueueSummary, Standing, SubscriberSummary
from worker.queries.pages.windows import Durations, Window

__all__ = (
    "Admin",
    "AttemptDetail",
    "AttemptsPage",
    "DeadLetter",
    "Durations",
    "JobDetail",
    "JobsSummary",
    "QueueSummary",
    "Replayed",
    "Standing",
    "SubscriberSummary",
    "Window",
    "WorkerSummary",
    "WorkersSummary",
    "plain",
)

PAGE_AT_MOST = 500
HOURS_AT_MOST = 90 * 24
"""How long the statistics of each minute are kept."""
YEAR_SECONDS = 366 * 86_400


@dataclass(frozen=True, slots=True)
class Replayed:
    """Whether the dead letter was queued again; False when it is none, or somebody was faster."""

    replayed: bool


class Admin:
    """Answers about one database, each read in a short read-only transaction of its own.

    `database` is its address, or an engine of `worker.database.connect`; an address that leads to a transaction pooler
    has `pooler=transaction` in its query. No method takes a connection, so that none can
    see, join or end a transaction of the caller's. Answers are frozen dataclasses whose times are aware and in UTC; a
    value that cannot be is refused with `InvalidInput`, which names the argument. An async caller uses a thread.
    """

    def __init__(self, database: str | Engine, *, actor: str = "admin api") -> None:
        """`actor` is who the audit trail names for a replay, unless the call says who asked."""
        self._actor = _actor(actor)
        self._made = isinstance(database, str)
        if isinstance(database, str):
            database = connect(url_of(database), application_name="watchfloor admin")
        self._engine = database
        self._reading = read_only(database)

    def get_jobs_summary(self, hours: int = 24, dead_letter_limit: int = 50) -> JobsSummary:
        """Open jobs whatever their age, attempts of the last `hours`, and the newest dead letters; all by queue too."""
        _whole(hours, "hours", HOURS_AT_MOST)
        _whole(dead_letter_limit, "dead_letter_limit")
        with self._reading.begin() as conn:
            return summary.read(conn, hours=hours, dead_letter_limit=dead_letter_limit)

    def get_job(self, job_id: UUID | str, attempt_limit: int = 50) -> JobDetail | None:
        """One job and its newest attempts: who ran each, how long, why it failed; None when there is no such job."""
        job_id = _id(job_id)
        _whole(attempt_limit, "attempt_limit")
        with self._reading.begin() as conn:
            return histories.job_of(conn, job_id=job_id, attempt_limit=attempt_limit)

    def get_event_jobs(self, event_id: str, attempt_limit: int = 20) -> tuple[JobDetail, ...]:
        """The jobs of one event by subscriber, two hundred at most, each with its newest attempts."""
        event_id = _text(event_id, "event_id", 36)
        _whole(attempt_limit, "attempt_limit")
        with self._reading.begin() as conn:
            return histories.jobs_of(conn, event_id=event_id, attempt_limit=attempt_limit)

    def get_workers_summary(
        self,
        stale_after_seconds: float | None = None,
        limit: int = 100,
        cursor: str | None = None,
        hours: int = 24,
    ) -> WorkersSummary:
        """All workers by state, and one page of them, the last to start first; `next_cursor` asks for the next page.

        `stale_after_seconds` is the silence that counts; without it, three of each worker's own intervals.
        """
        _patience(stale_after_seconds)
        _whole(limit, "limit")
        _cursor(cursor)
        _whole(hours, "hours", HOURS_AT_MOST)
        with self._reading.begin() as conn:
            return roster.read(conn, hours=hours, limit=limit, cursor=cursor, stale_after_seconds=stale_after_seconds)

    def get_worker_attempts(self, instance_id: str, limit: int = 100, cursor: str | None = None) -> AttemptsPage:
        """One page of what a worker ran, the last to end first; `next_cursor` asks for the next page."""
        instance_id = _text(instance_id, "instance_id", 100)
        _whole(limit, "limit")
        _cursor(cursor)
        with self._reading.begin() as conn:
            return attempts.of_worker(conn, instance_id=instance_id, limit=limit, cursor=cursor)

    def replay_dead_letter_job(
        self, job_id: UUID | str, *, actor: str | None = None, reason: str | None = None
    ) -> Replayed:
        """Queue a dead letter again with a new budget, and say so in the audit trail, in one transaction."""
        job_id = _id(job_id)
        who = self._actor if actor is None else _actor(actor)
        why = None if reason is None else _text(reason, "reason", 500)
        with self._engine.begin() as conn:
            acted = dead_letters.replay(conn, job_ids=[job_id], actor=who, reason=why)
        return Replayed(bool(acted.done))

    def close(self) -> None:
        """Give up the connections, where this object made them."""
        if self._made:
            self._engine.dispose()


def plain(answer: Any) -> Any:
    """An answer as `json.dumps` takes it: ids as text, times as ISO 8601 in UTC."""
    if is_dataclass(answer):
        return {field.name: plain(getattr(answer, field.name)) for field in fields(answer)}
    if isinstance(answer, Mapping):
        return {name: plain(value) for name, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [plain(value) for value in answer]
    if isinstance(answer, datetime):
        return answer.isoformat()
    return str(answer) if isinstance(answer, UUID) else answer


def _whole(value: object, field: str, most: int = PAGE_AT_MOST) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise InvalidInput(field, f"must be a whole number from 1 to {most}")


def _patience(value: object) -> None:
    if value is None or (isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= YEAR_SECONDS):
        return
    raise InvalidInput("stale_after_seconds", f"must be a number above 0, {YEAR_SECONDS} at most")


def _cursor(value: object) -> None:
    if value is not None and not (value and isinstance(value, str)):
        raise InvalidInput("cursor", "is neither None nor the next_cursor of a page")


def _id(value: object) -> UUID:
    try:
        return value if isinstance(value, UUID) else UUID(_text(value, "job_id", 100))
    except ValueError:
        raise InvalidInput("job_id", "is not the id of a job") from None


def _actor(name: str) -> Actor:
    return Actor(_text(name, "actor", 100))


def _text(value: object, field: str, limit: int) -> str:
    text = clean_text(value, field=field, limit=limit) if isinstance(value, str) else ""
    if not text:
        raise InvalidInput(field, "is empty or not text")
    return text
