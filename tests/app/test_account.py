"""The operator's own password."""

from __future__ import annotations

from datetime import timedelta

import pytest
from httpx2 import Response
from sqlalchemy import Connection, func, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import sessions
from app.own_password import TRIES
from app.passwords import Passwords
from tests.app.conftest import Visitor, browser, signed_in, trail
from worker.queries import sessions as stored
from worker.queries.schema import operator_sessions, operators, sign_in_links

NEW = "quite another row of words"
OLD = "a few words in a row"


def change(client: TestClient, **fields: str) -> Response:
    return client.post("/account/password", data={"password": NEW, "again": NEW, **fields})


def password_of(conn: Connection) -> str | None:
    found: str | None = conn.execute(select(operators.c.password)).scalar_one()
    return found


def long_ago(conn: Connection) -> None:
    """As if the session had begun an hour ago."""
    conn.execute(update(operator_sessions).values(created_at=func.now() - timedelta(hours=1)))


def test_an_operator_who_came_by_link_may_set_a_password_and_use_it(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn))
    long_ago(conn)
    assert "The password you have now" not in client.get("/account").text
    assert change(client).headers["location"] == "/account?saved=1"
    assert [row.actor for row in trail(conn, "password")] == ["dana"]
    answer = browser(app).post("/sign-in", data={"name": "dana", "password": NEW})
    assert answer.status_code == 303


def test_a_new_password_ends_every_other_session_and_link(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn))
    operator_id = conn.execute(select(operators.c.id)).scalar_one()
    stored.open_session(
        conn,
        operator_id=operator_id,
        token_hash=sessions.digest("another"),
        idle_seconds=60,
        length_seconds=60,
        address=None,
        user_agent=None,
    )
    sessions.new_link(conn, operator_id=operator_id)
    change(client)
    assert client.get("/account").status_code == 200
    assert browser(app, "another").get("/account").status_code == 303
    assert conn.execute(select(func.count()).select_from(sign_in_links)).scalar_one() == 0


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"again": "something else"}, "not the same"),
        ({"password": "short", "again": "short"}, "at least 12"),
        ({"password": "x" * 300, "again": "x" * 300}, "at most 200"),
        ({"password": "", "again": ""}, "at least 12"),
    ],
)
def test_a_password_that_is_not_taken_changes_nothing(
    visitor: Visitor, conn: Connection, fields: dict[str, str], says: str
) -> None:
    answer = change(visitor(), **fields)
    assert answer.status_code == 422
    assert says in answer.text
    assert password_of(conn) is None
    assert trail(conn) == []


def test_the_old_password_is_asked_for_some_time_after_signing_in(app: Starlette, conn: Connection) -> None:
    known = Passwords(memory_kib=64, iterations=1, lanes=1).hash(OLD)
    client = browser(app, signed_in(conn, password=known))
    long_ago(conn)
    assert "The password you have now" in client.get("/account").text
    refused = change(client, current="wrong")
    assert (refused.status_code, password_of(conn)) == (422, known)
    assert "not the password you have now" in refused.text
    assert change(client, current=OLD).status_code == 303


def test_a_session_does_not_let_its_holder_guess_the_password(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn, password=Passwords(memory_kib=64, iterations=1, lanes=1).hash(OLD)))
    long_ago(conn)
    for _ in range(TRIES):
        assert "not the password you have now" in change(client, current="wrong").text
    assert "Too many tries" in change(client, current=OLD).text
    assert len(trail(conn, "password")) == TRIES + 1  # the first beyond the limit stands for those that follow


def test_a_password_just_forgotten_is_not_asked_for(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn, password="unknown"))
    assert "The password you have now" not in client.get("/account").text
    assert change(client).status_code == 303
