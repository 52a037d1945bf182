"""Jobs: the list with its search, and one job's story."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from starlette.responses import Response

from app import job_list, job_page, said, suggestions
from app.errors import BadInput
from app.job_list import here
from app.search import MAX_LENGTH
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.model import Status
from worker.payloads import clean_text
from worker.queries import saved_views
from worker.queries.pages import filters, jobs, selection
from worker.queries.pages.keyset import Page
from worker.queries.pages.states import State

COUNTABLE = (Status.FAILED, Status.RUNNING, State.READY, State.SCHEDULED, State.RETRYING)
"""What an index holds apart, so that counting what matches walks over nothing else."""


def index(call: Call, conn: Connection) -> Response:
    """The list, or its live region; what the search box said becomes an address first."""
    if "q" not in call.query:
        return _list(call, conn)
    try:
        return see_other(job_list.searched(call, conn))
    except (BadInput, InvalidInput) as refusal:
        return _list(call, conn, problem=str(refusal))


def _list(call: Call, conn: Connection, *, problem: str | None = None) -> Response:
    """The list as the address has it; `problem` is what was wrong with the words in the search box."""
    wanted = job_list.wanted(call)
    found = _read(call, conn, wanted)
    listed: Page = found["listed"]
    return render(
        call,
        "jobs/index.html",
        block="rows" if call.region == "rows" else None,
        status=400 if problem else 200,
        region=call.region,
        problem=problem,
        asked=call.query.get("q", "") if problem else "",
        wanted=wanted,
        segments=job_list.segments(call, wanted),
        chips=job_list.chips(wanted),
        pause=call.figures.paused.get(wanted.queue) if wanted.queue else None,
        spans=job_list.spans(wanted),
        exports={ending: job_list.exported(wanted, ending) for ending in ("csv", "jsonl")},
        **_kept(call, conn, wanted),
        ways=job_list.orders(call, wanted),
        url=here(call, wanted),
        first=here(call, wanted, before=None),
        newer=listed.newer and here(call, wanted, after=listed.newer),
        older=listed.older and here(call, wanted, before=listed.older),
        said=said.said(call, conn),
        **found,
    )


def _kept(call: Call, conn: Connection, wanted: filters.Filters) -> dict[str, Any]:
    """The views that its reader can choose from, which no live region draws."""
    if call.region or call.operator is None:
        return {}
    views = saved_views.seen_by(conn, operator_id=call.operator.id)
    query = urlencode(job_list.narrowed(call, wanted).pairs())
    return {"views": views, "query": query, "elsewhere": job_list.elsewhere(call, views)}


def _read(call: Call, conn: Connection, wanted: filters.Filters) -> dict[str, Any]:
    """A page of the list, and how many jobs match where all of them can be chosen at once."""
    tenant_id = job_list.tenant(call, conn, wanted)
    if wanted.tenant and tenant_id is None:
        return {"listed": Page([]), "matching": 0, "no_tenant": True}
    before, after, wanted = call.query.get("before"), call.query.get("after"), job_list.narrowed(call, wanted)
    listed = jobs.read(conn, wanted, tenant_id=tenant_id, before=before, after=after, now=call.now)
    matching = 0
    if wanted.status in COUNTABLE and listed.older and not listed.stopped:
        matching = selection.count(conn, wanted, tenant_id=tenant_id, before=call.now, now=call.now)
    return {"listed": listed, "matching": matching, "no_tenant": False}


def suggest(call: Call, conn: Connection) -> Response:
    """What the words in the search box may go on with, as options of its list."""
    text = clean_text(call.query.get("q", ""), field="q", limit=MAX_LENGTH)
    return render(call, "jobs/suggestions.html", completions=suggestions.completions(call, conn, text))


def show(call: Call, conn: Connection) -> Response:
    """One job: what it is, why, what comes next, and all that happened to it."""
    return job_page.shown(call, conn, job_page.found(call, conn))
