"""One tenant: found by name or id, with its own provisioning and its own jobs."""

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
from worker.queries.pages import tenant
from worker.queries.pages.states import State
from worker.queries.pages.stuck import Watch

WATCH = Watch(frozenset({"provision", "default"}), after_seconds=300)


def provisioned(conn: Connection, tenant_id: UUID, **columns: Any) -> UUID:
    about: dict[str, Any] = {
        "job_type": "provision_tenant",
        "tenant_id": tenant_id,
        "idempotency_key": f"provision:{tenant_id}",
    }
    return factories.job(conn, **about | columns)


def test_a_tenant_is_found_by_its_slug_and_by_its_id(conn: Connection) -> None:
    tenant_id = factories.tenant(conn)
    factories.tenant(conn, "other")
    for name in ("acme", str(tenant_id), str(tenant_id).upper()):
        found = tenant.find(conn, name=name, watch=WATCH, now=NOON)
        assert found
        assert (found.id, found.slug, found.schema_name, found.job_id, found.now) == (
            tenant_id, "acme", "tenant_acme", None, NOON,
        )  # fmt: skip


def test_a_slug_that_is_written_like_an_id_is_a_slug_still(conn: Connection) -> None:
    slug = "0193a6c1-0000-7000-8000-000000000003"
    tenant_id = factories.tenant(conn, slug, schema_name="tenant_odd")
    found = tenant.find(conn, name=slug, watch=WATCH, now=NOON)
    assert found
    assert found.id == tenant_id


@pytest.mark.parametrize("name", ["", "nobody", str(UUID(int=7)), "\0", "acme\n", "Ⅷ", "x" * 5000, "' OR 1=1 --"])
def test_nobody_else_is_found(conn: Connection, name: str) -> None:
    factories.tenant(conn)
    assert tenant.find(conn, name=name, watch=WATCH, now=NOON) is None


def test_it_comes_with_its_provisioning_and_no_other(conn: Connection) -> None:
    tenant_id = factories.tenant(conn)
    job_id = provisioned(conn, tenant_id, status=Status.RUNNING, steps_completed=["create_schema"], progress=16.67)
    provisioned(conn, factories.tenant(conn, "other"), status=Status.FAILED)
    factories.worker_instance(conn, label="provisioner-1")
    found = tenant.find(conn, name="acme", watch=WATCH, now=NOON)
    assert found
    assert (found.job_id, found.state, found.worker, found.generation) == (job_id, State.RUNNING, "provisioner-1", 1)
    assert (found.steps_completed, float(found.progress)) == (["create_schema"], 16.67)


@pytest.mark.parametrize(
    ("columns", "untaken", "idle"),
    [
        ({"queue": "provision-eu"}, True, False),
        ({"queue": "provision"}, False, False),
        ({"status": Status.RUNNING, "locked_at": NOON - timedelta(seconds=301)}, False, True),
        ({"status": Status.RUNNING, "locked_at": NOON - timedelta(seconds=299)}, False, False),
    ],
)
def test_it_is_known_to_be_stuck_as_the_fleet_knows_it(
    conn: Connection, columns: dict[str, Any], untaken: bool, idle: bool
) -> None:
    provisioned(conn, factories.tenant(conn), **columns)
    found = tenant.find(conn, name="acme", watch=WATCH, now=NOON)
    assert found
    assert (bool(found.is_untaken), bool(found.is_idle)) == (untaken, idle)


def test_steps_come_in_the_order_in_which_they_began(conn: Connection) -> None:
    job_id = provisioned(conn, factories.tenant(conn))
    factories.job_step(conn, job_id, 2, STEPS[1], generation=2)
    factories.job_step(conn, job_id, 2, STEPS[1], outcome="failed", error="denied")
    factories.job_step(conn, job_id, 1, STEPS[0])
    factories.job_step(conn, factories.job(conn), 1, STEPS[0])
    found = tenant.steps(conn, job_id=job_id, generation=2)
    assert [(row.generation, row.step, row.outcome) for row in found] == [
        (1, "create_schema", "done"),
        (1, "run_tenant_migrations", "failed"),
        (2, "run_tenant_migrations", "done"),
    ]


def test_of_attempts_long_ago_only_what_they_got_done_is_read(conn: Connection) -> None:
    job_id = provisioned(conn, factories.tenant(conn))
    factories.job_step(conn, job_id, 1, STEPS[0])
    for generation in range(1, 31):
        factories.job_step(conn, job_id, 2, STEPS[1], generation=generation, outcome="failed")
    found = tenant.steps(conn, job_id=job_id, generation=30)
    assert [row.generation for row in found] == [1, *range(18, 31)]


def test_the_newest_jobs_are_its_own(conn: Connection) -> None:
    tenant_id, other = factories.tenant(conn), factories.tenant(conn, "other")
    for number in range(8):
        factories.job(conn, tenant_id=tenant_id, created_at=NOON - timedelta(minutes=number), queue=f"q{number}")
        factories.job(conn, tenant_id=other)
    factories.job(conn, tenant_id=tenant_id, status=Status.FAILED, created_at=NOON - timedelta(days=1), queue="dead")
    found = tenant.find(conn, name="acme", watch=WATCH, now=NOON)
    assert found
    assert [row.queue for row in tenant.newest(conn, tenant=found, now=NOON)] == [f"q{number}" for number in range(6)]
    assert [row.queue for row in tenant.newest(conn, tenant=found, status=Status.FAILED, now=NOON)] == ["dead"]
