"""A job that nobody here can run: one rule for each kind of job, and it runs once somebody can."""

from typing import Any

from sqlalchemy import Connection, Engine, update

from tests.factories import job, stored
from tests.worker.runtime.bench import Bench, registry
from worker import Event, publish
from worker.handlers import Registry
from worker.model import RUN_SUBSCRIBER, Status
from worker.queries.audit import Actor
from worker.queries.dead_letters import replay
from worker.queries.outbox import relay
from worker.queries.schema import event_outbox, platform_jobs

OF_MAIL: dict[str, Any] = {
    "job_type": RUN_SUBSCRIBER,
    "subscriber_id": "mail",
    "event_id": "e-1",
    "event_type": "order.paid",
}


def subscribed(*names: str) -> Registry:
    """A process that registers these subscribers of an event, and no others."""
    known = registry()
    for name in names:
        known.subscribers.register("order.paid", name, lambda job: None)
    return known


def run(engine: Engine, known: Registry) -> int:
    """How many jobs a worker of this process took and ran."""
    bench = Bench(engine, known)
    runs = bench.claim()
    bench.run(*runs)
    return len(runs)


def test_a_56_a_job_type_without_a_handler_here_is_not_taken_and_spends_nothing(
    engine: Engine, conn: Connection
) -> None:
    waiting = job(conn, status=Status.FAILED)
    assert replay(conn, job_ids=[waiting], actor=Actor("dana"), reason=None).done == [waiting]
    assert run(engine, registry(other=lambda job: None)) == 0
    assert (stored(conn, waiting).status, stored(conn, waiting).attempts) == (Status.QUEUED, 0)
    assert run(engine, registry(render_report=lambda job: None)) == 1
    assert stored(conn, waiting).status == Status.SUCCEEDED


def test_a_56_a_process_without_subscribers_takes_no_job_of_an_event(engine: Engine, conn: Connection) -> None:
    waiting = job(conn, **OF_MAIL)
    assert run(engine, registry(other=lambda job: None)) == 0
    assert stored(conn, waiting).attempts == 0


def test_a_56_without_its_own_subscriber_a_job_fails_like_any_other_and_runs_once_it_is_registered(
    engine: Engine, conn: Connection
) -> None:
    dead = job(conn, status=Status.FAILED, **OF_MAIL)
    replay(conn, job_ids=[dead], actor=Actor("dana"), reason=None)
    assert run(engine, subscribed("ledger")) == 1
    failed = stored(conn, dead)
    assert (failed.status, failed.attempts, failed.error_type) == (Status.QUEUED, 1, "NoHandler")
    assert "'mail'" in failed.error_summary
    conn.execute(update(platform_jobs).values(available_at=failed.created_at))
    assert run(engine, subscribed("ledger", "mail")) == 1
    assert stored(conn, dead).status == Status.SUCCEEDED


def test_a_56_a_new_event_of_its_type_waits_for_it(engine: Engine, conn: Connection) -> None:
    publish(conn, Event("order.paid"))
    with engine.begin() as there:
        assert relay(there, registry().subscribers).unsubscribed == 1
    conn.execute(update(event_outbox).values(retry_at=event_outbox.c.created_at))
    with engine.begin() as there:
        assert relay(there, subscribed("mail").subscribers).jobs == 1
    assert run(engine, subscribed("mail")) == 1
