"""Provisioning: how far each tenant came, and which have stopped."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries.pages import provisioning
from worker.queries.pages.provisioning import Stage


def tenant(conn: Connection, slug: str, **columns: Any) -> UUID:
    """A tenant that is being provisioned, with its job when there are columns for one."""
    tenant_id = factories.tenant(conn, slug, onboarding_status="provisioning")
    if columns:
        key: dict[str, Any] = {
            "job_type": "provision_tenant",
            "tenant_id": tenant_id,
            "idempotency_key": f"provision:{tenant_id}",
        }
        factories.job(conn, **key | columns)
    return tenant_id


@pytest.mark.parametrize(
    ("columns", "stage"),
    [
        ({}, Stage.NOT_STARTED),
        ({"status": Status.QUEUED}, Stage.WAITING),
        ({"status": Status.QUEUED, "attempts": 1}, Stage.RETRYING),
        ({"status": Status.RUNNING}, Stage.RUNNING),
        ({"status": Status.FAILED}, Stage.FAILED),
        ({"status": Status.CANCELLED}, Stage.CANCELLED),
        ({"status": Status.SUCCEEDED}, Stage.DONE),
    ],
)
def test_the_stage_follows_from_the_job(conn: Connection, columns: dict[str, Any], stage: Stage) -> None:
    tenant_id = tenant(conn, "acme", **columns)
    (found,), total = provisioning.in_flight(conn)
    assert (found.tenant_id, found.slug, found.stage, total) == (tenant_id, "acme", stage, 1)


def test_steps_are_marked_up_to_where_it_is(conn: Connection) -> None:
    tenant(conn, "acme", status=Status.QUEUED, attempts=2, steps_completed=list(STEPS[:2]), error_summary="denied",
           available_at=NOON + timedelta(seconds=38), scheduled=True)  # fmt: skip
    (found,), _ = provisioning.in_flight(conn)
    assert (found.done, found.step, found.error) == (2, "grant_app_rw", "denied")
    assert found.marks == ["done", "done", "retrying", "", "", ""]
    assert found.next_try_at == NOON + timedelta(seconds=38)


def test_all_steps_done_leave_none_to_be_at(conn: Connection) -> None:
    tenant(conn, "acme", status=Status.RUNNING, steps_completed=list(STEPS))
    (found,), _ = provisioning.in_flight(conn)
    assert (found.step, found.marks) == (None, ["done"] * 6)


def test_the_stopped_come_first(conn: Connection) -> None:
    tenant(conn, "waiting", status=Status.QUEUED)
    tenant(conn, "retrying", status=Status.QUEUED, attempts=1)
    tenant(conn, "running", status=Status.RUNNING)
    tenant(conn, "failed", status=Status.FAILED)
    found, _ = provisioning.in_flight(conn)
    assert [each.slug for each in found][:2] == ["failed", "retrying"]


def test_only_its_own_job_counts(conn: Connection) -> None:
    other = tenant(conn, "other")
    tenant_id = tenant(conn, "acme", status=Status.RUNNING)
    factories.job(conn, job_type="provision_tenant", tenant_id=other, idempotency_key=f"provision:{tenant_id}")
    found, _ = provisioning.in_flight(conn)
    assert {each.slug: each.stage for each in found} == {"acme": Stage.RUNNING, "other": Stage.NOT_STARTED}
