"""One line of figures per queue, or per handler: how much there is to do, and whether it keeps up."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TypeVar

from worker.queries.pages.backlog import COUNTED, Backlog
from worker.queries.pages.figures import Figures
from worker.queries.pages.fleet import State, Worker
from worker.queries.pages.flow import Flow, quantile

Item = TypeVar("Item")

AT_EASE = timedelta(seconds=60)
"""A wait below this is normal, whatever the rates of the moment say."""


class Pace(StrEnum):
    """Where a backlog is going."""

    EMPTY = "empty"
    PAUSED = "paused"
    UNSERVED = "unserved"
    STEADY = "steady"
    CLEARING = "clearing"
    GROWING = "growing"
    STALLED = "stalled"


@dataclass(frozen=True, slots=True)
class Load:
    """The work of a queue or a handler, its speed, and who serves it."""

    name: str
    at: datetime
    ready: int
    backlog: tuple[Backlog, ...]
    flows: tuple[Flow, ...]
    takers: tuple[Worker, ...]
    unserved: tuple[Backlog, ...]
    paused: bool = False

    @property
    def rank(self) -> tuple[int, int, int, str]:
        """The order of a list: the fullest first, then the busiest, then by name."""
        return -self.ready, -self.running, -round(self.finished), self.name

    @property
    def job_types(self) -> list[str]:
        """The job types that wait, run or failed here."""
        return sorted({each.job_type for each in self.backlog})

    @property
    def queues(self) -> list[str]:
        """The queues that hold such work."""
        return sorted({each.queue for each in self.backlog} | {each.queue for each in self.flows})

    @property
    def capped(self) -> bool:
        """Whether there are more than were counted."""
        return self.ready >= COUNTED

    @property
    def since(self) -> datetime | None:
        """When the oldest of them came due."""
        return min((each.ready_since for each in self.backlog if each.ready_since), default=None)

    @property
    def scheduled(self) -> int:
        """Jobs due later."""
        return sum(each.scheduled for each in self.backlog)

    @property
    def next_due(self) -> datetime | None:
        """When the next of them comes due."""
        return min((each.next_due for each in self.backlog if each.next_due), default=None)

    @property
    def retrying(self) -> int:
        """Jobs among both that failed before."""
        return sum(each.retrying for each in self.backlog)

    @property
    def running(self) -> int:
        """Jobs held by a worker."""
        return sum(each.running for each in self.backlog)

    @property
    def dead(self) -> int:
        """Dead letters."""
        return sum(each.dead for each in self.backlog)

    @property
    def arrived(self) -> float:
        """New jobs per minute."""
        return sum(each.arrived for each in self.flows)

    @property
    def finished(self) -> float:
        """Jobs per minute that came to an end."""
        return sum(each.finished for each in self.flows)

    @property
    def gain(self) -> float:
        """How many fewer wait each minute, in hundredths: equal rates differ by a rounding error."""
        return round(self.finished - self.arrived, 2)

    @property
    def clears_in(self) -> float | None:
        """Seconds until nothing is ready at the present rates; None when that never comes."""
        return self.ready / self.gain * 60 if self.gain > 0 else None

    @property
    def doubles_in(self) -> float | None:
        """Seconds until twice as much is ready at the present rates; None when it does not grow."""
        return self.ready / -self.gain * 60 if self.gain < 0 else None

    @property
    def pace(self) -> Pace:
        """Where the backlog is going, told from its age first: rates alone flutter."""
        if not self.since:
            return Pace.EMPTY
        if self.paused:
            return Pace.PAUSED
        if all(each in self.unserved for each in self.backlog if each.ready):
            return Pace.UNSERVED
        if self.at - self.since < AT_EASE:
            return Pace.STEADY
        if self.clears_in is not None:
            return Pace.CLEARING
        return Pace.GROWING if self.arrived > 0 else Pace.STALLED

    @property
    def late(self) -> bool:
        """Whether its oldest job waits for something that does not come by itself."""
        return self.pace in (Pace.UNSERVED, Pace.GROWING, Pace.STALLED)

    @property
    def runs_seen(self) -> int:
        """Completed attempts of the last hour."""
        return sum(sum(each.runs) for each in self.flows)

    def run_seconds(self, share: float) -> float | None:
        """The run time that this share of the last hour's completed attempts stayed below, to two digits."""
        found = quantile([sum(counts) for counts in zip(*(each.runs for each in self.flows), strict=True)], share)
        return None if found is None else float(f"{found:.2g}")


