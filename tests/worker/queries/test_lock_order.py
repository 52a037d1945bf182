"""All who write several jobs lock them in one order, so that nobody waits for one who waits for him (A-23)."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, text

from tests.factories import claimed, job
from tests.worker.runtime.bench import until
from worker.failures import describe
from worker.model import AttemptOutcome, Job, Status
from worker.queries.claims import renew
from worker.queries.outcomes import finish
from worker.queries.results import Result

pytestmark = pytest.mark.postgresql

FAILURE = describe(ValueError("no such template"), handler_key="render_report")
ANY_WAITS = text("SELECT count(*) FROM pg_locks WHERE NOT granted")


class Pause:
    """Holds a connection up after its first UPDATE of jobs, until it is let go."""

    def __init__(self, conn: Connection) -> None:
        self.entered, self.free = Event(), Event()
        event.listen(conn, "after_cursor_execute", self)

    def __call__(self, *arguments: Any) -> None:
        if "UPDATE control.platform_jobs" in arguments[2]:
            self.entered.set()
            assert self.free.wait(30)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(2) as pool:
        yield pool


def running(conn: Connection, count: int) -> list[Job]:
    """In the order of their ids."""
    return sorted((claimed(conn, job(conn, status=Status.RUNNING)) for _ in range(count)), key=lambda each: each.id.int)


def ended(claim: Job, *, well: bool) -> Result:
    if well:
        return Result(claim, AttemptOutcome.COMPLETED, run_ms=1)
    return Result(claim, AttemptOutcome.FAILED, run_ms=1, retry_delay_seconds=5, failure=FAILURE)


@pytest.mark.parametrize("first_is_well", [True, False])
def test_a_23_a_renewal_beside_a_batch_of_successes_and_failures_waits_for_it(
    engine: Engine, conn: Connection, pool: ThreadPoolExecutor, first_is_well: bool
) -> None:
    jobs = running(conn, 6)
    results = [ended(each, well=(place % 2 == 0) == first_is_well) for place, each in enumerate(jobs)]

    def renewing() -> int:
        with engine.begin() as mine:
            return len(renew(mine, instance_id="worker-1", claims=[each.claim for each in jobs], lease_seconds=300))

    def finishing(mine: Connection) -> int:
        with mine.begin():
            return len(finish(mine, instance_id="worker-1", results=results))

    with engine.connect() as mine:
        pause = Pause(mine)
        batch = pool.submit(finishing, mine)
        assert pause.entered.wait(30)
        renewal = pool.submit(renewing)
        until(lambda: conn.execute(ANY_WAITS).scalar_one())
        pause.free.set()
        assert (batch.result(30), renewal.result(30)) == (6, 0)
