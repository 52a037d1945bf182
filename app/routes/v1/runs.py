"""Runs ahead of time, as programs order them."""

from __future__ import annotations

from starlette.responses import Response

from app import ordering
from app.api import ApiCall, in_transaction
from app.kinds import RUN
from app.shapes.changes import WithWhy
from app.shapes.orders import NewAct
from worker.database import Connection


@in_transaction
def preview(call: ApiCall, conn: Connection) -> Response:
    """Look what would become of jobs that were made due.

    Nothing is done: it is what the form of the page says.
    """
    return ordering.preview(call, conn, RUN, NewAct)


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Make jobs due that wait for their time, or for their next try.

    201 when it was made, 200 when it was before under the same Idempotency-Key. Many jobs are moved by and by.
    """
    return ordering.create(call, conn, RUN, NewAct)


@in_transaction
def create_one(call: ApiCall, conn: Connection) -> Response:
    """Make one job due that waits for its time, or for its next try."""
    return ordering.create_one(call, conn, RUN, WithWhy)
