"""The console with the queue's maintenance, and no worker."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import click
import structlog

from app import logs
from app.commands.databases import data_option, database
from app.commands.desk import json_option, require_schema
from app.commands.output import document, say
from app.commands.refusals import Misconfigured
from app.commands.serving import bound, given, host_option, port_option, serve
from app.main import new_maintenance
from app.settings import ConsoleSettings
from worker import topology
from worker.database import Engine, is_outage
from worker.handlers import configured
from worker.queries.pages import readiness

_LETS_NOBODY_IN = "CONSOLE_DATABASE_URL, else DATABASE_URL: its role may let nobody in; the pages are console_rw's"

log = structlog.get_logger()


@click.command("serve")
@host_option
@port_option
@data_option
@json_option
def command(*, host: str | None, port: int | None, data: Path | None, as_json: bool) -> None:
    """Serve the console, with relay, reaper and pruner but no worker; any number may run beside each other."""
    settings = topology.shaped(
        ConsoleSettings(**given(host=host, port=port)), "standalone", starts="`watchfloor serve`"
    )
    logs.configure(settings)
    with bound(settings) as listener, database(settings, data, create=False) as found:
        registry = configured(found.settings)
        with replace(found, settings=found.settings.of_pages).engine() as engine:
            _look(engine)
        serve(
            found.settings,
            registry,
            [*found.care(), new_maintenance(found.settings, registry)],
            listener=listener,
            on_start=lambda url: say(document({"url": url}) if as_json else f"Watchfloor is at {url}"),
        )


def _look(engine: Engine) -> None:
    """Refuse a database of another revision, or a role that knows nobody; one that is out of reach is waited for."""
    try:
        require_schema(engine)
        with engine.connect() as conn:
            if not readiness.may_serve(conn):
                raise Misconfigured(_LETS_NOBODY_IN)
    except Exception as error:
        if not is_outage(error):
            raise
        log.warning("database.lost", error=type(error).__name__)
