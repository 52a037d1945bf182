"""Every refusal leaves a row in the audit trail, though no more than so many from one address (A-81)."""

from __future__ import annotations

from datetime import datetime

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
        visit = sessions.recognise(conn, request)
        actor = sessions.actor(request, visit.operator)
        note(conn, actor, action=action, target=target_of(request), reason=reason, now=visit.now)


def target_of(request: Request) -> str:
    """What was asked for, as the trail has it."""
    return f"{request.method} {request.scope.get('root_path', '')}{request.scope['path']}"


def note(conn: Connection, actor: Actor, *, action: str, target: str | None, reason: str, now: datetime) -> None:
    """The same in the caller's transaction."""
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
