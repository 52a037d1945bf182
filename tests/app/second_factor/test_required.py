"""Where roles need a second factor: who has none sets it up before they are in, and nobody takes it off."""

from __future__ import annotations

import re

import pytest
from httpx2 import Response
from sqlalchemy import Connection, Engine, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.settings import ConsoleSettings
from tests.app.authenticator import console, kept, offered, prove, set_up, sign_in, token_in
from tests.app.conftest import trail
from tests.factories import NOON
from worker.queries import challenges
from worker.queries.schema import operator_sessions, operators, second_factors, sign_in_challenges

PAGE = "/account/second-factor"


@pytest.fixture
def app(console_rw: Engine, app_rw: Engine, swift: None) -> Starlette:
    """A console on which operators and admins need one."""
    return console(console_rw, app_rw, require_second_factor="operator")


def answer(client: TestClient, asked: Response, code: str) -> Response:
    """The answer to the first code of an authenticator that was given the key."""
    fields = {"token": token_in(asked.text), "sealed": offered(asked.text)[1], "code": code}
    return client.post("/sign-in/second-factor", data=fields)


def test_who_has_none_is_in_only_after_setting_one_up(app: Starlette, dana: TestClient, conn: Connection) -> None:
    before = kept(conn, operator_sessions)
    client, asked = sign_in(app)
    assert kept(conn, operator_sessions) == before
    assert client.get("/account").status_code == 303
    phone, _ = offered(asked.text)
    wrong = answer(client, asked, "000000")
    assert (wrong.status_code, offered(wrong.text)[0].key) == (422, phone.key)
    entered = answer(client, wrong, phone.code())
    assert (entered.status_code, 'href="/queues"' in entered.text) == (200, True)
    assert client.get("/account").status_code == 200
    codes = re.findall(r'<li class="mono">([^<]+)</li>', entered.text)
    assert len(codes) == 10
    assert [(row.action, row.actor, row.outcome) for row in trail(conn)] == [
        ("sign-in-step", "nobody", "done"),
        ("sign-in", "nobody", "refused"),
        ("second-factor", "dana", "done"),
        ("sign-in", "dana", "done"),
    ]
    other, asked = sign_in(app)
    assert prove(other, asked, codes[0]).status_code == 303


def test_a_role_below_comes_in_without(app: Starlette, dana: TestClient, conn: Connection) -> None:
    conn.execute(update(operators).values(role="viewer"))
    assert sign_in(app)[1].status_code == 303


def test_the_password_alone_does_not_replace_one_that_was_set_up_meanwhile(
    app: Starlette, dana: TestClient, conn: Connection
) -> None:
    client, asked = sign_in(app)
    set_up(dana)
    [mine] = kept(conn, second_factors)
    phone, _ = offered(asked.text)
    assert answer(client, asked, phone.code()).status_code == 422
    assert client.get("/account").status_code == 303
    assert kept(conn, second_factors) == [mine]


def test_what_another_sign_in_was_offered_is_not_taken(app: Starlette, dana: TestClient, conn: Connection) -> None:
    client, asked = sign_in(app)
    _, other = sign_in(app)
    phone, sealed = offered(other.text)
    fields = {"token": token_in(asked.text), "sealed": sealed, "code": phone.code()}
    assert client.post("/sign-in/second-factor", data=fields).status_code == 422
    assert kept(conn, second_factors) == []


def test_setting_it_up_bears_only_so_many_wrong_codes(app: Starlette, dana: TestClient, conn: Connection) -> None:
    client, asked = sign_in(app)
    phone, _ = offered(asked.text)
    for _ in range(challenges.TRIES):
        answer(client, asked, "000000")
    assert "Begin again" in answer(client, asked, phone.code()).text
    conn.execute(update(sign_in_challenges).values(tries=0, expires_at=NOON))
    assert "Begin again" in answer(client, asked, phone.code()).text
    assert kept(conn, second_factors) == []


def test_nobody_who_needs_it_takes_it_off(dana: TestClient, conn: Connection) -> None:
    _, codes = set_up(dana)
    refused = dana.post(f"{PAGE}/removals", data={"code": codes[0]})
    assert (refused.status_code, "needs a second factor" in refused.text) == (409, True)
    assert len(kept(conn, second_factors)) == 1


def test_it_is_not_required_where_nobody_could_set_one_up() -> None:
    with pytest.raises(ValueError, match="WATCHFLOOR_SECRET_KEYS is not"):
        ConsoleSettings.model_validate({"require_second_factor": "admin"})
