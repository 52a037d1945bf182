"""What jobs, workers, tenants and addresses say is text on every page, whatever it looks like (A-38, A-66, A-68)."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Connection, insert

from tests import factories
from tests.system.conftest import Enter
from tests.system.watch import Watch
from worker.model import Status, new_id
from worker.queries import audit, queues
from worker.queries.audit import Actor
from worker.queries.schema import dead_letter_groups, event_outbox

VECTOR = (
    '"><img src=x onerror="pwned=1"><svg onload="pwned=1">{{7*7}}</textarea></script><script>pwned=1</script>'
    "<b hx-get=/sign-out hx-trigger=load hx-on:load='pwned=1'>"
)
GROUP = "f" * 16
HARM = (
    "window.pwned !== undefined || document.querySelector('main :is([onerror], [onload], [hx-trigger=load])') !== null"
)

Job = str


@pytest.fixture
def job(conn: Connection) -> Job:
    """A dead letter all of whose words are hostile, like those of its worker, its tenant and its operators."""
    tenant = factories.tenant(conn, "acme", display_name=VECTOR)
    hostile: dict[str, Any] = {"error_type": VECTOR, "error_summary": VECTOR, "error_detail": f"{VECTOR}\n{VECTOR}"}
    hostile |= {"idempotency_key": VECTOR, "source": VECTOR[:50], "event_id": str(new_id()), "event_type": VECTOR[:100]}
    hostile |= {
        "subscriber_id": VECTOR,
        "job_type": "run_subscriber",
        "payload": {VECTOR: [VECTOR]},
        "metadata": [VECTOR],
    }
    found = factories.job(conn, status=Status.FAILED, tenant_id=tenant, error_fingerprint=GROUP, **hostile)
    factories.job(conn, status=Status.RUNNING, locked_by=VECTOR[:100], tenant_id=tenant, queue="mail")
    told = {"component": VECTOR[:100], "label": VECTOR, "host": VECTOR, "version": VECTOR, "role": VECTOR[:100]}
    factories.worker_instance(conn, VECTOR[:100], job_types=[VECTOR], queues=["mail"], **told)
    act(conn, found)
    publish(conn)
    return str(found)


def act(conn: Connection, job_id: UUID) -> None:
    """Operators with hostile names give hostile reasons."""
    mallory = Actor(VECTOR[:100], VECTOR, VECTOR)
    queues.pause(conn, queue="mail", actor=mallory, reason=VECTOR)
    audit.record(conn, actor=mallory, action=VECTOR[:50], target=VECTOR, reason=VECTOR, job_ids=[job_id])
    audit.record(conn, actor=mallory, action=VECTOR[:50], target=GROUP, reason=VECTOR, detail={"error": VECTOR})
    note = {
        "fingerprint": GROUP,
        "assignee": VECTOR,
        "note": VECTOR,
        "state": "resolved",
        "state_at": factories.NOON,
        "state_by": VECTOR,
        "resolved_in": VECTOR[:100],
        "updated_at": factories.NOON,
        "updated_by": VECTOR,
    }
    conn.execute(insert(dead_letter_groups), note)


def publish(conn: Connection) -> None:
    """An event that the relay could not turn into jobs."""
    event = {"id": new_id(), "event_id": VECTOR[:36], "event_type": VECTOR[:100], "source": VECTOR[:50], "payload": {}}
    times = {"occurred_at": factories.NOON, "created_at": factories.NOON, "retry_at": factories.NOON}
    conn.execute(insert(event_outbox), {**event, **times, "relay_error": VECTOR})


def test_hostile_words_are_shown_as_text_and_nothing_runs(enter: Enter, job: Job) -> None:
    page = enter("dana")
    for path in (
        "/",
        "/queues",
        "/queues?by=type",
        "/queues?by=tenant",
        "/queues/mail/resume",
        "/jobs",
        f"/jobs/{job}",
        f"/dead-letters?group={GROUP}",
        f"/dead-letters/notes/new?group={GROUP}&back=/dead-letters",
        f"/replays/new?job={job}",
        f"/cancellations/new?job={job}",
        "/workers",
        "/tenants",
        "/audit",
    ):
        page.goto(path)
        harmless(page)
        expect(page.get_by_role("main")).to_contain_text(VECTOR[:36])


def test_a_hostile_search_is_shown_as_text_and_nothing_runs(enter: Enter, job: Job, watch: Watch) -> None:
    watch.expect(" 400 ")
    page = enter("dana")
    for path in ("/jobs", "/queues", "/audit", "/tenants", "/dead-letters"):
        page.goto(path)
        page.locator("[data-search]").fill(VECTOR)
        with page.expect_navigation():
            page.locator("[data-search]").press("Enter")
        harmless(page)


def test_a_hostile_address_is_answered_and_nothing_runs(enter: Enter, watch: Watch) -> None:
    watch.expect(" 40[04] ")
    page = enter("dana")
    for path in (
        "/jobs?queue=",
        "/jobs?tenant=",
        "/jobs?before=",
        "/queues?by=",
        "/",
        "/jobs/",
        "/queues/",
        "/static/",
    ):
        page.goto(path + quote(VECTOR, safe=""))
        harmless(page)


def harmless(page: Page) -> None:
    """Nothing of the vector became an element, and none of it ran."""
    expect(page.locator("[data-live]")).to_have_attribute("data-live", "on")
    assert not page.evaluate(HARM)
