"""The route table: who may, and that nothing else is served (A-63)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route as Served

from app import sessions
from app.routes import OPEN, ROUTES
from app.web import Call, Route
from tests.app.conftest import Visitor, browser, serve, trail
from worker.database import Connection as AnyConnection

GUARDED = [route for route in ROUTES if route.access != "anyone"]
PUBLIC = {"/sign-in", "/sign-in/link/{token}", "/sign-in/link", "/sign-out"}
AN_ID = "019b0000-0000-7000-8000-000000000000"


def name(route: Route) -> str:
    return f"{route.method} {route.path}"


def address(route: Route) -> str:
    """The route's path with something in place of each parameter."""
    return re.sub(r"\{[^}]*\}", AN_ID, route.path)


def test_what_anyone_may_see_is_a_short_list() -> None:
    assert {route.path for route in ROUTES if route.access == "anyone"} == PUBLIC
    assert {route.path for route in OPEN} == {"/static/{version}/{name:path}", "/health/live", "/health/ready"}


def test_the_console_serves_the_table_and_nothing_else(app: Starlette) -> None:
    served = {route.path for route in app.routes if isinstance(route, Served)}
    assert served == {route.path for route in (*ROUTES, *OPEN)}
    assert len(app.routes) == len(served)


def test_a_line_is_not_there_twice() -> None:
    lines = [name(route) for route in ROUTES]
    assert len(lines) == len(set(lines))


@pytest.mark.parametrize("access", ["", "everyone", "root", None])
def test_a_route_without_a_known_role_cannot_be_made(access: Any) -> None:
    with pytest.raises(ValueError, match="GET /x: say who may"):
        Route("GET", "/x", _page, access)


def _page(call: Call, conn: AnyConnection) -> Response:
    return Response("a page")


@pytest.mark.parametrize("cookie", [None, "expired"])
@pytest.mark.parametrize("route", GUARDED, ids=name)
def test_nothing_is_shown_or_done_without_a_session(app: Starlette, route: Route, cookie: str | None) -> None:
    client = browser(app, cookie)
    answer = client.request(route.method, address(route))
    assert answer.status_code == 303
    assert answer.headers["location"].startswith("/sign-in")
    assert answer.text == ""
    by_htmx = client.request(route.method, address(route), headers={"HX-Request": "true"})
    assert by_htmx.status_code == 401
    assert by_htmx.headers["hx-redirect"] == "/sign-in"


@pytest.mark.parametrize("route", [each for each in GUARDED if each.access != "viewer"], ids=name)
def test_a_viewer_is_refused_in_words_and_leaves_a_row(conn: Connection, visitor: Visitor, route: Route) -> None:
    answer = visitor("viewer", "vera").request(route.method, address(route))
    assert answer.status_code == 403
    assert f"You are signed in as viewer; this needs {route.access}." in answer.text
    [row] = trail(conn)
    assert (row.actor, row.action, row.outcome) == ("vera", route.noun, "refused")
    assert row.target == f"{route.method} {address(route)}"


@pytest.mark.parametrize("role", ["viewer", "operator", "admin"])
@pytest.mark.parametrize("access", ["viewer", "operator", "admin"])
def test_each_role_may_what_those_below_it_may(
    app: Starlette, conn: Connection, visitor: Visitor, role: str, access: Any
) -> None:
    serve(app, Route("POST", "/things/{id}/knots", _page, access))
    answer = visitor(role).post("/things/1/knots")
    allowed = ("viewer", "operator", "admin").index(role) >= ("viewer", "operator", "admin").index(access)
    assert answer.status_code == (200 if allowed else 403)
    assert [row.action for row in trail(conn)] == ([] if allowed else ["knots"])


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND"])
@pytest.mark.parametrize("route", ROUTES, ids=name)
def test_other_methods_are_not_served(app: Starlette, route: Route, method: str) -> None:
    answer = browser(app).request(method, address(route))
    assert answer.status_code == 405
    assert route.method in answer.headers["allow"]


@pytest.mark.parametrize("route", [each for each in ROUTES if each.method == "POST"], ids=name)
def test_looking_at_an_action_does_not_perform_it(visitor: Visitor, conn: Connection, route: Route) -> None:
    client = visitor("admin")
    known = {each.path for each in ROUTES if each.method == "GET"}
    for method in ("GET", "HEAD"):
        overridden = client.request(
            method, address(route) + "?_method=POST", headers={"X-HTTP-Method-Override": "POST"}
        )
        assert overridden.status_code in ((200, 303, 404, 410) if route.path in known else (404, 405))
    assert [row for row in trail(conn) if row.outcome == "done"] == []


def test_an_address_that_ends_in_a_slash_is_another_one(visitor: Visitor) -> None:
    assert visitor().get("/account/").status_code == 404


def test_an_unknown_address_is_answered_in_the_visitors_own_console(visitor: Visitor) -> None:
    answer = visitor("operator", "dana").get("/nowhere")
    assert answer.status_code == 404
    assert 'title="dana, operator"' in answer.text


def test_the_cookie_of_one_scheme_is_not_read_on_the_other(app: Starlette, visitor: Visitor) -> None:
    client = visitor()
    client.base_url = "https://localhost"
    assert client.get("/account").status_code == 303
    assert sessions.COOKIE == "watchfloor"
