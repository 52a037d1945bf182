"""The jobs that a command acts on: given by id, or all that a list shows; and how they are to be acted on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import wraps
from typing import Any
from uuid import UUID

import click

from app.commands.desk import Desk, reason_option, yes_option
from app.commands.job_lists import Asked, narrowed
from app.commands.refusals import Refused
from app.kinds import FAILURES, RATES, Kind
from app.orders import Order, of_list
from worker.database import Connection
from worker.queries.bulk_acts.acts import Mode

_HOW = (
    click.option("--one-first", is_flag=True, help="One job; the rest once it passed, and not at all if it fails."),
    click.option("--rate", type=click.IntRange(RATES[0], RATES[-1]), metavar="N", help="N jobs a second."),
    click.option(
        "--stop-after",
        type=click.IntRange(FAILURES[0], FAILURES[-1]),
        metavar="N",
        help="Stop once N failed with the same error.",
    ),
    click.option("--dry-run", is_flag=True, help="Only say what would become of them."),
    reason_option,
    yes_option,
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Jobs by id, or a list of them."""

    job_ids: Sequence[UUID] = ()
    asked: Asked | None = None

    def order(self, desk: Desk, conn: Connection, kind: Kind, how: How, *, now: datetime) -> Order:
        """What is to be done to them."""
        order = Order(kind, now, self.job_ids, mode=how.mode, rate=how.rate, stop_after=how.stop_after, to_queue=how.to)
        if self.asked is None:
            return order
        filters, tenant_id = self.asked.read(desk, conn, now)
        return of_list(replace(order, tenant_id=tenant_id), filters)


@dataclass(frozen=True, slots=True)
class How:
    """What was said of an act beside its jobs."""

    one_first: bool = False
    rate: int | None = None
    stop_after: int | None = None
    dry_run: bool = False
    reason: str | None = None
    yes: bool = False
    to: str | None = None

    @property
    def mode(self) -> Mode:
        """All now, one first, or so many a second."""
        if self.one_first and self.rate:
            raise Refused("give either --one-first or --rate")
        return Mode.ONE_FIRST if self.one_first else Mode.RATE if self.rate else Mode.ALL


def act_options(callback: Callable[..., None]) -> Callable[..., None]:
    """How the act goes, as `how`; with --dry-run, --reason and --yes."""

    @wraps(callback)
    def command(*, to: str | None = None, **options: Any) -> None:
        how = {name: options.pop(name) for name in How.__slots__ if name in options}
        callback(how=How(**how, to=to), **options)

    for option in reversed(_HOW):
        command = option(command)
    return command


def jobs_chosen(callback: Callable[..., None]) -> Callable[..., None]:
    """Give the command jobs as `wanted`: ids, or else the terms and options of a list."""

    @wraps(callback)
    def listed(*, asked: Asked, ids: Sequence[UUID], **options: Any) -> None:
        if bool(ids) == asked.narrows:
            raise Refused("give either ids of jobs, or what a list of them is narrowed to")
        callback(wanted=Wanted(ids) if ids else Wanted(asked=asked), **options)

    inner = narrowed(listed)

    @wraps(inner)
    def command(*, words: Sequence[str], **options: Any) -> None:
        ids = [_id(word) for word in words]
        found = [each for each in ids if each is not None]
        inner(words=[word for word, each in zip(words, ids, strict=True) if each is None], ids=found, **options)

    return command


def _id(word: str) -> UUID | None:
    try:
        return UUID(word)
    except ValueError:
        return None
