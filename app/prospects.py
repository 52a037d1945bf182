"""What would become of some jobs if they were acted on now: who serves them, what would wait and why, and how long."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from worker.database import Connection, Row
from worker.guidance import Guidance
from worker.handlers import Registry
from worker.queries.pages import fleet
from worker.queries.pages.figures import Figures
from worker.queries.pages.selection import Selection

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Prospects:
    """The blast radius of an act; `seconds` is None where nothing of the kind was finished lately."""

    jobs: Selection
    takers: int
    unserved: list[Pair]
    last_able: dict[str, Row]
    pauses: list[Row]
    waiting: dict[str, int]
    ahead: int
    seconds: float | None
    strangers: list[str]
    guidance: dict[str, Guidance]

    @property
    def running(self) -> int:
        """How many would be run as soon as a worker is free."""
        return self.jobs.jobs - sum(self.waiting.values())

    @property
    def since(self) -> datetime | None:
        """When the oldest was put in."""
        return self.jobs.since


def of(
    conn: Connection, figures: Figures, registry: Registry, jobs: Selection, *, to_queue: str | None = None
) -> Prospects:
    """What would become of them on their queues, or on another one."""
    queues = [to_queue] if to_queue else jobs.names("queue")
    pairs = {(part.job_type, to_queue or part.queue) for part in jobs.parts}
    unserved = sorted(pair for pair in pairs if not figures.takers(*pair))
    ahead = sum(figures.depths.ready.get(queue, 0) for queue in queues)
    return Prospects(
        jobs=jobs,
        takers=len({worker.instance_id for pair in pairs for worker in figures.takers(*pair)}),
        unserved=unserved,
        last_able=fleet.last_able(conn, job_types=[name for name, _ in unserved]) if unserved else {},
        pauses=[figures.paused[queue] for queue in queues if queue in figures.paused],
        waiting=_waiting(figures, jobs, to_queue),
        ahead=ahead,
        seconds=_seconds(figures, jobs.jobs + ahead, queues),
        strangers=_strangers(registry, jobs),
        guidance=_guidance(registry, jobs),
    )


def _waiting(figures: Figures, jobs: Selection, to_queue: str | None) -> dict[str, int]:
    """How many would wait for a worker that can run them, and how many until their queue is resumed."""
    found = {"unserved": 0, "paused": 0}
    for part in jobs.parts:
        queue = to_queue or part.queue
        if queue in figures.paused:
            found["paused"] += part.jobs
        elif not figures.takers(part.job_type, queue):
            found["unserved"] += part.jobs
    return {why: number for why, number in found.items() if number}


def _seconds(figures: Figures, jobs: int, queues: list[str]) -> float | None:
    """How long it takes to finish so many at the rate of the last five minutes on these queues."""
    rate = sum(each.finished for each in figures.hour.flows if each.queue in queues)
    return 60 * jobs / rate if rate else None


def _strangers(registry: Registry, jobs: Selection) -> list[str]:
    known: Any = registry.subscribers
    return [name for name in jobs.names("subscriber_id") if known and not known.get(name)]


def _guidance(registry: Registry, jobs: Selection) -> dict[str, Guidance]:
    """What was declared beside the handlers, where something was."""
    told = {}
    for part in jobs.parts:
        told[part.handler_key] = registry.guidance(job_type=part.job_type, subscriber_id=part.subscriber_id)
    return {name: each for name, each in sorted(told.items()) if each}
