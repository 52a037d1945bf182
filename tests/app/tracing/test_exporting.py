"""Where spans go: where the variables of OpenTelemetry say, to the last one, and nowhere without them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from app import tracing
from app.tracing import exporter_of
from tests.app.program import program
from worker.errors import ConfigurationError

COLLECTOR = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://localhost:4318"}
ON: dict[str, tuple[Mapping[str, str], str]] = {
    "a collector": (COLLECTOR, "otlp"),
    "a collector of traces": ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://localhost:4318/v1/traces"}, "otlp"),
    "the usual one": ({"OTEL_TRACES_EXPORTER": "otlp"}, "otlp"),
    "the terminal": ({"OTEL_TRACES_EXPORTER": "console"}, "console"),
}
OFF: dict[str, Mapping[str, str]] = {
    "nothing": {},
    "an empty address": {"OTEL_EXPORTER_OTLP_ENDPOINT": ""},
    "a name alone": {"OTEL_SERVICE_NAME": "shop"},
    "switched off": COLLECTOR | {"OTEL_SDK_DISABLED": "TRUE"},
    "no exporter": COLLECTOR | {"OTEL_TRACES_EXPORTER": "none"},
}
REFUSED: dict[str, Mapping[str, str]] = {
    "OTEL_TRACES_EXPORTER": {"OTEL_TRACES_EXPORTER": "zipkin"},
    "OTEL_EXPORTER_OTLP_PROTOCOL": COLLECTOR | {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"},
}


@pytest.mark.parametrize(("environment", "exporter"), ON.values(), ids=ON)
def test_the_environment_says_where_to(environment: Mapping[str, str], exporter: str) -> None:
    assert exporter_of(environment) == exporter


@pytest.mark.parametrize("environment", OFF.values(), ids=OFF)
def test_without_an_address_nothing_is_sent(environment: Mapping[str, str]) -> None:
    assert exporter_of(environment) is None


@pytest.mark.parametrize(("name", "environment"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_is_refused_by_its_name(name: str, environment: Mapping[str, str]) -> None:
    with pytest.raises(ConfigurationError, match=name):
        exporter_of(environment)


def test_without_the_extra_the_refusal_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tracing, "find_spec", lambda name: None)
    with pytest.raises(ConfigurationError, match=r"watchfloor\[otel\]"):
        exporter_of(COLLECTOR)


@pytest.fixture
def collector() -> Iterator[tuple[str, list[ExportTraceServiceRequest]]]:
    """A collector's address, and what it was sent."""
    sent: list[ExportTraceServiceRequest] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            sent.append(ExportTraceServiceRequest.FromString(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Collector) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", sent
        server.shutdown()


def test_a_command_sends_the_last_of_its_spans_before_it_ends(
    collector: tuple[str, list[ExportTraceServiceRequest]], url: str
) -> None:
    address, sent = collector
    handlers = {"DATABASE_URL": url, "WATCHFLOOR_HANDLERS": "tests.app.handlers"}
    told = {"OTEL_EXPORTER_OTLP_ENDPOINT": address, "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=tests"}
    with program("publish", "order.paid", **handlers, **told) as publishing:
        assert publishing.end() == (0, "")
    (resource,) = (each for request in sent for each in request.resource_spans)
    about = {each.key: each.value.string_value for each in resource.resource.attributes}
    assert (about["service.name"], about["deployment.environment.name"]) == ("watchfloor", "tests")
    assert [span.name for scope in resource.scope_spans for span in scope.spans] == ["send order.paid"]
