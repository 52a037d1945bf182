"""Tenants: whose work it is."""

from __future__ import annotations

import click

from app.commands.desk import Desk, at_desk
from app.commands.output import facts, table
from worker.payloads import clean_text
from worker.queries import audit, tenants
from worker.queries.pages import readiness
from worker.queries.pages import tenants as pages
from worker.queries.pages.tenants import Line

FIELDS = ("id", "slug", "display_name", "onboarding_status", "created_at")


@click.group("tenants")
def command() -> None:
    """See the tenants; add one."""


@command.command("list")
@click.option("--find", default="", help="A part of the slug or the name.")
@click.option("--cursor", help="Go on where the last page ended.")
@at_desk
def list_tenants(desk: Desk, *, find: str, cursor: str | None) -> None:
    """One page of tenants by slug, with their open work."""
    with desk.engine.connect() as conn:
        wanted = clean_text(find, field="find", limit=200)
        page = pages.page(conn, containing=wanted, cursor=cursor, now=readiness.clock(conn))
    headings = ("SLUG", "NAME", "STATE", "READY", "LATER", "RUNNING", "DEAD", "ID")
    rows = [
        (each.row.slug, each.row.display_name, each.row.onboarding_status, *_work(each).values(), each.row.id)
        for each in page.lines
    ]
    more = f"\nmore: --cursor {page.older}" if page.older else ""
    found = [{name: each.row._mapping[name] for name in FIELDS} | _work(each) for each in page.lines]
    desk.answer({"tenants": found, "cursor": page.older}, table(headings, rows) + more)


@command.command("add")
@click.argument("slug")
@click.argument("name")
@at_desk
def add(desk: Desk, *, slug: str, name: str) -> None:
    """Add the tenant NAME under the short name SLUG; a slug that is there already is left as it is."""
    with desk.engine.begin() as conn:
        known = tenants.id_of(conn, slug=slug)
        tenant_id = known or tenants.add(conn, slug=slug, display_name=name)
        if not known:
            audit.record(conn, actor=desk.actor, action="tenant-add", target=slug, tenant_id=tenant_id)
    note = "was there already" if known else None
    desk.answer(
        {"id": tenant_id, "slug": slug, "created": not known}, facts({"tenant": slug, "id": tenant_id, "note": note})
    )


def _work(line: Line) -> dict[str, int]:
    """The tenant's open work."""
    return {name: getattr(line.load, name, 0) for name in ("ready", "scheduled", "running", "dead")}
