"""Who can run what, from the sampled figures: the matrix of the Workers page, and what a drain would stop."""

from __future__ import annotations

from dataclasses import dataclass

from worker.queries.pages.figures import Figures
from worker.queries.pages.fleet import State, Worker


@dataclass(frozen=True, slots=True)
class Cell:
    """Whether the processes of a component can run a job type: how many can, of how many, and how many it runs now."""

    live: int
    silent: int
    running: int


@dataclass(frozen=True, slots=True)
class Row:
    """One job type: who can run it, and how many are ready, or at least so many where `more` were not told apart."""

    job_type: str
    cells: list[Cell]
    ready: int
    more: bool

    @property
    def served(self) -> bool:
        """Whether any live process can run it."""
        return any(cell.live for cell in self.cells)


@dataclass(frozen=True, slots=True)
class Matrix:
    """Job types by component; `mixed` are components whose processes advertise different types."""

    components: dict[str, int]
    mixed: frozenset[str]
    rows: list[Row]


def matrix(figures: Figures) -> Matrix:
    """Who can run what, and how much of it is ready."""
    recent = [each for each in figures.workers if each.state is not State.SILENT or each in figures.silent]
    components: dict[str, list[Worker]] = {}
    for each in recent:
        components.setdefault(each.component, []).append(each)
    job_types = sorted(
        {name for each in recent for name in each.job_types} | {work.job_type for work in figures.backlog}
    )
    rows = [_row(figures, name, [_cell(name, them) for them in components.values()]) for name in job_types]
    counts = {name: sum(each.state is not State.SILENT for each in them) for name, them in components.items()}
    mixed = frozenset(name for name, them in components.items() if len({each.job_types for each in them}) > 1)
    return Matrix(counts, mixed, rows)


def _row(figures: Figures, job_type: str, cells: list[Cell]) -> Row:
    waiting = [work for work in figures.backlog if work.ready and work.job_type == job_type]
    more = any(figures.is_deeper(work.queue) for work in waiting)
    return Row(job_type, cells, sum(work.ready for work in waiting), more)


def _cell(job_type: str, workers: list[Worker]) -> Cell:
    able = [each for each in workers if job_type in each.job_types]
    silent = sum(each.state is State.SILENT for each in able)
    running = sum(row.jobs for each in workers for row in each.held if row.job_type == job_type)
    return Cell(len(able) - silent, silent, running)


def only_here(figures: Figures, worker: Worker) -> list[str]:
    """The job types that no other live worker takes from the queues this one serves: what a drain would stop."""
    others = [each for each in figures.workers if each.state is State.LIVE and each.instance_id != worker.instance_id]
    found = {job_type for job_type in worker.job_types if not any(job_type in each.job_types for each in others)}
    for work in figures.backlog:
        takers = figures.takers(work.job_type, work.queue)
        if [each.instance_id for each in takers] == [worker.instance_id]:
            found.add(work.job_type)
    return sorted(found)
