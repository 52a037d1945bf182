"""Tenants: whose work it is."""

from __future__ import annotations

import click

from app.commands.desk import Desk, at_desk
from app.commands.output import facts
from worker.queries import audit, tenants


@click.group("tenants")
def command() -> None:
    """See the tenants; add one."""


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
