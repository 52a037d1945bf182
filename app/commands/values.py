"""Kinds of values on the command line beyond those that click knows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from app.commands.refusals import Failed, Refused
from worker.database import Connection
from worker.queries import tenants

_SPAN = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)", re.ASCII)
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


class Span(click.ParamType):
    """A length of time: seconds, or a number with s, m, h or d."""

    name = "span"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Seconds."""
        if isinstance(value, int | float):
            return value
        if found := _SPAN.fullmatch(value):
            return float(found[1]) * _SECONDS[found[2]]
        self.fail(f"{value!r} is not a span such as 90, 90s, 15m, 2h or 1d", param, ctx)


class Payload(click.ParamType):
    """A JSON object: as it stands, `@file`, or `-` for standard input."""

    name = "JSON|@FILE|-"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        """The object."""
        if isinstance(value, dict):
            return value
        try:
            found = json.loads(_text(value))
        except OSError as error:
            self.fail(f"{value[1:]}: {error.strerror}", param, ctx)
        except (ValueError, RecursionError):
            self.fail("is not JSON", param, ctx)
        return found if isinstance(found, dict) else self.fail("must be a JSON object", param, ctx)


def _text(value: str) -> str:
    if value == "-":
        return click.get_text_stream("stdin").read()
    return Path(value[1:]).read_text(encoding="utf-8") if value.startswith("@") else value


def tenant_of(conn: Connection, named: str | None) -> UUID | None:
    """The id of the tenant given by id or by slug; Failed when no tenant has the slug."""
    if named is None:
        return None
    try:
        return UUID(named)
    except ValueError:
        found = tenants.id_of(conn, slug=named)
    if found is None:
        raise Failed(f"no tenant has the slug {named[:100]!r}")
    return found


def only_one(first: object, second: object, names: str) -> None:
    """Refuse both and neither."""
    if bool(first) == bool(second):
        raise Refused(f"give {names}, one of the two")
