"""The queue's spans, by OpenTelemetry's conventions for messaging. Loads its API, and no more.

The first run of a job is a child of the span that asked for it: one trace goes from a request to what came of it. Each
later run, a retry or a replay, perhaps weeks after, begins a trace of its own with a link to that span.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanKind, Tracer, TracerProvider

from worker.model import Job
from worker.tracing import OFF, Piece, Tracing
from worker.tracing.pieces import Attempt, Sending, Under, begun, context_of, ended

_MOST_LINKS = 128


def known() -> Tracing:
    """What tells the provider that the process has by now; where a library loaded the API, nobody may have set one."""
    return _telling(trace.get_tracer_provider())


@lru_cache(4)
def _telling(provider: TracerProvider) -> Tracing:
    is_nobody = isinstance(provider, trace.NoOpTracerProvider | trace.ProxyTracerProvider)
    return OFF if is_nobody else Spans(provider.get_tracer("watchfloor"))


class Spans(Tracing):
    """Tells of everything; what a span says of a job never comes from its payload."""

    def __init__(self, tracer: Tracer) -> None:
        self._tracer = tracer

    def here(self) -> Piece:
        """The current span."""
        return Under(trace.get_current_span())

    def sending(self) -> Piece:
        """A producer's span, within the current one."""
        return Sending(begun(self._tracer, "send", kind=SpanKind.PRODUCER, attributes=_operation("send", "send")))

    def attempt(self, job: Job) -> Piece:
        """A consumer's span: where the first run of a job was asked for in a span, within that."""
        asked = context_of(job.traceparent)
        context, links = Context(), []
        if asked and job.generation == 1:
            context = trace.set_span_in_context(trace.NonRecordingSpan(asked), context)
        elif asked:
            links = [Link(asked)]
        name, kind = f"process {job.queue}", SpanKind.CONSUMER
        return Attempt(begun(self._tracer, name, context=context, kind=kind, attributes=_of(job), links=links))

    def claimed(self, jobs: Sequence[Job], *, took_seconds: float) -> None:
        """A client's span, linked to those that asked for the jobs; none where there was nothing to claim."""
        if not jobs:
            return
        span = self._past("receive", [job.traceparent for job in jobs], took_seconds)
        first = jobs[0].queue
        if all(job.queue == first for job in jobs):
            span.update_name(f"receive {first}")
            span.set_attribute("messaging.destination.name", first)
        ended(span)

    def relayed(self, traceparents: Sequence[str | None], *, jobs: int, took_seconds: float) -> None:
        """The same of events that became jobs."""
        if traceparents:
            span = self._past("relay", traceparents, took_seconds)
            span.set_attribute("watchfloor.relay.jobs", jobs)
            ended(span)

    def _past(self, operation: str, asked: Sequence[str | None], took_seconds: float) -> Span:
        """The span of a batch, begun when its work was."""
        contexts = map(context_of, list(dict.fromkeys(asked))[:_MOST_LINKS])
        return begun(
            self._tracer,
            operation,
            context=Context(),
            kind=SpanKind.CLIENT,
            links=[Link(context) for context in contexts if context],
            attributes={**_operation(operation, "receive"), "messaging.batch.message_count": len(asked)},
            start_time=time.time_ns() - int(took_seconds * 1e9),
        )


def _operation(name: str, kind: str) -> dict[str, str]:
    return {"messaging.system": "watchfloor", "messaging.operation.name": name, "messaging.operation.type": kind}


def _of(job: Job) -> dict[str, str | int]:
    """What is said of a job."""
    event = {"watchfloor.event.id": job.event_id} if job.event_id else {}
    tenant = {"watchfloor.tenant.id": str(job.tenant_id)} if job.tenant_id else {}
    return {
        **_operation("process", "process"),
        "messaging.destination.name": job.queue,
        "messaging.message.id": str(job.id),
        "messaging.consumer.group.name": job.handler_key,
        "watchfloor.job.type": job.job_type,
        "watchfloor.attempt": job.attempts,
        "watchfloor.generation": job.generation,
        **event,
        **tenant,
    }
