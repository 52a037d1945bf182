"""Second factors: set up with an authenticator, asked for at each sign-in, and of use once per code."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from httpx2 import Response
from sqlalchemy import Connection, Engine, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import main, sessions
from app.passwords import Passwords
from app.second_factor import check
from app.settings import ConsoleSettings
from tests.app.authenticator import offered, set_up, token_in
from tests.app.conftest import Visitor, browser, trail
from tests.factories import NOON
from tests.post import KEY
from worker.queries import challenges
from worker.queries.schema import (
    operator_sessions,
    operators,
    rate_counters,
    recovery_codes,
    second_factors,
    sign_in_challenges,
)

PASSWORD = "a few words in a row"
PAGE = "/account/second-factor"


@pytest.fixture
def app(console_rw: Engine, app_rw: Engine, swift: None) -> Starlette:
    """The console at noon, with keys to seal by."""
    return console(console_rw, app_rw)


def console(pages: Engine, work: Engine, **settings: Any) -> Starlette:
    known = ConsoleSettings.model_validate({"secret_keys": KEY} | settings)
    return main.create_app(known, engine=pages, work_engine=work, now=NOON)


@pytest.fixture
def dana(visitor: Visitor, conn: Connection) -> TestClient:
    """A browser of dana's, who has the PASSWORD."""
    client = visitor("operator", "dana")
    hashed = Passwords(memory_kib=64, iterations=1, lanes=1).hash(PASSWORD)
    conn.execute(update(operators).values(password=hashed))
    return client


def sign_in(app: Starlette) -> tuple[TestClient, Response]:
    """A new browser that has given dana's password."""
    client = browser(app)
    return client, client.post("/sign-in", data={"name": "dana", "password": PASSWORD, "next": "/queues"})


def prove(client: TestClient, asked: Response, code: str) -> Response:
    return client.post("/sign-in/code", data={"token": token_in(asked.text), "code": code})


def kept(conn: Connection, table: Any) -> list[Any]:
    return list(conn.execute(select(table)).all())


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


def test_a_recovery_code_is_of_no_use_to_anybody_else(
    app: Starlette, dana: TestClient, visitor: Visitor, conn: Connection
) -> None:
    lee = visitor("operator", "lee")
    set_up(lee)
    _, codes = set_up(dana)
    assert lee.post(f"{PAGE}/removals", data={"code": codes[0]}).status_code == 422
    assert len(kept(conn, second_factors)) == 2


def test_neither_the_secret_nor_a_code_is_kept_in_clear(dana: TestClient, conn: Connection) -> None:
    phone, codes = set_up(dana)
    [factor] = kept(conn, second_factors)
    plain = " ".join(str(row) for table in (second_factors, recovery_codes) for row in kept(conn, table))
    assert not any(code in plain or code.replace("-", "") in plain for code in codes)
    assert phone.key not in plain
    assert len(factor.secret) > 100


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


def test_a_wrong_first_code_offers_the_same_key_again(dana: TestClient, conn: Connection) -> None:
    phone, sealed = offered(dana.get(f"{PAGE}/new").text)
    answer = dana.post(PAGE, data={"sealed": sealed, "code": "000000"})
    assert answer.status_code == 422
    again, sealed = offered(answer.text)
    assert again.code() == phone.code()
    assert kept(conn, second_factors) == []
    assert dana.post(PAGE, data={"sealed": sealed, "code": phone.code()}).status_code == 200


def test_a_key_that_another_session_was_offered_is_not_taken(
    dana: TestClient, visitor: Visitor, conn: Connection
) -> None:
    phone, sealed = offered(visitor("viewer", "mallory").get(f"{PAGE}/new").text)
    for seal in (sealed, "nonsense", ""):
        answer = dana.post(PAGE, data={"sealed": seal, "code": phone.code()})
        assert answer.status_code == 422
        assert "out of date" in answer.text
    assert kept(conn, second_factors) == []


def test_setting_it_up_ends_the_sessions_that_were_begun_without(
    app: Starlette, dana: TestClient, conn: Connection
) -> None:
    other, entered = sign_in(app)
    assert entered.status_code == 303
    set_up(dana)
    assert other.get("/account").status_code == 303
    assert dana.get("/account").status_code == 200


