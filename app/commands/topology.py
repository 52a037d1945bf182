"""The whole deployment on one machine, in processes with separate credentials."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import click
from pydantic import SecretStr

from app import logs
from app.commands.databases import Database, data_option, database
from app.commands.desk import json_option
from app.commands.opening import greeting, prepare
from app.commands.output import say
from app.commands.refusals import Misconfigured, explain
from app.commands.serving import bound, given, host_option, port_option
from app.processes import Stop, running
from app.settings import ConsoleSettings
from app.split.child import Child
from app.split.shares import Addresses, Share, addresses, require_apart, shares
from app.text import escaped
from worker import topology

_STARTS = "`watchfloor topology`"
_BESIDE = "with a provisioner and a product worker in processes of their own"
_LOOK_EVERY_SECONDS = 0.1
_NAME_WIDTH = 12
_LAST_WORDS_SECONDS = 15


@click.command("topology")
@host_option
@port_option
@data_option
@json_option
def command(*, host: str | None, port: int | None, data: Path | None, as_json: bool) -> None:
    """Start the console, a provisioner and a product worker, each with its own credentials; restart whichever dies."""
    told = ConsoleSettings(**given(host=host, port=port))
    require_apart(told, os.environ)
    settings = _with_port(topology.shaped(_owned(told), "standalone", starts=_STARTS))
    logs.configure(settings)
    with database(settings, data, create=True) as found:
        with found.engine() as owner:
            path = prepare(owner, found.settings.passwords)
        known = addresses(told, found.url)
        _require_ways_in(found, known)
        children = [_child(each, settings) for each in _shares(told, found, known)]
        stop = Stop(parts=children)
        with stop.listening(), running([*found.care(), *children]):
            url = settings.address
            say(greeting(f"Watchfloor will be at {url}, {_BESIDE}", url, path, found, as_json=as_json))
            _tend(children, stop)


def _with_port(settings: ConsoleSettings) -> ConsoleSettings:
    """The console's port, which has to be free now; the console keeps it when it is started again."""
    with bound(settings) as listener:
        return settings.model_copy(update={"port": listener.getsockname()[1]})


def _owned(settings: ConsoleSettings) -> ConsoleSettings:
    """The settings with the owner's database as theirs; the embedded one where they name none."""
    if settings.migrations_database_url:
        return topology.as_owner(settings)
    if settings.database_url:
        topology.shaped(settings, "standalone", starts=_STARTS)  # a file is refused as what it is
        raise Misconfigured(
            "MIGRATIONS_DATABASE_URL is not set: `watchfloor topology` needs the owner's address beside DATABASE_URL,"
            " or neither of them for the embedded PostgreSQL"
        )
    return settings


def _require_ways_in(found: Database, known: Addresses) -> None:
    """Misconfigured where a role cannot sign in, as without a password that the server wants; the owner could."""
    for setting, url in (
        ("DATABASE_URL, else WATCHFLOOR_APP_RW_PASSWORD", known.work),
        ("CONSOLE_DATABASE_URL, else WATCHFLOOR_CONSOLE_RW_PASSWORD", known.pages),
    ):
        one = found.settings.model_copy(update={"database_url": SecretStr(url)})
        try:
            with replace(found, settings=one).engine() as engine, engine.connect():
                pass
        except Exception as error:
            if reason := explain(error):
                raise Misconfigured(f"{setting}: {reason.message}") from error
            raise


def _shares(told: ConsoleSettings, found: Database, known: Addresses) -> tuple[Share, ...]:
    """A pooler is where the address leads that was told; the others are the owner's, and lead past it."""
    shared = found.settings.model_copy(update={"pooler": told.pooler if told.database_url else None})
    return shares(shared, known, os.environ)


def _child(share: Share, settings: ConsoleSettings) -> Child:
    grace = settings.shutdown_grace_seconds + _LAST_WORDS_SECONDS
    command = [sys.executable, "-m", "app", *share.arguments]
    return Child(share.name, command, share.environment, tell=_tell, grace_seconds=grace)


def _tell(name: str, line: str) -> None:
    """One line on standard error, with the name of whose it is before it."""
    click.echo(f"{name:<{_NAME_WIDTH}}| {escaped(line)}", err=True)


def _tend(children: Sequence[Child], stop: Stop) -> None:
    while not stop.asked:
        for child in children:
            child.tend(time.monotonic())
            if child.misconfigured:
                raise Misconfigured(f"the {child.name} does not start as it is configured: its last line says why")
        time.sleep(_LOOK_EVERY_SECONDS)
