"""The browsers that an operator is signed in with, on the account's page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import Connection, func, select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import sessions
from tests import factories
from tests.app.conftest import browser, signed_in, trail
from worker.queries import sessions as stored
from worker.queries.schema import operator_sessions, operators


@pytest.fixture
def here(app: Starlette, conn: Connection) -> TestClient:
    return browser(app, signed_in(conn, email="dana@example.org"))


def also(app: Starlette, conn: Connection, name: str, operator: str = "dana") -> TestClient:
    """Another browser of the operator."""
    found = conn.execute(select(operators.c.id).where(operators.c.name == operator)).scalar_one()
    lasting: dict[str, Any] = {"idle_seconds": 3600, "length_seconds": 3600}
    stored.open_session(
        conn, operator_id=found, token_hash=sessions.digest(name), address="10.0.0.7", user_agent=name, **lasting
    )
    return browser(app, name)


def ends(client: TestClient) -> list[str]:
    """Where the page's buttons lead."""
    return re.findall(r'action="(/account/sessions/[^"]+)"', client.get("/account").text)


def test_the_account_shows_every_browser_and_which_is_this_one(
    app: Starlette, conn: Connection, here: TestClient
) -> None:
    also(app, conn, "a phone")
    page = here.get("/account").text
    assert ("a phone" in page, "10.0.0.7" in page, page.count("this one")) == (True, True, 1)
    assert "dana@example.org" in page
    assert len(ends(here)) == 1


def test_another_browser_is_signed_out(app: Starlette, conn: Connection, here: TestClient) -> None:
    there = also(app, conn, "a phone")
    [button] = ends(here)
    assert here.post(button).headers["location"] == "/account"
    assert (here.get("/account").status_code, there.get("/account").status_code) == (200, 303)
    assert [(row.action, row.target) for row in trail(conn)] == [("session-end", "dana")]


def test_nobody_signs_another_operator_out(app: Starlette, conn: Connection, here: TestClient) -> None:
    factories.operator(conn, "eve")
    hers = also(app, conn, "her laptop", "eve")
    handle = sessions.digest("her laptop")[:16]
    here.post(f"/account/sessions/{handle}/sign-out")
    assert hers.get("/account").status_code == 200
    assert trail(conn) == []


def test_signing_out_everywhere_else_leaves_this_one(app: Starlette, conn: Connection, here: TestClient) -> None:
    others = [also(app, conn, name) for name in ("a phone", "a tablet")]
    here.post("/account/sign-out")
    assert here.get("/account").status_code == 200
    assert [each.get("/account").status_code for each in others] == [303, 303]
    assert conn.execute(select(func.count()).select_from(operator_sessions)).scalar_one() == 1
    assert [row.detail for row in trail(conn, "sign-out-everywhere")] == [{"sessions": 2}]
