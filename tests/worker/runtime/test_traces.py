"""A trace goes from whoever asks for work, through the queue, to the handler and what that asks for in turn."""

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode
from sqlalchemy import Connection, Engine, text

from tests.factories import stored
from tests.telling import ASKED, SPAN, TRACE, Told, ids, is_child, linked, telling, traceparent
from tests.worker.runtime.bench import Bench, Start, captured, nothing, registry, until
from worker import Enqueuer, Event, Job, NewJob, enqueue, enqueue_many, publish
from worker.errors import InvalidInput
from worker.runtime.relay import Relay
from worker.subscribers import Subscribers

TYPES = registry(work=nothing, more=nothing).job_types
REFUSED = NewJob("work", queue="No Queue")


@pytest.fixture
def told() -> Iterator[Told]:
    """What OpenTelemetry is told during the test."""
    with telling() as told:
        yield told


def within(name: str) -> Any:
    """A span of the host's own."""
    return trace.get_tracer("shop").start_as_current_span(name)


def alone(engine: Engine) -> None:
    with engine.begin() as conn:
        enqueue(conn, TYPES, NewJob("work"))


def by_session_of_psycopg(engine: Engine) -> None:
    with psycopg.connect(engine.url.set(drivername="postgresql").render_as_string(hide_password=False)) as conn:
        enqueue(conn, TYPES, NewJob("work"))


def in_a_group(engine: Engine) -> None:
    Enqueuer(engine, TYPES).enqueue(NewJob("work"))


def in_a_group_from_a_coroutine(engine: Engine) -> None:
    asyncio.run(Enqueuer(engine, TYPES).enqueue_async(NewJob("work")))


def among_many(engine: Engine) -> None:
    with engine.begin() as conn:
        enqueue_many(conn, TYPES, [NewJob("work")])


WAYS = [alone, by_session_of_psycopg, in_a_group, in_a_group_from_a_coroutine, among_many]


@pytest.mark.parametrize("way", WAYS)
def test_one_trace_holds_the_request_the_sending_and_the_handler(
    told: Told, start: Start, engine: Engine, way: Callable[[Engine], None]
) -> None:
    with within("GET /reports"):
        way(engine)
    start(work=nothing)
    until(lambda: told.named("process default"))
    asked, sent, ran = told.one("GET /reports"), told.one("send default"), told.one("process default")
    assert is_child(sent, of=asked)
    assert is_child(ran, of=sent)
    assert (sent.kind, ran.kind) == (SpanKind.PRODUCER, SpanKind.CONSUMER)


def test_what_a_handler_asks_for_is_of_its_trace(told: Told, start: Start, engine: Engine) -> None:
    def chain(_job: Job) -> None:
        with engine.begin() as conn:
            enqueue(conn, TYPES, NewJob("more", queue="later"))

    alone(engine)
    start(work=chain, more=nothing)
    until(lambda: told.named("process later"))
    first, sent, second = told.one("process default"), told.one("send later"), told.one("process later")
    assert is_child(sent, of=first)
    assert is_child(second, of=sent)


def test_sql_that_names_its_span_is_of_that_trace(told: Told, start: Start, conn: Connection) -> None:
    conn.execute(text("SELECT control.enqueue_job('work', traceparent => :asked)"), {"asked": ASKED})
    start(work=nothing)
    until(lambda: told.named("process default"))
    assert ids(told.one("process default"))[0] == TRACE


def test_every_job_of_an_event_is_within_its_publishing(told: Told, engine: Engine, conn: Connection) -> None:
    known = Subscribers()
    for name in ("orders.mail", "orders.ledger"):
        known.register("order.paid", name, nothing)
    publish(conn, Event("order.paid"))
    Relay(engine, known, captured()[0]).tick()
    sent, relayed = told.one("send order.paid"), told.one("relay")
    kept = conn.execute(text("SELECT traceparent FROM control.platform_jobs")).scalars().all()
    assert kept == [traceparent(sent)] * 2
    assert linked(relayed) == [ids(sent)[1]]
    assert dict(relayed.attributes or {})["watchfloor.relay.jobs"] == 2


def test_a_replay_is_linked_to_whoever_asked_first(told: Told, engine: Engine) -> None:
    bench = Bench(engine, registry(work=nothing))
    bench.enqueue("work", traceparent=ASKED)
    (run,) = bench.claim()
    bench.completer.release(bench.held.take_waiting())
    bench.completer.tick()
    bench.run(*bench.claim())
    ran = told.one("process default")
    assert run.job.generation == 1
    assert (ran.parent, linked(ran)) == (None, [SPAN])


def test_a_claim_is_one_span_linked_to_all_that_asked_for_its_jobs(told: Told, engine: Engine) -> None:
    bench = Bench(engine, registry(work=nothing))
    bench.dispatcher.tick()
    assert told.all == ()  # a claim that finds nothing is not worth telling
    others = [ASKED.replace("b7", each) for each in ("c8", "d9")]
    for asked in (ASKED, ASKED, *others):
        bench.enqueue("work", traceparent=asked)
    bench.claim()
    claimed = told.one("receive default")
    assert claimed.kind == SpanKind.CLIENT
    assert sorted(linked(claimed)) == sorted({each.split("-")[2] for each in (ASKED, *others)})
    assert dict(claimed.attributes or {})["messaging.batch.message_count"] == 4


def test_many_jobs_for_several_queues_are_told_without_a_queue(told: Told, conn: Connection) -> None:
    enqueue_many(conn, TYPES, [NewJob("work"), NewJob("work", queue="later")])
    sent = told.one("send")
    assert "messaging.destination.name" not in dict(sent.attributes or {})
    assert dict(sent.attributes or {})["messaging.batch.message_count"] == 2


def test_a_refusal_is_told_by_its_type_alone(told: Told, conn: Connection) -> None:
    with pytest.raises(InvalidInput):
        enqueue(conn, TYPES, REFUSED)
    sent = told.one("send")
    assert sent.status.status_code == StatusCode.ERROR
    assert dict(sent.attributes or {})["error.type"] == "InvalidInput"
    assert (sent.status.description, sent.events) == (None, ())


def test_a_span_that_is_named_outweighs_the_one_under_way(told: Told, conn: Connection) -> None:
    with within("import of old orders"):
        made = enqueue(conn, TYPES, NewJob("work", traceparent=ASKED))
    assert stored(conn, made.id).traceparent == ASKED


def test_the_log_names_the_span_of_what_failed(told: Told, engine: Engine) -> None:
    def failing(_job: Job) -> None:
        raise ValueError

    bench = Bench(engine, registry(work=failing))
    bench.enqueue("work")
    bench.run(*bench.claim())
    (line,) = bench.said("job.failed")
    assert (line["trace_id"], line["span_id"]) == ids(told.one("process default"))
