"""Pieces of work as OpenTelemetry's spans: how each begins, what is said of it, and how it ends."""

from __future__ import annotations

from contextvars import Token
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import structlog
from opentelemetry import trace
from opentelemetry.context import Context, attach, detach
from opentelemetry.trace import Span, SpanContext, StatusCode, TraceFlags, Tracer

from worker.failures import Failure
from worker.model import AttemptOutcome
from worker.tracing import Piece
from worker.tracing.context import parts

_log = structlog.get_logger()
_WELL = (AttemptOutcome.COMPLETED, AttemptOutcome.CANCELLED)


def context_of(traceparent: str | None) -> SpanContext | None:
    """The span that a stored line names."""
    if (found := parts(traceparent)) is None:
        return None
    trace_id, span_id, flags = (int(part, 16) for part in found)
    return SpanContext(trace_id, span_id, is_remote=True, trace_flags=TraceFlags(flags))


def begun(tracer: Tracer, name: str, **options: Any) -> Span:
    """A span; what a host's own sampler or processor raises costs the span, and not the work."""
    try:
        return tracer.start_span(name, **options)
    except Exception as error:  # noqa: BLE001 - whatever a host has put in there
        _log.warning("trace.lost", span=name, error=type(error).__name__)
        return trace.INVALID_SPAN


def ended(span: Span) -> None:
    """The end of it, which costs the work no more than its beginning."""
    try:
        span.end()
    except Exception as error:  # noqa: BLE001 - whatever a host has put in there
        _log.warning("trace.lost", error=type(error).__name__)


class Under(Piece):
    """A span that somebody else ends."""

    def __init__(self, span: Span) -> None:
        self.span = span
        context = span.get_span_context()
        if context.is_valid:
            trace_id, span_id = trace.format_trace_id(context.trace_id), trace.format_span_id(context.span_id)
            self.traceparent = f"00-{trace_id}-{span_id}-{context.trace_flags:02x}"
            self.ids = {"trace_id": trace_id, "span_id": span_id}


class Sending(Under):
    """A producer's span; what the database does meanwhile is no part of it, for its steps may change hands."""

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """End it; of an error only the type is told, for its words may hold what was to be stored."""
        if kind:
            self.span.set_status(StatusCode.ERROR)
            # Steps whose statement failed are closed, and do not hear of the error
            self.span.set_attribute("error.type", "_OTHER" if kind is GeneratorExit else kind.__name__)
        ended(self.span)

    def sent(self, destination: str | None, *, count: int = 1, message_id: UUID | None = None) -> None:
        """Where to if that was one place, how many, and which if it was one."""
        if destination:
            self.span.update_name(f"send {destination}")
            self.span.set_attribute("messaging.destination.name", destination)
        if message_id:
            self.span.set_attribute("messaging.message.id", str(message_id))
        else:
            self.span.set_attribute("messaging.batch.message_count", count)


class Attempt(Under):
    """A consumer's span, current for its handler and what that calls, enqueues and logs."""

    _before: Token[Context]

    def __enter__(self) -> Self:
        self._before = attach(trace.set_span_in_context(self.span))
        return self

    def __exit__(self, _kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """End it."""
        detach(self._before)
        ended(self.span)

    def came_to(self, outcome: str, failure: Failure | None) -> None:
        """How it ended; of an error its type, its lines and its group, not its words, which may hold payload."""
        self.span.set_attribute("watchfloor.outcome", outcome)
        if failure and outcome not in _WELL:
            self.span.set_status(StatusCode.ERROR)
            self.span.set_attributes({"error.type": failure.error_type, "watchfloor.error.group": failure.fingerprint})
            lines, _, _words = failure.detail.rpartition("\n")
            said = {"exception.stacktrace": lines} if lines else {}
            self.span.add_event("exception", {"exception.type": failure.error_type, **said})
