"""What one INSERT writes: jobs in one JSON document, and what they all share beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from worker.model import Status, new_ids
from worker.new_jobs import Admitted, Enqueued
from worker.payloads import dumps

MOST_JOBS, MOST_BYTES = 1000, 4_000_000
"""What one INSERT takes, unless a single job is larger."""

_QUEUED = Status.QUEUED


def batched(admitted: Sequence[Admitted]) -> list[Sequence[Admitted]]:
    """The jobs in portions of one INSERT each."""
    portions, start, size = [], 0, 0.0
    for place, each in enumerate(admitted):
        if place - start == MOST_JOBS or (size + each.size > MOST_BYTES and place > start):
            portions.append(admitted[start:place])
            start, size = place, 0.0
        size += each.size
    return [*portions, admitted[start:]] if admitted else []


class Batch:
    """Jobs that came through the door, as one INSERT writes them."""

    def __init__(self, admitted: Sequence[Admitted]) -> None:
        self.is_new = not any("id" in each.row or "idempotency_key" in each.row for each in admitted)
        """Whether none of them can be there already."""
        ids = new_ids(len(admitted))
        if not self.is_new:
            ids = [UUID(each.row.get("id", made.hex)) for each, made in zip(admitted, ids, strict=True)]
        self.made = [Enqueued(job_id, True, _QUEUED) for job_id in ids]  # noqa: FBT003 - named, it takes twice as long
        """The answers, as far as this call makes the jobs."""
        shared = admitted[0].head
        rows = [
            {**each.row, "id": str(job_id)} if each.head is shared else {**each.row, **each.head, "id": str(job_id)}
            for each, job_id in zip(admitted, ids, strict=True)
        ]
        self.values: dict[str, Any] = {f"all_{name}": value for name, value in shared.items()}
        """What the statements are to be executed with."""
        self.values["new_jobs"] = dumps(rows)
