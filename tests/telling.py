"""OpenTelemetry's SDK with an exporter that keeps what it is told."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

ASKED = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE, SPAN = ASKED.split("-")[1:3]


class Told:
    """The spans that ended so far."""

    def __init__(self, exporter: InMemorySpanExporter) -> None:
        self._exporter = exporter

    @property
    def all(self) -> tuple[ReadableSpan, ...]:
        """Every one, in the order of their ends."""
        return self._exporter.get_finished_spans()

    def named(self, name: str) -> list[ReadableSpan]:
        """Those of this name."""
        return [span for span in self.all if span.name == name]

    def one(self, name: str) -> ReadableSpan:
        """The only one of this name."""
        (span,) = self.named(name)
        return span


@contextmanager
def telling() -> Iterator[Told]:
    """Have this process's spans kept while the block runs."""
    exporter = InMemorySpanExporter()
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trace, "_TRACER_PROVIDER", provider)  # which may be set only once
        yield Told(exporter)
    provider.shutdown()


def ids(span: ReadableSpan) -> tuple[str, str]:
    """Of its trace and of itself."""
    context = _context(span)
    return trace.format_trace_id(context.trace_id), trace.format_span_id(context.span_id)


def traceparent(span: ReadableSpan) -> str:
    """As it is stored."""
    return "-".join(("00", *ids(span), f"{_context(span).trace_flags:02x}"))


def is_child(span: ReadableSpan, of: ReadableSpan) -> bool:
    """Whether it is directly within the other."""
    return span.parent is not None and span.parent.span_id == _context(of).span_id and ids(span)[0] == ids(of)[0]


def linked(span: ReadableSpan) -> list[str]:
    """The spans that it is linked to, by their ids."""
    return [trace.format_span_id(link.context.span_id) for link in span.links]


def _context(span: ReadableSpan) -> trace.SpanContext:
    context = span.get_span_context()
    assert context
    return context
