"""Tell from a shell, or from the script that deploys, that a release began."""

from __future__ import annotations

from datetime import datetime

import click

from app.commands.desk import Desk, at_desk
from app.commands.output import facts
from app.commands.values import instant
from worker.queries import releases


@click.command("release")
@click.argument("name")
@click.option("--component", help="Of these workers alone; else of everything.")
@click.option("--at", type=instant, metavar="TIME", help="When it began, such as 2026-11-30T02:09Z; else now.")
@at_desk
def command(desk: Desk, *, name: str, component: str | None, at: datetime | None) -> None:
    """Tell that the release NAME began: charts and dead letters show what came after it."""
    with desk.engine.begin() as conn:
        told = releases.record(conn, name=name, component=component, at=at, actor=desk.actor)
    document = {"name": told.name, "component": told.component, "at": told.at, "created": told.created}
    note = None if told.created else "is the newest already"
    desk.answer(
        document, facts({"release": told.name, "component": told.component, "began": told.at, "note": note})
    )  # fmt: skip
