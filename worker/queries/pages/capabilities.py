"""Who can run what, from the sampled figures: the matrix of the Workers page, and what a drain would stop."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from worker.queries.pages.figures import Figures
from worker.queries.pages.fleet import State, Worker


@dataclass(frozen=True, slots=True)
class Cell:
    """Whether the processes of a component can run a job type: how many can, of how many, and how many it runs now."""

    live: int
    silent: int
    running: int
    processes: int

    @property
    def is_partial(self) -> bool:
        """Whether some of them can and some cannot."""
        return 0 < self.live + self.silent < self.processes


@dataclass(frozen=True, slots=True)
class Row:
    """One job type: who can run it; how many are ready, or at least so many where `more` were not told apart."""

    job_type: str
    cells: list[Cell]
    ready: int
    more: bool
    since: datetime | None

    @property
    def served(self) -> bool:
        """Whether any live process can run it."""
        return any(cell.live for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Variant:
    """Processes of a component that are alike, and what they can run beyond what all of it can."""

    workers: tuple[Worker, ...]
    job_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """A component whose processes advertise different job types under one name."""

    component: str
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Job types by component, each with how many of it live; and where processes of one component differ."""

    components: dict[str, int]
    rows: list[Row]
    differences: list[Difference]

    @property
    def mixed(self) -> frozenset[str]:
        """The components whose processes advertise different types."""
        return frozenset(each.component for each in self.differences)


def matrix(figures: Figures) -> Matrix:
    """Who can run what, and how much of it is ready."""
    components = _components(figures)
    known = {name for them in components.values() for each in them for name in each.job_types}
    job_types = sorted(known | {work.job_type for work in figures.backlog})
    rows = [_row(figures, name, [_cell(name, them) for them in components.values()]) for name in job_types]
    counts = {name: sum(each.state is not State.SILENT for each in them) for name, them in components.items()}
    told = (_difference(name, them) for name, them in components.items())
    return Matrix(counts, rows, [each for each in told if each])


def _components(figures: Figures) -> dict[str, list[Worker]]:
    """The processes heard of within the hour."""
    found: dict[str, list[Worker]] = {}
    for each in figures.workers:
        if each.state is not State.SILENT or each in figures.silent:
            found.setdefault(each.component, []).append(each)
    return found


def _difference(component: str, workers: list[Worker]) -> Difference | None:
    """One that drains is on its way out, and may well differ from those that follow it."""
    alike: dict[frozenset[str], list[Worker]] = {}
    for each in workers:
        if each.state is not State.DRAINING:
            alike.setdefault(each.job_types, []).append(each)
    if len(alike) < 2:
        return None
    common = frozenset.intersection(*alike)
    variants = (Variant(tuple(them), tuple(sorted(job_types - common))) for job_types, them in alike.items())
    return Difference(component, tuple(sorted(variants, key=lambda each: -len(each.workers))))


def _row(figures: Figures, job_type: str, cells: list[Cell]) -> Row:
    waiting = [work for work in figures.backlog if work.ready and work.job_type == job_type]
    more = any(figures.is_deeper(work.queue) for work in waiting)
    since = min((work.ready_since for work in waiting if work.ready_since), default=None)
    return Row(job_type, cells, sum(work.ready for work in waiting), more, since)


def _cell(job_type: str, workers: list[Worker]) -> Cell:
    able = [each for each in workers if job_type in each.job_types]
    silent = sum(each.state is State.SILENT for each in able)
    running = sum(row.jobs for each in workers for row in each.held if row.job_type == job_type)
    return Cell(len(able) - silent, silent, running, len(workers))


def only_here(figures: Figures, worker: Worker) -> list[str]:
    """The job types that no other live worker takes from the queues this one serves: what a drain would stop."""
    others = [each for each in figures.workers if each.state is State.LIVE and each.instance_id != worker.instance_id]
    found = {job_type for job_type in worker.job_types if not any(job_type in each.job_types for each in others)}
    for work in figures.backlog:
        takers = figures.takers(work.job_type, work.queue)
        if [each.instance_id for each in takers] == [worker.instance_id]:
            found.add(work.job_type)
    return sorted(found)
