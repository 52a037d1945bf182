"""A payload that the database takes and Python cannot read costs its own job, and nobody else's."""

from __future__ import annotations

import sys

import pytest
from sqlalchemy import Connection, Engine, select

from tests.factories import attempts, stored, unreadable
from tests.worker.runtime.bench import Bench, nothing, registry
from worker.model import Status
from worker.queries.schema import platform_jobs


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python reads it")
def test_a_35_nineteen_jobs_run_in_the_first_pass_beside_one_that_cannot_be_read(
    engine: Engine, conn: Connection
) -> None:
    bench = Bench(engine, registry(work=nothing), slots=20, batch_size=20)
    good = [bench.enqueue("work") for _ in range(19)]
    bad = unreadable(conn, job_type="work", max_attempts=1)
    claimed = bench.claim()
    assert {run.job.id for run in claimed} == {*good, bad}
    bench.run(*claimed)
    assert {stored(conn, job_id).status for job_id in good} == {Status.SUCCEEDED}
    told = select(platform_jobs.c.status, platform_jobs.c.error_summary).where(platform_jobs.c.id == bad)
    assert conn.execute(told).one() == (Status.FAILED, "payload unreadable: RecursionError")
    assert [attempt.outcome for attempt in attempts(conn, bad)] == ["dead_letter"]
