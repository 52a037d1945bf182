"""A tenant's provisioning job: one for each tenant, asked for as often as anybody likes."""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, func, select, update

from tests.factories import NOON, job_types, stored, tenant
from worker.errors import UnknownTenant
from worker.model import Status, new_id
from worker.new_jobs import Enqueued
from worker.queries.provisioning import ensure_provision_job, status
from worker.queries.schema import platform_jobs, tenants

TYPES = job_types()


def ensure(conn: Connection, tenant_id: UUID, *, again: bool = False) -> Enqueued:
    return ensure_provision_job(conn, TYPES, tenant_id=tenant_id, again=again, now=NOON)


def onboarding(conn: Connection, tenant_id: UUID) -> str:
    return str(conn.execute(select(tenants.c.onboarding_status).where(tenants.c.id == tenant_id)).scalar_one())


def become(conn: Connection, job_id: UUID, **columns: Any) -> None:
    conn.execute(update(platform_jobs).where(platform_jobs.c.id == job_id).values(**columns))


def test_a_tenant_begins_to_be_provisioned_when_its_job_is_made(conn: Connection) -> None:
    acme, other = tenant(conn), tenant(conn, "other")
    made = ensure(conn, acme)
    assert (made.created, made.status) == (True, Status.QUEUED)
    row = stored(conn, made.id)
    assert (row.job_type, row.tenant_id, row.idempotency_key) == ("provision_tenant", acme, f"provision:{acme}")
    assert (onboarding(conn, acme), onboarding(conn, other)) == ("provisioning", "created")


@pytest.mark.parametrize("before", ["active", "suspended"])
def test_a_tenant_that_is_further_on_stays_there(conn: Connection, before: str) -> None:
    acme = tenant(conn, onboarding_status=before)
    ensure(conn, acme)
    assert onboarding(conn, acme) == before


def test_a_tenant_that_is_not_there_has_no_job_and_no_status(conn: Connection) -> None:
    with pytest.raises(UnknownTenant):
        ensure(conn, new_id())
    assert conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one() == 0
    assert status(conn, tenant_id=new_id()) is None


@pytest.mark.parametrize("over", [Status.FAILED, Status.CANCELLED])
def test_what_failed_or_was_cancelled_runs_again_only_when_that_is_asked_for(conn: Connection, over: Status) -> None:
    acme = tenant(conn)
    made = ensure(conn, acme)
    become(conn, made.id, status=over, finished_at=NOON, attempts=5, steps_completed=["create_schema"], progress=17)
    assert ensure(conn, acme) == Enqueued(made.id, created=False, status=over)
    assert ensure(conn, acme, again=True) == Enqueued(made.id, created=False, status=Status.QUEUED)
    found = status(conn, tenant_id=acme)
    assert found
    assert (found.status, found.attempts, found.steps_completed, found.progress) == (
        "queued",
        0,
        ("create_schema",),
        17,
    )


@pytest.mark.parametrize("now", [Status.QUEUED, Status.RUNNING, Status.SUCCEEDED])
def test_what_waits_runs_or_succeeded_does_not_run_again_whatever_is_asked(conn: Connection, now: Status) -> None:
    acme = tenant(conn)
    made = ensure(conn, acme)
    columns = {"finished_at": NOON} if now is Status.SUCCEEDED else {}
    become(conn, made.id, status=now, attempts=3, **columns)
    before = stored(conn, made.id)
    for again in (False, True):
        assert ensure(conn, acme, again=again) == Enqueued(made.id, created=False, status=now)
    assert stored(conn, made.id) == before


def test_the_status_tells_how_far_it_is_and_when_it_goes_on(conn: Connection) -> None:
    acme = tenant(conn)
    found = status(conn, tenant_id=acme)
    assert found
    assert (found.status, found.job_id, found.progress, found.steps_completed) == ("not_started", None, 0, ())
    made, later = ensure(conn, acme), NOON + timedelta(minutes=2)
    become(conn, made.id, attempts=2, available_at=later, progress=16.67, error_detail="OSError: no bucket")
    found = status(conn, tenant_id=acme)
    assert found
    assert (found.tenant_id, found.job_id, found.status) == (acme, made.id, "queued")
    assert (found.progress, found.attempts, found.max_attempts) == (16.67, 2, 5)
    assert (found.error_detail, found.requested_at) == ("OSError: no bucket", NOON)
    assert (found.next_attempt_at, found.finished_at) == (later, None)
    become(conn, made.id, status=Status.FAILED, finished_at=later)
    found = status(conn, tenant_id=acme)
    assert found
    assert (found.status, found.next_attempt_at, found.finished_at) == ("failed", None, later)


def test_the_status_is_that_of_the_tenants_own_job(conn: Connection) -> None:
    acme, other = tenant(conn), tenant(conn, "other")
    ensure(conn, other)
    become(conn, ensure(conn, acme).id, idempotency_key=f"provision:{other}")  # another tenant's key, under its own id
    found = status(conn, tenant_id=acme)
    assert found
    assert found.status == "not_started"


@pytest.mark.postgresql
def test_of_many_who_ask_at_once_one_makes_the_job(engine: Engine, conn: Connection) -> None:
    acme = tenant(conn)
    ready, answers = threading.Barrier(8), []

    def ask() -> None:
        with engine.begin() as mine:
            ready.wait()
            answers.append(ensure_provision_job(mine, TYPES, tenant_id=acme))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(each.created for each in answers) == [False] * 7 + [True]
    assert len({each.id for each in answers}) == 1
