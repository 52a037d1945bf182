"""Heartbeats: one row per process, one per component, and the pulse of each."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection, select, text

from tests.factories import NOON
from worker.queries import wakeups
from worker.queries.schema import runtime_heartbeats, sleepers, worker_instances
from worker.queries.workers import Instance, beat, stopped

INSTANCE = Instance("w-1", "product-worker", ("b", "a"), ("mail",), 4, 10, label="one", metadata={"zone": "eu"})


def test_s1_91_and_92_a_beat_writes_one_row_per_component_with_its_types_sorted(conn: Connection) -> None:
    beat(conn, instance=INSTANCE, now=NOON)
    beat(conn, instance=Instance("w-2", "product-worker", ("a", "b"), None, 4, 10), now=NOON)
    (row,) = conn.execute(select(runtime_heartbeats)).all()
    assert (row.component, row.instance_id, row.detail) == ("product-worker", "w-2", {"job_types": ["a", "b"]})


def test_the_last_forty_beats_are_kept_newest_last(conn: Connection) -> None:
    for number in range(45):
        beat(conn, instance=INSTANCE, now=NOON + timedelta(seconds=10 * number))
    row = conn.execute(select(worker_instances)).one()
    first = int(NOON.timestamp())
    assert row.recent_beats == [first + 10 * number for number in range(5, 45)]
    assert (row.started_at, row.last_heartbeat_at) == (NOON, NOON + timedelta(seconds=440))
    assert (row.job_types, row.queues, row.metadata) == (["a", "b"], ["mail"], {"zone": "eu"})


def test_a_row_that_was_deleted_comes_back_with_the_next_beat(conn: Connection) -> None:
    beat(conn, instance=INSTANCE, now=NOON)
    conn.execute(text("DELETE FROM control.worker_instances"))
    beat(conn, instance=INSTANCE, now=NOON)
    assert conn.execute(select(worker_instances.c.instance_id)).scalar_one() == "w-1"


def test_a_worker_that_ended_says_so(conn: Connection) -> None:
    beat(conn, instance=INSTANCE, now=NOON)
    stopped(conn, instance_id="w-1", now=NOON)
    assert conn.execute(select(worker_instances.c.stopped_at)).scalar_one() == NOON


@pytest.mark.postgresql
def test_a_sleeper_is_known_until_it_wakes(conn: Connection) -> None:
    for _ in range(2):
        wakeups.sleep(conn, channel=wakeups.JOBS, sleeper="w-1", now=NOON)
    assert conn.execute(select(sleepers.c.sleeper)).scalars().all() == ["w-1"]
    wakeups.awake(conn, channel=wakeups.JOBS, sleeper="w-1")
    assert conn.execute(select(sleepers)).all() == []
