"""A handler's span: whose child it is, what is current in it, and what is said of its end."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode

from tests.telling import ASKED, SPAN, TRACE, Told, ids, linked
from tests.worker.runtime.bench import until
from tests.worker.runtime.shop import Shop
from worker import JobCancelled
from worker.failures import EMAIL_WITHHELD
from worker.job_types import Handler
from worker.model import Job, new_id
from worker.runtime.held import Run


def ran(shop: Shop, run: Run) -> None:
    """Run it as a worker would, wherever its handler belongs."""
    shop.executor.start()
    shop.executor.submit(run)
    until(lambda: shop.endings.results)
    shop.executor.stop()


def current() -> tuple[str, str]:
    context = trace.get_current_span().get_span_context()
    return trace.format_trace_id(context.trace_id), trace.format_span_id(context.span_id)


def failing(job: Job) -> None:
    raise ValueError(f"no card {job.payload['card']}")


def test_the_first_run_is_a_child_of_the_span_that_asked_for_it(told: Told) -> None:
    Shop(work=lambda job: None).outcome("work", traceparent=ASKED, queue="reports")
    span = told.one("process reports")
    assert span.kind == SpanKind.CONSUMER
    assert span.parent
    assert (ids(span)[0], trace.format_span_id(span.parent.span_id), linked(span)) == (TRACE, SPAN, [])


@pytest.mark.parametrize("generation", [2, 7])
def test_a_retry_or_a_replay_is_a_trace_of_its_own_linked_to_that_span(told: Told, generation: int) -> None:
    Shop(work=lambda job: None).outcome("work", traceparent=ASKED, generation=generation)
    span = told.one("process default")
    assert span.parent is None
    assert ids(span)[0] != TRACE
    assert linked(span) == [SPAN]


@pytest.mark.parametrize("stored", [None, "no such thing"])
def test_a_job_that_nobody_traced_begins_a_trace(told: Told, stored: str | None) -> None:
    Shop(work=lambda job: None).outcome("work", traceparent=stored)
    span = told.one("process default")
    assert (span.parent, linked(span)) == (None, [])


def plainly(seen: list[tuple[str, str]]) -> Handler:
    return lambda job: seen.append(current())


def awaited(seen: list[tuple[str, str]]) -> Handler:
    async def handler(_job: Job) -> None:
        await asyncio.sleep(0)
        seen.append(current())

    return handler


def handed_over(seen: list[tuple[str, str]]) -> Handler:
    def handler(job: Job) -> Coroutine[Any, Any, None]:
        return awaited(seen)(job)  # type: ignore[no-any-return] # of the coroutine function above

    return handler


@pytest.mark.parametrize("kind", [plainly, awaited, handed_over])
def test_the_span_is_current_in_the_handler_and_gone_after_it(told: Told, kind: Any) -> None:
    seen: list[tuple[str, str]] = []
    shop = Shop(work=kind(seen))
    run = shop.claim("work", traceparent=ASKED)
    ran(shop, run)
    until(lambda: told.named("process default"))
    assert seen == [ids(told.one("process default"))]
    assert run.about()["trace_id"] == TRACE
    assert run.about()["span_id"] == seen[0][1]
    assert current()[1] == "0" * 16


def test_two_coroutines_at_once_have_a_span_each(told: Told) -> None:
    seen: dict[str, tuple[str, str]] = {}
    together = asyncio.Barrier(2)

    async def handler(job: Job) -> None:
        await together.wait()
        seen[str(job.id)] = current()

    shop = Shop(work=handler)
    runs = [shop.claim("work") for _ in range(2)]
    shop.executor.start()
    shop.executor.submit(*runs)
    until(lambda: len(shop.endings.results) == 2)
    shop.executor.stop()
    spans = {str((span.attributes or {})["messaging.message.id"]): ids(span) for span in told.all}
    assert seen == spans


def test_a_span_says_what_the_conventions_ask_for(told: Told) -> None:
    tenant = new_id()
    Shop(work=lambda job: None).outcome("work", tenant_id=tenant, attempts=2, generation=3)
    span = told.one("process default")
    said = dict(span.attributes or {})
    assert said.pop("messaging.message.id")
    assert said == {
        "messaging.system": "watchfloor",
        "messaging.operation.name": "process",
        "messaging.operation.type": "process",
        "messaging.destination.name": "default",
        "messaging.consumer.group.name": "work",
        "watchfloor.job.type": "work",
        "watchfloor.attempt": 2,
        "watchfloor.generation": 3,
        "watchfloor.tenant.id": str(tenant),
        "watchfloor.outcome": "completed",
    }
    assert span.status.status_code == StatusCode.UNSET


def test_of_an_error_the_type_and_the_lines_are_told_and_never_the_words(told: Told) -> None:
    failure = Shop(work=failing).outcome("work", payload_text='{"card": "of Ada Lovelace"}').failure
    span = told.one("process default")
    (event,) = span.events
    said = dict(event.attributes or {})
    assert failure
    assert failure.summary == "no card of Ada Lovelace"
    assert span.status.status_code == StatusCode.ERROR
    assert said["exception.type"] == "ValueError"
    assert "test_attempts.py" in str(said["exception.stacktrace"])
    assert (span.attributes or {})["watchfloor.error.group"] == failure.fingerprint
    assert "Lovelace" not in span.to_json()


def test_of_mail_that_failed_nothing_of_the_provider_is_told(told: Told) -> None:
    failure = Shop(send_email=failing).outcome("send_email", payload_text='{"card": "of Ada Lovelace"}').failure
    (event,) = told.one("process default").events
    assert failure
    assert failure.summary == EMAIL_WITHHELD
    assert dict(event.attributes or {}) == {"exception.type": "ValueError"}


def test_to_stop_when_asked_is_no_error(told: Told) -> None:
    def stopping(_job: Job) -> None:
        raise JobCancelled

    Shop(work=stopping).outcome("work")
    span = told.one("process default")
    assert (span.status.status_code, span.events) == (StatusCode.UNSET, ())
    assert (span.attributes or {})["watchfloor.outcome"] == "cancelled"
