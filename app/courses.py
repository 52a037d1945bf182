"""The four charts of a queue or a job type over one time range, and the figures behind them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from app import charts
from app.charts import Chart, Marker
from app.errors import BadInput
from app.web import Call
from worker.database import Connection
from worker.queries.pages import courses, releases, samples
from worker.queries.pages.courses import SPANS, Slot, Span
from worker.queries.pages.samples import Depth

Measure = Callable[[Slot, float], float | None]

MEDIAN, TAIL = 0.5, 0.95


@dataclass(frozen=True, slots=True)
class Course:
    """What happened in each slot of a span; a slot in which nobody counted the backlog has no depth."""

    span: Span
    slots: list[Slot]
    depths: list[Depth | None]
    markers: list[Marker]

    @property
    def starts(self) -> list[datetime]:
        """When each slot begins."""
        return [slot.at for slot in self.slots]

    @property
    def completed(self) -> int:
        """Attempts that completed, in all."""
        return sum(slot.completed for slot in self.slots)

    @property
    def failed(self) -> int:
        """Attempts that failed, in all."""
        return sum(slot.failed for slot in self.slots)

    @property
    def deepest(self) -> int | None:
        """The most that was ready at once; None where nobody counted."""
        return max((depth.ready for depth in self.depths if depth), default=None)

    @property
    def longest_run(self) -> float | None:
        """The worst slot's p95 of run times."""
        return _worst(self._values(Slot.run_seconds, TAIL))

    @property
    def longest_wait(self) -> float | None:
        """The worst slot's p95 of waits."""
        return _worst(self._values(Slot.wait_seconds, TAIL))

    def throughput(self) -> Chart:
        """What completed and what failed."""
        return charts.throughput(self.slots, self.markers)

    def backlog(self) -> Chart:
        """How many jobs were ready."""
        return charts.depth([depth.ready if depth else None for depth in self.depths], "queued", self.markers)

    def runs(self) -> Chart:
        """How long completed attempts ran."""
        return self._times(Slot.run_seconds, "running")

    def waits(self) -> Chart:
        """How long jobs that were due waited for a worker."""
        return self._times(Slot.wait_seconds, "queued")

    def _times(self, measure: Measure, tone: str) -> Chart:
        return charts.times(self._values(measure, MEDIAN), self._values(measure, TAIL), tone, self.markers)

    def _values(self, measure: Measure, share: float) -> list[float | None]:
        return [measure(slot, share) for slot in self.slots]


def span_of(call: Call) -> Span:
    """The time range that the address names; the last hour where it names none."""
    span = SPANS.get(call.query.get("span", "1h"))
    if span is None:
        raise BadInput(f"span: must be one of {', '.join(SPANS)}.")
    return span


def read(
    conn: Connection,
    span: Span,
    *,
    queue: str | None = None,
    handler: str | None = None,
    tenant_id: UUID | None = None,
    now: datetime,
) -> Course:
    """The course of a queue, of a handler, of a tenant, or of what is of all that are named."""
    slots = courses.read(conn, span, queue=queue, handler=handler, tenant_id=tenant_id, now=now)
    starts = [slot.at for slot in slots]
    since, width = starts[0], int(span.width.total_seconds())
    seen = samples.backlog(
        conn,
        since=since,
        until=now,
        slot_seconds=width,
        queue=queue,
        handler_key=handler,
        tenant_id=tenant_id,
    )
    depths = {depth.at: depth for depth in seen}
    began = [(each.at, each.name) for each in releases.between(conn, since=since, until=now)]
    return Course(span, slots, [depths.get(at) for at in starts], charts.marked(starts, began))


def _worst(values: list[float | None]) -> float | None:
    return max((value for value in values if value is not None), default=None)
