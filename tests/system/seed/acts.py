"""Acts of the morning: one that stopped by itself, one that goes at a rate, one that is over, one that was undone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, insert, select

from tests.system.seed.clock import ago, identity
from worker.database import Row
from worker.queries.schema import bulk_act_jobs, bulk_acts, platform_jobs

STOPPED, MOVING, OVER, UNDONE = (identity("act", number, ago(minutes=9 - number)) for number in range(4))
WHY = "Template invoice_v3 shipped in 2026.11.4"


def insert_all(conn: Connection) -> None:
    """The acts, and of some of them the jobs; they changed nothing that other pages show."""
    conn.execute(insert(bulk_acts), list(_acts()))
    every = select(platform_jobs.c.id, platform_jobs.c.status).order_by(platform_jobs.c.created_at)
    jobs = [row for row in conn.execute(every) if row.status in _CAME_TO]
    for act_id in (STOPPED, MOVING):
        some = [row for status in _CAME_TO for row in [each for each in jobs if each.status == status][:5]]
        conn.execute(insert(bulk_act_jobs), [_job(act_id, place, row) for place, row in enumerate(some, 1)])
    waiting = [row for row in jobs if row.status == "queued"][:3]
    taken_back = [_job(UNDONE, place, row) for place, row in enumerate(waiting, 1)]
    conn.execute(insert(bulk_act_jobs), [row | {"state": "undone"} for row in taken_back[:2]] + taken_back[2:])


def _acts() -> Iterator[dict[str, Any]]:
    counts = dict.fromkeys(("done", "asked", "skipped", "failed", "undone", "passed", "same_error", "new_error"), 0)
    every: dict[str, Any] = {
        **counts,
        "address": "10.0.4.12",
        "undo_seconds": 8,
        "reasons": {},
        "rate": None,
        "stop_after": None,
    }
    every |= {"to_queue": None, "moved_at": ago(minutes=5), "ended_at": None, "ended_by": None, "why": None}
    every["next_at"] = None
    yield every | {
        "id": STOPPED,
        "action": "replay",
        "state": "stopped",
        "mode": "rate",
        "rate": 10,
        "stop_after": 3,
        "chosen_at": ago(minutes=9),
        "actor": "dana",
        "reason": WHY,
        "chosen": 4_812,
        "done": 142,
        "skipped": 22,
        "reasons": {"running": 19, "replayed": 2, "gone": 1},
        "passed": 131,
        "same_error": 3,
        "new_error": 1,
        "ended_at": ago(minutes=8),
        "why": "3 failed with the same error",
        "next_at": ago(minutes=-60),
    }
    yield every | {
        "id": MOVING,
        "action": "replay",
        "state": "moving",
        "mode": "rate",
        "rate": 25,
        "chosen_at": ago(minutes=8),
        "actor": "mira",
        "reason": None,
        "chosen": 96_400,
        "next_at": ago(minutes=-60),
        "done": 12_050,
        "passed": 11_902,
    }
    yield every | {
        "id": OVER,
        "action": "reassign",
        "state": "done",
        "mode": "all",
        "to_queue": "bulk-mail-of-the-night-shift",
        "chosen_at": ago(minutes=7),
        "actor": "dana",
        "reason": "Newsletters hold up receipts",
        "chosen": 310,
        "done": 310,
        "ended_at": ago(minutes=7),
    }
    yield every | {
        "id": UNDONE,
        "action": "cancel",
        "state": "undone",
        "mode": "all",
        "chosen_at": ago(minutes=6),
        "actor": "cli:night-shift",
        "reason": "Ordered twice",
        "chosen": 3,
        "undone": 2,
        "done": 1,
        "ended_at": ago(minutes=5),
        "ended_by": "mira",
    }


def _job(act_id: UUID, place: int, job: Row) -> dict[str, Any]:
    state, why, outcome = _CAME_TO[job.status]
    fences = {"was_generation": 5, "was_replays": 0}
    return {"act_id": act_id, "place": place, "job_id": job.id, "state": state, "why": why, "outcome": outcome} | fences


_CAME_TO = {
    "succeeded": ("done", None, "passed"),
    "failed": ("done", None, "same_error"),
    "running": ("skipped", "running", None),
    "queued": ("done", None, None),
}
