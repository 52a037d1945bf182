"""Tenants: whose work it is, and how far each is set up."""

from __future__ import annotations

from typing import Any

import click

from app.commands import provisioning, tenant_acts
from app.commands.desk import Desk, at_desk
from app.commands.output import facts, table
from app.text import duration
from worker.payloads import clean_text
from worker.provisioning.steps import STEPS
from worker.queries import audit, tenants
from worker.queries.pages import figures, stuck
from worker.queries.pages import tenants as pages
from worker.queries.pages.tenant_rows import STATES
from worker.queries.pages.tenants import Line, Wanted

FIELDS = ("id", "slug", "display_name", "onboarding_status", "created_at", "activated_at")
HEADINGS = ("SLUG", "STATE", "PROVISIONING", "STEPS", "AT STEP", "TOTAL", "READY", "LATER", "RUNNING", "DEAD", "ID")


@click.group("tenants")
def command() -> None:
    """See the tenants and one of them; add one; have it provisioned, tried now, cancelled."""


command.add_command(provisioning.provision)
command.add_command(provisioning.status)
for _each in tenant_acts.COMMANDS:
    command.add_command(_each)


@command.command("list")
@click.option("--find", default="", help="A part of the slug or the name.")
@click.option("--state", type=click.Choice(list(STATES)), help="Those in that state; stopped has failed, or retries.")
@click.option("--step", type=click.Choice(STEPS), help="Those whose provisioning is at that step.")
@click.option("--cursor", help="Go on where the last page ended.")
@at_desk
def list_tenants(desk: Desk, *, find: str, state: str | None, step: str | None, cursor: str | None) -> None:
    """One page of tenants: who needs a person first, then by slug, with their open work."""
    wanted = Wanted(clean_text(find, field="find", limit=200), state, step)
    with desk.engine.connect() as conn:
        sample = figures.sample(conn)
        watch = stuck.watch(sample, after_seconds=desk.settings.stuck_after_seconds)
        page = pages.page(conn, wanted, watch=watch, cursor=cursor, now=sample.at)
    more = f"\nmore: --cursor {page.older}" if page.older else ""
    found = [_document(each) for each in page.lines]
    desk.answer({"tenants": found, "cursor": page.older}, table(HEADINGS, map(_row, page.lines)) + more)


@command.command("add")
@click.argument("slug")
@click.argument("name")
@at_desk
def add(desk: Desk, *, slug: str, name: str) -> None:
    """Add the tenant NAME under the short name SLUG; a slug that is there already is left as it is."""
    with desk.engine.begin() as conn:
        row, created = tenants.ensure(conn, slug=slug, display_name=name)
        if created:
            audit.record(conn, actor=desk.actor, action="tenant-add", target=slug, tenant_id=row.id)
    note = None if created else "was there already"
    desk.answer({"id": row.id, "slug": slug, "created": created}, facts({"tenant": slug, "id": row.id, "note": note}))


def _row(line: Line) -> tuple[Any, ...]:
    of, total = line.provisioning, line.total_seconds
    return (
        line.row.slug,
        line.row.onboarding_status,
        "stuck" if line.stuck else of.stage,
        f"{of.done}/{of.steps}",
        of.step if of.job_id else None,
        None if total is None else duration(total),
        *_work(line).values(),
        line.row.id,
    )


def _document(line: Line) -> dict[str, Any]:
    of = line.provisioning
    about = {name: line.row._mapping[name] for name in FIELDS}
    told = {
        "provisioning": of.stage,
        "stuck": line.stuck,
        "steps_done": of.done,
        "step": of.step if of.job_id else None,
    }
    return about | told | {"job_id": of.job_id, "total_seconds": line.total_seconds} | _work(line)


def _work(line: Line) -> dict[str, int]:
    """The tenant's open work."""
    return {name: getattr(line.load, name, 0) for name in ("ready", "scheduled", "running", "dead")}
