"""The heartbeat: leases first, then the pulse, and word from the operators back to the handlers."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, select, text

from tests.factories import stored
from tests.worker.runtime.bench import Bench, outage, registry
from worker.queries.audit import Actor
from worker.queries.cancellations import cancel
from worker.queries.schema import runtime_heartbeats, worker_instances
from worker.queries.workers import request_drain
from worker.runtime.held import Run


@pytest.fixture
def bench(engine: Engine) -> Bench:
    return Bench(engine, registry(work=lambda job: None, other=lambda job: None), slots=3, lease_seconds=30)


def claimed(bench: Bench, count: int = 1) -> list[Run]:
    for _ in range(count):
        bench.enqueue("work")
    return bench.claim()


def age(conn: Connection, run: Run) -> None:
    conn.execute(
        text(
            "UPDATE control.platform_jobs SET lease_expires_at = statement_timestamp() + interval '1s' WHERE id = :id"
        ),
        {"id": run.job.id},
    )


def left(conn: Connection, run: Run) -> float:
    lease = (
        "SELECT extract(epoch FROM lease_expires_at - statement_timestamp()) FROM control.platform_jobs WHERE id = :id"
    )
    return float(conn.execute(text(lease), {"id": run.job.id}).scalar_one())


def test_s1_90_to_92_a_beat_writes_the_instance_and_one_row_per_component(bench: Bench, conn: Connection) -> None:
    bench.heartbeat.tick()
    bench.heartbeat.tick()
    (instance,) = conn.execute(select(worker_instances)).all()
    (component,) = conn.execute(select(runtime_heartbeats)).all()
    assert (instance.instance_id, len(instance.recent_beats)) == (bench.me, 2)
    assert (component.component, component.instance_id) == ("worker", bench.me)
    assert component.detail == {"job_types": ["other", "work"]}


def test_s2_55_and_56_a_beat_extends_running_and_waiting_claims(bench: Bench, conn: Connection) -> None:
    running, waiting = claimed(bench, 2)
    bench.held.begin(running)
    for run in (running, waiting):
        age(conn, run)
        run.renewed_at -= 20
    bench.heartbeat.tick()
    assert left(conn, running) > 28
    assert left(conn, waiting) > 28
    bench.fence.tick()
    assert not running.signal.lease_lost


def test_an_outcome_not_yet_written_keeps_its_lease(bench: Bench, conn: Connection) -> None:
    (run,) = claimed(bench)
    bench.executor.run(run)
    age(conn, run)
    bench.heartbeat.tick()
    assert left(conn, run) > 28


def test_s2_130_an_overdue_job_is_not_renewed_any_more(bench: Bench, conn: Connection) -> None:
    (run,) = claimed(bench)
    run.overran = True
    age(conn, run)
    bench.heartbeat.tick()
    assert left(conn, run) <= 1


def test_s2_136_a_stolen_lease_is_signalled_once_and_the_result_discarded(bench: Bench, conn: Connection) -> None:
    (run,) = claimed(bench)
    bench.held.begin(run)
    conn.execute(text("UPDATE control.platform_jobs SET locked_by = 'elsewhere', generation = generation + 1"))
    bench.heartbeat.tick()
    bench.heartbeat.tick()
    assert run.signal.lease_lost
    assert len(bench.said("lease.lost")) == 1
    bench.run(run)
    assert stored(conn, run.job.id).locked_by == "elsewhere"
    assert len(bench.said("job.superseded")) == 1


def test_a_claim_that_is_written_between_the_look_and_the_beat_was_not_lost(bench: Bench) -> None:
    (run,) = claimed(bench)
    bench.held.end(run)
    with bench.engine.begin() as conn:
        conn.execute(text("UPDATE control.platform_jobs SET status = 'queued', locked_by = NULL, locked_at = NULL,"
                          " lease_expires_at = NULL"))  # fmt: skip
    bench.heartbeat.tick()
    assert bench.said("lease.lost") == []


def test_a_51_a_request_to_cancel_reaches_the_handler_with_the_next_beat(bench: Bench, conn: Connection) -> None:
    asked, other = claimed(bench, 2)
    cancel(conn, job_ids=[asked.job.id], actor=Actor("dana"), reason="wrong tenant")
    before = asked.signal.cancel_requested
    bench.heartbeat.tick()
    assert (before, asked.signal.cancel_requested, other.signal.cancel_requested) == (False, True, False)


def test_a_drain_stops_the_claims_once_and_leaves_what_runs(bench: Bench, conn: Connection) -> None:
    (run,) = claimed(bench)
    bench.heartbeat.tick()
    request_drain(conn, instance_id=bench.me, actor=Actor("dana"))
    bench.heartbeat.tick()
    bench.heartbeat.tick()
    assert len(bench.said("worker.draining")) == 1
    assert bench.held.idle() == 0
    assert not bench.held.drained
    bench.run(run)
    assert bench.held.drained


@pytest.fixture
def without(conn: Connection) -> Iterator[str]:
    """A table that is away for the test, so that one half of the beat fails."""
    yield "control.worker_instances"
    conn.execute(text("ALTER TABLE IF EXISTS control.away RENAME TO worker_instances"))


def test_the_leases_are_kept_even_when_the_pulse_cannot_be_written(
    bench: Bench, conn: Connection, without: str
) -> None:
    (run,) = claimed(bench)
    age(conn, run)
    conn.execute(text(f"ALTER TABLE {without} RENAME TO away"))
    with pytest.raises(Exception, match="worker_instances"):
        bench.heartbeat.tick()
    assert left(conn, run) > 28


def test_the_pulse_is_written_even_when_the_leases_cannot_be_kept(bench: Bench, conn: Connection) -> None:
    claimed(bench)
    conn.execute(text("ALTER TABLE control.platform_jobs RENAME TO away"))
    try:
        with pytest.raises(Exception, match="platform_jobs"):
            bench.heartbeat.tick()
    finally:
        conn.execute(text("ALTER TABLE control.away RENAME TO platform_jobs"))
    assert len(conn.execute(select(worker_instances)).all()) == 1


def test_s2_135_beats_that_fail_do_not_count_as_renewals(bench: Bench) -> None:
    (run,) = claimed(bench)
    run.renewed_at -= 10
    with outage(bench.engine):
        with pytest.raises(Exception, match="connection"):
            bench.heartbeat.tick()
        bench.fence.tick()
        assert not run.signal.lease_lost
        run.renewed_at -= 10
        bench.fence.tick()
        assert run.signal.lease_lost
