"""A phone with an authenticator, and a console on which second factors can be set up."""

from __future__ import annotations

import base64
import re
from datetime import datetime
from typing import Any

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from httpx2 import Response
from sqlalchemy import Connection, Engine, Table, select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import main
from app.settings import ConsoleSettings
from tests.app.conftest import browser
from tests.factories import NOON
from tests.post import KEY

HALF_MINUTE = 30
PASSWORD = "a few words in a row"


class Phone:
    """Shows codes of the key that was typed into it."""

    def __init__(self, key: str) -> None:
        self.key = key.replace(" ", "")
        self._totp = TOTP(base64.b32decode(self.key), 6, SHA1(), HALF_MINUTE)  # noqa: S303 - as phones do

    def code(self, *, steps: int = 0, now: datetime = NOON) -> str:
        """The code of now, or of so many half minutes from now."""
        return self._totp.generate(int(now.timestamp()) + steps * HALF_MINUTE).decode()


def offered(page: str) -> tuple[Phone, str]:
    """A phone that was given the key on the page, and the seal that goes back with its code."""
    key = re.search(r'scan-key">([A-Z2-7 ]+)<', page)
    sealed = re.search(r'name="sealed" value="([^"]+)"', page)
    assert key
    assert sealed
    return Phone(key[1]), sealed[1]


def set_up(client: TestClient, **fields: str) -> tuple[Phone, list[str]]:
    """The operator's phone and recovery codes, after the second factor was turned on."""
    phone, sealed = offered(client.get("/account/second-factor/new").text)
    page = client.post("/account/second-factor", data={"sealed": sealed, "code": phone.code(), **fields})
    assert page.status_code == 200, page.text
    return phone, re.findall(r'<li class="mono">([^<]+)</li>', page.text)


def token_in(page: str) -> str:
    """What the page that asks for a code knows the sign-in by."""
    found = re.search(r'name="token" value="([^"]+)"', page)
    assert found
    return found[1]


def console(pages: Engine, work: Engine, **settings: Any) -> Starlette:
    """A console at noon, with keys to seal by unless it is told otherwise."""
    known = ConsoleSettings.model_validate({"secret_keys": KEY} | settings)
    return main.create_app(known, engine=pages, work_engine=work, now=NOON)


def sign_in(app: Starlette) -> tuple[TestClient, Response]:
    """A new browser that has given dana's password."""
    client = browser(app)
    return client, client.post("/sign-in", data={"name": "dana", "password": PASSWORD, "next": "/queues"})


def prove(client: TestClient, asked: Response, code: str) -> Response:
    """The answer to a code on the page that asked for one."""
    return client.post("/sign-in/code", data={"token": token_in(asked.text), "code": code})


def kept(conn: Connection, table: Table) -> list[Any]:
    """All rows of a table."""
    return list(conn.execute(select(table)).all())
