"""Put a group of dead letters together with another one, and take it out again."""

from __future__ import annotations

from starlette.responses import Response

from app import group_acts
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries import grouping
from worker.queries.pages import groups


def new(call: Call, conn: Connection) -> Response:
    """The form: which one it belongs to."""
    return _form(call, conn)


def create(call: Call, conn: Connection) -> Response:
    """Have it join the other one, which is open afterwards."""
    fingerprint, into = group_acts.chosen(call), group_acts.group(call, "into")
    try:
        grouping.merge(conn, fingerprint=fingerprint, into=into, actor=call.actor, now=call.now)
    except InvalidInput as refusal:
        return _form(call, conn, refusal)
    return group_acts.go_back(call)


def delete(call: Call, conn: Connection) -> Response:
    """Take it out again, with those of its dead letters that are still there."""
    grouping.part(conn, fingerprint=group_acts.chosen(call), actor=call.actor, now=call.now)
    return group_acts.go_back(call)


def _form(call: Call, conn: Connection, refusal: InvalidInput | None = None) -> Response:
    fingerprint = group_acts.chosen(call)
    every = groups.read(conn, tenant_id=call.lens_id, now=call.now)
    mine = next((each for each in every if each.fingerprint == fingerprint), None)
    others = [each for each in every if each.fingerprint != fingerprint]
    likely = sorted(others, key=lambda each: mine is None or each.handler_key != mine.handler_key)
    return group_acts.form(call, "dead_letters/merge.html", refusal=refusal, of=mine, others=likely)
