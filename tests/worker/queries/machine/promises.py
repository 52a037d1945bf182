"""What holds after every step: the database is as the model, and moved only where the arrows lead."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from itertools import groupby
from uuid import UUID

from hypothesis.stateful import invariant
from sqlalchemy import select

from tests.worker.queries.machine.base import Base
from tests.worker.queries.machine.known import Ended, Known
from worker.database import Engine, Row, autocommit
from worker.model import AttemptOutcome, Status
from worker.queries.schema import event_outbox, job_attempts
from worker.queries.schema import platform_jobs as job

LEGAL = {
    (None, Status.QUEUED),
    (Status.QUEUED, Status.RUNNING),
    (Status.QUEUED, Status.CANCELLED),
    (Status.RUNNING, Status.QUEUED),
    (Status.RUNNING, Status.SUCCEEDED),
    (Status.RUNNING, Status.FAILED),
    (Status.RUNNING, Status.CANCELLED),
    (Status.FAILED, Status.QUEUED),
    (Status.FAILED, Status.CANCELLED),
    (Status.CANCELLED, Status.QUEUED),
}
"""S2-26, and what an operator or a producer may do beside it: cancel, replay, retry_terminal."""

_OF_JOB = [each.name for each in fields(Known) if each.name in job.c]
_OF_ATTEMPT = [each.name for each in fields(Ended)]
JOBS = select(*(job.c[name] for name in _OF_JOB))
ATTEMPTS = select(
    job_attempts.c.job_id, job_attempts.c.started_at, *(job_attempts.c[name] for name in _OF_ATTEMPT)
).order_by(job_attempts.c.job_id, job_attempts.c.generation)
OUTBOX = select(event_outbox.c.event_id, event_outbox.c.relayed_at, event_outbox.c.retry_at)

NEVER_STARTED = (AttemptOutcome.RELEASED, AttemptOutcome.LEASE_EXPIRED)


class Promises(Base):
    """The invariants."""

    def __init__(self, engine: Engine) -> None:
        super().__init__(engine)
        self._before: dict[UUID, Row] = {}

    @invariant()
    def every_row_is_as_it_should_be(self) -> None:
        """No job, attempt or event is lost, invented or otherwise than the model says."""
        with autocommit(self.engine).connect() as conn:
            rows = {row.id: row for row in conn.execute(JOBS)}
            events = {row.event_id: (row.relayed_at, row.retry_at) for row in conn.execute(OUTBOX)}
            history = {key: list(some) for key, some in groupby(conn.execute(ATTEMPTS), lambda row: row.job_id)}
        assert rows.keys() == self.model.jobs.keys()
        assert history.keys() <= rows.keys()
        for job_id, known in self.model.jobs.items():
            assert of_row(rows[job_id], _OF_JOB) == {name: getattr(known, name) for name in _OF_JOB}
            ended = history.get(job_id, [])
            assert [of_row(row, _OF_ATTEMPT) for row in ended] == [vars(each) for each in known.history]
            check_moves(self._before.get(job_id), rows[job_id])
            check_attempts(rows[job_id], ended)
        assert events == {key: (each.relayed_at, each.retry_at) for key, each in self.model.events.items()}
        self._before, self.is_sound = rows, True


def of_row(row: Row, names: Sequence[str]) -> dict[str, object]:
    """These columns by name."""
    return {name: getattr(row, name) for name in names}


def check_moves(before: Row | None, row: Row) -> None:
    """Only legal arrows; the fence goes up by one with each claim and never otherwise."""
    was, generation = (before.status, before.generation) if before else (None, 0)
    claimed = (was, row.status) == (Status.QUEUED, Status.RUNNING)
    assert was == row.status or (was, row.status) in LEGAL
    assert row.generation == generation + claimed


def check_attempts(row: Row, ended: Sequence[Row]) -> None:
    """Budget and lock agree with the state, and the history has each generation that ended, once."""
    running = row.status == Status.RUNNING
    assert 0 <= row.attempts <= min(row.max_attempts, row.generation)
    assert {running} == {value is not None for value in (row.locked_by, row.locked_at, row.lease_expires_at)}
    assert (row.finished_at is None) == (row.status in (Status.QUEUED, Status.RUNNING))
    assert [each.generation for each in ended] == list(range(1, row.generation + (not running)))
    assert all((each.started_at is None) == (each.outcome in NEVER_STARTED) for each in ended)
    completed = [each.outcome for each in ended].count(AttemptOutcome.COMPLETED)
    assert completed == (row.status == Status.SUCCEEDED)
