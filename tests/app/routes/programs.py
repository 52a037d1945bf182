"""A program at the API: a token, a client that shows it, and the refusals that it may get."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.routing import Route as Served
from starlette.testclient import TestClient

from app.api import JSON, ApiHandler, ApiRoute, api_endpoint
from app.bearer import new_token
from app.sessions import digest
from worker.queries import tokens
from worker.queries.audit import Actor
from worker.queries.tokens import SCOPES, Scope

SECRET = "a very private value"


def token(conn: Connection, name: str = "deploy", *scopes: Scope) -> str:
    """A token of these scopes, or of all."""
    made = new_token()
    assert tokens.add(conn, name=name, token_hash=digest(made), scopes=scopes or SCOPES, actor=Actor("cli:test"))
    return made


def program(app: Starlette, shown: str | None) -> TestClient:
    """A client that shows this token with each request."""
    client = TestClient(app, base_url="http://localhost", follow_redirects=False, raise_server_exceptions=False)
    if shown:
        client.headers["Authorization"] = f"Bearer {shown}"
    return client


def serve_api(app: Starlette, handler: ApiHandler, method: Any = "POST", **options: Any) -> None:
    """Serve a handler at /admin/probe, for tokens that may write tenants."""
    route = ApiRoute(method, "/admin/probe", handler, "tenants:write", JSON, **options)
    app.router.routes.append(Served(route.path, api_endpoint(route), methods=[method]))


def problem(answer: Any, status: int) -> dict[str, Any]:
    """The refusal with that status, a problem document which repeats nothing that was sent as SECRET."""
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    found = dict(answer.json())
    assert (found["type"], found["status"]) == ("about:blank", status)
    assert found["request_id"] == answer.headers["x-request-id"]
    assert found["title"]
    assert found["detail"].endswith(".")
    assert SECRET not in answer.text
    return found
