"""Keep the messages of a group of dead letters apart, and put them together again."""

from __future__ import annotations

from starlette.responses import Response

from app import group_acts
from app.web import Call
from worker.database import Connection
from worker.queries import grouping


def create(call: Call, conn: Connection) -> Response:
    """A group for each message from now on."""
    fingerprint = group_acts.chosen(call)
    grouping.split(conn, fingerprint=fingerprint, actor=call.actor, now=call.now)
    return group_acts.go_back(call)


def delete(call: Call, conn: Connection) -> Response:
    """One group for all of them again."""
    grouping.rejoin(conn, fingerprint=group_acts.chosen(call), actor=call.actor, now=call.now)
    return group_acts.go_back(call)
