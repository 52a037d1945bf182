"""What of a payload is closed to the eye: shown to whoever asks and says why, which is kept, and to nobody else."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, Engine
from starlette.applications import Starlette

from app import main
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import Visitor, trail
from tests.app.routes.rows import plain
from worker.handlers import Registry

SECRET = "ada@lovelace.example"


@pytest.fixture
def app(console_rw: Engine, app_rw: Engine, settings: ConsoleSettings, swift: None) -> Starlette:
    """A console whose invoices ask for a closed address."""
    registry = Registry()
    registry.job_types.register("invoice", lambda job: None, redact=["customer.email"])
    return main.create_app(settings, engine=console_rw, work_engine=app_rw, registry=registry, now=factories.NOON)


def invoice(conn: Connection) -> str:
    payload = {"customer": {"email": SECRET, "id": 7}, "mail": {"ciphertext": "gAAAA"}}
    return str(factories.job(conn, job_type="invoice", payload=payload))


def test_what_a_handler_closes_is_closed_on_the_page_and_anybody_may_see_that(
    visitor: Visitor, conn: Connection
) -> None:
    job = invoice(conn)
    for role in ("viewer", "admin"):
        text = visitor(role).get(f"/jobs/{job}").text
        assert SECRET not in text
        assert "1 value is closed" in plain(text)


def test_who_reveals_it_says_why_and_the_trail_keeps_it(visitor: Visitor, conn: Connection) -> None:
    job = invoice(conn)
    client = visitor("operator")
    assert SECRET not in client.get(f"/jobs/{job}/reveals/new").text
    refused = client.post(f"/jobs/{job}/reveals", data={"reason": " "})
    assert (refused.status_code, SECRET in refused.text) == (422, False)
    assert trail(conn, "reveal") == []
    answer = client.post(f"/jobs/{job}/reveals", data={"reason": "ticket 7"})
    assert answer.status_code == 200
    assert SECRET in answer.text
    assert "gAAAA" not in answer.text
    (kept,) = trail(conn, "reveal")
    assert (kept.actor, kept.reason, kept.jobs) == ("operator", "ticket 7", 1)
    assert SECRET not in str(kept)
    page = client.get(f"/jobs/{job}").text
    assert SECRET not in page
    assert "payload revealed by operator ticket 7" in plain(page)


def test_over_the_page_the_payload_alone_is_drawn_anew(visitor: Visitor, conn: Connection) -> None:
    job = invoice(conn)
    headers = {"HX-Request": "true", "HX-Target": "section#payload"}
    text = visitor().post(f"/jobs/{job}/reveals", data={"reason": "why"}, headers=headers).text
    assert text.lstrip().startswith('<section class="panel" id="payload">')
    assert SECRET in text


def test_a_viewer_reveals_nothing(visitor: Visitor, conn: Connection) -> None:
    job = invoice(conn)
    client = visitor("viewer")
    assert client.post(f"/jobs/{job}/reveals", data={"reason": "why"}).status_code == 403
    assert "/reveals/new" not in client.get(f"/jobs/{job}").text


@pytest.mark.parametrize("address", ["/jobs", "/jobs.csv", "/jobs?q=payload.customer.email:" + SECRET])
def test_what_is_closed_is_not_found_out_by_a_search(visitor: Visitor, conn: Connection, address: str) -> None:
    invoice(conn)
    closed = "" if "?" in address else "?payload.customer.email=x"
    answer = visitor().get(address + closed)
    assert answer.status_code == 400
    assert "payload.customer.email: is closed to the eye" in plain(answer.text)
    assert visitor(name="lee").get("/jobs?payload.customer.id=7").status_code == 200
