"""The process's own provider and exporter. Loads OpenTelemetry's SDK: import it only where spans are to be sent."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter

_EXPORTERS: dict[str, Callable[[], SpanExporter]] = {"otlp": OTLPSpanExporter, "console": ConsoleSpanExporter}


def begin(exporter: str) -> Callable[[], None]:
    """Send spans from now on, where and how the environment says; what is returned sends the last ones, and ends it."""
    ours = Resource.create({"service.name": "watchfloor", "service.version": version("watchfloor")})
    # Ended by its caller: a process that a signal ends has no exit of its own
    provider = TracerProvider(resource=ours.merge(OTELResourceDetector().detect()), shutdown_on_exit=False)
    provider.add_span_processor(BatchSpanProcessor(_EXPORTERS[exporter]()))
    trace.set_tracer_provider(provider)
    return provider.shutdown
