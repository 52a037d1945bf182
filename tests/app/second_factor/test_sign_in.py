"""Signing in with a second factor: nobody is in before its code, and each code is of use once."""

from __future__ import annotations

import logging

import pytest
from sqlalchemy import Connection, Engine, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import sessions
from app.second_factor import check
from tests.app.authenticator import console, kept, prove, set_up, sign_in
from tests.app.conftest import Visitor, browser, trail
from tests.factories import NOON
from worker.queries import challenges
from worker.queries.schema import operator_sessions, operators, rate_counters, second_factors, sign_in_challenges

PAGE = "/account/second-factor"


def test_a_second_factor_is_asked_for_after_the_password_and_nobody_is_in_before_it(
    app: Starlette, dana: TestClient, conn: Connection
) -> None:
    phone, _ = set_up(dana)
    before = len(kept(conn, operator_sessions))
    client, asked = sign_in(app)
    assert (asked.status_code, "set-cookie" in asked.headers) == (200, False)
    assert len(kept(conn, operator_sessions)) == before
    assert client.get("/account").status_code == 303
    entered = prove(client, asked, phone.code(steps=1))
    assert (entered.status_code, entered.headers["location"]) == (303, "/queues")
    assert client.get("/account").status_code == 200
    assert trail(conn, "sign-in")[-1].detail == {"by": "password", "second": "authenticator"}


def test_a_link_alone_does_not_get_around_it(app: Starlette, dana: TestClient, conn: Connection) -> None:
    set_up(dana)
    [operator] = kept(conn, operators)
    link = sessions.new_link(conn, operator_id=operator.id, now=NOON)
    client = browser(app)
    asked = client.post("/sign-in/link", data={"token": link.rpartition("/")[2]})
    assert "One more step" in asked.text
    assert client.get("/account").status_code == 303


def test_each_code_counts_once_the_one_that_set_it_up_too(app: Starlette, dana: TestClient) -> None:
    phone, _ = set_up(dana)
    client, asked = sign_in(app)
    assert prove(client, asked, phone.code()).status_code == 422
    assert prove(client, asked, phone.code(steps=1)).status_code == 303
    other, asked = sign_in(app)
    assert prove(other, asked, phone.code(steps=1)).status_code == 422
    assert prove(other, asked, phone.code()).status_code == 422


def test_a_phone_may_be_half_a_minute_off_and_no_more(app: Starlette, dana: TestClient, conn: Connection) -> None:
    phone, _ = set_up(dana)
    answers = []
    for steps in (-2, -1, 0, 1, 2):
        conn.execute(update(second_factors).values(last_step=0))
        client, asked = sign_in(app)
        answers.append(prove(client, asked, phone.code(steps=steps)).status_code)
    assert answers == [422, 303, 303, 303, 422]


@pytest.mark.parametrize("code", ["", "12345", "1234567", "abcdef", "١٢٣٤٥٦", "x" * 5000, "0" * 16])
def test_what_is_no_code_is_refused(app: Starlette, dana: TestClient, conn: Connection, code: str) -> None:
    set_up(dana)
    client, asked = sign_in(app)
    assert prove(client, asked, code).status_code == 422
    assert (trail(conn)[-1].action, trail(conn)[-1].outcome, trail(conn)[-1].target) == ("sign-in", "refused", "dana")


def test_a_sign_in_bears_only_so_many_wrong_codes(app: Starlette, dana: TestClient, conn: Connection) -> None:
    phone, _ = set_up(dana)
    client, asked = sign_in(app)
    for _ in range(challenges.TRIES):
        assert "One more step" in prove(client, asked, "000000").text
    over = prove(client, asked, phone.code(steps=1))
    assert (over.status_code, "Begin again" in over.text) == (422, True)
    assert client.get("/account").status_code == 303


def test_an_operator_bears_only_so_many_wrong_codes_however_often_the_sign_in_begins(
    app: Starlette, dana: TestClient
) -> None:
    phone, _ = set_up(dana)
    for _ in range(check.TRIES):
        client, asked = sign_in(app)
        assert prove(client, asked, "000000").status_code == 422
    client, asked = sign_in(app)
    assert prove(client, asked, phone.code(steps=1)).status_code == 429


