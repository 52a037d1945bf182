"""What every command that works on the database has at hand, and the options that they share."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import Any

import click

from app.commands.databases import data_option, database
from app.commands.output import document, say
from app.commands.refusals import Misconfigured, Refused, by_the_owner
from app.commands.values import reason
from app.settings import ConsoleSettings
from worker import migrate, topology
from worker.database import Engine
from worker.handlers import Registry, configured
from worker.queries.audit import Actor

json_option = click.option("--json", "as_json", is_flag=True, help="Answer with one JSON document.")
reason_option = click.option("--reason", type=reason, metavar="WHY", help="Why, for the audit trail.")
needed_reason = click.option("--reason", type=reason, metavar="WHY", required=True, help="Why, for the audit trail.")
traceparent_option = click.option(
    "--traceparent",
    envvar="TRACEPARENT",
    help="The span that asks for it, as W3C writes it; TRACEPARENT.",
)
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
        return configured(self.settings)

    @property
    def actor(self) -> Actor:
        """Who the audit trail names for what this command does."""
        return os_actor()

    def answer(self, value: Any, text: str) -> None:
        """Print the JSON document or the text, whichever was asked for."""
        say(document(value) if self.as_json else text)


def at_desk(callback: Callable[..., None]) -> Callable[..., None]:
    """Give the command a desk, and the options --data and --json."""
    return _at_desk(callback, ConsoleSettings)


def at_owners_desk(callback: Callable[..., None]) -> Callable[..., None]:
    """The same by the owner's address, where there is one: who may come in, no other role decides."""
    return _at_desk(by_the_owner()(callback), lambda: topology.as_owner(ConsoleSettings()))


def _at_desk(callback: Callable[..., None], settings: Callable[[], ConsoleSettings]) -> Callable[..., None]:
    @wraps(callback)
    def command(*, data: Path | None, as_json: bool, **arguments: Any) -> None:
        require_text(arguments.values())
        with opened(settings(), data, as_json=as_json) as desk:
            callback(desk, **arguments)

    return data_option(json_option(command))


@contextmanager
def opened(settings: ConsoleSettings, data: Path | None, *, as_json: bool) -> Iterator[Desk]:
    """A desk on a database that is there and at the revision of this program."""
    with database(settings, data, create=False) as found, found.engine() as engine:
        require_schema(engine)
        yield Desk(found.settings, engine, as_json)


def require_schema(engine: Engine) -> None:
    """Misconfigured unless the database is at this program's revision: nothing is done to another one."""
    with engine.connect() as conn:
        if migrate.current(conn) != migrate.head():
            raise Misconfigured("the database is not at this program's schema revision: run `watchfloor migrate`")


def confirm(question: str, *, yes: bool) -> None:
    """Ask before what cannot be taken back; where nobody can answer, --yes is needed."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise Refused(f"{question} Say --yes to do it.")
    click.confirm(question, abort=True, err=True)


def os_actor() -> Actor:
    """Who the audit trail names: the account that the operating system knows, whatever the environment says."""
    uid = os.getuid()
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:  # no name for this number, as in many containers
        name = f"uid-{uid}"
    return Actor(f"cli:{name}"[:100])


def require_text(values: Iterable[object]) -> None:
    """Refuse bytes that are no UTF-8, which Python hands over as lone surrogates and no database keeps."""
    for value in values:
        if isinstance(value, str) and not value.isascii():
            try:
                value.encode()
            except UnicodeEncodeError:
                raise Refused(f"{value[:100]!r} is not UTF-8") from None
        elif isinstance(value, tuple):
            require_text(value)
