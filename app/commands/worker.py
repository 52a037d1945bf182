"""One standalone worker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from app import logs
from app.commands.databases import Database, data_option, database
from app.commands.desk import json_option, require_schema
from app.commands.output import document, facts, say
from app.commands.refusals import Misconfigured
from app.commands.serving import given
from app.main import new_worker
from app.processes import Stop, leave_in_peace, running
from app.settings import ConsoleSettings
from worker import topology
from worker.handlers import configured
from worker.queries.pages import readiness


@click.command("worker")
@click.option("--component", "worker_component", help="Its configured name; WATCHFLOOR_WORKER_COMPONENT, or worker.")
@click.option("--job-types", "worker_job_types", help="What it takes, comma-separated; all that have a handler here.")
@click.option("--queues", "worker_queues", help="Where it takes from, comma-separated; all.")
@click.option("--concurrency", "worker_concurrency", type=click.IntRange(1, 1000), help="How many jobs at once; 8.")
@data_option
@json_option
def command(*, data: Path | None, as_json: bool, **options: Any) -> None:
    """Run jobs until SIGTERM, Ctrl-C or an operator's drain; what never started goes back untouched."""
    settings = topology.shaped(ConsoleSettings(**given(**options)), "standalone", starts="`watchfloor worker`")
    logs.configure(settings)
    with database(settings, data, create=False) as found:
        with found.engine() as engine:
            require_schema(engine)
        worker = new_worker(found.settings, configured(found.settings))
        _require_owner(found)
        leave_in_peace()
        stop = Stop(parts=[worker])
        with stop.listening(), running([*found.care(), worker]):
            about = {"instance": worker.instance.instance_id, "component": worker.instance.component}
            say(document(about) if as_json else facts(about))
            stop.wait(unless=lambda: worker.drained)


def _require_owner(found: Database) -> None:
    """Misconfigured where what is set as the owner's address is not: every claim would be refused."""
    if not found.settings.migrations_database_url:
        return
    with replace(found, settings=topology.as_owner(found.settings)).engine() as engine, engine.connect() as conn:
        if not readiness.owns(conn):
            raise Misconfigured("MIGRATIONS_DATABASE_URL: its role does not own the queue, so it may not provision")
