"""S2, the pipeline: an event in the producer's transaction, a job per subscriber later, a worker at last."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, event, select, update

from tests.conformance.acts import jobs, on, relay
from tests.worker.runtime.bench import Bench
from worker.handlers import Registry
from worker.model import Event, Job
from worker.queries.outbox import publish
from worker.queries.schema import event_outbox

ROOT = Path(__file__).resolve().parents[2]
CREATED = Event("order.created", {"order_id": 4711})


def outbox(conn: Connection) -> list[str]:
    """The events that were published."""
    return [row.event_id for row in conn.execute(select(event_outbox).order_by(event_outbox.c.created_at))]


def test_s2_05_publishing_writes_one_outbox_row_and_no_job(conn: Connection) -> None:
    publish(conn, CREATED)
    assert (outbox(conn), jobs(conn)) == ([CREATED.event_id], [])


def test_s2_06_the_relay_makes_one_job_per_subscriber(conn: Connection) -> None:
    known = on(on(Registry(), "order.created", "invoice", "stock"), "order.cancelled", "refund")
    publish(conn, CREATED)
    assert relay(conn, known).jobs == 2
    assert sorted((row.subscriber_id, row.event_id) for row in jobs(conn)) == [
        ("invoice", CREATED.event_id),
        ("stock", CREATED.event_id),
    ]


def test_s2_07_the_worker_runs_them_and_completes_or_fails_them(engine: Engine, conn: Connection) -> None:
    known, seen = Registry(), []

    def refuse(_job: Job) -> None:
        raise ValueError("out of stock")

    known.subscribers.register("order.created", "invoice", lambda job: seen.append(job.payload))
    known.subscribers.register("order.created", "stock", refuse)
    publish(conn, CREATED)
    relay(conn, known)
    bench = Bench(engine, known)
    bench.run(*bench.claim())
    assert {row.subscriber_id: row.status for row in jobs(conn)} == {"invoice": "succeeded", "stock": "queued"}
    assert seen == [{"order_id": 4711}]


@pytest.mark.parametrize("subscribers", [0, 50])
def test_s2_08_publishing_costs_one_insert_however_many_subscribe(conn: Connection, subscribers: int) -> None:
    on(Registry(), "order.created", *(f"subscriber-{number}" for number in range(subscribers)))
    statements: list[str] = []

    def heard(_conn: object, _cursor: object, statement: str, *_more: object) -> None:
        statements.append(statement)

    event.listen(conn.engine, "before_cursor_execute", heard)
    try:
        publish(conn, CREATED)
    finally:
        event.remove(conn.engine, "before_cursor_execute", heard)
    assert [each for each in statements if "INSERT" in each] == statements[:1]
    assert len(statements) <= 2  # the insert, and a hint for a relay that waits


def test_s2_09_running_the_relay_again_makes_nothing_twice(conn: Connection) -> None:
    known = on(Registry(), "order.created", "invoice", "stock")
    publish(conn, CREATED)
    relay(conn, known)
    conn.execute(update(event_outbox).values(relayed_at=None, fanout=None))
    assert relay(conn, known).jobs == 0
    assert len(jobs(conn)) == 2


def test_s2_102_redis_is_no_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = (each for extra in project["optional-dependencies"].values() for each in extra)
    wanted = [*project["dependencies"], *extras, *(ROOT / "requirements.lock").read_text().splitlines()]
    assert [each for each in wanted if each.startswith("psycopg")]
    assert [each for each in wanted if each.startswith(("redis", "valkey", "hiredis"))] == []
