"""One tenant from a shell: how it stands, and what is done about its provisioning."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import click

from app.commands import job_sheet
from app.commands.desk import Desk, at_desk, confirm, needed_reason, yes_option
from app.commands.output import facts, table
from app.commands.refusals import Failed
from app.text import cell
from worker.database import Connection, Row
from worker.queries import provision_acts, tenants
from worker.queries.pages import figures, holdings, provisioning, stuck, tenant, tenant_loads

slug_argument = click.argument("slug")
ABOUT = ("id", "slug", "display_name", "schema_name", "onboarding_status", "created_at", "activated_at")
WORK = ("ready", "scheduled", "running", "dead")


@click.command("show")
@slug_argument
@at_desk
def show(desk: Desk, *, slug: str) -> None:
    """The tenant SLUG: its provisioning, open work, newest jobs and data."""
    with desk.engine.connect() as conn:
        sample = figures.sample(conn)
        watch = stuck.watch(sample, after_seconds=desk.settings.stuck_after_seconds)
        found = tenant.find(conn, name=slug, watch=watch, now=sample.at)
        if found is None:
            raise Failed(f"there is no tenant {slug[:100]!r}")
        load = tenant_loads.of(conn, tenant_ids=[found.id], now=sample.at).get(found.id)
        newest = tenant.newest(conn, tenant=found, now=sample.at)
    known = _document(found, load) | _held(desk, found.id)
    text = facts({name.replace("_", " "): value for name, value in known.items()})
    jobs = table(job_sheet.HEADINGS, [job_sheet.line(row, sample.at) for row in newest])
    desk.answer({**known, "jobs": [dict(row._mapping) for row in newest]}, f"{text}\n\n{jobs}" if newest else text)


@click.command("try-now")
@slug_argument
@at_desk
def try_now(desk: Desk, *, slug: str) -> None:
    """Make the try of SLUG's provisioning due that waits for its time."""
    with desk.engine.begin() as conn:
        changed = provision_acts.try_now(conn, tenant_id=_id(conn, slug), actor=desk.actor)
    text = "it is tried now" if changed else "no try of it waits for its time"
    desk.answer({"tenant": slug, "changed": changed}, text)


@click.command("cancel")
@slug_argument
@needed_reason
@yes_option
@at_desk
def cancel(desk: Desk, *, slug: str, reason: str, yes: bool) -> None:
    """Stop SLUG's provisioning: at once while it waits, between two steps while it runs."""
    confirm(f"Cancel the provisioning of {cell(slug)}?", yes=yes)
    with desk.engine.begin() as conn:
        changed = provision_acts.cancel(conn, tenant_id=_id(conn, slug), actor=desk.actor, reason=reason)
    text = "it is cancelled, or stops after this step" if changed else "it was over"
    desk.answer({"tenant": slug, "changed": changed}, text)


COMMANDS = (show, try_now, cancel)


def _id(conn: Connection, slug: str) -> UUID:
    found = tenants.id_of(conn, slug=slug)
    if found is None:
        raise Failed(f"no tenant has the slug {slug[:100]!r}")
    return found


def _document(found: Row, load: Row | None) -> dict[str, Any]:
    of = provisioning.of(found)
    about = {name: found._mapping[name] for name in ABOUT}
    told = {"provisioning": of.stage, "steps_done": of.done, "step": of.step if of.job_id else None}
    return about | told | {"job_id": of.job_id} | {name: getattr(load, name, 0) for name in WORK}


def _held(desk: Desk, tenant_id: UUID) -> dict[str, Any]:
    """What is in its own schema; nothing where this command's role may not look there."""
    held = holdings.read(desk.engine, tenant_id=tenant_id)
    return {"datasets": [each.name for each in held.datasets], "models": len(held.models)} if held.is_known else {}
