"""Saved views that are shared, as programs read them."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.shapes.views import SharedView, ViewList
from worker.database import Connection
from worker.queries import saved_views


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List the views that everybody sees, by name."""
    return Document(ViewList(views=[SharedView.model_validate(row) for row in saved_views.all_shared(conn)]))
