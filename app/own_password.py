"""Whoever changes how they sign in signed in just now, or knows the password they have."""

from __future__ import annotations

from datetime import timedelta

from app import refusals
from app.console import console_of
from app.web import Call
from worker.database import Connection
from worker.queries import operators, rates

TRIES = 10
WRONG = "That is not the password you have now."
TOO_MANY = "Too many tries. Sign in anew, by a link if need be."
JUST_SIGNED_IN = timedelta(minutes=10)
"""For so long after signing in, by link above all, the password need not be known."""


def asked_for(call: Call, conn: Connection) -> str | None:
    """The stored password if it has to be given first."""
    assert call.operator
    since = call.request.state.visit.since
    return None if call.now - since < JUST_SIGNED_IN else operators.password(conn, operator_id=call.operator.id)


def objection(call: Call, conn: Connection, *, action: str) -> str | None:
    """What is wrong with the form's `current`, where it has to be the password; the trail has what was refused."""
    assert call.operator
    known = asked_for(call, conn)
    if known is None:
        return None
    tries = rates.count(conn, key=f"password of {call.operator.id}", now=call.now)
    if tries <= TRIES and console_of(call.request).passwords.matches(str(call.form.get("current", "")), known):
        return None
    reason = WRONG if tries <= TRIES else TOO_MANY
    if tries <= TRIES + 1:  # the first beyond the limit stands for those that follow
        refusals.note(conn, call.actor, action=action, target=call.operator.name, reason=reason, now=call.now)
    return reason
