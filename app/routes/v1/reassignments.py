"""Reassignments, as programs order them."""

from __future__ import annotations

from starlette.responses import Response

from app import ordering
from app.api import ApiCall, in_transaction
from app.kinds import REASSIGN
from app.shapes.orders import NewReassignment
from worker.database import Connection


@in_transaction
def preview(call: ApiCall, conn: Connection) -> Response:
    """Look what would become of jobs in another queue.

    Nothing is done: it is what the form of the page says.
    """
    return ordering.preview(call, conn, REASSIGN, NewReassignment)


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Have jobs that wait do so in another queue.

    201 when it was made, 200 when it was before under the same Idempotency-Key. Many jobs are moved by and by.
    """
    return ordering.create(call, conn, REASSIGN, NewReassignment)
