"""S2, idempotency: one job per event and subscriber, whoever relays and however often."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import IntegrityError

from tests.conformance.acts import jobs, on, relay
from tests.factories import job
from worker import Event, publish
from worker.handlers import Registry
from worker.queries.schema import event_outbox, platform_jobs


def pair(conn: Connection, subscriber_id: str) -> None:
    """The job of one event for this subscriber, written straight into the table."""
    job(conn, job_type="run_subscriber", event_id="e-1", event_type="order.created", subscriber_id=subscriber_id)


def again(conn: Connection) -> None:
    """Forget that anything was relayed."""
    conn.execute(event_outbox.update().values(relayed_at=None, fanout=None))


def test_s2_58_the_database_allows_one_job_per_event_and_subscriber(conn: Connection) -> None:
    pair(conn, "crm.sync")
    pair(conn, "invoice.render")
    with pytest.raises(IntegrityError):
        pair(conn, "crm.sync")


def test_s2_59_a_repeated_fan_out_is_silently_nothing(conn: Connection) -> None:
    known = on(Registry(), "order.created", "crm.sync", "invoice.render")
    publish(conn, Event("order.created"))
    assert relay(conn, known).jobs == 2
    again(conn)
    repeated = relay(conn, known)
    assert (repeated.jobs, repeated.failed, len(jobs(conn))) == (0, 0, 2)


@pytest.mark.postgresql
def test_s2_60_relays_of_several_replicas_at_once_make_no_duplicates(engine: Engine, conn: Connection) -> None:
    known = on(Registry(), "order.created", "crm.sync", "invoice.render")
    for number in range(40):
        publish(conn, Event("order.created", {"n": number}))
    start = threading.Barrier(4, action=lambda: again(conn))  # as after a restart from an old copy, or by hand

    def replica(_: int) -> None:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as mine:
            for _pass in range(4):
                start.wait()
                relay(mine, known)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(replica, range(4)))
    assert len(jobs(conn)) == 80


def test_s2_61_it_is_the_constraint_that_holds_and_not_the_relay(conn: Connection, engine: Engine) -> None:
    known = on(Registry(), "order.created", "crm.sync")
    publish(conn, Event("order.created"))
    relay(conn, known)
    again(conn)
    (unique,) = (each for each in platform_jobs.indexes if each.name == "uq_platform_jobs_event_subscriber")
    unique.drop(conn)
    try:
        assert relay(conn, known).jobs == 1
        assert len(jobs(conn)) == 2
    finally:
        conn.execute(platform_jobs.delete())
        unique.create(conn)
