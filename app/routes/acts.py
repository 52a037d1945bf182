"""Acts on many jobs: what was pressed, how far it has come, and what stops it or takes it back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from starlette.responses import Response

from app import choice, job_list, said
from app.errors import Conflict, NotFound
from app.search import address
from app.templating import render, see_other
from app.web import Call
from worker.database import Connection, Row
from worker.errors import InvalidInput
from worker.queries.bulk_acts import acts, undo, work
from worker.queries.bulk_acts.acts import ActState
from worker.queries.pages import acts as pages
from worker.queries.pages import audit, filters, selection
from worker.queries.pages.acts import Reach
from worker.queries.pages.states import State

ARRIVALS = 1_000
AFTERWARDS, AFTERWARDS_SHOWN = ("stop", "go-on", "abort", "undo"), 20
"""What is done to an act itself, and how much of it is shown."""
TRAIL = "audit"
"""Where acts stand in the rail."""
NOTHING_CAME: dict[str, Any] = {"arrived": 0, "arrivals": None}
GONE = "There is no act with this id. Acts are pruned some time after their end."


def index(call: Call, conn: Connection) -> Response:
    """The acts of everybody, the newest first."""
    before, after = call.query.get("before"), call.query.get("after")
    found = pages.read(conn, tenant_id=call.lens_id, before=before, after=after, now=call.now)
    return render(
        call,
        "acts/index.html",
        page=TRAIL,
        block="acts" if call.region == "acts" else None,
        acts=found,
        url=address("/acts", [("before", before), ("after", after)]),
        newer=found.newer and address("/acts", [("after", found.newer)]),
        older=found.older and address("/acts", [("before", found.older)]),
    )


def show(call: Call, conn: Connection) -> Response:
    """One act: its progress, its result in words, and its jobs."""
    act = _act(call, conn)
    here, own = f"/acts/{act.id}", _is_own(call, conn, act)
    before, after = call.query.get("before"), call.query.get("after")
    found = pages.jobs(conn, act_id=act.id, tenant_id=call.lens_id, before=before, after=after, now=call.now)
    return render(
        call,
        "acts/show.html",
        page=TRAIL,
        block="act" if call.region == "act" else None,
        region=call.region,
        act=act,
        jobs=found,
        under_way=act.state in acts.UNDER_WAY,
        undo=undo.is_offered(act),
        done=audit.of_target(conn, target=f"act {act.id}", actions=AFTERWARDS, limit=AFTERWARDS_SHOWN),
        unserved=_unserved(call, act, found.rows),
        url=address(here, [("before", before), ("after", after)]),
        newer=found.newer and address(here, [("after", found.newer)]),
        older=found.older and address(here, [("before", found.older)]),
        said=said.said(call, conn),
        own=own,
        **(_since(call, conn, act) if own else NOTHING_CAME),
    )


def abort(call: Call, conn: Connection) -> Response:
    """Leave the rest as it is."""
    _hold_to_lens(call, conn)
    work.abort(conn, act_id=_id(call), actor=call.actor, now=call.now)
    return see_other(f"/acts/{_act(call, conn).id}")


def resume(call: Call, conn: Connection) -> Response:
    """Go on with an act that stopped by itself."""
    _hold_to_lens(call, conn)
    work.resume(conn, act_id=_id(call), actor=call.actor, now=call.now)
    return see_other(f"/acts/{_act(call, conn).id}")


def take_back(call: Call, conn: Connection) -> Response:
    """Undo: put back what nobody moved since, and say so where the act was told of."""
    _hold_to_lens(call, conn)
    undo.undo(conn, act_id=_id(call), actor=call.actor, now=call.now)
    act = _act(call, conn)
    back = choice.back(call.form) if "back" in call.form else f"/acts/{act.id}"
    if call.htmx and call.region != "act":
        return render(call, "acts/undone.html", said=said.of(call, conn, act))
    return see_other(said.told(back, act))


def _id(call: Call) -> UUID:
    return call.uuid("act")


def _act(call: Call, conn: Connection) -> Row:
    if (act := acts.get(conn, act_id=_id(call), now=call.now)) is None:
        raise NotFound(GONE)
    if call.lens and said.reach(call, conn, act) is Reach.NONE:
        raise NotFound(f"None of its jobs is one of {call.lens.slug}'s.", title="Not in this lens")
    return act


def _is_own(call: Call, conn: Connection, act: Row) -> bool:
    """Whether no job of it lies outside of the lens, so that it can be moved from there."""
    return said.reach(call, conn, act) is Reach.OWN


def _hold_to_lens(call: Call, conn: Connection) -> None:
    """Conflict where the act would move other tenants' jobs than that of the lens."""
    if call.lens and not _is_own(call, conn, _act(call, conn)):
        raise Conflict(f"It has jobs of other tenants than {call.lens.slug}: leave the lens to do that.")


def _unserved(call: Call, act: Row, jobs: Sequence[Row]) -> bool:
    """Whether the first one, which the others wait for, waits for a worker that nobody has started."""
    first = next((each for each in jobs if each.place == act.moved_place), None)
    if act.state != ActState.TRIAL or first is None or first.state not in (State.READY, State.SCHEDULED):
        return False
    return not call.figures.takers(first.job_type, first.queue)


def _since(call: Call, conn: Connection, act: Row) -> dict[str, Any]:
    """How many came to match since the set was chosen, and where they can be acted on likewise."""
    if act.filters is None:
        return NOTHING_CAME
    try:
        kind = filters.parse([(name, value) for name, value in act.filters], now=call.now)
    except InvalidInput:  # the grammar of an earlier release
        return NOTHING_CAME
    kind = job_list.narrowed(call, kind)
    asked: dict[str, Any] = {"tenant_id": choice.tenant(conn, kind), "before": call.now, "since": act.chosen_at}
    asked["beside"] = act.id  # those of it that died again are told of in its result
    arrived = selection.count(conn, kind, **asked, limit=ARRIVALS, now=call.now)
    times = [("before", call.now.isoformat()), ("came_after", act.chosen_at.isoformat()), ("beside", str(act.id))]
    chosen = [("all", "1"), *times, ("back", f"/acts/{act.id}")]
    return {"arrived": arrived, "arrivals": address(pages.FORMS[act.action], kind.pairs(), chosen)}
