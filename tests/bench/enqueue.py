"""Enqueue, measured: one caller, in bulk, and many callers at once. Alone: `python -m tests.bench.enqueue`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from threading import Thread
from typing import TypeAlias

import click
from sqlalchemy import Engine

from tests.bench.server import empty, measured
from worker import Enqueuer, NewJob, enqueue, enqueue_many
from worker.database import autocommit
from worker.job_types import JobTypes
from worker.queries import wakeups

TYPES = JobTypes()
TYPES.register("nothing", lambda job: None)

Measure: TypeAlias = Callable[[Engine], float]
"""Jobs per second on an engine; what it wrote stays."""


def new() -> NewJob:
    """A job whose payload takes about 100 bytes."""
    return NewJob("nothing", {"report": 4711, "month": "2026-11", "note": "x" * 60})


def one_by_one(engine: Engine, jobs: int = 2000) -> float:
    """One caller; each job is durable before the next begins."""
    with autocommit(engine).connect() as conn, timed(jobs) as rate:
        for _ in range(jobs):
            enqueue(conn, TYPES, new())
    return rate[0]


def in_transactions(engine: Engine, jobs: int = 1000) -> float:
    """One caller with a transaction of its own for each job."""
    with timed(jobs) as rate:
        for _ in range(jobs):
            with engine.begin() as conn:
                enqueue(conn, TYPES, new())
    return rate[0]


def in_bulk(engine: Engine, jobs: int = 50_000) -> float:
    """One call and one commit for all, the making of the jobs included."""
    with timed(jobs) as rate, engine.begin() as conn:
        enqueue_many(conn, TYPES, [new() for _ in range(jobs)])
    return rate[0]


def in_bulk_by_the_thousand(engine: Engine, jobs: int = 50_000) -> float:
    """A thousand a call and a commit."""
    with timed(jobs) as rate:
        for _ in range(jobs // 1000):
            with engine.begin() as conn:
                enqueue_many(conn, TYPES, [new() for _ in range(1000)])
    return rate[0]


def by_threads(engine: Engine, callers: int, jobs: int = 20_000) -> float:
    """So many threads that share an Enqueuer; a call returns once its job is durable."""
    enqueuer = Enqueuer(engine, TYPES)

    def call() -> None:
        for _ in range(jobs // callers):
            enqueuer.enqueue(new())

    return side_by_side(call, callers, jobs)


def side_by_side(call: Callable[[], None], callers: int, jobs: int) -> float:
    """The rate of so many threads that do the same."""
    threads = [Thread(target=call) for _ in range(callers)]
    with timed(jobs) as rate:
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    return rate[0]


def by_coroutines(engine: Engine, callers: int, jobs: int = 20_000) -> float:
    """So many coroutines that share an Enqueuer."""
    enqueuer = Enqueuer(engine, TYPES)

    async def call() -> None:
        for _ in range(jobs // callers):
            await enqueuer.enqueue_async(new())

    async def all_of_them() -> None:
        await asyncio.gather(*(call() for _ in range(callers)))

    with timed(jobs) as rate:
        asyncio.run(all_of_them())
    return rate[0]


def sixteen_writers(engine: Engine, jobs: int = 8000) -> float:
    """Sixteen callers, each on a connection of its own."""

    def call() -> None:
        with autocommit(engine).connect() as conn:
            for _ in range(jobs // 16):
                enqueue(conn, TYPES, new())

    return side_by_side(call, 16, jobs)


def sixteen_writers_and_a_sleeper(engine: Engine) -> float:
    """The same while a worker waits for a hint, so that each commit notifies (A-18)."""
    with engine.begin() as conn:
        wakeups.sleep(conn, channel=wakeups.JOBS, sleeper="bench")
    return sixteen_writers(engine)


MEASURES: dict[str, Measure] = {
    "one by one": one_by_one,
    "one by one, in transactions": in_transactions,
    "in bulk": in_bulk,
    "in bulk, 1,000 a commit": in_bulk_by_the_thousand,
    "16 connections": sixteen_writers,
    "16 connections, a sleeper": sixteen_writers_and_a_sleeper,
    "group commit, 16 threads": lambda engine: by_threads(engine, 16),
    "group commit, 100 threads": lambda engine: by_threads(engine, 100),
    "group commit, 16 coroutines": lambda engine: by_coroutines(engine, 16),
    "group commit, 100 coroutines": lambda engine: by_coroutines(engine, 100),
}


@contextmanager
def timed(jobs: int) -> Iterator[list[float]]:
    """A list that holds the rate once the block is done."""
    rate: list[float] = []
    start = time.perf_counter()
    yield rate
    rate.append(jobs / (time.perf_counter() - start))


def main(rounds: int = 3) -> None:
    """Print the median and the range of each."""
    with measured() as engine:
        for name, measure in MEASURES.items():
            rates = []
            for _ in range(rounds):
                empty(engine)
                rates.append(measure(engine))
            click.echo(f"{name:<32} {median(rates):>9,.0f} /s  ({min(rates):,.0f} to {max(rates):,.0f})")


if __name__ == "__main__":
    main()
