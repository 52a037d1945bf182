"""Signing in by password and by link, staying in, and getting out (A-70, A-72, A-74, A-75)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import Connection, Engine, delete, func, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import sessions
from app.entrance import TRIES_PER_ADDRESS
from app.passwords import Passwords
from app.routes.sessions import TRIES_PER_NAME
from tests import factories
from tests.app.conftest import Visitor, browser, signed_in, trail
from worker.queries import operators as accounts
from worker.queries.audit import SYSTEM
from worker.queries.schema import operator_sessions, operators, rate_counters

PASSWORD = "a few words in a row"


def account(conn: Connection, name: str = "dana", role: str = "operator", **columns: Any) -> Any:
    """An operator with the PASSWORD, hashed at little cost."""
    hashed = Passwords(memory_kib=64, iterations=1, lanes=1).hash(PASSWORD)
    return factories.operator(conn, name, role, **{"password": hashed, **columns})


def sign_in(client: TestClient, name: str = "dana", password: str = PASSWORD, **fields: str) -> Response:
    return client.post("/sign-in", data={"name": name, "password": password, **fields})


def tokens(conn: Connection) -> set[str]:
    return set(conn.execute(select(operator_sessions.c.token_hash)).scalars())


def test_the_right_password_signs_in(client: TestClient, conn: Connection) -> None:
    account(conn)
    answer = sign_in(client, "DANA")
    assert (answer.status_code, answer.headers["location"]) == (303, "/")
    assert "dana" in client.get("/account").text
    [row] = trail(conn, "sign-in")
    assert (row.actor, row.outcome, row.detail) == ("dana", "done", {"by": "password"})


def test_only_the_hash_of_the_token_is_stored(client: TestClient, conn: Connection) -> None:
    account(conn)
    sign_in(client)
    token = client.cookies[sessions.COOKIE]
    assert tokens(conn) == {sessions.digest(token)}
    assert token not in tokens(conn)


def test_a_session_that_was_there_before_signing_in_is_over_after_it(app: Starlette, conn: Connection) -> None:
    before = signed_in(conn, "eve", "viewer")
    account(conn)
    client = browser(app, before)
    sign_in(client)
    assert sessions.digest(before) not in tokens(conn)
    assert len(tokens(conn)) == 1
    assert browser(app, before).get("/account").status_code == 303


def test_a_token_that_the_browser_brings_is_never_taken_over(app: Starlette, conn: Connection) -> None:
    account(conn)
    client = browser(app, "chosen by somebody else")
    answer = sign_in(client)
    assert "chosen by somebody else" not in answer.headers["set-cookie"]
    assert sessions.digest("chosen by somebody else") not in tokens(conn)


@pytest.mark.parametrize(
    ("name", "password"),
    [
        ("dana", "wrong"),
        ("nobody", PASSWORD),
        ("gone", PASSWORD),
        ("linked", PASSWORD),
        ("dana", PASSWORD * 50),
        ("", ""),
    ],
    ids=["wrong password", "unknown", "disabled", "no password", "overlong", "empty"],
)
def test_every_failure_reads_the_same(client: TestClient, conn: Connection, name: str, password: str) -> None:
    account(conn)
    account(conn, "gone", disabled_at=factories.NOON)
    factories.operator(conn, "linked")
    answer = sign_in(client, name, password)
    reference = sign_in(client, "someone", "else")
    assert answer.status_code == reference.status_code == 422
    assert body(answer, name) == body(reference, "someone")
    assert "set-cookie" not in answer.headers
    assert [row.outcome for row in trail(conn)] == ["refused", "refused"]
    assert trail(conn)[0].target == (name or None)


def body(answer: Response, name: str) -> str:
    """The page without what is particular to one request: the time, and the name that was typed."""
    page = answer.text.split("<main", 1)[1]
    return page.replace(f'value="{name}"', 'value=""').replace(" autofocus", "")


def test_guessing_a_password_ends_after_a_few_tries_and_a_good_one_does_not_help(
    client: TestClient, conn: Connection
) -> None:
    account(conn)
    for _ in range(TRIES_PER_NAME):
        assert sign_in(client, password="wrong").status_code == 422
    for password in ("wrong", PASSWORD):
        assert sign_in(client, password=password).status_code == 429
    assert len(trail(conn, "sign-in")) == TRIES_PER_NAME + 1
    assert tokens(conn) == set()


def test_the_limit_is_the_same_for_names_that_do_not_exist(client: TestClient, conn: Connection) -> None:
    answers = [sign_in(client, "nobody", "wrong").status_code for _ in range(TRIES_PER_NAME + 1)]
    assert answers == [422] * TRIES_PER_NAME + [429]


def test_one_address_cannot_try_many_names_whatever_it_claims_to_be(client: TestClient, conn: Connection) -> None:
    fill(conn, "sign-in from testclient", TRIES_PER_ADDRESS - 1)
    answers = [
        client.post(
            "/sign-in",
            data={"name": f"name-{each}", "password": "x"},
            headers={"X-Forwarded-For": f"10.0.0.{each}", "Forwarded": f"for=10.0.0.{each}"},
        ).status_code
        for each in range(3)
    ]
    assert answers == [422, 429, 429]


def fill(conn: Connection, key: str, uses: int) -> None:
    """As if there had been so many uses just now."""
    conn.execute(rate_counters.insert().values(key=key, minute=func.date_trunc("minute", func.now()), uses=uses))


def test_tries_of_a_quarter_of_an_hour_ago_are_forgotten(client: TestClient, conn: Connection) -> None:
    account(conn)
    for _ in range(TRIES_PER_NAME):
        sign_in(client, password="wrong")
    conn.execute(update(rate_counters).values(minute=rate_counters.c.minute - timedelta(minutes=15)))
    assert sign_in(client).status_code == 303


def test_signing_in_clears_the_tries_of_that_name(client: TestClient, conn: Connection) -> None:
    account(conn)
    for _ in range(TRIES_PER_NAME - 1):
        sign_in(client, password="wrong")
    assert sign_in(client).status_code == 303
    assert sign_in(client, password="wrong").status_code == 422


@pytest.mark.parametrize(
    "address",
    [
        "//e.example", "/\\e.example", "https:e.example", "%2F%2Fe.example", "/\t/e.example", "javascript:1",
        "https://e.example/account", "/account\n", "/" + "a" * 5000, "account", "/nowhere", "/sign-out", "/live",
        "/static/x/app.css", "/health/live", "", "///account", "/account/../..//e.example",
    ],
)  # fmt: skip
def test_signing_in_leads_to_no_other_place_than_a_page_of_ours(
    client: TestClient, conn: Connection, address: str
) -> None:
    account(conn)
    assert sign_in(client, next=address).headers["location"] == "/"


def test_signing_in_leads_back_to_where_the_operator_was_going(client: TestClient, conn: Connection) -> None:
    account(conn)
    turned_away = client.get("/account?from=here&to=there")
    assert turned_away.headers["location"] == "/sign-in?next=%2Faccount%3Ffrom%3Dhere%26to%3Dthere"
    form = client.get(turned_away.headers["location"]).text
    assert 'name="next" value="/account?from=here&amp;to=there"' in form
    assert sign_in(client, next="/account?from=here&to=there").headers["location"] == "/account?from=here&to=there"


def test_whoever_is_signed_in_is_led_on_from_the_form(visitor: Visitor) -> None:
    assert visitor().get("/sign-in?next=/account").headers["location"] == "/account"


def test_signing_out_ends_the_session_on_the_server(app: Starlette, conn: Connection) -> None:
    token = signed_in(conn)
    client = browser(app, token)
    assert client.post("/sign-out").headers["location"] == "/sign-in"
    assert tokens(conn) == set()
    assert sessions.COOKIE not in client.cookies
    assert browser(app, token).get("/account").status_code == 303
    assert [row.actor for row in trail(conn, "sign-out")] == ["dana"]


def test_signing_out_twice_is_harmless(client: TestClient, conn: Connection) -> None:
    assert client.post("/sign-out").status_code == 303
    assert trail(conn) == []


def test_a_session_ends_after_its_idle_time(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn))
    conn.execute(update(operator_sessions).values(expires_at=func.now()))
    assert client.get("/account").headers["location"].startswith("/sign-in")


def test_a_session_in_use_lives_on_but_not_beyond_its_length(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn))
    hours = {"created_at": func.now() - timedelta(hours=11), "seen_at": func.now() - timedelta(hours=1)}
    conn.execute(update(operator_sessions).values(**hours))
    assert client.get("/account").status_code == 200
    row = conn.execute(select(operator_sessions)).one()
    assert row.expires_at == row.created_at + timedelta(hours=12)
    assert conn.execute(select(operators.c.last_seen_at)).scalar_one() == row.seen_at


def test_a_session_seen_a_moment_ago_is_not_written_again(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn))
    before = conn.execute(select(operator_sessions)).one()
    client.get("/account")
    assert conn.execute(select(operator_sessions)).one() == before


def test_disabling_an_operator_acts_on_the_next_request(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn))
    assert client.get("/account").status_code == 200
    conn.execute(update(operators).values(disabled_at=func.now()))
    assert client.get("/account").status_code == 303


def test_a_new_role_acts_on_the_next_request(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn))
    conn.execute(update(operators).values(role="viewer"))
    assert "viewer" in client.get("/account").text


def test_a_changed_role_ends_the_sessions_that_had_the_old_one(app: Starlette, conn: Connection) -> None:
    client = browser(app, signed_in(conn))
    [operator] = accounts.everyone(conn)
    assert accounts.set_role(conn, operator_id=operator.id, role="admin", actor=SYSTEM)
    assert client.get("/account").status_code == 303


def test_counters_left_by_others_are_cleared_when_somebody_signs_in(client: TestClient, conn: Connection) -> None:
    account(conn)
    fill(conn, "sign-in as a guess", 3)
    conn.execute(update(rate_counters).values(minute=rate_counters.c.minute - timedelta(hours=1)))
    sign_in(client)
    assert conn.execute(select(rate_counters.c.key)).scalars().all() == ["sign-in from testclient"]
    conn.execute(delete(rate_counters))


def test_an_address_that_is_typed_for_a_name_is_not_kept(client: TestClient, conn: Connection) -> None:
    assert sign_in(client, "dana@floor.example", "wrong").status_code == 422
    [row] = trail(conn, "sign-in")
    assert (row.outcome, row.target) == ("refused", None)
    assert "floor.example" not in str(conn.execute(select(rate_counters)).all())


@pytest.mark.postgresql
def test_a_password_that_is_changed_while_it_is_compared_lets_nobody_in(
    client: TestClient, engine: Engine, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    dana = account(conn)
    compared = Passwords.matches

    def slowly(self: Passwords, password: str, stored: str | None) -> bool:
        with engine.begin() as own:
            accounts.set_password(own, operator_id=dana, hashed="new", actor=SYSTEM)
        return compared(self, password, stored)

    monkeypatch.setattr(Passwords, "matches", slowly)
    assert sign_in(client).status_code == 422
    assert tokens(conn) == set()
