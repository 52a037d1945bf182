"""Accepting an invitation: once, in time, and with a password that is good enough."""

from __future__ import annotations

from datetime import timedelta

import pytest
from httpx2 import Response
from sqlalchemy import Connection, func, select, update
from starlette.testclient import TestClient

from app.accounts.links import new_link
from tests import factories
from tests.app.conftest import trail
from worker.queries.schema import operator_sessions, operators, sign_in_links

WORDS = "a few words in a row"


@pytest.fixture
def token(conn: Connection) -> str:
    """What is in the mail of somebody who is invited."""
    robin = factories.operator(conn, "robin", "viewer", email="robin@example.org", invited_at=factories.NOON)
    return new_link(conn, operator_id=robin, purpose="invitation").token


def accept(client: TestClient, token: str, password: str = WORDS, again: str = WORDS, **fields: str) -> Response:
    return client.post("/invitations", data={"token": token, "password": password, "again": again, **fields})


def test_looking_at_an_invitation_uses_nothing_up(client: TestClient, token: str) -> None:
    pages = [client.get(f"/invitations/{token}").text for _ in range(3)]
    assert ["Welcome, robin" in each for each in pages] == [True] * 3
    assert "robin@example.org" not in pages[0]


def test_accepting_keeps_the_name_sets_the_password_and_signs_in(
    client: TestClient, conn: Connection, token: str
) -> None:
    answer = accept(client, token, name="somebody else")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "robin" in client.get("/account").text
    assert conn.execute(select(operators.c.name, operators.c.invited_at)).all() == [("robin", None)]
    assert [(row.action, row.actor, row.target) for row in trail(conn)] == [
        ("invitation-accept", "robin", "robin"),
        ("sign-in", "robin", "robin"),
    ]
    client.post("/sign-out")
    assert client.post("/sign-in", data={"name": "robin", "password": WORDS}).status_code == 303


def test_an_invitation_is_accepted_once(client: TestClient, conn: Connection, token: str) -> None:
    accept(client, token)
    client.cookies.clear()
    again = accept(client, token)
    assert (again.status_code, "no longer works" in again.text) == (410, True)
    assert client.get(f"/invitations/{token}").status_code == 410
    assert [row.outcome for row in trail(conn, "invitation-accept")] == ["done", "refused"]


@pytest.mark.parametrize(
    ("password", "again", "says"),
    [
        (WORDS, "other words in a row", "not the same"),
        ("short", "short", "at least 12"),
        ("robin" * 4, "robin" * 4, ""),
    ],
)
def test_a_password_that_is_not_taken_leaves_the_invitation_open(
    client: TestClient, conn: Connection, token: str, password: str, again: str, says: str
) -> None:
    refused = accept(client, token, password, again)
    assert (refused.status_code, says in refused.text) == (422, True)
    assert accept(client, token).status_code == 303


def test_an_invitation_expires_after_three_days(client: TestClient, conn: Connection, token: str) -> None:
    row = conn.execute(select(sign_in_links)).one()
    assert row.expires_at - row.created_at == timedelta(hours=72)
    conn.execute(update(sign_in_links).values(expires_at=func.now()))
    assert accept(client, token).status_code == 410


def test_an_invitation_of_somebody_who_was_disabled_no_longer_works(
    client: TestClient, conn: Connection, token: str
) -> None:
    conn.execute(update(operators).values(disabled_at=func.now()))
    assert accept(client, token).status_code == 410
    assert conn.execute(select(operator_sessions)).all() == []


@pytest.mark.parametrize("path", ["/sign-in/link", "/passwords"])
def test_an_invitation_opens_no_other_door(client: TestClient, conn: Connection, token: str, path: str) -> None:
    assert client.post(path, data={"token": token, "password": WORDS, "again": WORDS}).status_code == 410
    assert conn.execute(select(operators.c.password)).scalar_one() is None
