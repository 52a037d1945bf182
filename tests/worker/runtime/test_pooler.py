"""A worker and the maintenance behind a transaction pooler: all is done, and lent sessions are left as they were."""

from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, select, text

from tests.factories import job
from tests.pooler import Pooler
from tests.worker.runtime.bench import in_status, put, quick, until
from worker import Event, Job, enqueue, publish
from worker.database import autocommit, url_of
from worker.handlers import Registry
from worker.model import Status
from worker.queries.jobs import NewJob
from worker.queries.schema import sleepers
from worker.runtime.maintenance import Maintenance
from worker.runtime.worker import Worker

LEFT_BEHIND = text(
    "SELECT pg_backend_pid(), (SELECT count(*) FROM pg_prepared_statements),"
    " (SELECT count(*) FROM pg_listening_channels()), (SELECT count(*) FROM pg_settings WHERE source = 'session'),"
    " (SELECT count(*) FROM pg_locks WHERE pid = pg_backend_pid() AND locktype = 'advisory')"
)


@pytest.fixture
def known() -> Registry:
    """Jobs that succeed, one that fails first, and a subscriber."""
    ran: list[Job] = []

    def fail_once(job: Job) -> None:
        ran.append(job)
        if len(ran) == 1:
            raise ValueError("no such template")

    registered = Registry()
    registered.job_types.register("work", lambda job: None)
    registered.job_types.register("fail_once", fail_once)
    registered.subscribers.register("order.paid", "orders.mail", lambda job: None)
    return registered


@pytest.fixture
def maintenance(pooler: Pooler, known: Registry) -> Iterator[Maintenance]:
    running = Maintenance(quick(), known, url=url_of(pooler.url, pooled=True))
    running.start()
    yield running
    running.stop()


@pytest.fixture
def worker(pooler: Pooler, known: Registry) -> Iterator[Worker]:
    running = Worker(quick(), known, url=url_of(pooler.url, pooled=True))
    running.start()
    yield running
    running.stop()


def test_a_20_everything_is_done_and_nothing_left_behind_in_the_sessions(
    worker: Worker, maintenance: Maintenance, lent: Engine, known: Registry, engine: Engine, conn: Connection
) -> None:
    job(conn, job_type="work", status=Status.RUNNING)
    with lent.begin() as producer:
        ids = [enqueue(producer, known.job_types, NewJob("work")).id for _ in range(50)]
        enqueue(producer, known.job_types, NewJob("fail_once"))
        publish(producer, Event("order.paid"))
    until(lambda: in_status(engine, Status.SUCCEEDED) == len(ids) + 3)
    worker.stop()
    maintenance.stop()
    with autocommit(lent).connect() as client:
        found = {pid: tuple(left) for pid, *left in (client.execute(LEFT_BEHIND).one() for _ in range(6))}
    assert list(found.values()) == [(0, 0, 0, 0)] * 3


@pytest.mark.usefixtures("worker")
def test_a_20_nobody_listens_and_the_poll_finds_the_job(engine: Engine, conn: Connection) -> None:
    put(engine, "work")
    until(lambda: in_status(engine, Status.SUCCEEDED) == 1)
    listening = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'watchfloor listener'"
    until(lambda: conn.execute(text(listening)).scalar_one() == 0)  # one of an earlier test may still be on its way out
    assert conn.execute(select(sleepers)).all() == []
