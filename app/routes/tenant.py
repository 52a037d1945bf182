"""One tenant: its provisioning as a timeline while it happens, and what it has: jobs, datasets, models."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app import provisioning_steps, provisioning_timeline, provisioning_trail
from app.console import console_of
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection, Row
from worker.model import Status
from worker.queries.pages import holdings, provisioning, step_times, stuck, tenant, tenant_loads
from worker.queries.pages import job as story
from worker.queries.pages.fleet import State as Health

GONE = "There is no tenant of this name or id."
REGIONS = ("tenant", "holdings")


def show(call: Call, conn: Connection) -> Response:
    """The page, or one of its live regions: the provisioning, or what the tenant has."""
    watch = stuck.watch(call.figures, after_seconds=call.settings.stuck_after_seconds)
    found = tenant.find(conn, name=call.path("tenant"), watch=watch, now=call.now)
    if found is None:
        raise NotFound(GONE)
    region = call.region if call.region in REGIONS else None
    return render(
        call,
        "tenants/show.html",
        block=region,
        tenant=found,
        provisioning=provisioning.of(found),
        **(_provisioning(call, conn, found) if region != "holdings" else {}),
        **(_holdings(call, conn, found) if region != "tenant" else {}),
    )


def _provisioning(call: Call, conn: Connection, found: Row) -> dict[str, Any]:
    """The steps and their timeline, why it stopped, and the trail; all empty where nobody asked for it yet."""
    usual = step_times.usual(conn)
    if found.job_id is None:
        steps = provisioning_steps.of(found, (), usual)
        return {"steps": steps, "attempts": (), "timeline": None, "trail": [], "asked": None}
    attempts, actions = story.attempts(conn, job_id=found.job_id), story.actions(conn, job_id=found.job_id)
    runs = tenant.steps(conn, job_id=found.job_id, generation=found.generation)
    steps = provisioning_steps.of(found, runs, usual, is_served=_is_served(call, found))
    return {
        "steps": steps,
        "attempts": attempts,
        "timeline": provisioning_timeline.of(found, steps, attempts, unfolded=_is_unfolded(call)),
        "trail": provisioning_trail.of(found, attempts, runs, actions),
        "asked": provisioning_trail.asked_by(found, actions),
        "tries": {found.generation: (found.attempts, found.worker)}
        | {each.generation: (each.attempt, each.worker) for each in attempts},
    }


def _is_served(call: Call, found: Row) -> bool:
    """Whether a live worker could take it, or the one that holds it lives."""
    if found.state not in provisioning_steps.RUNS:
        return not found.is_untaken
    holder = next((each for each in call.figures.workers if each.instance_id == found.locked_by), None)
    return holder is not None and holder.state is not Health.SILENT


def _is_unfolded(call: Call) -> bool:
    return call.query.get("idle") == "shown"


def _holdings(call: Call, conn: Connection, found: Row) -> dict[str, Any]:
    """Its open work, its newest jobs and dead letters, and what is in its own schema."""
    load = tenant_loads.of(conn, tenant_ids=[found.id], now=call.now).get(found.id)
    dead = tenant.newest(conn, tenant=found, status=Status.FAILED, now=call.now) if load and load.dead else []
    return {
        "load": load,
        "jobs": tenant.newest(conn, tenant=found, now=call.now),
        "dead": dead,
        "holdings": holdings.read(console_of(call.request).work_engine, tenant_id=found.id),
    }
