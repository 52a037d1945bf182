"""Workers that fell silent."""

from __future__ import annotations

from sqlalchemy import Connection

from tests import factories
from tests.worker.queries.pages.attention.looking import ago, items, worst
from worker.model import Status


def test_a_silent_worker_matters_when_it_holds_jobs_or_was_the_last_of_its_name(conn: Connection) -> None:
    factories.worker_instance(conn, "live")
    for name, component in (("idle", "worker"), ("holding", "worker"), ("last", "trainer")):
        factories.worker_instance(conn, name, component=component, last_heartbeat_at=ago(minutes=2))
    factories.job(conn, status=Status.RUNNING, locked_by="holding")
    seen = {item.facts["of"].instance_id: item.level for item in items(conn) if item.kind == "silent"}
    assert seen == {"idle": "info", "holding": "warn", "last": "warn"}
    assert worst(conn, "silent") == 12
