"""A tenant's provisioning: started, hurried, started again, cancelled; audited, harmless twice."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, func, select

from tests import factories
from tests.app.conftest import Visitor, trail
from tests.factories import NOON
from worker.model import Status
from worker.queries import provisioning
from worker.queries.schema import platform_jobs, tenants

OVER_FLEET = {"HX-Request": "true", "HX-Target": "section#tenants"}
LATER = NOON + timedelta(minutes=5)
WAITS: dict[str, Any] = {"attempts": 2, "scheduled": True, "available_at": LATER}


def provisioned(conn: Connection, slug: str = "acme", **columns: Any) -> UUID:
    """The job of a tenant that is being provisioned."""
    tenant_id = factories.tenant(conn, slug, onboarding_status="provisioning")
    key = {"job_type": "provision_tenant", "idempotency_key": provisioning.key_of(tenant_id)}
    return factories.job(conn, tenant_id=tenant_id, **key | columns)


def jobs(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one()


def test_provision_puts_in_the_one_job_and_says_who_asked(visitor: Visitor, conn: Connection) -> None:
    tenant_id = factories.tenant(conn, "acme")
    browser = visitor(name="dana")
    for _ in range(2):
        answer = browser.post("/tenants/acme/provisionings")
        assert (answer.status_code, answer.headers["location"]) == (303, "/tenants/acme")
    known = provisioning.status(conn, tenant_id=tenant_id)
    assert known is not None
    assert (known.status, jobs(conn)) == (Status.QUEUED, 1)
    assert conn.execute(select(tenants.c.onboarding_status)).scalar() == "provisioning"
    (action,) = trail(conn, "provision")
    assert (action.actor, action.tenant_id, action.jobs, action.detail) == ("dana", tenant_id, 1, {})


@pytest.mark.parametrize("status", [Status.FAILED, Status.CANCELLED])
def test_provision_again_goes_on_where_it_stopped(visitor: Visitor, conn: Connection, status: Status) -> None:
    job_id = provisioned(conn, status=status, attempts=5, steps_completed=["create_schema"])
    for _ in range(2):
        visitor(name=f"dana-{_}").post("/tenants/acme/provisionings", data={"again": "1"})
    row = factories.stored(conn, job_id)
    assert (row.status, row.attempts, row.steps_completed) == (Status.QUEUED, 0, ["create_schema"])
    (action,) = trail(conn, "provision")
    assert (action.actor, action.jobs, action.detail) == ("dana-0", 1, {"again": True})


def test_what_stopped_is_not_started_by_a_button_that_meant_a_new_one(visitor: Visitor, conn: Connection) -> None:
    job_id = provisioned(conn, status=Status.FAILED)
    visitor().post("/tenants/acme/provisionings")
    assert factories.stored(conn, job_id).status == Status.FAILED
    assert trail(conn, "provision") == []


@pytest.mark.parametrize("status", [Status.QUEUED, Status.RUNNING, Status.SUCCEEDED])
def test_what_is_under_way_or_done_is_left_as_it_is(visitor: Visitor, conn: Connection, status: Status) -> None:
    job_id = provisioned(conn, status=status)
    before = factories.stored(conn, job_id)
    browser = visitor()
    browser.post("/tenants/acme/provisionings", data={"again": "1"})
    browser.post("/tenants/acme/tries")
    assert factories.stored(conn, job_id) == before
    assert [row for row in trail(conn) if row.action in ("provision", "try-now")] == []


def test_try_now_makes_the_waiting_try_due_and_keeps_its_count(visitor: Visitor, conn: Connection) -> None:
    job_id = provisioned(conn, **WAITS)
    for who in ("dana", "mira"):
        answer = visitor(name=who).post("/tenants/acme/tries")
        assert (answer.status_code, answer.headers["location"]) == (303, "/tenants/acme")
    row = factories.stored(conn, job_id)
    assert (row.status, row.attempts, row.scheduled, row.available_at) == (Status.QUEUED, 2, False, NOON)
    (action,) = trail(conn, "try-now")
    assert (action.actor, action.jobs) == ("dana", 1)


def test_cancel_asks_why_and_says_what_stays(visitor: Visitor, conn: Connection) -> None:
    provisioned(conn, **WAITS, steps_completed=["create_schema", "run_tenant_migrations"])
    page = visitor().get("/tenants/acme/cancellations/new")
    assert page.status_code == 200
    assert '<form class="sheet" method="post" action="/tenants/acme/cancellations"' in page.text
    assert "It waits and ends at once." in " ".join(page.text.split())
    assert "The 2 finished steps stay" in page.text


def test_a_cancellation_without_a_reason_is_refused_in_the_form(visitor: Visitor, conn: Connection) -> None:
    job_id = provisioned(conn, **WAITS)
    answer = visitor().post("/tenants/acme/cancellations", data={"reason": " "}, headers=OVER_FLEET)
    assert answer.status_code == 422
    assert answer.text.lstrip().startswith('<form class="sheet"')
    assert "Say why: others will want to know." in answer.text
    assert factories.stored(conn, job_id).status == Status.QUEUED


def test_what_waits_is_cancelled_at_once_and_once(visitor: Visitor, conn: Connection) -> None:
    job_id = provisioned(conn, **WAITS)
    for who in ("dana", "mira"):
        answer = visitor(name=who).post("/tenants/acme/cancellations", data={"reason": "wrong region"})
        assert (answer.status_code, answer.headers["location"]) == (303, "/tenants/acme")
    assert factories.stored(conn, job_id).status == Status.CANCELLED
    (action,) = trail(conn, "cancel")
    assert (action.actor, action.reason, action.jobs) == ("dana", "wrong region", 1)


def test_what_runs_is_asked_to_stop(visitor: Visitor, conn: Connection) -> None:
    job_id = provisioned(conn, status=Status.RUNNING)
    assert "the step it is in is finished" in visitor().get("/tenants/acme/cancellations/new").text
    visitor(name="dana").post("/tenants/acme/cancellations", data={"reason": "wrong region"})
    row = factories.stored(conn, job_id)
    assert (row.status, row.cancel_requested_at) == (Status.RUNNING, NOON)


@pytest.mark.parametrize("status", [Status.FAILED, Status.CANCELLED, Status.SUCCEEDED])
def test_what_is_over_is_not_cancelled(visitor: Visitor, conn: Connection, status: Status) -> None:
    job_id = provisioned(conn, status=status)
    assert "Nothing to cancel" in visitor().get("/tenants/acme/cancellations/new").text
    assert visitor(name="dana").post("/tenants/acme/cancellations", data={"reason": "why"}).status_code == 303
    assert factories.stored(conn, job_id).status == status
    assert trail(conn, "cancel") == []


@pytest.mark.parametrize("act", ["provisionings", "tries", "cancellations"])
def test_an_act_answers_with_the_page_it_was_pressed_on(visitor: Visitor, conn: Connection, act: str) -> None:
    provisioned(conn, **WAITS)
    pressed = {"http://localhost/tenants?state=stopped": "/tenants?state=stopped"}
    pressed |= {"http://localhost/tenants/acme?fold=none": "/tenants/acme?fold=none"}
    for place, page in pressed.items():
        headers = OVER_FLEET | {"HX-Current-URL": place}
        answer = visitor(name=page).post(f"/tenants/acme/{act}", data={"reason": "why"}, headers=headers)
        assert (answer.status_code, answer.headers["location"]) == (303, page)


def test_from_the_forms_own_page_htmx_is_sent_to_the_tenant(visitor: Visitor, conn: Connection) -> None:
    provisioned(conn, **WAITS)
    headers = OVER_FLEET | {"HX-Current-URL": "http://localhost/tenants/acme/cancellations/new"}
    answer = visitor().post("/tenants/acme/cancellations", data={"reason": "why"}, headers=headers)
    assert answer.headers["HX-Redirect"] == "/tenants/acme"


@pytest.mark.parametrize("slug", ["nobody", "ACME", "%F0%9F%92%A5", "x" * 300])
def test_a_tenant_that_is_not_there_is_not_found(visitor: Visitor, slug: str) -> None:
    browser = visitor()
    assert browser.get(f"/tenants/{slug}/cancellations/new").status_code == 404
    for act in ("provisionings", "tries", "cancellations"):
        assert browser.post(f"/tenants/{slug}/{act}", data={"reason": "why"}).status_code == 404
