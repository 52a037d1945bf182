"""One-time links: a look uses nothing up, the button signs in once."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, func, select
from starlette.testclient import TestClient

from app import sessions
from tests import factories
from tests.app.conftest import trail
from worker.queries.schema import operator_sessions


def link(conn: Connection, **columns: Any) -> str:
    return sessions.new_link(conn, operator_id=factories.operator(conn, **columns))


def test_looking_at_a_link_uses_nothing_up(client: TestClient, conn: Connection) -> None:
    path = link(conn)
    for _ in range(3):
        assert "Welcome, dana" in client.get(path).text
        client.head(path)
    assert conn.execute(select(func.count()).select_from(operator_sessions)).scalar_one() == 0


def test_pressing_the_button_signs_in_once(client: TestClient, conn: Connection) -> None:
    token = link(conn).rsplit("/", 1)[1]
    answer = client.post("/sign-in/link", data={"token": token})
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert [row.detail for row in trail(conn, "sign-in")] == [{"by": "link"}]
    client.cookies.clear()
    again = client.post("/sign-in/link", data={"token": token})
    assert again.status_code == 410
    assert "no longer works" in again.text
    assert [row.outcome for row in trail(conn, "sign-in")] == ["done", "refused"]
    assert "no longer works" in client.get(f"/sign-in/link/{token}").text


@pytest.mark.parametrize("token", ["", "x", "a" * 5000, "é", "../../x"])
def test_a_link_that_never_was_is_told_from_nothing(client: TestClient, conn: Connection, token: str) -> None:
    assert client.post("/sign-in/link", data={"token": token}).status_code == 410


def test_a_link_of_somebody_who_was_disabled_no_longer_works(client: TestClient, conn: Connection) -> None:
    path = link(conn, disabled_at=factories.NOON)
    assert client.get(path).status_code == 410


def test_a_link_that_has_expired_no_longer_works(client: TestClient, conn: Connection) -> None:
    path = sessions.new_link(conn, operator_id=factories.operator(conn), hours=1e-9)
    assert client.get(path).status_code == 410
