"""The audit trail from a shell: who did what to which rows, why, when and from where."""

from __future__ import annotations

from uuid import UUID

import click

from app.commands.desk import Desk, at_desk
from app.commands.output import table
from app.commands.refusals import Failed
from worker.database import Connection
from worker.queries import tenants
from worker.queries.pages import audit

HEADINGS = ("AT", "WHO", "WHAT", "OUTCOME", "TARGET", "JOBS", "TENANT", "WHY")


@click.command("audit")
@click.option("--actor", metavar="NAME", help="What that one did.")
@click.option("--action", metavar="WORD", help="One kind of act: replay, pause, sign-in, ...")
@click.option("--outcome", type=click.Choice(audit.OUTCOMES))
@click.option("--job", metavar="ID", help="What was done to that job.")
@click.option("--tenant", metavar="SLUG", help="What was done to that tenant and its newest jobs.")
@click.option("--cursor", help="Go on where the last page ended.")
@at_desk
def command(desk: Desk, *, cursor: str | None, **asked: str | None) -> None:
    """Show one page of the audit trail, the newest first."""
    wanted = audit.parse((name, value) for name, value in asked.items() if value)
    with desk.engine.connect() as conn:
        page = audit.read(conn, wanted, tenant_id=_tenant(conn, wanted.tenant), before=cursor)
    rows = [
        (each.at, each.actor, each.action, each.outcome, each.target, each.jobs, each.tenant, each.reason)
        for each in page.rows
    ]
    more = f"\nmore: --cursor {page.older}" if page.older else ""
    desk.answer(
        {"acts": [dict(each._mapping) for each in page.rows], "cursor": page.older}, table(HEADINGS, rows) + more
    )


def _tenant(conn: Connection, slug: str | None) -> UUID | None:
    found = tenants.id_of(conn, slug=slug) if slug else None
    if slug and found is None:
        raise Failed(f"no tenant has the slug {slug!r}")
    return found
