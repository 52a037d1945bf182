"""One worker process: its pulse, what it runs now against what is usual, how its last attempts ended."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import quote
from uuid import UUID

from starlette.responses import Response

from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.queries.pages import attempts, audit, usual, worker
from worker.queries.pages.attempts import AttemptsPage

ATTEMPTS, ACTS = 25, 10


def show(call: Call, conn: Connection) -> Response:
    """The page, or its one live region; a process that is gone has it as long as anything is known of it."""
    tenant_id = call.lens.id if call.lens else None
    process = worker.read(conn, instance_id=call.path("instance"), tenant_id=tenant_id, now=call.now)
    if process is None:
        raise NotFound
    cursor, own = call.query.get("cursor"), f"/workers/{quote(process.row.instance_id, safe='')}"
    ended = _ended(conn, process.row.instance_id, cursor, tenant_id)
    return render(
        call,
        "workers/show.html",
        block="process" if call.region == "process" else None,
        process=process,
        own=own,
        ended=ended.attempts,
        first=own if cursor else None,
        older=f"{own}?cursor={ended.next_cursor}" if ended.next_cursor else None,
        others=worker.others(conn, process),
        acts=audit.of_target(conn, target=process.row.instance_id, actions=("drain",), limit=ACTS),
        usuals=usual.of_day(conn, handlers={row.handler_key for row in process.holds}, now=call.now),
        unserved={each.job_type for each in call.figures.unserved},
        limit=timedelta(seconds=call.settings.max_runtime_seconds),
    )


def _ended(conn: Connection, instance_id: str, cursor: str | None, tenant_id: UUID | None) -> AttemptsPage:
    """What ended there, page by page; of one tenant, what of it is among the last."""
    if tenant_id is None:
        return attempts.of_worker(conn, instance_id=instance_id, limit=ATTEMPTS, cursor=cursor)
    theirs = attempts.of_worker_and_tenant(conn, instance_id=instance_id, tenant_id=tenant_id, limit=ATTEMPTS)
    return AttemptsPage(theirs, None)
