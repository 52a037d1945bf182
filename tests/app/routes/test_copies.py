"""Edit and run a copy: a new job, linked to its original both ways, and the reasons why some are not copied."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine
from starlette.applications import Starlette

from app import main
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import Visitor, trail
from tests.app.routes.rows import plain
from tests.telling import telling, traceparent
from worker.handlers import Registry
from worker.model import Status
from worker.queries import copies

SECRET = "ada@lovelace.example"
EVENT: dict[str, Any] = {"event_id": "ev-1", "event_type": "order.created", "subscriber_id": "crm.sync"}


@pytest.fixture
def app(console_rw: Engine, app_rw: Engine, settings: ConsoleSettings, swift: None) -> Starlette:
    """A console whose invoices close an address to the eye."""
    registry = Registry()
    registry.job_types.register("invoice", lambda job: None, redact=["email"], replay="ask", owner="billing")
    return main.create_app(settings, engine=console_rw, work_engine=app_rw, registry=registry, now=factories.NOON)


def invoice(conn: Connection) -> UUID:
    payload = {"email": SECRET, "total": 12345678901234567890123}
    owner = factories.tenant(conn)
    return factories.job(
        conn, status=Status.FAILED, job_type="invoice", payload=payload, tenant_id=owner, max_attempts=3, queue="bills",
        idempotency_key="k-1",
    )  # fmt: skip


def form(**changed: str) -> dict[str, str]:
    payload = '{"email": "[redacted]", "total": 12345678901234567890124}'
    return {"payload": payload, "queue": "bills", "reason": "typo", "cancel": "1"} | changed


def test_a_copy_runs_with_the_edited_payload_and_each_names_the_other(visitor: Visitor, conn: Connection) -> None:
    job = invoice(conn)
    client = visitor()
    asked = client.get(f"/jobs/{job}/copies/new").text
    assert SECRET not in asked
    assert "ask billing" in plain(asked)
    answer = client.post(f"/jobs/{job}/copies", data=form())
    assert answer.status_code == 303
    copy = UUID(answer.headers["location"].removeprefix("/jobs/"))
    made, original = factories.stored(conn, copy), factories.stored(conn, job)
    assert made.payload == {"email": SECRET, "total": 12345678901234567890124}
    assert (made.status, made.queue, made.max_attempts, made.source) == ("queued", "bills", 3, "copy")
    assert (made.tenant_id, made.idempotency_key) == (original.tenant_id, None)
    assert (original.status, original.payload["total"]) == ("cancelled", 12345678901234567890123)
    (kept,) = trail(conn, "copy")
    assert (kept.reason, kept.jobs) == ("typo", 2)
    assert "copied by operator, with 1 other job typo" in plain(client.get(f"/jobs/{job}").text)
    for here, there in ((job, copy), (copy, job)):
        assert f'href="/jobs/{there}"' in client.get(f"/jobs/{here}").text


def test_the_original_stays_a_dead_letter_where_it_is_not_to_be_cancelled(visitor: Visitor, conn: Connection) -> None:
    job = invoice(conn)
    fields = form()
    del fields["cancel"]
    assert visitor().post(f"/jobs/{job}/copies", data=fields).status_code == 303
    assert factories.stored(conn, job).status == "failed"


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"payload": "{"}, "Is not JSON"),
        ({"payload": '{"a": NaN}'}, "Has NaN"),
        ({"payload": json.dumps("x")}, "Is not a document"),
        ({"queue": "No Queue"}, "queue"),
        ({"reason": ""}, "Say why"),
    ],
)
def test_what_is_refused_is_said_beside_its_field_and_nothing_is_lost(
    visitor: Visitor, conn: Connection, changed: dict[str, str], problem: str
) -> None:
    job = invoice(conn)
    answer = visitor().post(f"/jobs/{job}/copies", data=form(**changed))
    assert answer.status_code == 422
    assert problem in answer.text
    assert plain(form(**changed)["payload"]) in plain(answer.text.replace("&#34;", '"'))
    assert trail(conn, "copy") == [] == copies.of(conn, job_id=job)
    assert factories.stored(conn, job).status == "failed"


def test_what_is_not_copied_says_why_on_its_page_and_refuses(visitor: Visitor, conn: Connection) -> None:
    client = visitor()
    sealed = {"schema": "watchfloor.email.v1", "ciphertext": "c2VhbGVk"}
    owner = factories.tenant(conn)
    for job, why in (
        (factories.job(conn, job_type="send_email", payload=sealed), "Its payload is sealed"),
        (factories.job(conn, job_type="provision_tenant", tenant_id=owner), 'the page of its tenant: <a class="link"'),
        (factories.job(conn, job_type="invoice", payload={"a": "x" * 200_001}), "is more than what is edited"),
    ):
        assert why in client.get(f"/jobs/{job}").text
        assert client.get(f"/jobs/{job}/copies/new").status_code == 409
        assert client.post(f"/jobs/{job}/copies", data=form()).status_code == 409


def test_a_copy_of_what_an_event_brought_goes_to_its_subscriber_alone(visitor: Visitor, conn: Connection) -> None:
    about: dict[str, Any] = {"job_type": "run_subscriber", "schema_version": 3, "metadata": {"trace": 1}}
    job = factories.job(conn, status=Status.FAILED, payload={"total": 1}, max_attempts=7, **EVENT, **about)
    client = visitor()
    assert "It goes to crm.sync alone, under an event id of its own" in plain(
        client.get(f"/jobs/{job}/copies/new").text
    )
    answer = client.post(f"/jobs/{job}/copies", data=form(payload='{"total": 12345678901234567890124}'))
    copy = factories.stored(conn, UUID(answer.headers["location"].removeprefix("/jobs/")))
    assert copy.payload == {"total": 12345678901234567890124}
    assert (copy.job_type, copy.event_type, copy.subscriber_id) == ("run_subscriber", "order.created", "crm.sync")
    assert (copy.schema_version, copy.metadata, copy.max_attempts) == (3, {"trace": 1}, 7)
    assert (copy.source, copy.queue, copy.status, copy.scheduled) == ("copy", "bills", "queued", False)
    assert copy.event_id not in (None, "ev-1")
    assert factories.stored(conn, job).status == "cancelled"


@pytest.mark.parametrize("event", [{}, EVENT], ids=["job", "event"])
def test_a_copy_is_of_the_trace_of_whoever_makes_it(visitor: Visitor, conn: Connection, event: dict[str, Any]) -> None:
    job_type = "run_subscriber" if event else "invoice"
    job = factories.job(conn, status=Status.FAILED, job_type=job_type, **event)
    client = visitor()
    with telling() as told:
        answer = client.post(f"/jobs/{job}/copies", data=form(payload="{}"))
    copy = factories.stored(conn, UUID(answer.headers["location"].removeprefix("/jobs/")))
    assert copy.traceparent == traceparent(told.one("send bills"))


@pytest.mark.parametrize("changed", [{"queue": "No Queue"}, {"payload": '{"a": "\\u0000"}'}], ids=["queue", "payload"])
def test_a_copy_of_an_event_is_checked_as_any_job_is(
    visitor: Visitor, conn: Connection, changed: dict[str, str]
) -> None:
    job = factories.job(conn, job_type="run_subscriber", **EVENT)
    assert visitor().post(f"/jobs/{job}/copies", data=form(**changed)).status_code == 422
    assert trail(conn, "copy") == [] == copies.of(conn, job_id=job)


def test_a_type_that_the_console_does_not_know_is_put_in_by_nobody(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn)
    assert visitor().post(f"/jobs/{job}/copies", data=form()).status_code == 409