def test_tries_are_forgotten_once_a_code_was_right(app: Starlette, dana: TestClient, conn: Connection) -> None:
    phone, _ = set_up(dana)
    client, asked = sign_in(app)
    prove(client, asked, "000000")
    assert prove(client, asked, phone.code(steps=1)).status_code == 303
    assert not [row for row in kept(conn, rate_counters) if row.key.startswith("second factor")]


def test_a_sign_in_does_not_wait_for_ever(app: Starlette, dana: TestClient, conn: Connection) -> None:
    phone, _ = set_up(dana)
    client, asked = sign_in(app)
    conn.execute(update(sign_in_challenges).values(expires_at=NOON))
    assert prove(client, asked, phone.code(steps=1)).status_code == 422
    sign_in(app)
    assert len(kept(conn, sign_in_challenges)) == 1


def test_who_is_disabled_between_password_and_code_stays_out(
    app: Starlette, dana: TestClient, conn: Connection
) -> None:
    phone, _ = set_up(dana)
    client, asked = sign_in(app)
    conn.execute(update(operators).values(disabled_at=NOON))
    assert prove(client, asked, phone.code(steps=1)).status_code == 422
    assert client.get("/account").status_code == 303


def test_a_recovery_code_signs_in_once_however_it_is_typed(app: Starlette, dana: TestClient, conn: Connection) -> None:
    _, codes = set_up(dana)
    assert len(set(codes)) == 10
    client, asked = sign_in(app)
    assert prove(client, asked, f" {codes[0].upper().replace('-', ' ')} ").status_code == 303
    assert trail(conn, "sign-in")[-1].detail["second"] == "recovery code"
    other, asked = sign_in(app)
    assert prove(other, asked, codes[0]).status_code == 422
    assert "9 recovery codes are left" in client.get(PAGE).text


def test_a_secret_that_was_put_under_another_name_opens_nothing(
    app: Starlette, dana: TestClient, visitor: Visitor, conn: Connection
) -> None:
    """Whoever can write to the database gets no further with the secret of their own phone."""
    mallory = visitor("viewer", "mallory")
    phone, _ = set_up(mallory)
    set_up(dana)
    rows = {row.operator_id: row.secret for row in kept(conn, second_factors)}
    mine = next(row.id for row in kept(conn, operators) if row.name == "mallory")
    conn.execute(update(second_factors).values(secret=rows[mine], last_step=0))
    client, asked = sign_in(app)
    assert prove(client, asked, phone.code()).status_code == 503
    assert client.get("/account").status_code == 303


def test_keys_that_are_gone_leave_the_recovery_codes(
    console_rw: Engine, app_rw: Engine, dana: TestClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    phone, codes = set_up(dana)
    bare = console(console_rw, app_rw, secret_keys=None)
    client, asked = sign_in(bare)
    shut = prove(client, asked, phone.code(steps=1))
    assert (shut.status_code, "A recovery code can" in shut.text) == (503, True)
    assert prove(client, asked, codes[0]).status_code == 303
    assert not any(code in caplog.text for code in codes)


def test_the_first_code_beyond_what_one_address_may_try_stands_in_the_trail(
    app: Starlette, dana: TestClient, conn: Connection
) -> None:
    set_up(dana)
    client, asked = sign_in(app)
    conn.execute(update(rate_counters).where(rate_counters.c.key.startswith("sign-in from")).values(uses=50))
    before = len(trail(conn, "sign-in"))
    assert [prove(client, asked, "000000").status_code for _ in range(2)] == [429, 429]
    assert [row.outcome for row in trail(conn, "sign-in")[before:]] == ["refused"]


def test_a_sign_in_that_gets_as_far_as_the_code_stands_in_the_trail(
    app: Starlette, dana: TestClient, conn: Connection
) -> None:
    set_up(dana)
    sign_in(app)
    row = trail(conn)[-1]
    assert (row.action, row.actor, row.outcome, row.target) == ("sign-in-step", "nobody", "done", "dana")
    assert row.detail == {"by": "password"}
