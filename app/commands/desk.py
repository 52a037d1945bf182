"""What every command that works on the database has at hand, and the options that they share."""

from __future__ import annotations

import getpass
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import Any
from uuid import UUID

import click
from pydantic import SecretStr

from app.commands.output import document, say
from app.commands.refusals import Misconfigured, Refused
from app.settings import ConsoleSettings
from worker import migrate
from worker.database import Engine, connect, url_of
from worker.handlers import Registry, load
from worker.local_postgres import LocalPostgres, default_data_folder
from worker.queries.audit import Actor

json_option = click.option("--json", "as_json", is_flag=True, help="Answer with one JSON document.")
data_option = click.option(
    "--data",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the embedded PostgreSQL; only where DATABASE_URL is unset.",
)
reason_option = click.option("--reason", help="Why, for the audit trail.")
yes_option = click.option("--yes", is_flag=True, help="Do not ask.")


@dataclass(frozen=True)
class Desk:
    """One command's settings, database and way to answer."""

    settings: ConsoleSettings
    engine: Engine
    as_json: bool

    @cached_property
    def registry(self) -> Registry:
        """The job types and subscribers that WATCHFLOOR_HANDLERS brings."""
        return load(self.settings.handlers or ())

    @property
    def actor(self) -> Actor:
        """Who the audit trail names for what this command does."""
        return Actor(f"cli:{_user()}"[:100])

    def answer(self, value: Any, text: str) -> None:
        """Print the JSON document or the text, whichever was asked for."""
        say(document(value) if self.as_json else text)


def at_desk(callback: Callable[..., None]) -> Callable[..., None]:
    """Give the command a desk, and the options --data and --json."""

    @wraps(callback)
    def command(*, data: Path | None, as_json: bool, **arguments: Any) -> None:
        with opened(ConsoleSettings(), data, as_json=as_json) as desk:
            callback(desk, **arguments)

    return data_option(json_option(command))


@contextmanager
def opened(settings: ConsoleSettings, data: Path | None, *, as_json: bool) -> Iterator[Desk]:
    """A desk on a database that is there and at the revision of this program."""
    with database(settings, data, create=False) as located, engine_of(located) as engine:
        with engine.connect() as conn:
            if migrate.current(conn) != migrate.head():
                raise Misconfigured("the database is not at this program's schema revision: run `watchfloor migrate`")
        yield Desk(located, engine, as_json)


@contextmanager
def database(settings: ConsoleSettings, data: Path | None, *, create: bool) -> Iterator[ConsoleSettings]:
    """The settings with a database: the one they name, else the embedded one, held open meanwhile."""
    if settings.database_url:
        if data:
            raise Refused("--data is for the embedded PostgreSQL, but DATABASE_URL is set")
        yield settings
        return
    folder = data or default_data_folder()
    if not create and not (folder / "pgdata").is_dir():
        raise Misconfigured("no database: set DATABASE_URL, or start one with `watchfloor up`")
    local = LocalPostgres(folder)
    url = local.open()
    try:
        yield settings.model_copy(update={"database_url": SecretStr(url)})
    finally:
        local.close()


@contextmanager
def engine_of(settings: ConsoleSettings) -> Iterator[Engine]:
    """A small pool on the settings' database."""
    assert settings.database_url
    url = url_of(settings.database_url.get_secret_value())
    engine = connect(url, application_name="watchfloor cli", pool_size=2)
    try:
        yield engine
    finally:
        engine.dispose()


def confirm(question: str, *, yes: bool) -> None:
    """Ask before what cannot be taken back; where nobody can answer, --yes is needed."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Refused(f"{question} Say --yes to do it.")
    click.confirm(question, abort=True, err=True)


def chosen(ids: Sequence[UUID]) -> Sequence[UUID]:
    """The ids given on the command line; none is refused, more than one transaction should take as well."""
    if not 1 <= len(ids) <= 500:
        raise Refused("give from 1 to 500 job ids")
    return ids


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # no name for this uid, as in many containers
        return f"uid-{os.getuid()}"
