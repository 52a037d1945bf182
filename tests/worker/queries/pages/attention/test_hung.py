"""Handlers that do not end."""

from __future__ import annotations

from sqlalchemy import Connection

from tests import factories
from tests.worker.queries.pages.attention.looking import ago, items, kinds, worst
from worker.model import Status


def test_a_handler_past_its_time_is_named_with_its_holder(conn: Connection) -> None:
    factories.worker_instance(conn)
    job_id = factories.job(conn, status=Status.RUNNING, locked_at=ago(minutes=31))
    factories.job(conn, status=Status.RUNNING, job_type="other", locked_at=ago(minutes=29))
    (item,) = items(conn)
    assert (item.kind, item.level, item.facts["of"].oldest_id) == ("hung", "urgent", job_id)
    assert item.facts["holder"].instance_id == "worker-1"


def test_what_a_silent_worker_holds_is_not_called_hung(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.worker_instance(conn, "silent", last_heartbeat_at=ago(minutes=1))
    factories.job(conn, status=Status.RUNNING, locked_by="silent", locked_at=ago(minutes=31))
    assert kinds(conn) == [("silent", "warn")]


def test_how_long_it_runs_is_how_bad_it_is(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, status=Status.RUNNING, locked_at=ago(minutes=2))
    assert worst(conn, "hung") == 120
    assert kinds(conn, max_runtime_seconds=119) == [("hung", "urgent")]
