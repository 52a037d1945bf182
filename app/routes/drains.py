"""Drain a worker: it ends what it runs and takes nothing more."""

from __future__ import annotations

from urllib.parse import quote

from starlette.responses import Response

from app.answers import go_back, is_over
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.payloads import clean_text
from worker.queries import workers
from worker.queries.pages import capabilities
from worker.queries.pages.fleet import Worker

LIST = "/workers"
MAX_REASON = 500


def new(call: Call, conn: Connection) -> Response:
    """The form, which says what would stand still."""
    return _form(call)


def create(call: Call, conn: Connection) -> Response:
    """Ask the worker; it hears with its next beat."""
    worker, reason = _worker(call), str(call.form.get("reason", ""))
    try:
        why = clean_text(reason, field="reason", limit=MAX_REASON) or None
    except InvalidInput as refusal:
        return _form(call, status=422, reason=reason, problem=refusal.problem)
    workers.request_drain(conn, instance_id=worker.instance_id, actor=call.actor, reason=why, now=call.now)
    return go_back(call, _under(call, worker) or LIST)


def _worker(call: Call) -> Worker:
    wanted = call.path("instance")
    found = next((each for each in call.figures.workers if each.instance_id == wanted), None)
    if found is None:
        raise NotFound
    return found


def _under(call: Call, worker: Worker) -> str | None:
    """The page that the dialog lies over: of all workers, or of this one."""
    return next((path for path in (LIST, f"{LIST}/{quote(worker.instance_id, safe='')}") if is_over(call, path)), None)


def _form(call: Call, *, status: int = 200, reason: str = "", problem: str | None = None) -> Response:
    worker = _worker(call)
    target = {None: "#main", LIST: "#present"}.get(_under(call, worker), "#process")
    return render(
        call,
        "workers/drain.html",
        block="sheet" if call.htmx else None,
        status=status,
        target=target,
        worker=worker,
        only_here=capabilities.only_here(call.figures, worker),
        reason=reason,
        problem=problem,
    )
