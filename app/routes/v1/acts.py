"""Acts on many jobs, as programs follow them."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes import Paged
from app.shapes.acts import Act, ActJob, ActJobPage, ActPage
from worker.database import Connection, Row
from worker.queries.bulk_acts import acts
from worker.queries.pages import acts as pages

GONE = "There is no act with this id."


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """List the acts of everybody, the newest first."""
    asked = call.wanted(Paged)
    page = pages.read(conn, before=asked.cursor, most=asked.limit, now=call.now)
    return Document(ActPage(acts=[Act.of(row) for row in page.rows], next_cursor=page.older))


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read one act: its terms, its progress, its result."""
    return Document(Act.of(_found(call, conn)))


@in_transaction
def jobs(call: ApiCall, conn: Connection) -> Response:
    """List the jobs of an act in the order in which they are moved, each as it is now."""
    asked, act = call.wanted(Paged), _found(call, conn)
    page = pages.jobs(conn, act_id=act.id, before=asked.cursor, most=asked.limit, now=call.now)
    found = [ActJob.model_validate(row) for row in page.rows]
    return Document(ActJobPage(jobs=found, next_cursor=page.older))


def _found(call: ApiCall, conn: Connection) -> Row:
    if (act := acts.get(conn, act_id=call.uuid("act"), now=call.now)) is None:
        raise NotFound(GONE)
    return act
