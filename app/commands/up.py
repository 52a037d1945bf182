"""Everything in one process: database, migrations, console, worker, maintenance."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from app import logs
from app.commands.databases import Database, data_option, database
from app.commands.desk import json_option
from app.commands.opening import greeting, prepare
from app.commands.output import say
from app.commands.serving import bound, given, host_option, port_option, serve
from app.demo import shift
from app.demo.obstacles import obstacles_of
from app.demo.onboarding import Onboarding
from app.demo.traffic import Traffic
from app.main import new_maintenance, new_worker
from app.processes import Companion, Part
from app.settings import ConsoleSettings
from worker import topology
from worker.database import Engine, is_file
from worker.deployment import Deployment
from worker.handlers import Registry, configured
from worker.settings import WorkerSettings


@click.command("up")
@click.option("--demo", is_flag=True, help="Add a shop's tenants, traffic and failures to look at.")
@host_option
@port_option
@data_option
@json_option
def command(*, demo: bool, host: str | None, port: int | None, data: Path | None, as_json: bool) -> None:
    """Start everything: a database if DATABASE_URL names none, the console, a worker and the maintenance."""
    settings = topology.shaped(
        _settings(given(host=host, port=port), demo=demo), "in_process", starts="`watchfloor up`"
    )
    logs.configure(settings)
    listener = bound(settings)
    with database(settings, data, create=True) as found, found.to_itself(), found.engine() as engine:
        registry = configured(found.settings)
        with Deployment(found.settings).owner_engine() as owner:
            path = prepare(owner, found.settings.passwords)
        serve(
            found.settings,
            registry,
            _parts(found, engine, registry, demo=demo),
            listener=listener,
            on_start=lambda url: say(greeting(f"Watchfloor is at {url}", url, path, found, as_json=as_json)),
        )


def _settings(options: dict[str, Any], *, demo: bool) -> ConsoleSettings:
    settings = ConsoleSettings(**options)
    if not demo:
        return settings
    defaults = {name: value for name, value in shift.DEFAULTS.items() if name not in settings.model_fields_set}
    handlers = tuple(dict.fromkeys((*(settings.handlers or ()), shift.MODULE)))
    return ConsoleSettings(**{**defaults, **options, "handlers": handlers})


def _parts(found: Database, engine: Engine, registry: Registry, *, demo: bool) -> list[Part]:
    """What runs beside the console."""
    settings = found.settings
    shop = _shop(found, engine, registry) if demo else []
    return [
        *found.care(),
        new_maintenance(settings, registry),
        *(new_worker(each, registry) for each in _staff(found, demo=demo)),
        *shop,
    ]


def _shop(found: Database, engine: Engine, registry: Registry) -> list[Part]:
    """The demo's tenants and what they do all day."""
    onboarding = Onboarding(engine, registry.job_types, obstacles_of(found.settings))
    return [Companion("onboarding", onboarding.run), Companion("traffic", Traffic(engine, registry.job_types).run)]


def _staff(found: Database, *, demo: bool) -> Sequence[WorkerSettings]:
    """A worker, or the demo's shift of them."""
    if demo and not is_file(found.url):  # which has room for one
        return shift.workers(found.settings)
    return [found.settings]
