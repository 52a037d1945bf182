"""S2, maintenance on replicas: each does all of it, and nothing is done twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, func, select

from tests.conformance.acts import jobs, on
from tests.factories import attempts, job, stored
from tests.worker.runtime.bench import captured, quick, until
from worker import Event, publish
from worker.handlers import Registry
from worker.model import Status
from worker.queries.schema import event_outbox, platform_jobs
from worker.runtime.duties import duties
from worker.runtime.maintenance import Maintenance


def abandoned(conn: Connection) -> Any:
    """A running job whose lease has ended."""
    now = conn.execute(select(func.now())).scalar_one()
    return job(conn, status=Status.RUNNING, locked_at=now, lease_expires_at=now - timedelta(seconds=1))


@pytest.mark.postgresql
def test_s2_100_three_replicas_relay_and_reap_without_duplicates(url: str, conn: Connection) -> None:
    known = on(Registry(), "order.created", "invoice.render", "stock.reserve")
    stale = [abandoned(conn) for _ in range(50)]
    for _ in range(300):
        publish(conn, Event("order.created"))
    replicas = [Maintenance(quick(), known, url=url) for _ in range(3)]
    for each in replicas:
        each.start()
    pending = select(func.count()).where(event_outbox.c.relayed_at.is_(None))
    until(lambda: conn.execute(pending).scalar_one() == 0)
    until(lambda: all(stored(conn, each).status == Status.QUEUED for each in stale))
    for each in replicas:
        each.stop()
    pairs = select(platform_jobs.c.event_id, platform_jobs.c.subscriber_id).where(platform_jobs.c.event_id.is_not(None))
    found = conn.execute(pairs).all()
    assert (len(found), len(set(found))) == (600, 600)
    assert {len(attempts(conn, each)) for each in stale} == {1}


@pytest.mark.postgresql
def test_s2_101_they_take_rows_and_no_lock_of_their_own(engine: Engine, conn: Connection) -> None:
    known = on(Registry(), "order.created", "invoice.render")
    publish(conn, Event("order.created"))
    abandoned(conn)
    said: list[str] = []

    def listen(_conn: Any, _cursor: Any, statement: str, *_: Any) -> None:
        said.append(statement)

    event.listen(engine, "before_cursor_execute", listen)
    for duty in duties(engine, quick(), known, captured()[0]):
        duty.tick()
    event.remove(engine, "before_cursor_execute", listen)
    assert {row.status for row in jobs(conn)} == {Status.QUEUED}
    assert len(jobs(conn)) == 2
    assert sum("SKIP LOCKED" in statement for statement in said) >= 2
    assert [statement for statement in said if "advisory" in statement] == []
