"""Acts on jobs as a shell or a program orders them: which jobs, how, and what would become of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID

from app import prospects
from app.kinds import Kind
from worker.database import Connection, Row
from worker.errors import InvalidInput
from worker.handlers import Registry
from worker.queries.audit import Actor
from worker.queries.bulk_acts import work
from worker.queries.bulk_acts.acts import AT_MOST, Action, Mode, Terms
from worker.queries.pages import selection
from worker.queries.pages.figures import Figures
from worker.queries.pages.filters import Filters
from worker.queries.pages.selection import Chosen, Selection


@dataclass(frozen=True, slots=True)
class Order:
    """Jobs by id, or every job that passes the filters and was there at a time; and how to act on them."""

    kind: Kind
    before: datetime
    job_ids: Sequence[UUID] = ()
    filters: Filters | None = None
    tenant_id: UUID | None = None
    mode: Mode = Mode.ALL
    rate: int | None = None
    stop_after: int | None = None
    to_queue: str | None = None

    def terms(self, *, undo_seconds: int) -> Terms:
        """The same as the act keeps it; InvalidInput names what does not go together."""
        if (self.mode == Mode.RATE) != (self.rate is not None):
            raise InvalidInput("rate", f"goes with the mode {Mode.RATE}, and that with a rate")
        if self.mode == Mode.ALL and self.stop_after is not None:
            raise InvalidInput("stop_after", "needs a mode that goes bit by bit")
        if (self.kind.action == Action.REASSIGN) != (self.to_queue is not None):
            raise InvalidInput("to", "is the queue to reassign to, and nothing else has one")
        return Terms(
            action=self.kind.action,
            mode=self.mode,
            rate=self.rate,
            stop_after=self.stop_after,
            to_queue=self.to_queue,
            undo_seconds=undo_seconds if self.kind.action == Action.REPLAY else 0,
            filters=self.filters.pairs() if self.filters else None,
            seen_at=self.before,
        )


def of_list(order: Order, filters: Filters) -> Order:
    """The order for a whole list, which is of the one state that the act moves where it names none."""
    lists = order.kind.lists
    if filters.status is None and len(lists) == 1:
        filters = replace(filters, status=next(iter(lists)))
    if filters.status not in lists:
        raise InvalidInput("status", f"must be {' or '.join(sorted(lists))}, for all of a list to be chosen")
    return replace(order, filters=filters)


def chosen(order: Order, *, now: datetime) -> Chosen:
    """The statement that finds the jobs, as many as one act takes."""
    if order.filters is None:
        return selection.by_id(order.job_ids)
    return selection.matching(order.filters, tenant_id=order.tenant_id, before=order.before, limit=AT_MOST, now=now)


def press(
    conn: Connection,
    order: Order,
    *,
    undo_seconds: int,
    shown: int = 0,
    actor: Actor,
    reason: str | None,
    now: datetime,
    act_id: UUID | None = None,
) -> Row:
    """Fix the jobs as an act, and do what is done at once; InvalidInput takes the caller's transaction back."""
    found = chosen(order, now=now)
    whose: dict[str, Any] = {"actor": actor, "reason": reason, "now": now, "act_id": act_id}
    told = len(order.job_ids) or shown
    terms = order.terms(undo_seconds=undo_seconds)
    return work.begin(conn, terms=terms, chosen=found.rows, values=found.values, shown=told, **whose)


def outlook(conn: Connection, figures: Figures, registry: Registry, order: Order, *, now: datetime) -> dict[str, Any]:
    """What the form of a page says before the press: how many, whose, where, and what would become of them."""
    everything = selection.read(conn, chosen(order, now=now), now=now)
    moved = everything.within(order.kind.moves)
    would = prospects.of(conn, figures, registry, moved, to_queue=order.to_queue)
    return {
        "before": order.before,
        "chosen": everything.jobs,
        "moves": moved.jobs,
        "others": everything.without(order.kind.moves).counts("state"),
        "gone": max(len(order.job_ids) - everything.jobs, 0),
        "capped": everything.jobs >= AT_MOST,
        **_what(moved),
        "workers": would.takers,
        "unserved": [{"job_type": name, "queue": queue} for name, queue in would.unserved],
        "paused": [pause.queue for pause in would.pauses],
        "waits": would.waiting,
        "ahead": would.ahead,
        "seconds": would.seconds,
        "no_such_subscriber": would.strangers,
        "guidance": would.guidance,
    }


def _what(jobs: Selection) -> dict[str, Any]:
    counts = {name: jobs.counts(column) for name, column in _COUNTED.items()}
    return {"oldest": jobs.since, "replayed_before": jobs.replayed, **counts}


_COUNTED = {"handlers": "handler_key", "queues": "queue", "tenants": "tenant"}
