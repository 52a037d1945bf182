"""A tenant's provisioning, written as its page is to find it."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.provisioning.steps import STEPS

DENIED = "permission denied for schema <b>tenant_acme"


def plain(text: str) -> str:
    """What can be read of a page."""
    main = re.sub(r"(?s)<(svg|head|style)\b.*?</\1>", "", text.partition('id="main"')[2]).replace("&ensp;", " ")
    return " ".join(re.sub(r"<[^>]+>", "", main).split())


def ago(seconds: float) -> datetime:
    return NOON - timedelta(seconds=seconds)


def provisioned(conn: Connection, slug: str = "acme", *, done: int = 0, **columns: Any) -> UUID:
    """A tenant with its provisioning job, asked for two minutes ago, so many steps of which are done."""
    tenant_id = factories.tenant(conn, slug, onboarding_status="active" if done == 6 else "provisioning")
    job: dict[str, Any] = {"job_type": "provision_tenant", "queue": "provision", "tenant_id": tenant_id}
    job |= {"idempotency_key": f"provision:{tenant_id}", "steps_completed": list(STEPS[:done])}
    job |= {"progress": round(100 * done / 6, 2), "created_at": ago(120), "available_at": ago(120)}
    return factories.job(conn, **job | columns)


def serve(conn: Connection, **columns: Any) -> None:
    """A live provisioner."""
    factories.worker_instance(conn, job_types=["provision_tenant"], queues=None, label="provisioner-1", **columns)


def step(conn: Connection, job_id: UUID, number: int, began: float, ended: float | None, **columns: Any) -> None:
    """A run of a step, seconds before noon."""
    times = {"started_at": ago(began), "finished_at": None if ended is None else ago(ended)}
    outcome = {"outcome": "done" if ended is not None else None}
    factories.job_step(conn, job_id, number, STEPS[number - 1], **times | outcome | columns)


def retrying(conn: Connection) -> UUID:
    """Tried twice, failed at the third step each time, to be tried again in 38 s."""
    serve(conn)
    again: dict[str, Any] = {"scheduled": True, "available_at": NOON + timedelta(seconds=38), "error_detail": DENIED}
    job_id = provisioned(conn, done=2, attempts=2, generation=2, **again)
    factories.attempt(conn, job_id, 1, claimed_at=ago(100), finished_at=ago(78), retry_at=ago(40))
    factories.attempt(conn, job_id, 2, claimed_at=ago(38), finished_at=ago(36))
    step(conn, job_id, 1, 100, 99)
    step(conn, job_id, 2, 99, 80)
    step(conn, job_id, 3, 80, 78, outcome="failed", error=DENIED)
    step(conn, job_id, 3, 38, 36, outcome="failed", error=DENIED, generation=2)
    return job_id
