"""The operators, and what they did this morning."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection, insert, select

from app import sessions
from tests import factories
from tests.system.seed.clock import NOW, ago, at, identity
from tests.system.seed.tenants import TENANT_IDS
from worker.failures import alike, fingerprint
from worker.queries import audit, queues
from worker.queries import sessions as stored
from worker.queries.audit import Actor
from worker.queries.schema import dead_letter_groups, operators

DANA, LEE, MAX = (Actor(name, "10.4.7.21") for name in ("dana", "lee", "max"))
TIMEOUT = "s3 endpoint did not answer in 10 s"
TIMED_OUT = fingerprint("materialize_insights", "ConnectTimeout", TIMEOUT)
STRANGER = Actor("nobody", "203.0.113.80")
PROVIDER_DOWN = "Provider throttles us after the newsletter; resume when their status page is green"
SETTLED = [identity("settled", number, ago(hours=4)) for number in range(3)]

BEFORE_THE_PAUSE: list[dict[str, Any]] = [
    {
        "now": ago(days=2),
        "actor": audit.SYSTEM,
        "action": "operator-add",
        "target": "max",
        "detail": {"role": "viewer"},
    },
    {"now": at("05:58:10"), "actor": LEE, "action": "sign-in", "target": "lee"},
    {"now": at("06:04:32"), "actor": LEE, "action": "replay", "job_ids": SETTLED, "reason": "S3 is back, see INC-2291"},
    {"now": at("06:31:05"), "actor": LEE, "action": "take", "target": TIMED_OUT, "reason": "Mine"}
    | {"detail": {"error": f"ConnectTimeout: {alike(TIMEOUT)}"}},
    {"now": at("08:55:41"), "actor": DANA, "action": "sign-in", "target": "dana"},
]
SINCE_THE_PAUSE: list[dict[str, Any]] = [
    {"now": at("09:07:50"), "actor": DANA, "action": "cancel", "job_ids": SETTLED[:1], "tenant_id": TENANT_IDS["acme"]}
    | {"reason": "Asked for by the tenant"},
    {"now": at("09:20:02"), "actor": MAX, "action": "replays", "outcome": "refused"}
    | {"reason": "You are signed in as viewer; this needs operator."},
    {"now": at("09:24:44"), "actor": STRANGER, "action": "sign-in", "outcome": "refused"}
    | {"target": '<img src=x onerror="alert(1)">'},
]

TOKENS = {"dana": "the-session-of-danas-browser", "max": "the-session-of-maxs-browser"}
"""Signed in without the sign-in, which would leave a row in the trail."""


def insert_all(conn: Connection) -> None:
    """Three operators, of a role each, and the session of the one who looks."""
    for number, (name, role) in enumerate({"dana": "operator", "lee": "admin", "max": "viewer"}.items()):
        factories.operator(conn, name, role, id=identity("operator", number, ago(days=90)), last_seen_at=ago(minutes=4))
    sign_in(conn, "dana")


def sign_in(conn: Connection, name: str) -> None:
    """Open the session of that one's browser."""
    known = select(operators.c.id).where(operators.c.name == name)
    stored.open_session(
        conn,
        operator_id=conn.execute(known).scalar_one(),
        token_hash=sessions.digest(TOKENS[name]),
        idle_seconds=86_400,
        length_seconds=86_400,
        address=DANA.address,
        user_agent="tests",
        now=NOW,
    )


def act(conn: Connection) -> None:
    """What the audit trail shows, oldest first, and the pause that is still in force."""
    for row in BEFORE_THE_PAUSE:
        audit.record(conn, **row)
    until, paused_at = NOW + timedelta(hours=1), at("09:02:17")
    queues.pause(conn, queue="campaign", actor=DANA, reason=PROVIDER_DOWN, until=until, now=paused_at)
    for row in SINCE_THE_PAUSE:
        audit.record(conn, **row)


def take(conn: Connection) -> None:
    """Lee has taken the group of the timeout."""
    note = "Waiting for the storage team, INC-2291"
    row = {
        "fingerprint": TIMED_OUT,
        "assignee": "lee",
        "note": note,
        "state": "taken",
        "state_at": at("06:31:05"),
        "state_by": "lee",
        "updated_at": at("06:31:05"),
        "updated_by": "lee",
    }
    conn.execute(insert(dead_letter_groups), row)
