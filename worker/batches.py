"""What one INSERT writes: jobs in one JSON document, and what they all share beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from worker.model import Status, new_ids
from worker.new_jobs import Admitted, Enqueued
from worker.payloads import dumps

MOST_JOBS, MOST_BYTES = 2000, 4_000_000
"""What one INSERT takes, unless a single job is larger."""

_QUEUED = Status.QUEUED


def portions(sizes: Sequence[float]) -> list[tuple[int, int]]:
    """From where to where each INSERT takes jobs of these sizes."""
    bounds, size = [0], 0.0
    for place, each in enumerate(sizes):
        if place - bounds[-1] == MOST_JOBS or (size + each > MOST_BYTES and place > bounds[-1]):
            bounds.append(place)
            size = 0.0
        size += each
    return list(zip(bounds, [*bounds[1:], len(sizes)], strict=True)) if sizes else []


def joined(parts: Sequence[Admitted]) -> Admitted:
    """Jobs that were admitted one by one, as one set."""
    whole = Admitted(parts[0].shared)
    for part in parts:
        own = {} if part.shared is whole.shared else part.shared
        whole.rows += [{**own, **row} for row in part.rows]
        whole.sizes += part.sizes
    return whole


class Batch:
    """Jobs that came through the door, as one INSERT writes them."""

    def __init__(self, admitted: Admitted) -> None:
        rows = admitted.rows
        self.is_new = not any("id" in row or "idempotency_key" in row for row in rows)
        """Whether none of them can be there already."""
        ids = new_ids(len(rows))
        if not self.is_new:
            ids = [UUID(row.get("id", made.hex)) for row, made in zip(rows, ids, strict=True)]
        for row, job_id in zip(rows, ids, strict=True):
            row["id"] = str(job_id)
        self.made = [Enqueued(job_id, True, _QUEUED) for job_id in ids]  # noqa: FBT003 - named, it takes twice as long
        """The answers, as far as this call makes the jobs."""
        self.values: dict[str, Any] = {f"all_{name}": value for name, value in admitted.shared.items()}
        """What the statements are to be executed with."""
        # Keys go in one order, or two producers with the same keys would wait for each other
        self.values["new_jobs"] = dumps(rows if self.is_new else sorted(rows, key=_key))


def _key(row: dict[str, Any]) -> str:
    return str(row.get("idempotency_key", ""))
