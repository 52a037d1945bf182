"""A span around each request: named by the route table, and without anything that only its sender should know."""

from collections.abc import Callable, Iterator

import pytest
from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode
from sqlalchemy import Engine
from starlette.applications import Starlette
from starlette.responses import PlainTextResponse, Response
from starlette.testclient import TestClient

from app import main
from app.settings import ConsoleSettings
from app.web import Call, Route
from tests.app.conftest import browser, serve
from tests.telling import ASKED, SPAN, TRACE, Told, ids, is_child, telling
from worker.database import Connection


@pytest.fixture
def told() -> Iterator[Told]:
    """What OpenTelemetry is told during the test."""
    with telling() as told:
        yield told


@pytest.fixture
def client(told: Told, console_rw: Engine, app_rw: Engine, settings: ConsoleSettings, swift: None) -> TestClient:
    """A visitor of a console that was made while somebody traces."""
    return browser(main.create_app(settings, engine=console_rw, work_engine=app_rw))


def answering(client: TestClient, handler: Callable[[Call, Connection], Response]) -> TestClient:
    app = client.app
    assert isinstance(app, Starlette)
    serve(app, Route("GET", "/things/{thing}", handler, "anyone"))
    return browser(app, raise_server_exceptions=False)


def test_a_request_is_told_by_its_line_in_the_route_table(told: Told, client: TestClient) -> None:
    answer = client.get("/password-resets/a-token-that-nobody-may-know?also=this")
    span = told.one("GET /password-resets/{token}")
    assert span.kind == SpanKind.SERVER
    assert dict(span.attributes or {}) == {
        "http.request.method": "GET",
        "http.route": "/password-resets/{token}",
        "http.response.status_code": answer.status_code,
        "url.scheme": "http",
        "watchfloor.request.id": answer.headers["X-Request-Id"],
    }
    assert "nobody-may-know" not in span.to_json()


def test_it_goes_on_with_the_trace_of_whoever_asks(told: Told, client: TestClient) -> None:
    client.get("/sign-in", headers={"traceparent": ASKED})
    span = told.one("GET /sign-in")
    assert span.parent
    assert (ids(span)[0], trace.format_span_id(span.parent.span_id)) == (TRACE, SPAN)


def test_what_a_handler_does_is_within_the_request(told: Told, client: TestClient) -> None:
    def handler(_call: Call, _conn: Connection) -> Response:
        with trace.get_tracer("tests").start_as_current_span("something else"):
            return PlainTextResponse("")

    answering(client, handler).get("/things/7")
    assert is_child(told.one("something else"), of=told.one("GET /things/{thing}"))


def test_of_an_error_only_the_type_is_told(told: Told, client: TestClient) -> None:
    def handler(_call: Call, _conn: Connection) -> Response:
        raise ValueError("card 4111 of Ada Lovelace")

    assert answering(client, handler).get("/things/7").status_code == 500
    span = told.one("GET /things/{thing}")
    assert span.status.status_code == StatusCode.ERROR
    assert (span.status.description, span.events) == (None, ())
    assert dict(span.attributes or {})["error.type"] == "ValueError"
    assert dict(span.attributes or {})["http.response.status_code"] == 500


@pytest.mark.parametrize("address", ["/health/live", "/static/nothing.css", "/metrics", "/live"])
def test_files_streams_and_what_machines_ask_all_day_are_not_told(told: Told, client: TestClient, address: str) -> None:
    client.get(address)
    assert told.all == ()


def test_an_odd_method_and_an_unknown_address_are_told_without_their_words(told: Told, client: TestClient) -> None:
    client.request("BREW", "/nowhere/at-all")
    span = told.one("HTTP")
    assert dict(span.attributes or {})["http.request.method"] == "_OTHER"
    assert "at-all" not in span.to_json()
