"""Every refusal leaves a row in the audit trail, though no more than so many from one address (A-81)."""

from __future__ import annotations

from starlette.requests import Request

from app import sessions
from app.console import Console
from worker.database import Connection
from worker.queries import audit, rates
from worker.queries.audit import Actor

AT_MOST = 200
"""Rows that one address can leave within a quarter of an hour: a trail that can be flooded hides what matters."""


def record(console: Console, request: Request, *, action: str, reason: str) -> None:
    """Note who was refused what, in a transaction of its own."""
    with console.engine.begin() as conn:
        operator = sessions.recognise(conn, request).operator
        target = f"{request.method} {request.scope['path']}"
        note(conn, request, sessions.actor(request, operator), action=action, target=target, reason=reason)


def note(conn: Connection, request: Request, actor: Actor, *, action: str, target: str | None, reason: str) -> None:
    """The same in the transaction of the request."""
    now = request.state.visit.now
    if rates.count(conn, key=f"refusals of {actor.address}", now=now) > AT_MOST:
        return
    audit.record(
        conn,
        actor=actor,
        action=action[:50],
        outcome="refused",
        target=target[:300] if target else None,
        reason=reason[:500],
        now=now,
    )
