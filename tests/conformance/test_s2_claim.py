"""S2, claiming: batches under a lease, from the worker's own queues, which take turns."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from uuid import UUID

import pytest
from pydantic import ValidationError
from sqlalchemy import Connection, Engine, select

from tests.app.conftest import Visitor
from tests.app.routes.rows import plain
from tests.conformance.acts import take
from tests.factories import NOON, job, stored, worker_instance
from tests.worker.runtime.bench import Bench, nothing, registry, settings
from worker.queries.schema import platform_jobs


def fill(conn: Connection, *queues: str, each: int = 1) -> None:
    """So many due jobs on each of these queues."""
    for queue in queues:
        for _ in range(each):
            job(conn, queue=queue)


def taken(conn: Connection, queues: list[str] | None, *, limit: int = 9, after: str = "") -> list[str]:
    """The queues of what a claim gets, in order."""
    return [each.queue for each in take(conn, queues=queues, limit=limit, after=after)]


def test_s2_27_a_claim_takes_a_batch(conn: Connection) -> None:
    fill(conn, "default", each=5)
    assert [len(take(conn, limit=3)) for _ in range(3)] == [3, 2, 0]


def test_s2_28_the_lease_ends_so_many_seconds_after_the_claim(conn: Connection) -> None:
    id_ = job(conn)
    take(conn, lease_seconds=90)
    assert stored(conn, id_).lease_expires_at == NOON + timedelta(seconds=90)


@pytest.mark.postgresql
def test_s2_29_concurrent_workers_take_disjoint_batches(engine: Engine, conn: Connection) -> None:
    fill(conn, "default", each=1000)
    start = Barrier(4)

    def drain(name: str) -> list[UUID]:
        start.wait()
        mine: list[UUID] = []
        while True:
            with engine.begin() as own:
                batch = take(own, limit=20, instance_id=name)
            if not batch:
                return mine
            mine += [each.id for each in batch]

    with ThreadPoolExecutor(4) as pool:
        shares = list(pool.map(drain, "abcd"))
    assert set(Counter(id_ for share in shares for id_ in share).values()) == {1}
    assert sum(map(len, shares)) == 1000
    assert set(conn.execute(select(platform_jobs.c.attempts)).scalars()) == {1}


def test_s2_30_a_worker_may_be_limited_to_some_queues(conn: Connection) -> None:
    fill(conn, "a", "ab", "b", "c")
    assert taken(conn, ["b", "a"]) == ["a", "b"]


@pytest.mark.parametrize("none", ["", " , ", ()])
def test_s2_31_an_empty_list_is_refused(none: object) -> None:
    with pytest.raises(ValidationError, match="worker_queues"):
        settings(worker_queues=none)


def test_s2_32_leaving_the_list_out_means_every_queue(conn: Connection) -> None:
    assert settings().worker_queues is None
    fill(conn, "a", "mail", "default")
    assert sorted(taken(conn, None)) == ["a", "default", "mail"]


@pytest.mark.postgresql
def test_s2_33_other_queues_rows_are_never_touched(engine: Engine, conn: Connection) -> None:
    fill(conn, "a", "b")
    (other,) = conn.execute(select(platform_jobs).where(platform_jobs.c.queue == "b")).all()
    with engine.begin() as mine:
        assert taken(mine, ["a"]) == ["a"]
        free = select(platform_jobs).where(platform_jobs.c.id == other.id).with_for_update(nowait=True)
        assert conn.execute(free).one() == other  # an error, had the claim locked it


def test_s2_34_queues_take_turns_from_batch_to_batch(engine: Engine, conn: Connection) -> None:
    bench = Bench(engine, registry(render_report=nothing), slots=20, batch_size=2)
    for queue in ("a", "a", "a", "a", "b"):
        bench.enqueue("render_report", queue=queue)
    assert [run.job.queue for run in bench.claim()] == ["a", "a"]
    assert [run.job.queue for run in bench.claim()] == ["b", "a"]


def test_s2_35_a_busy_queue_starves_no_other(engine: Engine) -> None:
    bench = Bench(engine, registry(render_report=nothing), slots=20, batch_size=2)
    bench.enqueue("render_report", queue="b")
    seen: list[str] = []
    while "b" not in seen:
        for _ in range(3):
            bench.enqueue("render_report", queue="a")  # faster than it is drained
        runs = bench.claim()
        seen += [run.job.queue for run in runs]
        bench.run(*runs)
        assert len(seen) < 10


def test_s2_36_the_rotation_sees_the_workers_own_queues_only(conn: Connection) -> None:
    fill(conn, "a", "b", "c", "d", each=2)
    assert taken(conn, ["a", "c"], after="a", limit=3) == ["c", "c", "a"]
    assert taken(conn, ["a", "c"], after="b", limit=3) == ["a"]


def test_s2_37_a_queue_that_nobody_takes_waits_and_is_shown(visitor: Visitor, conn: Connection) -> None:
    worker_instance(conn, queues=["default"])
    id_ = job(conn, queue="orphaned")
    assert taken(conn, ["default"]) == []
    assert stored(conn, id_).status == "queued"
    assert "No live worker can run render_report from queue orphaned" in plain(visitor("viewer").get("/").text)


def test_s2_38_the_rotation_starts_anew_with_the_process(engine: Engine) -> None:
    first = Bench(engine, registry(render_report=nothing), batch_size=1)
    for queue in ("a", "a", "b", "c"):
        first.enqueue("render_report", queue=queue)
    assert [run.job.queue for run in first.claim()] == ["a"]
    restarted = Bench(engine, registry(render_report=nothing), batch_size=1)
    assert [run.job.queue for run in restarted.claim()] == ["a"]
    assert [run.job.queue for run in first.claim()] == ["b"]
