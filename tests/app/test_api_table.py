"""The API's table: whom each line lets in, that it stands beside the page's, and that the document tells of it."""

from __future__ import annotations

import inspect
import re

import jsonschema_rs
import pytest
from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.testclient import TestClient

from app.api import JSON, ApiCall, ApiRoute
from app.documents import Document
from app.openapi import PATHS, document
from app.routes import API, ROUTES
from app.web import Route
from tests.app.routes.programs import problem, program, token
from worker.queries.operators import ROLES, Role

V1 = "/api/v1"
TOKENS_ARE_NOT_PEOPLE = "a program has no session, password, second factor or invitation of its own"
DIALOG = "a form; its preview or the act itself is asked"
ELSEWHERE = {
    "GET /": "GET /api/v1/overview",
}
"""Lines of the console whose line of the API has another address."""
NOT_FOR_PROGRAMS = (
    (r"(GET|POST) /(sign-|invitations|password|account).*", TOKENS_ARE_NOT_PEOPLE),
    (r"GET /.*/(new|pause|pause/end|resume|drain|disable)", DIALOG),
    (r"GET /(live|help|lens)", "it belongs to pages alone"),
    (r"POST /jobs/views.*", "a view is somebody's; a program keeps its own lists"),
    (r"GET /jobs/suggestions", "it completes what is typed"),
    (r"GET /jobs\.(csv|jsonl)", "the list goes on by its cursor"),
)
"""Lines of the console that programs have no use for, and why."""


def name(route: Route | ApiRoute) -> str:
    return f"{route.method} {route.path}"


def where(route: Route) -> str:
    """The line of the API that does what this one of the console does."""
    return ELSEWHERE.get(name(route), f"{route.method} {V1}{route.path}")


def test_what_a_page_shows_or_does_the_api_does_for_the_same_role() -> None:
    by_name = {name(route): route for route in API}
    wanted = [each for each in ROUTES if not any(re.fullmatch(line, name(each)) for line, _ in NOT_FOR_PROGRAMS)]
    assert {name(each): where(each) for each in wanted if where(each) not in by_name} == {}
    assert {
        name(each): by_name[where(each)].scope for each in wanted if by_name[where(each)].scope != each.access
    } == {}


def test_no_reason_is_left_over() -> None:
    lines = [name(route) for route in ROUTES]
    assert [line for line, _ in NOT_FOR_PROGRAMS if not any(re.fullmatch(line, each) for each in lines)] == []
    assert ELSEWHERE.keys() - set(lines) == set()


@pytest.mark.parametrize("role", ROLES)
def test_a_role_may_what_those_before_it_may_and_no_more(app: Starlette, conn: Connection, role: Role) -> None:
    allowed = ROLES[: ROLES.index(role) + 1]
    with program(app, token(conn, role, role)) as client:
        for route in API:
            if route.scope in allowed:
                continue
            refused = client.request(route.method, re.sub(r"{\w+(:path)?}", "x", route.path))
            assert route.scope in problem(refused, 403)["detail"]


def test_nobody_is_let_in_without_a_token(app: Starlette) -> None:
    with program(app, None) as client:
        for route in API:
            refused = client.request(route.method, re.sub(r"{\w+(:path)?}", "x", route.path))
            assert "bearer" in problem(refused, 401)["detail"].lower()


def test_the_document_tells_of_each_line_and_of_nothing_else(api: TestClient) -> None:
    found = api.get("/api/v1/openapi.json", headers={"Authorization": ""}).json()
    told = {f"{method.upper()} {path}" for path, methods in found["paths"].items() for method in methods}
    assert told == {name(route).replace(":path}", "}") for route in API}
    assert found["openapi"].startswith("3.1")
    names = [each["operationId"] for methods in found["paths"].values() for each in methods.values()]
    assert len(names) == len(set(names))


def test_the_document_says_of_each_line_what_it_does_and_whom_it_lets_in() -> None:
    found = document(API, version="1")["paths"]
    for route in API:
        operation = found[route.path.replace(":path}", "}")][route.method.lower()]
        assert operation["summary"].endswith(".") or operation["description"]
        assert operation["security"] == [{"token": [route.scope]}]
        assert all(each["description"] for each in operation["parameters"])
        assert {str(status) for status in route.statuses} <= operation["responses"].keys()


def test_each_schema_is_one() -> None:
    components = document(API, version="1")["components"]
    for model in components["schemas"]:
        jsonschema_rs.validator_for({"$ref": f"#/components/schemas/{model}", "components": components})
    assert not [model for model in components["schemas"] if "__" in model], "two models of one name"


def test_every_name_in_an_address_is_explained() -> None:
    used = {found for route in API for found in re.findall(r"{(\w+)", route.path)}
    assert used <= PATHS.keys()


def test_a_line_without_words_is_not_described() -> None:
    def silent(call: ApiCall) -> Response:
        return Document({})

    assert inspect.getdoc(silent) is None
    with pytest.raises(ValueError, match="say in the handler's docstring"):
        document([ApiRoute("GET", "/api/v1/x", silent, "viewer", JSON)], version="1")