def by_queue(figures: Figures) -> list[Load]:
    """Every queue that holds work, moved in the last hour, is paused or is named by a worker; the fullest first."""
    waiting = _gathered(figures.backlog, lambda each: each.queue)
    flows = _gathered(figures.hour.flows, lambda each: each.queue)
    named = {name for each in figures.workers for name in each.queues or ()} | figures.paused.keys()
    names = {*waiting, *flows, *(named if figures.tenant_id is None else ())}
    depths = figures.depths.ready
    return _sorted(
        load(figures, name, waiting.get(name, []), flows.get(name, []), ready=depths.get(name, 0)) for name in names
    )


def by_handler(figures: Figures, backlog: Iterable[Backlog]) -> list[Load]:
    """Every subscriber or job type that has work or moved in the last hour; the fullest first."""
    return _split(figures, list(backlog), list(figures.hour.flows), lambda each: each.handler_key)


def of_queue(figures: Figures, queue: str, backlog: Iterable[Backlog]) -> list[Load]:
    """The handlers that have work on one queue or moved there in the last hour; the fullest first."""
    here = [each for each in backlog if each.queue == queue]
    flows = [each for each in figures.hour.flows if each.queue == queue]
    return _split(figures, here, flows, lambda each: each.handler_key)


def of_handler(figures: Figures, handler: str, backlog: Iterable[Backlog]) -> list[Load]:
    """The queues on which one handler has work or moved in the last hour; the fullest first."""
    mine = [each for each in backlog if each.handler_key == handler]
    flows = [each for each in figures.hour.flows if each.handler_key == handler]
    return _split(figures, mine, flows, lambda each: each.queue)


def _split(
    figures: Figures, backlog: list[Backlog], flows: list[Flow], key: Callable[[Backlog | Flow], str]
) -> list[Load]:
    waiting, moving = _gathered(backlog, key), _gathered(flows, key)
    return _sorted(
        load(figures, name, rows := waiting.get(name, []), moving.get(name, []), ready=sum(row.ready for row in rows))
        for name in {*waiting, *moving}
    )


def _gathered(items: Iterable[Item], key: Callable[[Item], str]) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def _sorted(loads: Iterable[Load]) -> list[Load]:
    return sorted(loads, key=lambda load: load.rank)


def load(figures: Figures, name: str, backlog: list[Backlog], flows: list[Flow], *, ready: int) -> Load:
    """One line: the work and the flows that are its own, and how many are ready, counted elsewhere or here."""
    queues = {each.queue for each in backlog} | {each.queue for each in flows} or {name}
    kinds = {(each.job_type, each.queue) for each in backlog}
    return Load(
        name=name,
        at=figures.at,
        ready=ready,
        backlog=tuple(backlog),
        flows=tuple(flows),
        takers=tuple(each for each in figures.live if _serves(each, kinds, queues)),
        unserved=tuple(row for row in backlog if row.ready and not figures.takers(row.job_type, row.queue)),
        paused=queues <= figures.paused.keys(),
    )


def _serves(worker: Worker, kinds: set[tuple[str, str]], queues: set[str]) -> bool:
    """By the job types at hand; where there are none, by the name of the queue alone."""
    if kinds:
        return any(worker.takes(*kind) for kind in kinds)
    return worker.state is State.LIVE and (worker.queues is None or not worker.queues.isdisjoint(queues))
