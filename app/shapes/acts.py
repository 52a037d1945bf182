"""Acts on many jobs."""

from __future__ import annotations

from datetime import datetime
from typing import Self
from uuid import UUID

from app.shapes import Shape
from worker.database import Row
from worker.queries.bulk_acts import undo


class Act(Shape):
    """A stored set of jobs and what was asked to be done to it; `left` are those that are still to be moved."""

    id: UUID
    action: str
    state: str
    mode: str
    rate: int | None
    stop_after: int | None
    to_queue: str | None
    filters: list[list[str]] | None
    chosen_at: datetime
    actor: str
    reason: str | None
    action_id: int | None
    undo_action_id: int | None
    missed: int
    chosen: int
    done: int
    asked: int
    skipped: int
    failed: int
    undone: int
    left: int
    passed: int
    same_error: int
    new_error: int
    cancelled: int
    gone: int
    reasons: dict[str, int]
    moved_at: datetime | None
    ended_at: datetime | None
    ended_by: str | None
    why: str | None
    undo_offered: bool

    @classmethod
    def of(cls, row: Row) -> Self:
        """The act of a row as it was read."""
        left = row.chosen - row.done - row.skipped - row.failed - row.undone
        return cls.model_validate({**row._mapping, "left": left, "undo_offered": undo.is_offered(row)})


class ActPage(Shape):
    """One page of acts, the newest first."""

    acts: list[Act]
    next_cursor: str | None


class ActJob(Shape):
    """A job of an act: what was done to it and what became of it, and how it is now, unless it is gone."""

    place: int
    job_id: UUID
    came_to: str
    why: str | None
    outcome: str | None
    state: str | None
    job_type: str | None
    handler_key: str | None
    queue: str | None
    tenant: str | None
    error_type: str | None
    error_summary: str | None


class ActJobPage(Shape):
    """One page of an act's jobs, in the order in which they are moved."""

    jobs: list[ActJob]
    next_cursor: str | None
