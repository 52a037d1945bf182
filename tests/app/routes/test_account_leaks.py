"""An operator's address is planted, and looked for everywhere but in the account and the mailbox."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from sqlalchemy import Connection, Engine
from starlette.testclient import TestClient

from app.main import create_app
from tests.app.conftest import browser, signed_in
from tests.app.mail import mailing, mails, token_in
from tests.app.routes.test_mail_leaks import dump, engine, server, server_log, url
from tests.post import Post
from worker.mail.console import mailbox
from worker.queries import operators
from worker.queries.audit import SYSTEM

__all__ = ("engine", "server", "url")

ADDRESS = "robin@planted.example"
WORDS = {"password": "a few words in a row", "again": "a few words in a row"}


@pytest.fixture
def lee(engine: Engine, conn: Connection, swift: None) -> TestClient:
    """An admin's browser."""
    return browser(create_app(mailing(), engine=engine), signed_in(conn, "lee", "admin"))


def accounts_apart(said: str) -> tuple[str, str]:
    """The rows of the accounts, and everything else of a dump."""
    before, _, rest = said.partition("COPY control.operators (")
    rows, _, after = rest.partition("\n\\.\n")
    return rows, before + after


@pytest.mark.postgresql
def test_an_address_stands_in_its_account_and_nowhere_else(
    lee: TestClient, engine: Engine, conn: Connection, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    told = _life_of_an_account(lee, engine, conn)
    rows, rest = accounts_apart(dump(url))
    assert ADDRESS in rows
    for where in (rest, server_log(url), caplog.text, told):
        assert "planted" not in where


def _life_of_an_account(lee: TestClient, engine: Engine, conn: Connection) -> str:
    """Invited, invited again, refused, come in, forgotten and disabled; what others than admins were shown by it."""
    form: dict[str, Any] = {"name": "robin", "email": ADDRESS, "role": "viewer"}
    lee.post("/operators", data=form)
    lee.post("/operators", data=form | {"name": "kim"})
    lee.post("/operators", data=form | {"name": "kim", "email": f"{ADDRESS}, x@planted.example"})
    robin = operators.by_email(conn, email=ADDRESS)
    assert robin
    shown = [lee.post(f"/operators/{robin.id}/invitations").text]
    anyone = TestClient(lee.app, base_url="http://localhost", follow_redirects=False)
    shown += [anyone.post("/invitations", data={"token": token_in(each)} | WORDS).text for each in mails(conn)]
    shown += [anyone.get("/").text, anyone.post("/sign-out").text]
    for email in (ADDRESS, "nobody@planted.example", "planted at example"):
        shown.append(anyone.post("/password-resets", data={"email": email}).text)
    mailbox().empty()
    Post(engine).work()
    assert {each.to for each in mailbox().all().values()} == {ADDRESS}
    mailbox().empty()
    shown.append(anyone.post("/passwords", data={"token": token_in(mails(conn)[-1])} | WORDS).text)
    shown += [lee.get(path).text for path in ("/", "/audit", "/jobs", "/dead-letters", "/queues", "/account")]
    operators.disable(conn, operator_id=robin.id, actor=SYSTEM)
    return "\n".join(shown)
