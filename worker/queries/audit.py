"""Who did what, to which rows, why: rows that are only ever added, each with the hash of the one before (A-81)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import Connection, bindparam, insert, select

from worker.database import moment, serialise
from worker.queries.schema import operator_action_jobs, operator_actions

GENESIS = "0" * 64
_VERIFY_AT_MOST = 1000

LAST = select(
    moment().label("at"),
    select(operator_actions.c.hash).order_by(operator_actions.c.id.desc()).limit(1).scalar_subquery().label("hash"),
)
INSERT = insert(operator_actions).returning(operator_actions.c.id)
INSERT_JOBS = insert(operator_action_jobs)
CHAIN = (
    select(operator_actions)
    .where(operator_actions.c.id > bindparam("after_id"))
    .order_by(operator_actions.c.id)
    .limit(_VERIFY_AT_MOST)
)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who acts, and from where."""

    name: str
    address: str | None = None
    request_id: str | None = None


SYSTEM = Actor("watchfloor")


def record(
    conn: Connection,
    *,
    actor: Actor,
    action: str,
    outcome: Literal["done", "refused"] = "done",
    target: str | None = None,
    tenant_id: UUID | None = None,
    job_ids: Iterable[UUID] | int = (),
    reason: str | None = None,
    detail: Mapping[str, Any] | None = None,
    now: datetime | None = None,
) -> int:
    """Add one row to the trail, in the transaction of the change it speaks of; returns its id.

    Of jobs that are named later, as each of them is moved, it takes the number.
    """
    serialise(conn, "operator_actions")
    last = conn.execute(LAST, {"at_now": now}).one()
    ids = [] if isinstance(job_ids, int) else sorted(set(job_ids))
    row = {
        "at": last.at,
        "actor": actor.name,
        "action": action,
        "outcome": outcome,
        "target": target,
        "tenant_id": tenant_id,
        "jobs": job_ids if isinstance(job_ids, int) else len(ids),
        "reason": reason,
        "detail": dict(detail or {}),
        "address": actor.address,
        "request_id": actor.request_id,
        "previous_hash": last.hash or GENESIS,
    }
    action_id = conn.execute(INSERT, {**row, "hash": _hash(row)}).scalar_one()
    if ids:
        conn.execute(INSERT_JOBS, [{"action_id": action_id, "job_id": job_id} for job_id in ids])
    return int(action_id)


def verify(conn: Connection) -> int | None:
    """The id of the first row that was changed, or whose predecessor is gone; None when the chain holds."""
    previous, after = GENESIS, 0
    while rows := conn.execute(CHAIN, {"after_id": after}).all():
        for row in rows:
            if row.previous_hash != previous or row.hash != _hash(row._asdict()):
                return int(row.id)
            previous, after = row.hash, row.id
    return None


def _hash(row: Mapping[str, Any]) -> str:
    kept = {name: _plain(value) for name, value in row.items() if name not in ("id", "hash")}
    return hashlib.sha256(json.dumps(kept, sort_keys=True).encode()).hexdigest()


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat()
    return str(value) if isinstance(value, UUID) else value
