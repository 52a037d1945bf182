"""The API's frame: what handlers may rely on, and how a refusal reads."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, OperationalError
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.testclient import TestClient

from app.api import JSON, ApiCall, ApiRoute
from app.bodies import Body
from app.documents import Document
from tests.app.routes.programs import SECRET, problem, serve_api
from worker.errors import InvalidInput, KeyReused, TenantNotReady, UnknownTenant
from worker.queries import queues


class Order(Body):
    number: int
    note: str = ""


def echo(call: ApiCall) -> Response:
    return Document(call.read(Order).model_dump())


def test_a_handler_knows_who_asks_and_when(app: Starlette, api: TestClient, conn: Connection) -> None:
    def tell(call: ApiCall) -> Response:
        late = abs((call.now - conn.execute(text("SELECT now()")).scalar_one()).total_seconds())
        return Document({"late": late < 5, "actor": [call.actor.name, call.actor.address, call.actor.request_id]})

    serve_api(app, tell)
    answer = api.post("/admin/probe")
    assert answer.json() == {"late": True, "actor": ["token:deploy", "testclient", answer.headers["x-request-id"]]}


def test_a_forged_origin_is_nothing_here_where_only_the_token_counts(app: Starlette, api: TestClient) -> None:
    serve_api(app, echo, body=Order)
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "https://e.example"}):
        assert api.post("/admin/probe", json={"number": 1}, headers=headers).status_code == 200


def test_a_deadlock_is_tried_again_with_the_body_from_its_start(
    app: Starlette, api: TestClient, conn: Connection
) -> None:
    read: list[int] = []

    def unlucky(call: ApiCall) -> Response:
        with call.engine.begin() as mine:
            read.append(call.read(Order).number)
            queues.pause(mine, queue=f"try-{len(read)}", actor=call.actor, reason="a test", now=call.now)
            if len(read) < 3:
                raise DBAPIError("statement", {}, psycopg.errors.DeadlockDetected())
        return Document({})

    serve_api(app, unlucky, body=Order)
    assert api.post("/admin/probe", json={"number": 7}).status_code == 200
    assert read == [7, 7, 7]
    assert list(queues.paused(conn)) == ["try-3"]


def test_an_outage_is_a_problem_that_says_when_to_come_again(app: Starlette, api: TestClient) -> None:
    def away(call: ApiCall) -> Response:
        raise OperationalError("statement", {}, psycopg.errors.AdminShutdown())

    serve_api(app, away)
    answer = api.post("/admin/probe")
    problem(answer, 503)
    assert answer.headers["retry-after"] == "5"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InvalidInput("slug", "is too long"), 422), (UnknownTenant(), 404), (TenantNotReady(), 409),
        (KeyReused("idempotency_key: belongs to another request"), 409), (RuntimeError(SECRET), 500),
    ],
)  # fmt: skip
def test_what_the_engine_refuses_is_a_problem_too(
    app: Starlette, api: TestClient, error: Exception, status: int
) -> None:
    def refuse(call: ApiCall) -> Response:
        raise error

    serve_api(app, refuse)
    problem(api.post("/admin/probe"), status)


def test_reading_cannot_write(app: Starlette, api: TestClient) -> None:
    def look(call: ApiCall) -> Response:
        with call.engine.begin() as conn:
            return Document(conn.execute(text("SHOW transaction_read_only")).scalar_one())

    serve_api(app, look, "GET")
    assert api.get("/admin/probe").json() == "on"
    assert api.head("/admin/probe").status_code == 200


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/admin", {}, 404), ("GET", "/admin/", {}, 404), ("GET", "/admin/nowhere", {}, 404),
        ("DELETE", "/admin/probe", {}, 405), ("OPTIONS", "/admin/probe", {"Origin": "https://e.example"}, 405),
        ("GET", "/admin/" + "a" * 9000, {}, 414), ("GET", "/admin/%ff", {}, 400),
        ("GET", "/admin/probe", {"Host": "e.example"}, 400),
    ],
)  # fmt: skip
def test_what_no_route_is_there_for_is_a_problem_as_well(
    app: Starlette, api: TestClient, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    serve_api(app, echo, body=Order)
    answer = api.request(method, path, headers=headers)
    problem(answer, status)
    assert answer.headers.get("allow") == ("POST" if status == 405 else None)
    assert not [name for name in answer.headers if name.startswith("access-control-")]


def test_a_times_zone_is_always_the_same(app: Starlette, api: TestClient) -> None:
    serve_api(app, lambda call: Document({"now": call.now}))
    assert json.loads(api.post("/admin/probe").text)["now"].endswith("+00:00")


@pytest.mark.parametrize(("path", "scope"), [("/admin/x", "everything"), ("/admin/x", ""), ("/x", "tenants:read")])
def test_a_route_without_a_known_scope_or_elsewhere_cannot_be_made(path: str, scope: Any) -> None:
    with pytest.raises(ValueError, match="say which scope"):
        ApiRoute("GET", path, echo, scope, JSON)
