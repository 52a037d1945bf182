"""Acts on jobs as programs order them: looked at first, pressed, and found again by the key of the request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from starlette.responses import Response

from app import job_search, orders
from app.api import ApiCall
from app.documents import Document
from app.errors import NotFound
from app.kinds import Kind
from app.orders import Order, of_list
from app.repeats import made_id
from app.shapes.acts import Act
from app.shapes.changes import NeedsWhy, WithWhy
from app.shapes.orders import NewAct, NewReassignment, Outlook
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries.bulk_acts import repeats
from worker.queries.pages import selection
from worker.settings import queue_name

Asked = TypeVar("Asked", bound=NewAct)


def preview(call: ApiCall, conn: Connection, kind: Kind, model: type[Asked]) -> Response:
    """What would become of the jobs now; nothing is done."""
    order = _order(call, conn, kind, call.read(model))
    order.terms(undo_seconds=0)
    return Document(Outlook.model_validate(orders.outlook(conn, call.figures, call.registry, order, now=call.now)))


def create(call: ApiCall, conn: Connection, kind: Kind, model: type[Asked]) -> Response:
    """The act: 201 when it was made, 200 when it was made before under the same key."""
    asked = call.read(model)
    return _pressed(call, conn, _order(call, conn, kind, asked), reason=asked.reason, shown=asked.shown)


def create_one(call: ApiCall, conn: Connection, kind: Kind, model: type[WithWhy] | type[NeedsWhy]) -> Response:
    """The same on the job of the address."""
    order = Order(kind, call.now, (call.uuid("job"),))
    if not selection.read(conn, orders.chosen(order, now=call.now), now=call.now).parts:
        raise NotFound("There is no job with this id.")
    return _pressed(call, conn, order, reason=call.read(model).reason)


def _pressed(call: ApiCall, conn: Connection, order: Order, *, reason: str | None, shown: int = 0) -> Response:
    undo_seconds, act_id, why = call.settings.undo_seconds, made_id(call), reason or None
    if act_id:
        asked: dict[str, Any] = {"terms": order.terms(undo_seconds=undo_seconds), "job_ids": order.job_ids}
        if (first := repeats.first(conn, act_id=act_id, reason=why, now=call.now, **asked)) is not None:
            return Document(Act.of(first))
    whose: dict[str, Any] = {"actor": call.actor, "reason": why, "now": call.now, "act_id": act_id}
    act = orders.press(conn, order, undo_seconds=undo_seconds, shown=shown, **whose)
    return Document(Act.of(act), 201)


def _order(call: ApiCall, conn: Connection, kind: Kind, asked: NewAct) -> Order:
    if bool(asked.jobs) == (asked.filters is not None):
        raise InvalidInput("jobs", "are given by their ids, or else by filters")
    order = Order(
        kind,
        asked.before or call.now,
        tuple(dict.fromkeys(asked.jobs)),
        mode=asked.mode,
        rate=asked.rate,
        stop_after=asked.stop_after,
        to_queue=_queue(asked.to) if isinstance(asked, NewReassignment) else None,
    )
    if asked.filters is None:
        return order
    wanted = job_search.read(call, asked.filters)
    return of_list(replace(order, tenant_id=job_search.tenant(conn, wanted)), wanted)


def _queue(name: str) -> str:
    try:
        return queue_name(name)
    except ValueError as problem:
        raise InvalidInput("to", str(problem)) from None
