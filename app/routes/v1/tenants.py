"""Tenants, as programs read them."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app import courses, provisioning_steps
from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes.audit import Done
from app.shapes.jobs import Attempt, JobLine
from app.shapes.queues import slots
from app.shapes.tenants import (
    DatasetLine,
    ProvisioningStep,
    TenantLine,
    TenantLines,
    TenantsWanted,
    TenantWanted,
    TenantWhole,
)
from worker.database import Connection, Row
from worker.errors import InvalidInput
from worker.model import Status
from worker.payloads import clean_text
from worker.provisioning.steps import STEPS
from worker.queries.pages import holdings, job, step_times, stuck, tenant, tenant_loads, tenants
from worker.queries.pages.courses import SPANS
from worker.queries.pages.stuck import Watch
from worker.queries.pages.tenants import Wanted


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List the tenants: who needs a person first, then who is being set up, then the others."""
    asked = call.wanted(TenantsWanted)
    if asked.step and asked.step not in STEPS:
        raise InvalidInput("step", f"must be one of {', '.join(STEPS)}")
    wanted = Wanted(clean_text(asked.q, field="q", limit=200), asked.state, asked.step or None)
    page = tenants.page(conn, wanted, watch=_watch(call), cursor=asked.cursor, now=call.now)
    lines = [TenantLine.of(line.row, line.load, stuck=line.stuck) for line in page.lines]
    return Document(TenantLines(tenants=lines, next_cursor=page.older))


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read one tenant: its provisioning step by step, its open work, how its jobs went, what it has."""
    asked = call.wanted(TenantWanted)
    found = tenant.find(conn, name=str(call.tenant), watch=_watch(call), now=call.now)
    if found is None:
        raise NotFound("There is no tenant of this id.")
    load = tenant_loads.of(conn, tenant_ids=[found.id], now=call.now).get(found.id)
    stuck_by = "untaken" if found.is_untaken else "idle" if found.is_idle else None
    dead = tenant.newest(conn, tenant=found, status=Status.FAILED, now=call.now)
    course = courses.read(conn, SPANS[asked.span], tenant_id=found.id, handler=asked.part, now=call.now)
    has = holdings.read(call.engine, tenant_id=found.id)
    return Document(
        TenantWhole(
            tenant=TenantLine.of(found, load, stuck=stuck_by),
            **_provisioning(conn, found),
            course=slots(course),
            jobs=[JobLine.model_validate(row) for row in tenant.newest(conn, tenant=found, now=call.now)],
            dead=[JobLine.model_validate(row) for row in dead],
            datasets=[DatasetLine.model_validate(row) for row in has.datasets],
        )
    )


def _watch(call: ApiCall) -> Watch:
    return stuck.watch(call.figures, after_seconds=call.settings.stuck_after_seconds)


def _provisioning(conn: Connection, found: Row) -> dict[str, Any]:
    """Its steps, its attempts, and what was done to it; all empty where nobody asked for it yet."""
    usual = step_times.usual(conn)
    if found.job_id is None:
        steps = provisioning_steps.of(found, (), usual)
        return {"steps": [ProvisioningStep.of(step) for step in steps], "attempts": [], "actions": []}
    runs = tenant.steps(conn, job_id=found.job_id, generation=found.generation)
    return {
        "steps": [ProvisioningStep.of(step) for step in provisioning_steps.of(found, runs, usual)],
        "attempts": [Attempt.model_validate(row) for row in job.attempts(conn, job_id=found.job_id)],
        "actions": [Done.model_validate(row) for row in job.actions(conn, job_id=found.job_id)],
    }
