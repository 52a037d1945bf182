"""A worker as a whole, on threads of its own and a real database."""

import asyncio
import threading
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, select, text
from structlog.testing import capture_logs

from tests.factories import attempts, job, stored
from tests.worker.runtime.bench import (
    PATIENCE_SECONDS,
    Gate,
    Start,
    in_status,
    nothing,
    put,
    quick,
    registry,
    status,
    until,
)
from worker import JobCancelled, NewJob, cancel_requested, enqueue_many, lease_lost
from worker.errors import ConfigurationError
from worker.model import RECOVERED, Job, Status
from worker.queries.audit import Actor
from worker.queries.cancellations import cancel
from worker.queries.schema import releases, runtime_heartbeats, sleepers, worker_instances
from worker.queries.workers import request_drain
from worker.runtime.worker import Worker

DANA = Actor("dana")


def test_jobs_run_once_each_and_are_accounted_for(start: Start, engine: Engine) -> None:
    ran: list[UUID] = []
    known = registry(work=nothing).job_types
    with engine.begin() as conn:
        enqueue_many(conn, known, [NewJob("work") for _ in range(200)])
    start(work=lambda job: ran.append(job.id))
    until(lambda: in_status(engine, Status.SUCCEEDED) == 200)
    assert len(set(ran)) == len(ran) == 200


def test_a_lone_job_starts_long_before_the_next_poll(start: Start, engine: Engine, conn: Connection) -> None:
    started = threading.Event()
    start({"poll_interval_seconds": 600}, work=lambda job: started.set())
    until(lambda: conn.execute(select(sleepers)).all())
    put(engine, "work")
    assert started.wait(PATIENCE_SECONDS)


def test_the_release_that_a_worker_brings_is_noted_once(start: Start, conn: Connection) -> None:
    for _ in range(2):
        start({"release": "2026.48"}, work=nothing)
    told = select(releases.c.name, releases.c.component, releases.c.told_by)
    assert conn.execute(told).all() == [("2026.48", "worker", "worker")]
    assert set(conn.execute(select(worker_instances.c.version)).scalars()) == {"2026.48"}


def test_a_job_for_later_and_a_retry_start_at_their_time_not_at_the_next_poll(start: Start, engine: Engine) -> None:
    tried: list[int] = []

    def flaky(job: Job) -> None:
        tried.append(job.attempts)
        if job.attempts == 1:
            raise ValueError("not yet")

    start({"poll_interval_seconds": 600, "reaper_interval_seconds": 600}, work=flaky)
    put(engine, "work", delay_seconds=0.5)
    until(lambda: tried == [1, 2])


def test_a_17_without_any_hint_the_poll_finds_the_job(start: Start, engine: Engine, conn: Connection) -> None:
    started = threading.Event()
    start(work=lambda job: started.set())
    until(lambda: conn.execute(select(sleepers)).all())
    conn.execute(sleepers.delete())
    put(engine, "work")
    assert started.wait(PATIENCE_SECONDS)


def test_async_and_sync_handlers_run_beside_each_other(start: Start, engine: Engine) -> None:
    seen: set[str] = set()

    async def later(job: Job) -> None:
        await asyncio.sleep(0)
        seen.add(job.job_type)

    start(later=later, now=lambda job: seen.add(job.job_type))
    put(engine, "later", "now")
    until(lambda: in_status(engine, Status.SUCCEEDED) == 2)
    assert seen == {"later", "now"}


@pytest.mark.parametrize("values", [{"worker_job_types": "nope"}, {"worker_job_types": "train_tenant_model"}])
def test_s1_59_and_95_a_worker_that_may_not_start_leaves_no_trace(
    start: Start, conn: Connection, values: dict[str, Any]
) -> None:
    with pytest.raises(ConfigurationError):
        start(values, work=nothing)
    assert conn.execute(select(runtime_heartbeats)).all() == []
    assert conn.execute(select(worker_instances)).all() == []


def test_s1_110_what_is_stale_is_recovered_before_the_first_claim(url: str, conn: Connection) -> None:
    planted = job(conn, job_type="work", status=Status.RUNNING, lease_expires_at=None)
    conn.execute(text("UPDATE control.platform_jobs SET locked_at = now() - interval '901s', available_at = now()"))
    done = threading.Event()
    worker = Worker(quick(), registry(work=lambda job: done.set()), url=url)
    worker.start()
    assert done.wait(PATIENCE_SECONDS)
    worker.stop()
    first, second = attempts(conn, planted)
    assert (first.outcome, first.error, second.outcome) == ("lease_expired", RECOVERED, "completed")


def test_s1_44_and_a_24_nothing_of_ours_idles_in_a_transaction_while_a_handler_runs(
    start: Start, engine: Engine, conn: Connection
) -> None:
    gate = Gate()
    start(work=gate)
    put(engine, "work")
    gate.await_entry()
    ours = "SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'watchfloor%' AND xact_start < :now"
    now = {"now": conn.execute(text("SELECT clock_timestamp()")).scalar_one()}
    until(lambda: conn.execute(text(ours), now).scalar_one() == 0)
    gate.free.set()


def test_a_51_a_running_handler_hears_a_cancel_within_a_beat(start: Start, engine: Engine, conn: Connection) -> None:
    def obedient(_job: Job) -> None:
        until(cancel_requested)
        raise JobCancelled

    start(work=obedient)
    (job_id,) = put(engine, "work")
    until(lambda: status(engine, job_id) == "running")
    cancel(conn, job_ids=[job_id], actor=DANA, reason="wrong tenant")
    until(lambda: status(engine, job_id) == "cancelled")
    assert [each.outcome for each in attempts(conn, job_id)] == ["cancelled"]


def test_s2_130_to_134_an_overdue_job_keeps_its_thread_and_nothing_waits_behind_it(
    start: Start, engine: Engine, conn: Connection
) -> None:
    free, heard = threading.Event(), threading.Event()

    def hang(_job: Job) -> None:
        until(lease_lost)
        heard.set()
        free.wait(2 * PATIENCE_SECONDS)

    values = {"max_runtime_seconds": 1.5, "lease_seconds": 1.5, "worker_concurrency": 1}
    with capture_logs() as logs:
        start(values, slots=3, hang=hang, work=nothing)
        hung, behind = put(engine, "hang")[0], put(engine, "work")[0]
        assert heard.wait(PATIENCE_SECONDS)
        until(lambda: status(engine, behind) == "queued")
    until(lambda: status(engine, hung) == "queued")
    assert stored(conn, behind).attempts == 0
    assert [entry["job_id"] for entry in logs if entry["event"] == "job.overran"] == [str(hung)]
    assert [each.outcome for each in attempts(conn, hung)] == ["lease_expired"]
    assert in_status(engine, Status.RUNNING) == 0
    free.set()
    until(lambda: status(engine, behind) == "succeeded")


def test_a_drain_ends_with_nothing_held(start: Start, engine: Engine, conn: Connection) -> None:
    gate = Gate()
    worker = start(work=gate)
    (running,) = put(engine, "work")
    until(lambda: status(engine, running) == "running")
    request_drain(conn, instance_id=worker.instance.instance_id, actor=DANA)
    until(lambda: worker._held.idle() == 0)
    (left,) = put(engine, "work")
    assert not worker.drained
    gate.free.set()
    until(lambda: worker.drained)
    assert (status(engine, running), status(engine, left)) == ("succeeded", "queued")
