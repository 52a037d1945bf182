"""A program at the API: a token, and a client that shows it."""

from __future__ import annotations

from sqlalchemy import Connection
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.bearer import new_token
from app.sessions import digest
from tests.app.conftest import browser
from worker.queries import tokens
from worker.queries.audit import Actor
from worker.queries.tokens import SCOPES, Scope


def token(conn: Connection, name: str = "deploy", *scopes: Scope) -> str:
    """A token of these scopes, or of all."""
    made = new_token()
    assert tokens.add(conn, name=name, token_hash=digest(made), scopes=scopes or SCOPES, actor=Actor("cli:test"))
    return made


def program(app: Starlette, shown: str | None) -> TestClient:
    """A client that shows this token with each request."""
    client = browser(app, raise_server_exceptions=False)
    if shown:
        client.headers["Authorization"] = f"Bearer {shown}"
    return client
