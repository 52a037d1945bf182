"""Two who write about one job at one moment: one of them wins, and the record has one outcome for each generation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from threading import Barrier
from typing import TypeVar
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, func, select

from tests.factories import NOON, claimed, job, stored
from tests.worker.runtime.bench import until
from worker.failures import describe
from worker.model import AttemptOutcome, Job, Status
from worker.queries import audit
from worker.queries.audit import Actor
from worker.queries.cancellations import Cancelled, cancel
from worker.queries.claims import claim, release, renew
from worker.queries.dead_letters import replay
from worker.queries.outcomes import finish
from worker.queries.recovery import Recovered, recover
from worker.queries.results import Result
from worker.queries.schema import job_attempts, platform_jobs, statistics_minutes
from worker.queries.steps import progress

pytestmark = pytest.mark.postgresql

Item = TypeVar("Item")

Answers = dict[UUID, Status]

DANA = Actor("dana")
LATER = NOON + timedelta(minutes=6)
"""When the leases of the factory's running jobs are over."""
FAILURE = describe(ValueError("no such template"), handler_key="render_report")
SOME = 300
ROUNDS, EACH = 20, 5
"""How often a race is run, and for how many jobs each time."""


def side_by_side(*acts: Callable[[], None]) -> None:
    """All of them begin at once; whatever one raises is raised."""
    start = Barrier(len(acts))

    def run(act: Callable[[], None]) -> None:
        start.wait(30)
        act()

    with ThreadPoolExecutor(len(acts)) as pool:
        running = [pool.submit(run, act) for act in acts]
        for each in running:
            each.result(60)


def batches(items: Sequence[Item], size: int) -> Iterator[Sequence[Item]]:
    for first in range(0, len(items), size):
        yield items[first : first + size]


def running(engine: Engine, count: int = SOME, **columns: object) -> list[Job]:
    with engine.begin() as conn:
        return [claimed(conn, job(conn, status=Status.RUNNING, **columns)) for _ in range(count)]


def report(engine: Engine, jobs: Sequence[Job], outcome: AttemptOutcome, retry: float | None = None) -> Answers:
    with engine.begin() as conn:
        failure = None if outcome == AttemptOutcome.COMPLETED else FAILURE
        results = [Result(each, outcome, run_ms=1, retry_delay_seconds=retry, failure=failure) for each in jobs]
        return finish(conn, instance_id="worker-1", results=results, now=LATER)


def sweep(engine: Engine, limit: int = 7) -> Recovered:
    with engine.begin() as conn:
        return recover(conn, stale_after_seconds=900, limit=limit, now=LATER)


def ask_to_stop(engine: Engine, ids: Sequence[UUID]) -> Cancelled:
    with engine.begin() as conn:
        return cancel(conn, job_ids=ids, actor=DANA, reason=None, now=LATER)


def statuses(engine: Engine) -> Counter[str]:
    with engine.connect() as conn:
        return Counter(conn.execute(select(platform_jobs.c.status)).scalars())


def outcomes(engine: Engine) -> dict[UUID, str]:
    """How the one attempt of each job ended; two of one generation cannot be, by the key."""
    with engine.connect() as conn:
        return {row.job_id: row.outcome for row in conn.execute(select(job_attempts))}


def test_a_01_whoever_comes_while_the_reaper_writes_comes_too_late(engine: Engine) -> None:
    finished, renewed, released, told = running(engine, 4)

    def late() -> tuple[object, ...]:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as mine:
            return (
                report(engine, [finished], AttemptOutcome.COMPLETED),
                renew(mine, instance_id="worker-1", claims=[renewed.claim], lease_seconds=300, now=LATER),
                progress(mine, claimed=told, instance_id="worker-1", percent=50, now=LATER),
                release(mine, instance_id="worker-1", claims=[released.claim], now=LATER),
            )

    with ThreadPoolExecutor(1) as pool:
        with engine.begin() as reaper:
            recover(reaper, stale_after_seconds=900, now=LATER)
            answers = pool.submit(late)
            with engine.begin() as other:
                assert take(other, "worker-2", 4) == []
        assert answers.result(30) == ({}, {}, False, set())
    assert set(outcomes(engine).values()) == {"lease_expired"}
    assert statuses(engine) == {"queued": 4}


