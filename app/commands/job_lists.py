"""What a list of jobs is narrowed to on the command line: the words of the search box, or options."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import wraps
from typing import Any
from urllib.parse import parse_qsl
from uuid import UUID

import click

from app.commands.desk import Desk, require_text
from app.commands.refusals import Failed, Refused
from app.commands.values import tenant_of
from app.errors import BadInput
from app.search import TERMS, Pairs, terms
from worker.database import Connection
from worker.queries import saved_views
from worker.queries.pages import filters
from worker.queries.pages.filters import Filters

_OPTIONS = (
    click.argument("words", nargs=-1, metavar="[TERM...]"),
    click.option("--status", help="queued, ready, scheduled, retrying, running, succeeded, failed or cancelled."),
    click.option("--type", help="A job type or a subscriber."),
    click.option("--queue"),
    click.option("--tenant", help="A slug."),
    click.option("--worker", help="An instance or a component: what it holds."),
    click.option("--event", help="An event id: its jobs."),
    click.option("--key", help="An idempotency key."),
    click.option("--group", help="A fingerprint of dead letters."),
    click.option("--error", multiple=True, help="A word in the error; may be repeated."),
    click.option("--since", help="Put in since: 90m, 24h, 7d, or a time."),
    click.option("--until", help="Put in before."),
    click.option("--sort", help="created, ended, started or due; with - before it the last first."),
    click.option("--view", help="A view that somebody shared: what else is asked for is added."),
)


@dataclass(frozen=True, slots=True)
class Asked:
    """What was asked for, as fields of an address."""

    pairs: Pairs
    view: str | None

    @property
    def narrows(self) -> bool:
        """Whether anything was asked for."""
        return bool(self.pairs or self.view)

    def read(self, desk: Desk, conn: Connection, now: datetime) -> tuple[Filters, UUID | None]:
        """The filters, and the id of the tenant that they name."""
        wanted = filters.parse([*self._of_view(conn), *self.pairs], now=now)
        for path, _ in wanted.payload:
            if desk.registry.closes(path.split("."), handler_key=wanted.type):
                raise Refused(f"payload.{path} is closed to the eye, so jobs are not searched by it")
        return wanted, tenant_of(conn, wanted.tenant)

    def _of_view(self, conn: Connection) -> Pairs:
        if self.view is None:
            return []
        query = saved_views.shared(conn, name=self.view)
        if query is None:
            raise Failed(f"nobody shares a view named {self.view!r}")
        return parse_qsl(query)


def narrowed(callback: Callable[..., None]) -> Callable[..., None]:
    """Give the command the terms and options of a list of jobs, as `asked`."""

    @wraps(callback)
    def command(*, words: Sequence[str], view: str | None, **options: Any) -> None:
        require_text((words, view, *options.values()))
        names = filters.NAMES & options.keys()
        given = [(name, value) for name in sorted(names) for value in _values(options.pop(name))]
        callback(asked=Asked([*_terms(words), *given], view), **options)

    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def _values(given: str | Sequence[str] | None) -> Sequence[str]:
    return [given] if isinstance(given, str) else given or ()


def _terms(words: Sequence[str]) -> Pairs:
    """The terms of the search box; here each has to have a name."""
    try:
        named, rest = terms(" ".join(map(_quoted, words)), names=TERMS - {"id"}, prefix=filters.PAYLOAD)
    except BadInput as refusal:
        raise Refused(refusal.message) from None
    if rest:
        raise Refused(f"{rest[0][:60]!r} has no name before it, as in queue:mail or error:timeout")
    return named


def _quoted(word: str) -> str:
    """A word of the shell as the search box has it, its value kept together."""
    name, colon, value = word.partition(":")
    return f'{name}:"{value}"' if colon and " " in value and '"' not in value else word
