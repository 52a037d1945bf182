"""Operators, as programs of admins read them."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes import Paged
from app.shapes.operators import Operator, OperatorPage
from worker.database import Connection
from worker.queries.pages import operators


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List the operators by name, the invited and the disabled too."""
    asked = call.wanted(Paged)
    page = operators.page(conn, before=asked.cursor, most=asked.limit, now=call.now)
    found = [Operator.model_validate(row) for row in page.rows]
    return Document(OperatorPage(operators=found, next_cursor=page.older))


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read one operator's account."""
    row = operators.one(conn, operator_id=call.uuid("operator"), now=call.now)
    if row is None:
        raise NotFound("There is no operator of this id.")
    return Document(Operator.model_validate(row))
