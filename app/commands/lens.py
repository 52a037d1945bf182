"""Commands that look at one tenant alone, as pages do in its lens."""

from __future__ import annotations

import click

from app.commands.desk import Desk
from app.commands.values import tenant_of
from worker.database import Connection
from worker.queries.pages import figures, tenant_figures
from worker.queries.pages.figures import Figures

tenant_option = click.option("--tenant", metavar="SLUG", help="Only what is of that tenant, as in its lens.")


def base_url(desk: Desk, tenant: str | None) -> str:
    """What addresses begin with that lead from a text to the console, and there into the lens of the tenant."""
    given = (desk.settings.url or "").rstrip("/")
    return f"{given}/in/{tenant}" if tenant else given


def sample(conn: Connection, tenant: str | None) -> Figures:
    """The figures of everybody, or of the tenant alone."""
    seen, tenant_id = figures.sample(conn), tenant_of(conn, tenant)
    return tenant_figures.of_tenant(conn, seen, tenant_id=tenant_id) if tenant_id else seen
