"""S1, heartbeats: a worker says that it lives and what it can run, whatever its handlers do."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from sqlalchemy import Connection, Engine, select

from tests.factories import NOON
from tests.worker.runtime.bench import Gate, Start, put, settings, until
from worker.database import Row
from worker.queries.schema import runtime_heartbeats
from worker.queries.workers import Instance, beat
from worker.runtime.startup import new_instance

TYPES = frozenset({"send_email", "materialize_insights", "train_tenant_model"})


def instance(**values: str) -> Instance:
    """One start of a worker."""
    return new_instance(settings(**values), TYPES)


def rows(conn: Connection) -> list[Row]:
    return list(conn.execute(select(runtime_heartbeats)))


@pytest.mark.postgresql
def test_s1_90_a_worker_beats_on_time_also_during_a_long_job(engine: Engine, conn: Connection, start: Start) -> None:
    assert 8 <= settings().heartbeat_interval_seconds <= 12
    gate = Gate()
    put(engine, "render_report")
    start({"heartbeat_interval_seconds": 0.3}, render_report=gate)
    gate.await_entry()
    seen: set[datetime] = set()

    def four_beats() -> bool:
        seen.add(rows(conn)[0].heartbeat_at)
        return len(seen) == 4

    until(four_beats)
    gate.free.set()
    first, *_, last = sorted(seen)
    assert (last - first).total_seconds() >= 2 * 0.25  # the first two come at the start, one upon the other


def test_s1_91_a_component_has_one_row_whatever_restarts(conn: Connection) -> None:
    old, new = instance(worker_component="product-worker"), instance(worker_component="product-worker")
    beat(conn, instance=old, now=NOON)
    beat(conn, instance=new, now=NOON + timedelta(seconds=10))
    (row,) = rows(conn)
    assert (row.component, row.instance_id) == ("product-worker", new.instance_id)
    assert row.heartbeat_at == NOON + timedelta(seconds=10)


def test_s1_92_the_detail_is_the_sorted_list_of_types(conn: Connection) -> None:
    beat(conn, instance=replace(instance(), job_types=("send_email", "materialize_insights")), now=NOON)
    assert rows(conn)[0].detail == {"job_types": ["materialize_insights", "send_email"]}
