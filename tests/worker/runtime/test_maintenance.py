"""Maintenance as a whole: what a console process does for the queue."""

import threading
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, func, select, text

from tests.factories import job, stored
from tests.worker.runtime.bench import quick, registry, until
from worker import Event, publish
from worker.handlers import Registry
from worker.model import Status
from worker.nets import DurableSubscriberNet
from worker.queries import wakeups
from worker.queries.schema import platform_jobs, sleepers
from worker.runtime.maintenance import Maintenance


@pytest.fixture
def known() -> Registry:
    registered = registry()
    registered.subscribers.register("order.paid", "orders.mail", lambda job: None)
    return registered


@pytest.fixture
def backfilled(known: Registry) -> list[str]:
    """The backfills that ran."""
    runs: list[str] = []
    known.nets.register(DurableSubscriberNet("orders.mail", backfill=lambda: runs.append("orders.mail")))
    return runs


@pytest.fixture
def maintenance(url: str, known: Registry) -> Iterator[Maintenance]:
    running = Maintenance(quick(relay_interval_seconds=600), known, url=url)
    running.start()
    yield running
    running.stop()


@pytest.mark.usefixtures("maintenance")
def test_a_published_event_becomes_a_job_long_before_the_next_look(engine: Engine, conn: Connection) -> None:
    until(lambda: conn.execute(select(sleepers).where(sleepers.c.channel == wakeups.OUTBOX)).all())
    with engine.begin() as producer:
        publish(producer, Event("order.paid"))
    until(lambda: conn.execute(select(platform_jobs.c.subscriber_id)).scalars().all() == ["orders.mail"])


@pytest.mark.usefixtures("maintenance")
def test_a_12_stale_jobs_are_returned_again_and_again(conn: Connection) -> None:
    for _ in range(2):
        stale = job(conn, status=Status.RUNNING, lease_expires_at=conn.execute(select(func.now())).scalar_one())
        until(lambda stale=stale: stored(conn, stale).status == "queued")  # type: ignore[misc] # bound per turn


@pytest.mark.usefixtures("maintenance")
def test_s2_80_it_runs_no_job(conn: Connection, engine: Engine) -> None:
    with engine.begin() as producer:
        publish(producer, Event("order.paid"))
    until(lambda: conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one())
    assert conn.execute(select(platform_jobs.c.status)).scalar_one() == "queued"


def test_s2_63_it_runs_the_backfills(backfilled: list[str], url: str, known: Registry) -> None:
    running = Maintenance(quick(), known, url=url)
    running.start()
    until(lambda: backfilled == ["orders.mail"])
    running.stop()


def test_s2_100_several_share_the_events_without_duplicates(url: str, engine: Engine, known: Registry) -> None:
    replicas = [Maintenance(quick(), known, url=url) for _ in range(3)]
    with engine.begin() as producer:
        for _ in range(300):
            publish(producer, Event("order.paid"))
    for each in replicas:
        each.start()
    pending = text("SELECT count(*) FROM control.event_outbox WHERE relayed_at IS NULL")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        until(lambda: conn.execute(pending).scalar_one() == 0)
        assert conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one() == 300
    for each in replicas:
        each.stop()
    assert not [thread for thread in threading.enumerate() if "relay" in thread.name]
