"""Replay dead letters: one, some, or a whole kind."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response

from app import choice, said
from app.choice import Choice
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries import dead_letters
from worker.queries.pages import fleet, selection
from worker.queries.pages.selection import Selection
from worker.queries.pages.states import State


def new(call: Call, conn: Connection) -> Response:
    """The form: how many, whose, where they go, and who can run them there."""
    return _form(call, conn, choice.read(call, call.query))


def create(call: Call, conn: Connection) -> Response:
    """Replay what was chosen; whoever was faster is named, and nothing is replayed twice (A-52)."""
    return _replay(call, conn, choice.read(call, call.form))


def create_one(call: Call, conn: Connection) -> Response:
    """Replay the dead letter of this address."""
    chosen = choice.one(call)
    if not selection.read(conn, job_ids=chosen.job_ids, now=call.now).parts:
        raise NotFound
    return _replay(call, conn, chosen)


def _replay(call: Call, conn: Connection, chosen: Choice) -> Response:
    try:
        why = choice.reason(call, required=False)
    except InvalidInput as refusal:
        return _form(call, conn, chosen, problem=choice.sentence(refusal))
    ids, left = choice.ids(call, conn, chosen)
    acted = dead_letters.replay(conn, job_ids=ids, actor=call.actor, reason=why, now=call.now)
    missing = choice.missing(call, found=len(ids) + left)
    return said.go_back(
        call,
        conn,
        chosen.back,
        done=acted.done,
        skipped=len(acted.skipped) + missing,
        others=acted.skipped,
        left=left,
    )


def _form(call: Call, conn: Connection, chosen: Choice, *, problem: str | None = None) -> Response:
    ids, left = choice.ids(call, conn, chosen)
    everything = selection.read(conn, job_ids=ids, now=call.now)
    dead = everything.within({State.DEAD})
    return render(
        call,
        "replays/new.html",
        block="sheet" if call.htmx else None,
        status=422 if problem else 200,
        chosen=chosen,
        target=choice.target(call, chosen),
        dead=dead,
        others=[part for part in everything.parts if part.state != State.DEAD],
        gone=len(ids) - everything.jobs,
        left=left,
        most_left=selection.COUNTED - choice.AT_MOST,
        reason=str(call.form.get("reason", "")),
        problem=problem,
        **_prospects(call, conn, dead),
    )


def _prospects(call: Call, conn: Connection, dead: Selection) -> dict[str, Any]:
    """Who would run them, and what would keep them waiting (A-56)."""
    figures, subscribers = call.figures, call.registry.subscribers
    wanted = {(part.job_type, part.queue) for part in dead.parts}
    unserved = sorted(pair for pair in wanted if not figures.takers(*pair))
    queues = dead.names("queue")
    return {
        "takers": len({worker.instance_id for pair in wanted for worker in figures.takers(*pair)}),
        "unserved": unserved,
        "last_able": fleet.last_able(conn, job_types=[name for name, _ in unserved]) if unserved else {},
        "pauses": [figures.paused[queue] for queue in queues if queue in figures.paused],
        "ahead": sum(figures.depths.ready.get(queue, 0) for queue in queues),
        "strangers": [name for name in dead.names("subscriber_id") if subscribers and not subscribers.get(name)],
    }