def test_setting_it_up_later_than_the_sign_in_takes_the_password(
    console_rw: Engine, app_rw: Engine, dana: TestClient, conn: Connection
) -> None:
    conn.execute(update(operator_sessions).values(created_at=NOON - timedelta(minutes=11)))
    phone, sealed = offered(dana.get(f"{PAGE}/new").text)
    fields = {"sealed": sealed, "code": phone.code()}
    for wrong in ({}, {"current": "a guess at it"}):
        assert dana.post(PAGE, data=fields | wrong).status_code == 422
    assert kept(conn, second_factors) == []
    assert dana.post(PAGE, data=fields | {"current": PASSWORD}).status_code == 200


def test_there_is_one_at_a_time(dana: TestClient, conn: Connection) -> None:
    first, sealed = offered(dana.get(f"{PAGE}/new").text)
    set_up(dana)
    [before] = kept(conn, second_factors)
    assert dana.post(PAGE, data={"sealed": sealed, "code": first.code()}).headers["location"] == PAGE
    assert dana.get(f"{PAGE}/new").headers["location"] == PAGE
    assert kept(conn, second_factors) == [before]


def test_new_recovery_codes_end_the_old_ones_and_take_a_code(dana: TestClient, conn: Connection) -> None:
    phone, old = set_up(dana)
    assert dana.post(f"{PAGE}/recovery-codes", data={"code": "000000"}).status_code == 422
    page = dana.post(f"{PAGE}/recovery-codes", data={"code": phone.code(steps=1)})
    assert page.status_code == 200
    assert not any(code in page.text for code in old)
    assert len(kept(conn, recovery_codes)) == 10
    assert dana.post(f"{PAGE}/removals", data={"code": old[0]}).status_code == 422
    assert [(row.action, row.outcome) for row in trail(conn)] == [
        ("second-factor", "done"),
        ("recovery-codes", "refused"),
        ("recovery-codes", "done"),
        ("second-factor-off", "refused"),
    ]


def test_turning_it_off_takes_a_code_and_leaves_nothing(app: Starlette, dana: TestClient, conn: Connection) -> None:
    _, codes = set_up(dana)
    waiting, asked = sign_in(app)
    assert dana.post(f"{PAGE}/removals", data={"code": codes[3]}).headers["location"] == PAGE
    assert all(kept(conn, table) == [] for table in (second_factors, recovery_codes, sign_in_challenges))
    assert prove(waiting, asked, codes[4]).status_code == 422
    assert sign_in(app)[1].status_code == 303


def test_without_keys_the_page_says_which_setting_is_missing(
    console_rw: Engine, app_rw: Engine, dana: TestClient
) -> None:
    bare = browser(console(console_rw, app_rw, secret_keys=None), dana.cookies[sessions.COOKIE])
    assert "WATCHFLOOR_SECRET_KEYS is not set" in bare.get(PAGE).text
    assert bare.get(f"{PAGE}/new").headers["location"] == PAGE


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


def test_an_admin_takes_it_off_for_somebody_who_lost_it(
    app: Starlette, dana: TestClient, visitor: Visitor, conn: Connection
) -> None:
    set_up(dana)
    admin, who = visitor("admin", "lee"), _id(conn, "dana")
    address = f"/operators/{who}/second-factor-resets"
    assert "Reset the second factor of dana" in admin.get(f"{address}/new").text
    assert admin.post(address).headers["location"] == "/operators"
    assert sign_in(app)[1].status_code == 303
    [row] = trail(conn, "second-factor-reset")
    assert (row.actor, row.target) == ("lee", "dana")
    admin.post(address)
    assert len(trail(conn, "second-factor-reset")) == 1


def test_nobody_else_takes_it_off_and_an_admin_not_the_own(
    dana: TestClient, visitor: Visitor, conn: Connection
) -> None:
    set_up(dana)
    lee = visitor("admin", "lee")
    set_up(lee)
    assert dana.post(f"/operators/{_id(conn, 'lee')}/second-factor-resets").status_code == 403
    assert lee.post(f"/operators/{_id(conn, 'lee')}/second-factor-resets").status_code == 409
    assert lee.post(f"/operators/{UUID(int=1)}/second-factor-resets").status_code == 404
    assert len(kept(conn, second_factors)) == 2


def _id(conn: Connection, name: str) -> UUID:
    return UUID(str(conn.execute(select(operators.c.id).where(operators.c.name == name)).scalar_one()))
