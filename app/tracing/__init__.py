"""Traces of the console and its commands: sent where the variables of OpenTelemetry say, and nowhere without them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec

from starlette.middleware import Middleware

from worker.errors import ConfigurationError
from worker.tracing import OFF, tracing

_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROTOCOLS = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
_PROTOCOL = "http/protobuf"
_EXPORTERS = ("otlp", "console")


@contextmanager
def exporting() -> Iterator[None]:
    """Send the spans of this process while the block runs, if the environment says where to."""
    exporter = exporter_of(os.environ)
    if exporter is None:
        yield
        return
    begin: Callable[[str], Callable[[], None]] = import_module("app.tracing.export").begin
    end = begin(exporter)
    try:
        yield
    finally:
        end()


def exporter_of(environment: Mapping[str, str]) -> str | None:
    """What is to send the spans, as OTEL_… name it; None for nothing, ConfigurationError for what is not there."""
    exporter = environment.get("OTEL_TRACES_EXPORTER", "")
    if environment.get("OTEL_SDK_DISABLED", "").lower() == "true" or exporter == "none":
        return None
    if not exporter and not any(environment.get(name) for name in _ENDPOINTS):
        return None
    if (exporter or _EXPORTERS[0]) not in _EXPORTERS:
        raise ConfigurationError(f"OTEL_TRACES_EXPORTER: must be one of {', '.join(_EXPORTERS)} or none")
    for name in _PROTOCOLS:
        if environment.get(name) not in (None, "", _PROTOCOL):
            raise ConfigurationError(f"{name}: spans are sent by {_PROTOCOL} alone")
    if find_spec("opentelemetry") is None:
        raise ConfigurationError("OTEL_… ask for traces, which need the extra: pip install 'watchfloor[otel]'")
    return exporter or _EXPORTERS[0]


def middleware() -> list[Middleware]:
    """A span around each request, where anybody is told of spans."""
    return [] if tracing() is OFF else [Middleware(import_module("app.tracing.requests").Requests)]
