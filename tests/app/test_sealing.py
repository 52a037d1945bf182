"""A key service is asked before the transaction of a request that keeps a secret, never within it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Engine, event
from starlette.testclient import TestClient

from app.settings import ConsoleSettings
from tests.app.conftest import Visitor
from tests.app.mail import mailing
from worker.envelope.fernet import LocalEnvelope


@pytest.fixture
def settings() -> ConsoleSettings:
    return mailing()


@pytest.fixture
def happened(console_rw: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What was done from now on: transactions begun, the key service prepared, secrets sealed."""
    events: list[str] = []
    seal = LocalEnvelope.seal

    def sealing(self: LocalEnvelope, plain: bytes, *, bound_to: str) -> str:
        events.append("sealed")
        return seal(self, plain, bound_to=bound_to)

    monkeypatch.setattr(LocalEnvelope, "prepare", lambda self: events.append("prepared"))
    monkeypatch.setattr(LocalEnvelope, "seal", sealing)

    def begun(_conn: object) -> None:
        events.append("begun")

    event.listen(console_rw, "begin", begun)
    yield events
    event.remove(console_rw, "begin", begun)


def invited(client: TestClient) -> Any:
    return client.post("/operators", data={"name": "robin", "email": "robin@example.org", "role": "viewer"})


def offered(client: TestClient) -> Any:
    return client.get("/account/second-factor/new")


@pytest.mark.parametrize("act", [invited, offered])
def test_the_key_service_is_asked_before_the_transaction(visitor: Visitor, happened: list[str], act: Any) -> None:
    lee = visitor("admin", "lee")
    happened.clear()
    assert act(lee).status_code in (200, 303)
    assert happened.index("prepared") < happened.index("begun") < happened.index("sealed")


def test_so_it_is_by_the_api(api: TestClient, happened: list[str]) -> None:
    body = {"name": "robin", "email": "robin@example.org", "role": "viewer"}
    assert api.post("/api/v1/operators", json=body).status_code == 201
    prepared = happened.index("prepared")
    assert "begun" in happened[prepared : happened.index("sealed")]
    assert happened[prepared - 1] != "sealed"


def test_who_keeps_no_secret_asks_nobody(visitor: Visitor, happened: list[str]) -> None:
    lee = visitor("admin", "lee")
    assert lee.get("/operators").status_code == 200
    assert lee.post("/operators", data={"name": ""}).status_code == 422
    assert happened.count("prepared") == 1
    assert "sealed" not in happened
