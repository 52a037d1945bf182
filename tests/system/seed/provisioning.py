"""Tenants at every point of their provisioning, among many that are through: what `/tenants/{tenant}` is drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert

from tests.system.seed import dead, people, rows, staff
from tests.system.seed.clock import NOW, ago, identity
from tests.system.seed.people import DANA
from tests.system.seed.staff import GONE, PROVISIONER_1
from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries import audit
from worker.queries.schema import job_attempts, job_steps, tenants

USUAL = (0.9, 14, 0.4, 0.6, 1.2, 0.1)
"""Seconds that each step takes with most tenants."""

LONG = "association-of-tenants-with-remarkably-long-names-overseas"
DENIED = "permission denied for schema tenant_northwind"
REFUSED = (
    "EndpointConnectionError: Could not connect to the endpoint URL\n"
    "Object storage: no answer from the bucket “tenants-eu” within 10 s. Is <endpoint> right?"
)


@dataclass(frozen=True)
class Run:
    """One step in one attempt: seconds before now at which it began, and how long it took (None: it did not end)."""

    step: int
    began: float
    took: float | None
    outcome: str | None = "done"
    error: str | None = None


@dataclass(frozen=True)
class Attempt:
    """One claim, seconds before now; `ended` is None for the one that holds."""

    claimed: float
    ended: float | None
    runs: Sequence[Run]
    outcome: str = "failed"
    retry: float | None = None


def insert_all(conn: Connection) -> None:
    """Forty that are through, and one of each kind that is not, at half past nine."""
    people.insert_all(conn)
    staff.insert_all(conn)
    for number in range(40):
        _through(conn, number)
    _northwind(conn)
    _late(conn)
    _resumed(conn)
    _given_up(conn)
    _tenant(conn, "tyrell", "created", ago(minutes=9))


def _through(conn: Connection, number: int) -> None:
    dice, end = Random(number), 86_400.0 * (40 - number)
    took = [usual * dice.uniform(0.8, 1.3 + number % 7 / 7) for usual in USUAL]
    starts = [end - sum(took[:place]) for place in range(6)]
    runs = [Run(place + 1, starts[place], took[place]) for place in range(6)]
    done: dict[str, Any] = {"status": Status.SUCCEEDED, "steps": 6, "finished_at": ago(seconds=end - sum(took))}
    slug = "globex" if number == 39 else f"tenant-{number:02}"
    _job(conn, slug, "active", end + 1, [Attempt(end + 0.3, end - sum(took), runs, "completed")], **done)


def _northwind(conn: Connection) -> None:
    """Two attempts failed at the third step; the next is to come."""
    first = [Run(1, 99, 0.9), Run(2, 98.1, 18.4), Run(3, 79.7, 1.3, "failed", DENIED)]
    second = [Run(3, 38.2, 1.1, "failed", DENIED)]
    attempts = [Attempt(99.5, 78.4, first, retry=38.9), Attempt(38.4, 37.1, second)]
    waits: dict[str, Any] = {
        "available_at": NOW + timedelta(seconds=38),
        "scheduled": True,
        "steps": 2,
        "error_detail": DENIED,
    }
    job_id = _job(conn, "northwind", "provisioning", 104, attempts, error_summary=DENIED, **waits)
    audit.record(conn, actor=DANA, action="provision", job_ids=[job_id], now=ago(seconds=104))


def _late(conn: Connection) -> None:
    """Under way, and its second step takes four times what is usual."""
    runs = [Run(1, 60, 1.1), Run(2, 58.9, None, None)]
    claim = [Attempt(63, None, runs)]
    _job(conn, "acme-eu", "provisioning", 71, claim, status=Status.RUNNING, steps=1, **_held(PROVISIONER_1, 63))


def _resumed(conn: Connection) -> None:
    """Failed in the evening, taken up again this morning: the night between is folded. One worker was lost."""
    night = 11 * 3600.0
    first = [Run(1, night + 30, 0.8), Run(2, night + 29, 15), Run(3, night + 14, 0.5), Run(4, night + 13, None, None)]
    second = [Run(4, 9, 0.7), Run(5, 8.3, None, None)]
    attempts = [Attempt(night + 31, night, first, "dead_letter"), Attempt(12, None, second)]
    job_id = _job(
        conn, "globex-labs", "provisioning", night + 40, attempts, status=Status.RUNNING, steps=4,
        **_held(PROVISIONER_1, 12),
    )  # fmt: skip
    audit.record(
        conn, actor=DANA, action="provision", job_ids=[job_id], reason="Bucket is there now", now=ago(seconds=14)
    )


def _given_up(conn: Connection) -> None:
    """Three attempts at object storage, and none is left; its name is as long as names get."""
    attempts = []
    for number, start in enumerate((400.0, 340.0, 240.0)):
        early = [
            Run(1, start - 0.2, 1.0),
            Run(2, start - 1.2, 13),
            Run(3, start - 14.2, 0.4),
            Run(4, start - 14.6, 0.5),
        ]
        at = start - 15.1 if number == 0 else start - 0.2
        fails = Run(5, at, 10, "failed", REFUSED)
        due = (345.0, 250.0, None)[number]
        attempts.append(Attempt(start, at - 10, [*(early if number == 0 else ()), fails], retry=due))
    over: dict[str, Any] = {"status": Status.FAILED, "finished_at": ago(seconds=229.8), "steps": 4, "max_attempts": 3}
    cause, summary = REFUSED.splitlines()
    over |= dead.died_of("provision_tenant", "StorageError", summary, f"{cause}\n")
    _job(conn, LONG, "provisioning", 402, attempts, **over)


def _held(worker: str, claimed: float) -> dict[str, Any]:
    return {"locked_by": worker, "locked_at": ago(seconds=claimed), "lease_expires_at": NOW + timedelta(minutes=4)}


def _tenant(conn: Connection, slug: str, status: str, created_at: datetime) -> UUID:
    row = {"id": identity("provisioned", hash_of(slug), created_at), "slug": slug, "onboarding_status": status}
    row |= {"display_name": slug.replace("-", " ").title(), "schema_name": f"tenant_{slug.replace('-', '_')}"[:63]}
    active = created_at + timedelta(seconds=40) if status == "active" else None
    conn.execute(insert(tenants), row | {"created_at": created_at, "activated_at": active})
    return row["id"]  # type: ignore[return-value] # of the values of the row, this is the id


def hash_of(slug: str) -> int:
    """A number for a name, the same in every run."""
    return sum(place * ord(letter) for place, letter in enumerate(slug, 1))


def _job(
    conn: Connection,
    slug: str,
    onboarding: str,
    asked: float,
    attempts: Sequence[Attempt],
    *,
    steps: int,
    **columns: Any,
) -> UUID:
    """A tenant with its provisioning job and all that was written about it."""
    tenant_id = _tenant(conn, slug, onboarding, ago(seconds=asked + 60))
    row = rows.queued("provisioned", hash_of(slug), ago(seconds=asked), job_type="provision_tenant", queue="provision")
    row |= {"tenant_id": tenant_id, "idempotency_key": f"provision:{tenant_id}", "attempts": len(attempts)}
    row |= {"generation": len(attempts), "steps_completed": list(STEPS[:steps]), "progress": round(100 * steps / 6, 2)}
    rows.write(conn, [row | columns])
    for generation, each in enumerate(attempts, 1):
        if each.runs:
            conn.execute(insert(job_steps), [_step(row["id"], generation, run) for run in each.runs])
        if each.ended is not None:
            conn.execute(insert(job_attempts), _attempt(row["id"], generation, each, each.ended))
    return UUID(str(row["id"]))


def _step(job_id: UUID, generation: int, run: Run) -> dict[str, Any]:
    ended = None if run.took is None else ago(seconds=run.began - run.took)
    return {
        "job_id": job_id,
        "generation": generation,
        "ordinal": run.step,
        "step": STEPS[run.step - 1],
        "started_at": ago(seconds=run.began),
        "finished_at": ended,
        "outcome": run.outcome,
        "error": run.error,
    }


def _attempt(job_id: UUID, generation: int, each: Attempt, ended: float) -> dict[str, Any]:
    return {
        "job_id": job_id,
        "generation": generation,
        "attempt": generation,
        "worker_id": PROVISIONER_1 if each.outcome != "lease_expired" else GONE,
        "claimed_at": ago(seconds=each.claimed),
        "started_at": ago(seconds=each.claimed),
        "finished_at": ago(seconds=ended),
        "outcome": each.outcome,
        "retry_at": ago(seconds=each.retry) if each.retry is not None else None,
        "error": each.runs[-1].error if each.runs else None,
    }
