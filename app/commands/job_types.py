"""Job types and subscribers from a shell: what waits of each, why, and how it went."""

from __future__ import annotations

import click

from app.commands import lens, queue_sheet
from app.commands.desk import Desk, at_desk
from app.commands.output import facts, table
from app.text import age
from worker.payloads import clean_text
from worker.queries.pages import queues
from worker.queries.pages.courses import SPANS


@click.group("job-types")
def command() -> None:
    """See what waits and runs of each job type and subscriber, and one of them."""


@command.command("list")
@click.option("--find", default="", help="A part of the name.")
@lens.tenant_option
@click.option("--cursor", help="Go on where the last page ended.")
@at_desk
def list_types(desk: Desk, *, find: str, tenant: str | None, cursor: str | None) -> None:
    """One page of job types and subscribers with open work, the fullest first."""
    with desk.engine.connect() as conn:
        seen = lens.sample(conn, tenant)
        page = queues.by_type(conn, seen, containing=clean_text(find, field="find", limit=200), cursor=cursor)
    names = ("name", "pace", "ready", "scheduled", "running", "dead")
    rows = [(*(getattr(load, name) for name in names), age(load.since, load.at)) for load in page.lines]
    more = f"\nmore: --cursor {page.older}" if page.older else ""
    known = [{name: getattr(load, name) for name in names} | {"oldest": load.since} for load in page.lines]
    headings = ("HANDLER", "STATE", "READY", "LATER", "RUNNING", "DEAD", "OLDEST")
    desk.answer({"job_types": known, "cursor": page.older}, table(headings, rows) + more)


@command.command("show")
@click.argument("name")
@click.option("--span", type=click.Choice(list(SPANS)), default="1h", show_default=True, help="How far back.")
@lens.tenant_option
@at_desk
def show(desk: Desk, *, name: str, span: str, tenant: str | None) -> None:
    """How the job type or subscriber NAME stands, why its jobs wait, how it went, and what was declared of it."""
    with desk.engine.connect() as conn:
        known = queue_sheet.read_type(conn, lens.sample(conn, tenant), name, SPANS[span])
    subscriber = name if desk.registry.subscribers.get(name) else None
    told = desk.registry.guidance(job_type=name, subscriber_id=subscriber)
    declared = {"runbook": told.runbook, "owner": told.owner, "replay": told.replay}
    lines = [queue_sheet.text(known), *([facts(declared)] if told else [])]
    desk.answer(known | {"guidance": declared}, "\n\n".join(lines))
