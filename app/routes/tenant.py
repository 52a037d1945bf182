"""One tenant: its provisioning as a timeline while it happens, how its work goes, what fails, and what it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from app import courses, deeds, provisioning_steps, provisioning_timeline, provisioning_trail
from app.console import console_of
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection, Row
from worker.queries.pages import audit, groups, holdings, loads, provisioning, step_times, stuck, tenant, waits
from worker.queries.pages import job as story
from worker.queries.pages.audit import AuditFilters
from worker.queries.pages.courses import SPANS
from worker.queries.pages.figures import Figures
from worker.queries.pages.fleet import State as Health

GONE = "There is no tenant of this name or id."
GROUPS_SHOWN = 5
ACTS_SHOWN = 8


def show(call: Call, conn: Connection) -> Response:
    """The page, or one of its live regions; each reads only what it shows."""
    watch = stuck.watch(call.figures, after_seconds=call.settings.stuck_after_seconds)
    found = tenant.find(conn, name=call.path("tenant"), watch=watch, now=call.now)
    if found is None:
        raise NotFound(GONE)
    if call.lens and call.lens.id != found.id:
        raise NotFound(f"This is the lens of {call.lens.slug}: leave it to look at {found.slug}.")
    region = call.region if call.region in REGIONS else None
    context: dict[str, Any] = {"tenant": found, "provisioning": provisioning.of(found)}
    for read in [REGIONS[region]] if region else REGIONS.values():
        context |= read(call, conn, found)
    return render(call, "tenants/show.html", block=region, **context)


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
    """Its newest jobs, what fails, what was done to it and them, and what is in its own schema."""
    figures = _figures(call, conn, found)
    failing = groups.read(conn, view="open", tenant_id=found.id, now=call.now) if figures.dead else []
    return {
        "figures": figures,
        "jobs": tenant.newest(conn, tenant=found, now=call.now),
        "failing": failing[:GROUPS_SHOWN],
        "more_failing": max(len(failing) - GROUPS_SHOWN, 0),
        "done": deeds.told(audit.read(conn, AuditFilters(), tenant_id=found.id, most=ACTS_SHOWN).rows),
        "holdings": holdings.read(console_of(call.request).work_engine, tenant_id=found.id),
    }


def _figures(call: Call, conn: Connection, found: Row) -> Figures:
    """The figures of the tenant, which are at hand in its lens."""
    if call.figures.tenant_id:
        return call.figures
    return console_of(call.request).sampler.of_tenant(conn, call.figures, tenant_id=found.id)


def _work(call: Call, conn: Connection, found: Row) -> dict[str, Any]:
    """Its open work by subscriber or job type, and for what the first of each waits."""
    figures = _figures(call, conn, found)
    waiting = waits.read(figures, figures.backlog)
    return {
        "lines": [
            (load, next((each for each in waiting if each.of.handler_key == load.name), None))
            for load in loads.by_handler(figures, figures.backlog)
        ]
    }


def _course(call: Call, conn: Connection, found: Row) -> dict[str, Any]:
    """How its work went: the four charts."""
    return {
        "address": f"/tenants/{found.slug}",
        "course": courses.read(conn, courses.span_of(call), tenant_id=found.id, now=call.now),
        "choices": [],
        "spans": SPANS.values(),
        "keep": "",
    }


REGIONS: dict[str, Callable[[Call, Connection, Row], dict[str, Any]]] = {
    "tenant": _provisioning,
    "work": _work,
    "course": _course,
    "holdings": _holdings,
}
