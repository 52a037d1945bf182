"""A phone with an authenticator, and a console on which second factors can be set up."""

from __future__ import annotations

import base64
import re
from datetime import datetime

from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP
from starlette.testclient import TestClient

from tests.factories import NOON

HALF_MINUTE = 30


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
