"""What is recorded of the steps, and what ends a run between two of them; their work is of no matter here."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, select, update

from tests import factories
from tests.factories import NOON
from tests.worker.provisioning.rig import asked, claimed, history
from worker.errors import ClaimLost, JobCancelled
from worker.model import Status
from worker.provisioning.steps import STEPS, run
from worker.queries.schema import job_attempts, job_steps, platform_jobs
from worker.signals import Signal, enter, leave

ONE, TWO, THREE, FOUR, FIVE, SIX = STEPS


def nothing(**acts: Callable[[], object]) -> dict[str, Callable[[], Any]]:
    """Work that does nothing, but for these steps."""
    return {step: acts.get(step, lambda: None) for step in STEPS}


def put(engine: Engine, job_id: UUID, **columns: Any) -> None:
    """What somebody else writes meanwhile."""
    with engine.begin() as conn:
        conn.execute(update(platform_jobs).where(platform_jobs.c.id == job_id).values(columns))


def test_each_step_is_recorded_with_its_times_as_it_goes(engine: Engine, conn: Connection) -> None:
    _, job_id = asked(engine)
    seen: list[tuple[list[str], float, str | None]] = []

    def look() -> None:
        with engine.connect() as apart:
            row = factories.stored(apart, job_id)
            seen.append((row.steps_completed, float(row.progress), history(apart, job_id)[-1][2]))

    run(claimed(engine, job_id), engine, dict.fromkeys(STEPS, look))
    assert seen == [(list(STEPS[:done]), round(100 * done / 6, 2), None) for done in range(6)]
    row = factories.stored(conn, job_id)
    assert (row.steps_completed, float(row.progress), row.status) == (list(STEPS), 100, Status.RUNNING)
    times = conn.execute(select(job_steps).order_by(job_steps.c.ordinal)).all()
    assert [(each.ordinal, each.step, each.outcome) for each in times] == [
        (ordinal, step, "done") for ordinal, step in enumerate(STEPS, start=1)
    ]
    assert all(each.started_at <= each.finished_at for each in times)


def test_a_failure_is_recorded_in_words_without_secrets_and_ends_the_run(engine: Engine, conn: Connection) -> None:
    _, job_id = asked(engine)

    def fail() -> None:
        raise ConnectionError("cannot reach postgresql://owner:hunter2@db/prod")

    with pytest.raises(ConnectionError):
        run(claimed(engine, job_id), engine, nothing(grant_app_rw=fail))
    assert history(conn, job_id) == [(1, ONE, "done"), (1, TWO, "done"), (1, THREE, "failed")]
    error = conn.execute(select(job_steps.c.error).where(job_steps.c.outcome == "failed")).scalar_one()
    assert error == "ConnectionError: cannot reach postgresql://[redacted]@db/prod"
    assert factories.stored(conn, job_id).steps_completed == [ONE, TWO]


def test_a_step_that_is_left_for_a_cancel_says_so(engine: Engine, conn: Connection) -> None:
    _, job_id = asked(engine)

    def stopped() -> None:
        raise JobCancelled

    with pytest.raises(JobCancelled):
        run(claimed(engine, job_id), engine, nothing(create_schema=stopped))
    error = conn.execute(select(job_steps.c.error).where(job_steps.c.ordinal == 1)).scalar_one()
    assert error == "Stopped, as was asked, before it was done."


def test_a_failure_that_cannot_be_recorded_is_told_all_the_same_and_its_step_is_lost(
    engine: Engine, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, job_id = asked(engine)

    def fail() -> None:
        raise KeyError("what matters")

    monkeypatch.setattr("worker.queries.steps.fail", _out_of_reach)
    with pytest.raises(KeyError, match="what matters"):
        run(claimed(engine, job_id), engine, nothing(create_schema=fail))
    run(claimed(engine, job_id), engine, nothing())
    assert history(conn, job_id)[:2] == [(1, ONE, "lost"), (2, ONE, "done")]


def _out_of_reach(*_: Any, **__: Any) -> None:
    raise ConnectionError


def test_the_next_run_goes_on_where_the_last_one_failed(engine: Engine, conn: Connection) -> None:
    _, job_id = asked(engine, steps_completed=[ONE, TWO], generation=1)
    taken: list[str] = []
    run(claimed(engine, job_id), engine, {step: lambda step=step: taken.append(step) for step in STEPS})  # type: ignore[misc] # each its own
    assert taken == [THREE, FOUR, FIVE, SIX]
    assert history(conn, job_id) == [(2, step, "skipped" if step in {ONE, TWO} else "done") for step in STEPS]


def test_a_step_that_a_dead_process_left_open_is_lost_since_that_attempt_ended(
    engine: Engine, conn: Connection
) -> None:
    _, job_id = asked(engine, steps_completed=[ONE], generation=1)
    left = {"job_id": job_id, "generation": 1, "ordinal": 2, "step": TWO, "started_at": NOON}
    conn.execute(job_steps.insert(), left)
    attempt = {"generation": 1, "attempt": 1, "worker_id": "w", "outcome": "lease_expired"}
    conn.execute(job_attempts.insert(), {"job_id": job_id, "claimed_at": NOON, "finished_at": NOON, **attempt})
    run(claimed(engine, job_id), engine, nothing())
    assert history(conn, job_id)[0] == (1, TWO, "lost")
    assert conn.execute(select(job_steps.c.finished_at).where(job_steps.c.outcome == "lost")).scalar_one() == NOON


@pytest.mark.parametrize("lost_by", [{"generation": 2}, {"status": Status.QUEUED, "locked_by": None}])
def test_a_run_whose_claim_is_lost_writes_nothing_more(
    engine: Engine, conn: Connection, lost_by: dict[str, Any]
) -> None:
    _, job_id = asked(engine)
    free = {"locked_at": None, "lease_expires_at": None} if "status" in lost_by else {}
    with pytest.raises(ClaimLost):
        run(
            claimed(engine, job_id),
            engine,
            nothing(run_tenant_migrations=lambda: put(engine, job_id, **lost_by, **free)),
        )
    assert factories.stored(conn, job_id).steps_completed == [ONE]
    assert history(conn, job_id) == [(1, ONE, "done"), (1, TWO, None)]


def test_a_cancel_is_heard_between_two_steps_before_any_beat_tells_of_it(engine: Engine, conn: Connection) -> None:
    _, job_id = asked(engine)
    with pytest.raises(JobCancelled):
        run(
            claimed(engine, job_id),
            engine,
            nothing(run_tenant_migrations=lambda: put(engine, job_id, cancel_requested_at=NOON)),
        )
    assert factories.stored(conn, job_id).steps_completed == [ONE, TWO]
    assert history(conn, job_id) == [(1, ONE, "done"), (1, TWO, "done")]


@pytest.mark.parametrize(("word", "error"), [("cancel_requested", JobCancelled), ("lease_lost", ClaimLost)])
def test_what_the_worker_tells_is_heard_between_two_steps(
    engine: Engine, conn: Connection, word: str, error: type[Exception]
) -> None:
    _, job_id = asked(engine)
    signal = Signal()
    enter(signal)
    try:
        with pytest.raises(error):
            run(claimed(engine, job_id), engine, nothing(create_schema=lambda: setattr(signal, word, True)))
    finally:
        leave()
    assert history(conn, job_id) == [(1, ONE, "done")]
