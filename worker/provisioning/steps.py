"""The six steps of a provisioning: each recorded as it begins and as it ends, none taken again (S1-73 to S1-76)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import structlog

from worker.database import Engine
from worker.errors import ClaimLost, JobCancelled
from worker.failures import describe, last_line
from worker.model import Job
from worker.queries import steps
from worker.signals import require_wanted

STEPS = (
    "create_schema",
    "run_tenant_migrations",
    "grant_app_rw",
    "seed_role_profiles",
    "verify_object_storage",
    "activate_onboarding",
)

_STOPPED = "Stopped, as was asked, before it was done."

log = structlog.get_logger()


def run(job: Job, engine: Engine, work: Mapping[str, Callable[[], None]]) -> None:
    """Take the steps that are not recorded as done; killed anywhere, the next run goes on from there (S1-82).

    JobCancelled between two steps when somebody asked for it; ClaimLost when the job may be another worker's by now.
    """
    done = [step for step in STEPS if step in job.steps_completed]
    with engine.begin() as conn:
        steps.resume(conn, claimed=job, skipped=[(STEPS.index(step) + 1, step) for step in done])
    for ordinal, step in enumerate(STEPS, start=1):
        if step not in done:
            _begin(job, engine, ordinal, step)
            with _failure_recorded(job, engine, ordinal):
                work[step]()
            done.append(step)
            _end(job, engine, ordinal, done)


def progress(done: Sequence[str]) -> float:
    """How far a provisioning is with these steps done, in percent (S1-75)."""
    return len(done) / len(STEPS) * 100


def _begin(job: Job, engine: Engine, ordinal: int, step: str) -> None:
    """The row is asked, too, whether it is to go on: a worker hears of a cancel with its next beat only."""
    require_wanted()
    with engine.begin() as conn:
        if not steps.start(conn, claimed=job, ordinal=ordinal, step=step):
            raise JobCancelled if steps.stands(conn, claimed=job) else ClaimLost


def _end(job: Job, engine: Engine, ordinal: int, done: Sequence[str]) -> None:
    with engine.begin() as conn:
        if not steps.finish(conn, claimed=job, ordinal=ordinal, completed=done, percent=progress(done)):
            raise ClaimLost


def _words(error: Exception, job: Job) -> str:
    return last_line(describe(error, handler_key=job.handler_key).detail)


@contextmanager
def _failure_recorded(job: Job, engine: Engine, ordinal: int) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        words = _STOPPED if isinstance(error, JobCancelled) else _words(error, job)
        try:
            with engine.begin() as conn:
                steps.fail(conn, claimed=job, ordinal=ordinal, error=words)
        except Exception as unrecorded:  # noqa: BLE001 - the step's own error counts; the next run closes what is open
            log.warning("step.not_recorded", job_id=str(job.id), error=type(unrecorded).__name__)
        raise
