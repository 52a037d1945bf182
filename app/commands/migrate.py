"""Bring the control schema to the revision of this program."""

from __future__ import annotations

from pathlib import Path

import click

from app.commands.databases import data_option, database
from app.commands.desk import json_option
from app.commands.output import document, say
from app.commands.refusals import Failed, by_the_owner
from app.settings import ConsoleSettings
from worker import migrate, topology
from worker.provisioning import fleet


@click.command("migrate")
@data_option
@json_option
@by_the_owner()
def command(*, data: Path | None, as_json: bool) -> None:
    """Bring the database, and each tenant's tables, to this program's schema; safe to repeat, and on many machines."""
    settings = topology.as_owner(ConsoleSettings())
    with database(settings, data, create=True) as found, found.engine() as engine:
        with engine.connect() as conn:
            before = migrate.current(conn)
        migrate.upgrade(engine, passwords=settings.passwords)
        if behind := fleet.upgrade(engine):
            raise Failed(f"the tables of these tenants are not at this program's revision: {', '.join(behind)}")
    after = migrate.head()
    text = f"at {after} already" if before == after else f"migrated from {before or 'nothing'} to {after}"
    say(document({"before": before, "revision": after}) if as_json else text)
