"""A worker as a sheet of text: facts, what it runs, and how its last attempts ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.commands.output import facts, table
from app.text import age, duration
from worker.database import Row
from worker.queries.pages.attempts import AttemptDetail
from worker.queries.pages.usual import Usual
from worker.queries.pages.worker import Process

RUNNING = ("JOB", "HANDLER", "TENANT", "FOR", "USUALLY", "PROGRESS")
ENDED = ("JOB", "HANDLER", "ATTEMPT", "ENDED AS", "TOOK", "AGO", "ERROR")


def worker_sheet(process: Process, usuals: Mapping[str, Usual], ended: Sequence[AttemptDetail]) -> str:
    """All that is known of it, the longest running and the last to end first."""
    slots = process.row.concurrency
    # A slot may be taken again before the end of its last job is written down
    parts = [_facts(process), f"Runs now ({min(process.busy, slots)} of {slots} slots)"]
    parts.append(table(RUNNING, [_run(process, usuals, row) for row in process.holds]) if process.holds else "nothing")
    parts.append("Ended last")
    parts.append(table(ENDED, [_end(process, each) for each in ended]) if ended else "nothing")
    return "\n\n".join(parts)


def _facts(process: Process) -> str:
    row = process.row
    return facts(
        {
            "instance": row.instance_id,
            "component": row.component,
            "label": row.label,
            "state": process.state,
            "host": row.host,
            "pid": row.pid,
            "release": row.version,
            "started": row.started_at,
            "stopped": row.stopped_at,
            "last beat": row.last_heartbeat_at,
            "drain asked": row.drain_requested_at,
            "queues": "all" if row.queues is None else row.queues,
            "job types": row.job_types,
        }
    )


def _run(process: Process, usuals: Mapping[str, Usual], row: Row) -> tuple[object, ...]:
    usual = usuals.get(row.handler_key)
    usually = f"{usual.median:g}s" if usual else None
    progress = f"{row.progress:.0f}%" if row.progress else None
    return row.id, row.handler_key, row.tenant, age(row.locked_at, process.row.now), usually, progress


def _end(process: Process, each: AttemptDetail) -> tuple[object, ...]:
    took = None if each.duration_ms is None else duration(each.duration_ms / 1000)
    error = each.error.strip().splitlines()[-1] if each.error and each.error.strip() else None
    ago = age(each.finished_at, process.row.now)
    return each.job_id, each.handler_key, each.attempt, each.outcome, took, ago, error
