"""The hand-over of a shift, for programs that send it on."""

from __future__ import annotations

from starlette.responses import Response

from app import hand_over_text
from app.api import ApiCall, in_transaction
from app.documents import Document
from app.shapes.acts import Act
from app.shapes.audit import Deed
from app.shapes.groups import Group
from app.shapes.hand_over import HandOver, PausedQueue
from app.shapes.releases import Stretch, ToldRelease
from app.stretches import span
from worker.database import Connection
from worker.queries.pages import hand_over


@in_transaction
def show(call: ApiCall, conn: Connection) -> Response:
    """Read what was done in a shift, the last eight hours unless another is asked for, and what it leaves."""
    asked = call.wanted(Stretch)
    since, until = span(asked.since or "8h", asked.until, now=call.now)
    shift = hand_over.read(conn, call.figures, since=since, until=until, now=call.now)
    return Document(
        HandOver(
            since=shift.since,
            until=shift.until,
            now=shift.now,
            trail=[Deed.model_validate(row) for row in shift.trail],
            acts=[Act.of(row) for row in shift.acts],
            capped=shift.capped,
            releases=[ToldRelease.model_validate(each) for each in shift.releases],
            dead=shift.dead,
            dead_capped=shift.dead_capped,
            new_groups=[Group.model_validate(each) for each in shift.new_groups],
            open_groups=[Group.model_validate(each) for each in shift.open_groups],
            waking=[Group.model_validate(each) for each in shift.waking],
            paused=[PausedQueue.model_validate({**each.of._mapping, "waiting": each.waiting}) for each in shift.paused],
            draining=[each.instance_id for each in shift.draining],
            text=hand_over_text.told(shift, base_url=call.base_url),
        )
    )
