"""The route table: who may, and that nothing else is served (A-63)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import Connection, literal_column, select
from starlette.applications import Starlette
from starlette.responses import Response
from starlette.routing import Route as Served

from app import sessions
from app.routes import API, OPEN, ROUTES
from app.web import Call, Route
from tests import factories
from tests.app.conftest import Visitor, browser, serve, trail
from worker.database import Connection as AnyConnection
from worker.model import Status
from worker.queries.schema import metadata

GUARDED = [route for route in ROUTES if route.access != "anyone"]
PUBLIC = {"/sign-in", "/sign-in/link/{token}", "/sign-in/link", "/sign-in/code", "/sign-out"} | {
    "/sign-in/second-factor",
    "/invitations/{token}",
    "/invitations",
    "/password-resets/new",
    "/password-resets",
    "/password-resets/{token}",
    "/passwords",
}
AN_ID = "019b0000-0000-7000-8000-000000000000"


def name(route: Route) -> str:
    return f"{route.method} {route.path}"


def address(route: Route) -> str:
    """The route's path with something in place of each parameter."""
    return re.sub(r"\{[^}]*\}", AN_ID, route.path)


def test_what_anyone_may_see_is_a_short_list() -> None:
    assert {route.path for route in ROUTES if route.access == "anyone"} == PUBLIC
    provider, health = {"/sign-in/oidc", "/sign-in/oidc/callback"}, {"/health/live", "/health/ready"}
    files = {"/static/{version}/{name:path}", "/api/v1/openapi.json"}
    assert {route.path for route in OPEN} == {*files, *health, *provider}


def test_the_console_serves_the_table_and_nothing_else(app: Starlette) -> None:
    served = {route.path for route in app.routes if isinstance(route, Served)}
    assert served == {route.path for route in (*ROUTES, *OPEN, *API)}
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


@pytest.mark.parametrize("route", [each for each in ROUTES if each.method == "POST"], ids=name)
def test_no_action_can_be_forged(visitor: Visitor, conn: Connection, route: Route) -> None:
    client = visitor("admin")
    before = rows(conn)
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}, {"Origin": "null"}):
        assert client.post(address(route), data={"job": AN_ID, "reason": "x"}, headers=headers).status_code == 403
    assert [(row.action, row.outcome) for row in trail(conn)] == [("cross-site", "refused")] * 3
    assert rows(conn) == before


def test_looking_writes_nothing(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn)
    factories.job(conn, status=Status.FAILED)
    client = visitor("admin")
    before = rows(conn, but=())
    for route in ROUTES:
        if route.method == "GET":
            client.request("HEAD" if route.path == "/live" else "GET", address(route))
    assert rows(conn, but=()) == before


def rows(conn: Connection, *, but: tuple[str, ...] = ("operator_actions", "rate_counters")) -> dict[str, list[Any]]:
    """Every row there is, with the transaction that wrote it."""
    kept = [table for table in metadata.tables.values() if table.name not in but]
    return {table.name: list(conn.execute(select(literal_column("xmin"), table))) for table in kept}


ODD = (
    "cursor=x", "cursor=" + "A" * 600, "before=1e999&after=x", "status=nonsense&status=", "q=" + "x" * 3000,
    "q=%25_%5C", "page=-1&limit=99999999999999999999999", "job=1&job=2", "tenant=x&queue=%3Csvg%3E&type=%0a",
    "=&=&&", "until=never", "all=1&all=2", "since=99999-99-99T99:99", "show=" + "9" * 5000, "[]=1&a[b]=2",
    "q=%f0%9f%92%a5%e2%80%ae",
)  # fmt: skip


@pytest.mark.parametrize("query", ODD)
def test_no_page_breaks_over_an_odd_parameter(visitor: Visitor, query: str) -> None:
    client = visitor("admin")
    for route in ROUTES:
        if route.method == "GET":
            method = "HEAD" if route.path == "/live" else "GET"
            answer = client.request(method, f"{address(route)}?{query}")
            assert answer.status_code < 500, route.path


@pytest.mark.parametrize("value", ["", "x", "9" * 5000, "\u202e💥", "<svg onload=1>", "-1", "1e999", "NaN", AN_ID])
def test_no_action_breaks_over_an_odd_field(visitor: Visitor, value: str) -> None:
    fields = ("job", "reason", "queue", "until", "tenant", "payload", "all", "matching", "rate", "name", "role", "next")
    for route in ROUTES:
        if route.method == "POST":
            answer = visitor("admin", route.path).post(address(route), data=dict.fromkeys(fields, value))
            assert answer.status_code < 500, route.path


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
