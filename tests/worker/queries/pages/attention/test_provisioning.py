"""Provisioning that has stopped."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.attention.looking import items, worst
from worker.model import Status


def provision(conn: Connection, slug: str, **columns: Any) -> None:
    tenant_id = factories.tenant(conn, slug, onboarding_status="provisioning")
    key: dict[str, Any] = {
        "job_type": "provision_tenant",
        "tenant_id": tenant_id,
        "idempotency_key": f"provision:{tenant_id}",
    }
    factories.job(conn, **key | columns)


def test_provisioning_that_failed_is_its_tenants_story_and_no_dead_letter(conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["provision_tenant"])
    provision(conn, "failed", status=Status.FAILED, steps_completed=["create_schema"])
    provision(conn, "again", attempts=2, available_at=NOON + timedelta(seconds=38), scheduled=True)
    provision(conn, "fine", status=Status.RUNNING)
    failed, again = items(conn)
    assert (failed.kind, failed.level, failed.facts.slug, failed.facts.done) == ("provisioning", "urgent", "failed", 1)
    assert (again.kind, again.level, again.facts.slug) == ("provisioning", "warn", "again")
    assert worst(conn, "provisioning") == 1
