"""A second factor of one's own: set up with an authenticator, renewed, and taken off, by oneself or by an admin."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

from sqlalchemy import Connection, Engine, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import sessions
from app.second_factor import check
from tests.app.authenticator import PASSWORD, console, kept, offered, prove, set_up, sign_in
from tests.app.conftest import Visitor, browser, trail
from tests.factories import NOON
from worker.queries.schema import operator_sessions, operators, recovery_codes, second_factors, sign_in_challenges

PAGE = "/account/second-factor"


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
    assert "WATCHFLOOR_SECRET_KEYS is not set" in bare.get(f"{PAGE}/new").text
    assert bare.post(PAGE, data={"code": "000000"}).status_code == 409


def test_an_admin_takes_it_off_for_somebody_who_lost_it(
    app: Starlette, dana: TestClient, visitor: Visitor, conn: Connection
) -> None:
    set_up(dana)
    admin, who = visitor("admin", "lee"), _id(conn, "dana")
    address = f"/operators/{who}/second-factor-resets"
    assert "Reset the second factor of dana" in admin.get(f"{address}/new").text
    assert admin.post(address).headers["location"] == f"/operators/{who}"
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


def test_a_session_does_not_let_its_holder_guess_codes(dana: TestClient, conn: Connection) -> None:
    phone, _ = set_up(dana)
    for _ in range(check.TRIES):
        assert dana.post(f"{PAGE}/removals", data={"code": "000000"}).status_code == 422
    assert dana.post(f"{PAGE}/removals", data={"code": phone.code(steps=1)}).status_code == 429
    assert [row.outcome for row in trail(conn, "second-factor-off")] == ["refused"] * (check.TRIES + 1)
