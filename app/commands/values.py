"""Kinds of values on the command line beyond those that click knows."""

from __future__ import annotations

import re
import sys
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import click

from app import payload_edit
from app.commands.refusals import Failed
from worker.database import Connection
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import tenants
from worker.settings import queue_name

_SPAN = re.compile(r"(\d+(?:\.\d+)?)([smhd]?)", re.ASCII)
_LONGEST_SPAN = 3660 * 86_400
_SECONDS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}


def span(text: str) -> float:
    """Seconds, given as they are or as a number with s, m, h or d."""
    found = _SPAN.fullmatch(text)
    if found is None:
        raise click.BadParameter(f"{text!r} is not a span such as 90, 90s, 15m, 2h or 1d")
    seconds = float(found[1]) * _SECONDS[found[2]]
    if seconds > _LONGEST_SPAN:
        raise click.BadParameter("must not be longer than ten years")
    return seconds


def instant(text: str) -> datetime:
    """A time with its zone, as ISO 8601 has it."""
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise click.BadParameter(f"{text!r} is not a time such as 2026-11-30T02:09Z") from None
    if found.tzinfo is None:
        raise click.BadParameter("must say its zone, such as Z or +01:00")
    return found


def reason(text: str) -> str:
    """Why somebody acts, in at most 500 characters."""
    try:
        kept = clean_text(text, field="reason", limit=500)
    except InvalidInput as refusal:
        raise click.BadParameter(refusal.problem) from None
    if not kept:
        raise click.BadParameter("must not be empty")
    return kept


def queue(text: str) -> str:
    """A legal queue name."""
    try:
        return queue_name(text)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def payload(text: str) -> dict[str, Any]:
    """A JSON object: as it stands, `@file`, or `-` for standard input."""
    try:
        found = payload_edit.parsed(_content(text))
    except OSError as error:
        raise click.BadParameter(f"{text[1:]}: {error.strerror}") from None
    except InvalidInput as refusal:
        raise click.BadParameter(refusal.problem) from None
    except ValueError:
        raise click.BadParameter("is not JSON: is not UTF-8") from None
    if not isinstance(found, dict):
        raise click.BadParameter("must be a JSON object")
    return found


def _content(text: str) -> str:
    if text == "-":
        return sys.stdin.read()
    return Path(text[1:]).read_text(encoding="utf-8") if text.startswith("@") else text


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
