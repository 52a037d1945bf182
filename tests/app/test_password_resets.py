"""A forgotten password: no answer tells whether an address is anybody's (A-74), and nobody is flooded (A-75)."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import Connection, Engine, event, func, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.accounts.links import new_link
from app.routes.password_resets import PER_ACCOUNT, PER_ADDRESS
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import browser, signed_in, trail
from tests.app.mail import mailing, mails, path_in, token_in
from worker.queries.schema import operator_sessions, operators, platform_jobs, rate_counters, sign_in_links

WORDS = "quite another row of words"
KNOWN, UNKNOWN = "dana.marker@example.org", "nobody.marker@example.org"


@pytest.fixture
def settings() -> ConsoleSettings:
    return mailing()


def ask(client: TestClient, email: str = KNOWN) -> Response:
    return client.post("/password-resets", data={"email": email})


def choose(client: TestClient, token: str, password: str = WORDS) -> Response:
    return client.post("/passwords", data={"token": token, "password": password, "again": password})


def test_a_link_is_mailed_and_sets_the_password_once(app: Starlette, client: TestClient, conn: Connection) -> None:
    elsewhere = browser(app, signed_in(conn, email=KNOWN, password="forgotten"))
    ask(client, KNOWN.upper())
    [mail] = mails(conn)
    assert mail.to == KNOWN
    assert "Choose a password, dana" in client.get(path_in(mail)).text
    assert "Your password is saved" in choose(client, token_in(mail)).text
    assert elsewhere.get("/account").status_code == 303
    assert conn.execute(select(sign_in_links)).all() == []
    assert choose(client, token_in(mail)).status_code == 410
    assert client.post("/sign-in", data={"name": "dana", "password": WORDS}).status_code == 303
    assert [(row.action, row.actor, row.outcome) for row in trail(conn)] == [
        ("password-request", "nobody", "done"),
        ("password-reset", "dana", "done"),
        ("password-reset", "nobody", "refused"),
        ("sign-in", "dana", "done"),
    ]


def test_nobody_is_signed_in_by_choosing_a_password(client: TestClient, conn: Connection) -> None:
    factories.operator(conn, email=KNOWN)
    ask(client)
    choose(client, token_in(mails(conn)[0]))
    assert conn.execute(select(operator_sessions)).all() == []


@pytest.mark.parametrize(
    "columns", [{"email": UNKNOWN}, {"disabled_at": factories.NOON}, {"invited_at": factories.NOON}]
)
def test_the_answer_is_the_same_whether_or_not_somebody_takes_mail_there(
    client: TestClient, conn: Connection, columns: dict[str, Any]
) -> None:
    factories.operator(conn, "eve", email="eve@example.org")
    factories.operator(conn, **{"email": KNOWN, **columns})
    known, unknown = ask(client, "eve@example.org"), ask(client, KNOWN)
    assert (known.status_code, known.text) == (unknown.status_code, unknown.text)
    assert seen(known) == seen(unknown)
    assert [mail.to for mail in mails(conn)] == ["eve@example.org"]
    assert len(conn.execute(select(sign_in_links)).all()) == 1


def seen(answer: Response) -> dict[str, str]:
    """What the browser is told beside the page, but for the number of the request."""
    return {name: value for name, value in answer.headers.items() if name != "x-request-id"}


def test_the_work_is_the_same_whether_or_not_somebody_takes_mail_there(
    client: TestClient, conn: Connection, console_rw: Engine
) -> None:
    factories.operator(conn, email=KNOWN)
    ask(client, "first@example.org")  # which also clears counters away
    done: list[list[str]] = []
    for email in (KNOWN, UNKNOWN):
        statements: list[str] = []

        def note(*arguments: Any, into: list[str] = statements) -> None:
            into.append(" ".join(arguments[2].split()[:4]))

        event.listen(console_rw, "before_cursor_execute", note)
        ask(client, email)
        event.remove(console_rw, "before_cursor_execute", note)
        done.append(statements)
    known, unknown = done
    assert [each for each in known if each != "RELEASE SAVEPOINT sa_savepoint_1"] == [
        each for each in unknown if each != "ROLLBACK TO SAVEPOINT sa_savepoint_1"
    ]
    assert any("platform_jobs" in each for each in done[1])


def test_an_address_appears_in_no_row_but_its_accounts_and_in_no_log(
    client: TestClient, conn: Connection, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    factories.operator(conn, email=KNOWN)
    for email in (KNOWN, UNKNOWN, "marker at example"):
        assert "marker" not in ask(client, email).text.partition("<main")[2].replace(f'value="{email}"', "")
    rows = [*trail(conn), *conn.execute(select(platform_jobs)), *conn.execute(select(rate_counters))]
    assert "marker" not in str(rows)
    assert "marker" not in caplog.text


def test_one_account_gets_few_mails_and_so_it_seems_for_no_account(client: TestClient, conn: Connection) -> None:
    factories.operator(conn, email=KNOWN)
    for email in (KNOWN, UNKNOWN):
        answers = [ask(client, email).status_code for _ in range(PER_ACCOUNT + 2)]
        assert answers == [303] * PER_ACCOUNT + [429] * 2
    assert len(mails(conn)) == PER_ACCOUNT
    assert len(trail(conn, "password-request")) == 2 * PER_ACCOUNT + 2


def test_one_address_of_the_network_cannot_try_many_of_mail(client: TestClient, conn: Connection) -> None:
    uses = {"key": "password request from testclient", "minute": func.date_trunc("minute", func.now())}
    conn.execute(rate_counters.insert().values(uses=PER_ADDRESS - 1, **uses))
    assert [ask(client, f"x{number}@example.org").status_code for number in range(3)] == [303, 429, 429]


def test_a_link_works_for_an_hour(client: TestClient, conn: Connection) -> None:
    factories.operator(conn, email=KNOWN)
    ask(client)
    row = conn.execute(select(sign_in_links)).one()
    assert row.expires_at - row.created_at == timedelta(hours=1)
    conn.execute(update(sign_in_links).values(expires_at=func.now()))
    assert choose(client, token_in(mails(conn)[0])).status_code == 410


@pytest.mark.parametrize("path", ["/sign-in/link", "/invitations"])
def test_a_link_to_a_password_opens_no_other_door(client: TestClient, conn: Connection, path: str) -> None:
    token = new_link(conn, operator_id=factories.operator(conn), purpose="password").token
    assert client.post(path, data={"token": token, "password": WORDS, "again": WORDS}).status_code == 410
    assert conn.execute(select(operator_sessions)).all() == []
    assert conn.execute(select(operators.c.password)).scalar_one() is None


def test_a_weak_password_leaves_the_link_as_it_is(client: TestClient, conn: Connection) -> None:
    token = new_link(conn, operator_id=factories.operator(conn), purpose="password").token
    assert choose(client, token, "password1234").status_code == 422
    assert choose(client, token).status_code == 200


class TestWithoutMail:
    """Where no mail leaves, nobody is left to wait for one."""

    @pytest.fixture
    def settings(self) -> ConsoleSettings:
        return ConsoleSettings.model_validate({})

    def test_the_page_says_whom_to_ask_and_names_no_setting(self, client: TestClient, conn: Connection) -> None:
        factories.operator(conn, email=KNOWN)
        for answer in (client.get("/password-resets/new"), ask(client)):
            assert "Ask an admin for a link" in answer.text
            assert "WATCHFLOOR_" not in answer.text
        assert conn.execute(select(sign_in_links)).all() == []
