"""Rotation: what claims remember from one to the next, and when they forget it."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, func, select, update

from tests.worker.runtime.bench import Bench, claim_of, registry
from worker import NewJob, enqueue_many
from worker.model import Job
from worker.queries.ready import _places, taking
from worker.queries.schema import platform_jobs
from worker.queries.spans import FRONT, Legacy, Mark, Span, spans
from worker.runtime.rotation import Rotation

READY = "ix_platform_jobs_ready"
NOW = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def jobs(*queues: str) -> list[Job]:
    return [claim_of(queue=queue, created_at=NOW).job for queue in queues]


def marks(rotation: Rotation) -> dict[str, Mark]:
    return {span.first: span.mark for span in rotation.spans(Legacy()) if span.mark != FRONT}


def test_a_claim_that_got_all_it_wanted_marks_how_far_each_line_is_used_up() -> None:
    rotation = Rotation(None)
    first, second, third = jobs("a", "a", "b")
    rotation.took([first, second, third], all_wanted=True)
    assert marks(rotation) == {"a": Mark(NOW, second.id), "b": Mark(NOW, third.id)}


def test_a_claim_that_found_less_marks_nothing() -> None:
    rotation = Rotation(None)
    rotation.took(jobs("a"), all_wanted=False)
    assert marks(rotation) == {}


def test_marks_last_two_seconds_however_often_they_are_renewed() -> None:
    rotation = Rotation(None)
    rotation.took(jobs("a"), all_wanted=True)
    rotation._marked_since -= 1.5
    rotation.took(jobs("a"), all_wanted=True)
    assert marks(rotation)
    rotation._marked_since -= 1
    assert marks(rotation) == {}


def test_only_the_last_few_queues_are_marked() -> None:
    rotation = Rotation(None)
    rotation.took(jobs(*"abcdefghij"), all_wanted=True)
    assert list(marks(rotation)) == list("efghij")


def test_forgetting_says_whether_there_was_anything_to_forget() -> None:
    rotation = Rotation(None)
    assert not rotation.forget_marks()
    rotation.took(jobs("a"), all_wanted=True)
    assert rotation.forget_marks()
    assert marks(rotation) == {}


def test_what_is_paused_is_news_once() -> None:
    rotation = Rotation(None)
    assert rotation.now_paused({"a"})
    assert not rotation.now_paused({"a"})
    assert rotation.now_paused(set())


@pytest.fixture
def busy(engine: Engine, conn: Connection) -> Bench:
    """A worker that has just taken two of three jobs, and so passes over what is older than those."""
    bench = Bench(engine, registry(work=lambda job: None), slots=2)
    for _ in range(3):
        bench.enqueue("work")
    bench.run(*bench.claim())
    return bench


def age(conn: Connection, job_id: UUID) -> None:
    """Let the job be a day older, and due."""
    change = {"created_at": NOW - timedelta(days=1), "available_at": NOW - timedelta(days=1)}
    conn.execute(update(platform_jobs).where(platform_jobs.c.id == job_id).values(change))


def test_s1_38_an_older_job_that_comes_back_is_not_starved(busy: Bench, conn: Connection) -> None:
    age(conn, older := busy.enqueue("work"))
    for _ in range(3):
        busy.enqueue("work")
    taken = busy.claim()
    assert older not in [run.job.id for run in taken], "it is behind the mark"
    busy.run(*taken)
    busy.dispatcher._rotation._marked_since -= 2.1
    assert busy.claim()[0].job.id == older


def test_s1_38_it_is_found_at_once_where_a_claim_gets_less_than_it_wanted(busy: Bench, conn: Connection) -> None:
    age(conn, older := busy.enqueue("work"))
    last = busy.claim()
    assert older not in [run.job.id for run in last]
    busy.run(*last)
    assert [run.job.id for run in busy.claim()] == [older]


def test_a_retry_whose_time_comes_lets_the_marks_be_forgotten(busy: Bench, conn: Connection) -> None:
    age(conn, older := busy.enqueue("work", delay_seconds=60))
    for _ in range(3):
        busy.enqueue("work")
    busy.dispatcher._looked_around_at -= 1
    busy.run(*busy.claim())
    assert busy.claim()[0].job.id == older


@pytest.mark.postgresql
def test_a_21_under_an_old_snapshot_a_claim_begins_where_the_last_one_ended(engine: Engine) -> None:
    bench = Bench(engine, registry(work=lambda job: None), slots=100, batch_size=100)
    with engine.begin() as conn:
        enqueue_many(conn, bench.registry.job_types, [NewJob("work") for _ in range(2100)])
    with engine.connect().execution_options(isolation_level="REPEATABLE READ") as old:
        old.execute(select(func.count()).select_from(platform_jobs))
        for _ in range(20):
            bench.run(*bench.claim())
        marked, from_the_front = bench.dispatcher._rotation.spans(Legacy()), spans(None, "default")
        assert looked_at(engine, marked) < looked_at(engine, from_the_front) / 5


def looked_at(engine: Engine, wanted: list[Span]) -> int:
    """Index entries that a claim of one job visits to find it, by the blocks of the table it reads for them."""
    statement = taking(tuple(span.rule for span in wanted)).compile(dialect=engine.dialect)
    values = {"job_types": ["work"], "at_most": 1, "by_instance": "me", "lease_seconds": 30, **_places(wanted)}
    with engine.connect() as conn:
        # Statistics that are made meanwhile may favour a bitmap, which reads these blocks elsewhere
        conn.exec_driver_sql("SET LOCAL enable_bitmapscan = off")
        explain = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}"
        (plan,) = conn.exec_driver_sql(explain, statement.construct_params(values)).scalar_one()
        conn.rollback()
    return sum(step["Shared Hit Blocks"] for step in _steps(plan["Plan"]) if step.get("Index Name") == READY)


def _steps(step: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield step
    for inner in step.get("Plans", ()):
        yield from _steps(inner)
