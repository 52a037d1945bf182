"""Cancellations, as programs order them."""

from __future__ import annotations

from starlette.responses import Response

from app import ordering
from app.api import ApiCall, in_transaction
from app.kinds import CANCEL
from app.shapes.changes import NeedsWhy
from app.shapes.orders import NewCancellation
from worker.database import Connection


@in_transaction
def preview(call: ApiCall, conn: Connection) -> Response:
    """Look what would be cancelled.

    Nothing is done: it is what the form of the page says.
    """
    return ordering.preview(call, conn, CANCEL, NewCancellation)


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Cancel jobs: at once what does not run, by request what does.

    201 when it was made, 200 when it was before under the same Idempotency-Key. Many jobs are moved by and by.
    """
    return ordering.create(call, conn, CANCEL, NewCancellation)


@in_transaction
def create_one(call: ApiCall, conn: Connection) -> Response:
    """Cancel one job: at once, or by request while it runs."""
    return ordering.create_one(call, conn, CANCEL, NeedsWhy)
