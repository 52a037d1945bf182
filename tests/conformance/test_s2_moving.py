"""S2, a subscriber moves to another queue: what follows it, what waits, and the two remedies."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, text

from tests.app.conftest import Visitor
from tests.app.routes.rows import plain
from tests.conformance.acts import clock, jobs, on, relay, take
from tests.factories import NOON, job, stored, worker_instance
from tests.worker.runtime.bench import Bench
from worker.handlers import Registry
from worker.model import Event, Status, new_id
from worker.queries.outbox import publish

THE_OPERATORS = text(
    "UPDATE control.processing_jobs SET queue = 'b'"
    " WHERE queue = 'a' AND subscriber_id = 'invoice' AND status = 'pending'"
)


def known(queue: str) -> Registry:
    """The registrations with the subscriber on that queue."""
    return on(Registry(), "order.created", "invoice", queue=queue)


def old_job(conn: Connection, queue: str, *, subscriber_id: str = "invoice", **columns: Any) -> UUID:
    """A job of that subscriber from the time when it was on that queue."""
    of_event = {"event_id": str(new_id()), "event_type": "order.created", "subscriber_id": subscriber_id}
    return job(conn, job_type="run_subscriber", queue=queue, **of_event | columns)


def test_s2_40_a_job_keeps_the_queue_it_was_enqueued_on(conn: Connection) -> None:
    for queue in ("a", "b"):
        publish(conn, Event("order.created"), now=NOON)
        relay(conn, known(queue), now=NOON)
    assert sorted(row.queue for row in jobs(conn)) == ["a", "b"]


def test_s2_41_only_rows_on_default_follow_their_subscriber(engine: Engine, conn: Connection) -> None:
    ago = clock(conn) - timedelta(hours=1)
    due: dict[str, Any] = {"created_at": ago, "available_at": ago}
    unnamed, named = old_job(conn, "default", **due), old_job(conn, "a", **due)
    bench = Bench(engine, known("b"), worker_queues=("b",))
    assert [run.job.id for run in bench.claim()] == [unnamed]
    assert (stored(conn, unnamed).queue, stored(conn, named).queue) == ("b", "a")
    assert stored(conn, named).status == "queued"


def test_s2_42_what_waits_on_a_queue_without_a_worker_waits_on_and_is_shown(visitor: Visitor, conn: Connection) -> None:
    worker_instance(conn, queues=["b"])
    id_ = old_job(conn, "a")
    assert take(conn, "run_subscriber", queues=["b"]) == []
    assert stored(conn, id_).status == "queued"
    assert "No live worker can run run_subscriber from queue a" in plain(visitor("viewer").get("/").text)


def test_s2_43_one_remedy_is_a_worker_on_the_old_queue(conn: Connection) -> None:
    old = old_job(conn, "a")
    publish(conn, Event("order.created"), now=NOON)
    relay(conn, known("b"), now=NOON)
    assert [each.id for each in take(conn, "run_subscriber", queues=["a"], limit=9)] == [old]
    assert [each.queue for each in take(conn, "run_subscriber", queues=["b"], limit=9)] == ["b"]


@pytest.mark.postgresql
def test_s2_44_the_other_is_one_update_of_the_view(conn: Connection) -> None:
    waiting, running = old_job(conn, "a"), old_job(conn, "a", status=Status.RUNNING)
    other = old_job(conn, "a", subscriber_id="stock")
    assert conn.execute(THE_OPERATORS).rowcount == 1
    assert [stored(conn, id_).queue for id_ in (waiting, running, other)] == ["b", "a", "a"]
    assert [each.id for each in take(conn, "run_subscriber", queues=["b"], limit=9)] == [waiting]
