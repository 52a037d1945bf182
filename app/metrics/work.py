"""The jobs: what is open, what waits and for how long, what comes and goes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from prometheus_client.core import Metric

from app.metrics.families import Line, gauge, greatest, single, summed
from app.metrics.names import Kept
from worker.queries.pages.backlog import COUNTED, HEAD
from worker.queries.pages.figures import Figures

PAIR = ("queue", "job_type")
STATES = ("ready", "scheduled", "running", "dead")


def families(figures: Figures) -> Iterator[Metric]:
    """All of them; a job's type is its subscriber where it came from an event, as at `/job-types`."""
    pairs = Kept(_weights(figures))
    queues = Kept(((name,), jobs) for name, jobs in figures.depths.ready.items())
    yield from _open(figures, pairs)
    yield from _totals(figures, queues)
    yield from _rates(figures, pairs)


def _weights(figures: Figures) -> Iterator[Line]:
    for each in figures.backlog:
        yield (each.queue, each.handler_key), each.ready + each.scheduled + each.running + each.dead
    for flow in figures.hour.flows:
        yield (flow.queue, flow.handler_key), flow.arrived + flow.attempts


def _open(figures: Figures, pairs: Kept) -> Iterator[Metric]:
    rows = [(pairs.of(each.queue, each.handler_key), each) for each in figures.backlog]
    yield gauge(
        "open_jobs",
        f"Open jobs by state; of the ready ones the oldest {HEAD} of each queue are told apart.",
        summed(((*pair, state), getattr(each, state)) for pair, each in rows for state in STATES),
        labels=(*PAIR, "state"),
    )
    yield gauge(
        "oldest_ready_seconds",
        "How long the oldest ready job has been due.",
        greatest((pair, _age(figures, each.ready_since)) for pair, each in rows if each.ready_since),
        labels=PAIR,
    )


def _totals(figures: Figures, queues: Kept) -> Iterator[Metric]:
    ready = summed((queues.of(name), jobs) for name, jobs in figures.depths.ready.items())
    yield gauge("ready_jobs", f"Jobs that are due, up to {COUNTED} of each queue.", ready, labels=("queue",))
    yield single("scheduled_jobs", f"Jobs that are due later, up to {COUNTED}.", figures.depths.scheduled)
    yield single("dead_letters", f"Jobs that failed for good, up to {COUNTED}.", figures.depths.dead)
    paused = Kept(((name,), 1) for name in figures.paused)
    yield gauge(
        "queue_paused_seconds",
        "For how long the queue has been paused.",
        greatest((paused.of(name), _age(figures, each.paused_at)) for name, each in figures.paused.items()),
        labels=("queue",),
    )
    types = Kept(((each.job_type,), each.ready) for each in figures.unserved)
    yield gauge(
        "unserved_jobs",
        "Ready jobs that no live worker takes, by the type that a worker would have to run.",
        summed((types.of(each.job_type), each.ready) for each in figures.unserved),
        labels=("job_type",),
    )


def _rates(figures: Figures, pairs: Kept) -> Iterator[Metric]:
    rows = [(pairs.of(each.queue, each.handler_key), each) for each in figures.hour.flows]
    arrived, finished, failed = (
        summed((pair, getattr(each, name)) for pair, each in rows) for name in ("arrived", "finished", "failed")
    )
    lately = "in the last five minutes"
    yield gauge("jobs_arrived_per_minute", f"New jobs a minute, {lately}.", arrived, labels=PAIR)
    yield gauge("jobs_finished_per_minute", f"Jobs a minute that came to an end, {lately}.", finished, labels=PAIR)
    yield gauge("attempts_failed_per_minute", f"Attempts a minute that failed, {lately}.", failed, labels=PAIR)


def _age(figures: Figures, since: datetime) -> float:
    return max((figures.at - since).total_seconds(), 0)
