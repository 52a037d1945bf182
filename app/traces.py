"""The trace that a job is asked for in, and where people look at it."""

from __future__ import annotations

from typing import Any

from app.settings import ConsoleSettings
from worker.database import Row
from worker.tracing.context import trace_id


def of(settings: ConsoleSettings, job: Row) -> dict[str, Any]:
    """Its id as `trace_id`, and as `trace_url` its address where WATCHFLOOR_TRACE_URL says where traces are."""
    known, template = trace_id(job.traceparent), settings.trace_url
    return {"trace_id": known, "trace_url": template.replace("{trace_id}", known) if known and template else None}
