"""The page of a job type or subscriber."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection
from starlette.applications import Starlette

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells
from tests.factories import NOON


def test_a_job_type_is_told_by_queue(visitor: Visitor, conn: Connection) -> None:
    for queue in ("mail", "slow"):
        factories.job(conn, queue=queue, available_at=NOON - timedelta(minutes=2))
    text = visitor("viewer").get("/job-types/render_report").text
    rows = cells(text[text.index("Where it waits") :])
    assert sorted(row[:2] for row in rows) == [["mail", "1"], ["slow", "1"]]
    assert 'href="/queues/slow"' in text


def test_a_subscriber_of_any_name_has_its_page(visitor: Visitor, conn: Connection) -> None:
    name = "crm/sync of <all>?"
    factories.job(conn, job_type="run_subscriber", subscriber_id=name, event_id="e", event_type="order.created")
    browser = visitor("viewer")
    listed = browser.get("/queues?by=type").text
    assert 'href="/job-types/crm/sync%20of%20%3Call%3E%3F"' in listed
    page = browser.get("/job-types/crm/sync%20of%20%3Call%3E%3F")
    assert page.status_code == 200
    assert "crm/sync of &lt;all&gt;?" in page.text
    assert 'hx-get="/job-types/crm/sync%20of%20%3Call%3E%3F"' in page.text


def test_what_was_declared_beside_the_handler_is_shown(visitor: Visitor, app: Starlette) -> None:
    types = app.state.console.registry.job_types
    types.register("report", print, runbook="https://runs.example/report", owner="Team Paper", replay="ask")
    text = visitor("viewer").get("/job-types/report").text
    assert 'href="https://runs.example/report"' in text
    assert "Team Paper" in text
    assert "Ask the owner before" in text


@pytest.mark.parametrize("name", ["x" * 201, " padded ", "a%00b"])
def test_what_cannot_be_a_type_is_refused(visitor: Visitor, name: str) -> None:
    assert visitor().get(f"/job-types/{name}").status_code in (400, 404)