def test_a_09_a_result_against_the_reaper_gives_each_job_one_outcome(engine: Engine) -> None:
    done: Answers = {}
    failed: list[UUID] = []

    def work(jobs: Sequence[Job]) -> None:
        for each in jobs:
            done.update(report(engine, [each], AttemptOutcome.COMPLETED))

    def reap(jobs: Sequence[Job]) -> None:
        for _ in jobs:
            failed.extend(sweep(engine, limit=1).failed)

    for _ in range(ROUNDS):
        jobs = running(engine, EACH, attempts=5)
        side_by_side(partial(work, jobs), partial(reap, jobs))
    assert len(done) + len(failed) == ROUNDS * EACH
    assert statuses(engine) == +Counter(succeeded=len(done), failed=len(failed))
    assert outcomes(engine) == dict.fromkeys(done, "completed") | dict.fromkeys(failed, "lease_expired")
    with engine.connect() as conn:
        assert conn.execute(select(func.sum(statistics_minutes.c.jobs))).scalar_one() == ROUNDS * EACH


def test_a_23_cancels_replays_results_and_the_reaper_never_deadlock(engine: Engine) -> None:
    jobs = running(engine, 120)
    ids = [each.id for each in jobs]

    def press() -> None:
        for turn in range(6):
            with engine.begin() as conn:
                replay(conn, job_ids=ids[:: 1 if turn % 2 else -1], actor=DANA, reason=None, now=LATER)
            ask_to_stop(engine, ids[turn::6])

    def work() -> None:
        for some in batches(jobs[::-1], 8):
            report(engine, some, AttemptOutcome.DEAD_LETTER)

    def reap() -> None:
        for _ in range(10):
            sweep(engine)

    side_by_side(press, press, work, reap)
    with engine.connect() as conn:
        assert audit.verify(conn) is None
        assert len(outcomes(engine)) == 120


@pytest.mark.parametrize("outcome", [AttemptOutcome.COMPLETED, AttemptOutcome.FAILED, AttemptOutcome.DEAD_LETTER])
def test_a_50_a_cancel_against_a_result_and_the_reaper_leaves_one_outcome_and_no_retry_after_it(
    engine: Engine, outcome: AttemptOutcome
) -> None:
    retry = 5.0 if outcome == AttemptOutcome.FAILED else None
    asked: list[UUID] = []

    def work(jobs: Sequence[Job]) -> None:
        for each in jobs:
            report(engine, [each], outcome, retry)

    def stop(jobs: Sequence[Job]) -> None:
        for each in jobs:
            asked.extend(ask_to_stop(engine, [each.id]).requested)

    def reap(jobs: Sequence[Job]) -> None:
        for _ in jobs:
            sweep(engine, limit=1)

    for _ in range(ROUNDS):
        jobs = running(engine, EACH)
        side_by_side(partial(work, jobs), partial(stop, jobs), partial(reap, jobs))
    ended = outcomes(engine)
    assert len(ended) == ROUNDS * EACH
    with engine.connect() as conn:
        for each in asked:
            assert stored(conn, each).status == ("succeeded" if ended[each] == "completed" else "cancelled")
        assert audit.verify(conn) is None


def test_a_51_a_cancel_against_a_claim_says_truly_which_came_first(engine: Engine) -> None:
    taken: list[Job] = []
    answers: list[Cancelled] = []

    def work() -> None:
        for _ in range(EACH):
            with engine.begin() as conn:
                taken.extend(take(conn, "worker-1", 1))

    def stop(ids: Sequence[UUID]) -> None:
        answers.extend(ask_to_stop(engine, [each]) for each in ids)

    for _ in range(ROUNDS):
        with engine.begin() as conn:
            ids = [job(conn) for _ in range(EACH)]
        side_by_side(work, partial(stop, ids))
    cancelled = {each for answer in answers for each in answer.cancelled}
    requested = {each for answer in answers for each in answer.requested}
    assert {each.id for each in taken} == requested
    with engine.connect() as conn:
        rows = [stored(conn, each) for each in cancelled | requested]
    assert len(rows) == ROUNDS * EACH
    for row in rows:
        now = (row.status, row.generation, row.cancel_requested_at)
        assert now == (("cancelled", 0, None) if row.id in cancelled else ("running", 1, LATER))


def test_a_12_a_pass_that_is_broken_off_is_done_by_the_next(engine: Engine) -> None:
    jobs = running(engine)
    with engine.connect() as lost:
        recover(lost, stale_after_seconds=900, limit=100, now=LATER)
        lost.invalidate()  # its process is gone, with what it had not committed

    def is_done() -> bool:
        sweep(engine, limit=100)
        return statuses(engine) == {"queued": SOME}

    until(is_done)
    assert outcomes(engine) == dict.fromkeys((each.id for each in jobs), "lease_expired")


def take(conn: Connection, worker: str, limit: int) -> list[Job]:
    return claim(
        conn,
        instance_id=worker,
        job_types=["render_report"],
        queues=None,
        after="",
        limit=limit,
        lease_seconds=300,
        now=LATER,
    )
