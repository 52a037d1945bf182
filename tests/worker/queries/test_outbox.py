"""Publish and relay: every event reaches every subscriber once, and none is dropped in silence."""

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from datetime import timedelta
from random import Random
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, func, select, text

from tests.factories import NOON
from tests.refusing import refusing
from worker.database import Row
from worker.errors import InvalidInput
from worker.model import Event, new_id
from worker.queries.outbox import NOBODY, Relayed, publish
from worker.queries.outbox import relay as relay_events
from worker.queries.schema import event_outbox, platform_jobs
from worker.subscribers import Subscribers

ORDER = Event("order.created", {"order_id": 7}, tenant_id=new_id())


def subscribers(*ids: str) -> Subscribers:
    known = Subscribers()
    for each in ids:
        known.register("order.created", each, lambda job: None, queue=each.split(".")[0], max_attempts=3)
    return known


BOTH = subscribers("crm.sync", "invoice.render")


def relay(conn: Connection, known: Subscribers, **arguments: Any) -> Relayed:
    with conn.engine.begin() as mine:
        return relay_events(mine, known, **arguments)


def jobs(conn: Connection) -> list[Row]:
    return list(conn.execute(select(platform_jobs).order_by(platform_jobs.c.subscriber_id)))


def test_s2_05_publishing_writes_one_outbox_row_and_no_job(conn: Connection) -> None:
    publish(conn, ORDER)
    assert conn.execute(select(func.count()).select_from(event_outbox)).scalar_one() == 1
    assert jobs(conn) == []


def test_s2_06_and_16_the_relay_makes_one_job_per_subscriber_each_on_its_own_queue(conn: Connection) -> None:
    publish(conn, ORDER)
    assert relay(conn, BOTH).jobs == 2
    crm, invoice = jobs(conn)
    assert [(each.subscriber_id, each.queue, each.max_attempts) for each in (crm, invoice)] == [
        ("crm.sync", "crm", 3),
        ("invoice.render", "invoice", 3),
    ]
    assert (crm.payload, crm.event_type, crm.tenant_id, crm.job_type) == (
        {"order_id": 7},
        "order.created",
        ORDER.tenant_id,
        "run_subscriber",
    )
    row = conn.execute(select(event_outbox)).one()
    assert (row.fanout, row.relayed_at is not None) == (2, True)


def test_s2_09_relaying_an_event_again_makes_no_new_job(conn: Connection) -> None:
    publish(conn, ORDER)
    relay(conn, BOTH)
    conn.execute(text("UPDATE control.event_outbox SET relayed_at = NULL, fanout = NULL"))
    assert relay(conn, BOTH).jobs == 0
    assert len(jobs(conn)) == 2


def test_an_event_published_twice_is_kept_once(conn: Connection) -> None:
    assert publish(conn, ORDER) is not None
    assert publish(conn, ORDER) is None


def test_s2_60_relays_on_several_replicas_make_no_duplicates(engine: Engine) -> None:
    with engine.begin() as conn:
        for number in range(60):
            publish(conn, Event("order.created", {"n": number}))
    start = threading.Barrier(3)

    def run(_: int) -> int:
        start.wait()
        made = 0
        for _pass in range(12):
            with engine.connect() as conn:
                made += relay(conn, BOTH, limit=10).jobs
        return made

    with ThreadPoolExecutor(3) as pool:
        assert sum(pool.map(run, range(3))) == 120


def test_a_60_an_event_nobody_takes_is_kept_and_relayed_once_somebody_does(conn: Connection) -> None:
    publish(conn, ORDER, now=NOON)
    assert relay(conn, Subscribers(), now=NOON).unsubscribed == 1
    row = conn.execute(select(event_outbox)).one()
    assert (row.relayed_at, row.relay_error, row.retry_at) == (None, NOBODY, NOON + timedelta(seconds=60))
    assert relay(conn, BOTH, now=NOON + timedelta(seconds=59)).events == 0
    assert relay(conn, BOTH, now=NOON + timedelta(seconds=60)).jobs == 2


def test_a_11_an_event_the_database_refuses_is_set_aside_alone(engine: Engine) -> None:
    with engine.begin() as conn:
        for number in range(3):
            publish(conn, Event("order.created", {"n": number}))
    poison = refusing(engine, "INSERT", "platform_jobs", when="CAST(new.payload ->> 'n' AS text) = '1'")
    with poison, engine.connect() as conn:
        answer = relay(conn, BOTH)
    assert (answer.events, answer.jobs, answer.failed) == (2, 4, 1)
    with engine.connect() as conn:
        parked = conn.execute(select(event_outbox).where(event_outbox.c.retry_at.is_not(None))).one()
    assert parked.payload == {"n": 1}
    assert re.search("CheckViolation|SQLITE_CONSTRAINT", parked.relay_error)


@pytest.mark.postgresql
def test_a_28_an_event_whose_transaction_commits_late_is_not_missed(engine: Engine) -> None:
    with engine.begin() as late:
        publish(late, Event("order.created", {"n": "late"}))
        with engine.begin() as early:
            publish(early, Event("order.created", {"n": "early"}))
        with engine.begin() as conn:
            assert relay(conn, BOTH).events == 1
    with engine.begin() as conn:
        assert relay(conn, BOTH).events == 1


@pytest.mark.postgresql
@pytest.mark.parametrize("seed", range(20))
def test_a_28_however_producers_and_the_relay_interleave_each_event_is_fanned_out_once(
    engine: Engine, seed: int
) -> None:
    choose = Random(seed)
    with ExitStack() as stack:
        producers = [stack.enter_context(engine.connect()) for _ in range(5)]
        steps = [producer for producer in producers for _ in ("publish", "commit")] + [None] * 10
        choose.shuffle(steps)
        for producer in steps:
            if producer is None:
                with engine.begin() as conn:
                    relay(conn, BOTH, limit=choose.choice((1, 100)))
            elif producer.in_transaction():
                producer.commit()
            else:
                publish(producer, Event("order.created"))
    with engine.connect() as conn:
        while relay(conn, BOTH).events:
            pass
        assert len(jobs(conn)) == len({(each.event_id, each.subscriber_id) for each in jobs(conn)}) == 10


@pytest.mark.parametrize(
    ("event", "name"),
    [
        (Event("", {}), "event_type"),
        (Event("x" * 101, {}), "event_type"),
        (Event("a", {"x": float("inf")}), "payload.x"),
        (Event("a", {}, event_id="e" * 37), "event_id"),
        (Event("a", {}, source="\0"), "source"),
        (Event("a", {}, occurred_at=NOON.replace(tzinfo=None)), "occurred_at"),
    ],
)
def test_an_event_that_cannot_be_kept_is_refused_with_its_name(conn: Connection, event: Event, name: str) -> None:
    with pytest.raises(InvalidInput, match=name):
        publish(conn, event)
