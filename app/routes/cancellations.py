"""Cancel jobs: at once what does not run, by request what does."""

from __future__ import annotations

from starlette.responses import Response

from app import choice, said
from app.choice import Choice
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries import cancellations
from worker.queries.pages import selection
from worker.queries.pages.states import State

AT_REST = frozenset({State.READY, State.SCHEDULED, State.RETRYING, State.DEAD})


def new(call: Call, conn: Connection) -> Response:
    """The form: how many end at once, and how many are asked to."""
    return _form(call, conn, choice.read(call, call.query))


def create(call: Call, conn: Connection) -> Response:
    """Cancel what was chosen; what has ended already is left as it is."""
    return _cancel(call, conn, choice.read(call, call.form))


def create_one(call: Call, conn: Connection) -> Response:
    """Cancel the job of this address."""
    chosen = choice.one(call)
    if not selection.read(conn, job_ids=chosen.job_ids, now=call.now).parts:
        raise NotFound
    return _cancel(call, conn, chosen)


def _cancel(call: Call, conn: Connection, chosen: Choice) -> Response:
    try:
        why = choice.reason(call, required=True)
    except InvalidInput as refusal:
        return _form(call, conn, chosen, problem=choice.sentence(refusal))
    ids, left = choice.ids(call, conn, chosen)
    acted = cancellations.cancel(conn, job_ids=ids, actor=call.actor, reason=why, now=call.now)
    missing = choice.missing(call, found=len(ids) + left)
    return said.go_back(
        call,
        conn,
        chosen.back,
        done=[*acted.cancelled, *acted.requested],
        skipped=len(acted.skipped) + missing,
        others=acted.skipped,
        left=left,
    )


def _form(call: Call, conn: Connection, chosen: Choice, *, problem: str | None = None) -> Response:
    ids, left = choice.ids(call, conn, chosen)
    everything = selection.read(conn, job_ids=ids, now=call.now)
    return render(
        call,
        "cancellations/new.html",
        block="sheet" if call.htmx else None,
        status=422 if problem else 200,
        chosen=chosen,
        target=choice.target(call, chosen),
        at_rest=everything.within(AT_REST),
        running=everything.within({State.RUNNING}),
        others=[part for part in everything.parts if part.state not in {*AT_REST, State.RUNNING}],
        gone=len(ids) - everything.jobs,
        left=left,
        most_left=selection.COUNTED - choice.AT_MOST,
        reason=str(call.form.get("reason", "")),
        problem=problem,
    )
