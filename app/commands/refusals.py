"""How a command fails: one line on standard error, and an exit code that scripts can rely on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import IO, Any

import click
from pydantic import ValidationError

from app.settings import ConsoleSettings
from app.text import escaped
from worker.database import is_forbidden, is_outage
from worker.errors import ConfigurationError, InvalidInput, KeyReused, UnknownJobType
from worker.failures import safe_text


class Failed(click.ClickException):
    """What was asked could not be done."""

    exit_code = 1

    def show(self, file: IO[Any] | None = None) -> None:
        """One line, whatever the message carries."""
        click.echo(f"Error: {escaped(self.message)}", file=file, err=file is None)


class Refused(Failed):
    """A value on the command line was refused; nothing was changed."""

    exit_code = 2


class Unhealthy(Failed):
    """The system does not work as it should."""

    exit_code = 3


class Misconfigured(Failed):
    """The configuration cannot work; the message names the setting."""

    exit_code = 78


def explain(error: Exception) -> Failed | None:
    """What an exception of the layers below means to whoever typed the command; None for a defect of ours."""
    if isinstance(error, ValidationError):
        return Misconfigured("; ".join(f"{_setting(each['loc'])}{_reason(each['msg'])}" for each in error.errors()))
    if is_outage(error):
        return Failed(f"the database does not answer: {_driver(error)}")
    if is_forbidden(error):
        return _lacking("DATABASE_URL", error)
    for kind, answer in _ANSWERS.items():
        if isinstance(error, kind):
            return answer(str(error))
    return None


@contextmanager
def by_the_owner() -> Iterator[None]:
    """Name the owner's address where its role lacks a privilege."""
    try:
        yield
    except Exception as error:
        if is_forbidden(error):
            raise _lacking("MIGRATIONS_DATABASE_URL, else DATABASE_URL", error) from error
        raise


_ANSWERS: dict[type[Exception], Callable[[str], Failed]] = {
    ConfigurationError: Misconfigured,
    UnknownJobType: lambda message: Refused(f"{message} (is its module named in WATCHFLOOR_HANDLERS?)"),
    InvalidInput: Refused,
    KeyReused: Failed,
}


def _lacking(setting: str, error: Exception) -> Misconfigured:
    return Misconfigured(f"{setting}: its role lacks a privilege: {_driver(error)}")


def _driver(error: Exception) -> str:
    """What the driver says, without the statement and on one line."""
    return safe_text(" ".join(str(getattr(error, "orig", error)).split()), 500)


def _setting(location: tuple[int | str, ...]) -> str:
    """The name in the environment of the field that pydantic speaks of; it never repeats the value."""
    if not location:
        return ""
    name = str(location[0])
    prefix = ConsoleSettings.model_config["env_prefix"]
    return f"{name if name.isupper() else prefix + name.upper()}: "


def _reason(message: str) -> str:
    return message.removeprefix("Value error, ")
