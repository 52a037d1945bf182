"""Drain a filled queue with worker processes of their own, and tell what it cost."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from sqlalchemy import Connection, Engine, text

from tests.bench import fill, server
from worker.database import autocommit

_LOOK_EVERY_SECONDS = 0.01
_GIVE_UP_SECONDS = 120
_FINISHED = text("/* bench */ SELECT coalesce(sum(jobs), 0) FROM control.statistics_minutes")


@dataclass(frozen=True, slots=True)
class Drained:
    """One drain: how fast, how fast in each quarter, and per job what the worker and the server spent."""

    rate: float
    quarters: tuple[float, ...]
    worker_us: float
    server_us: float
    statements: float
    wal_bytes: float
    dearest: list[tuple[str, float]]


@contextmanager
def process(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A process that said it is ready; ended when the block is."""
    command = [sys.executable, "-m", *arguments]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdin
        assert started.stdout
        if started.stdout.readline() != "ready\n":
            raise RuntimeError(f"{arguments[0]} did not start")
        yield started
        started.stdin.close()
        started.wait(30)


def tell(process: subprocess.Popen[str], word: str = "go") -> None:
    """A line on its stdin."""
    assert process.stdin
    process.stdin.write(f"{word}\n")
    process.stdin.flush()


def report(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Have the worker stop taking note, and say what it noted."""
    tell(process, "end")
    assert process.stdout
    noted: dict[str, Any] = json.loads(process.stdout.readline())
    return noted


def drain(engine: Engine, jobs: int, *, processes: int = 1, kind: str = "async", anew: bool = True) -> Drained:
    """Fill the queue and empty it again; `anew` also forgets what was finished before."""
    with autocommit(engine).connect() as conn, ExitStack() as crew:
        if anew:
            server.empty(engine)
        conn.execute(text("TRUNCATE control.statistics_minutes"))
        fill.queued(conn, jobs)
        server.settle(conn)
        workers = [
            crew.enter_context(process("tests.bench.work", server.address(engine), kind)) for _ in range(processes)
        ]
        server.count_anew(conn)
        seen = watch(workers, lambda: int(conn.execute(_FINISHED).scalar_one()), jobs)
        seconds = sum(report(each)["processor_seconds"] for each in workers)
        return _drained(conn, jobs, seen, seconds)


def watch(workers: Sequence[subprocess.Popen[str]], done: Callable[[], int], jobs: int) -> list[tuple[float, int]]:
    """How much was done after how many seconds, until all is."""
    start = time.perf_counter()
    for each in workers:
        tell(each)
    seen = [(0.0, 0)]
    while seen[-1][1] < jobs:
        if seen[-1][0] > _GIVE_UP_SECONDS:
            raise RuntimeError(f"only {seen[-1][1]} of {jobs} jobs were done")
        time.sleep(_LOOK_EVERY_SECONDS)
        seen.append((time.perf_counter() - start, done()))
    return seen


def _drained(conn: Connection, jobs: int, seen: Sequence[tuple[float, int]], processor_seconds: float) -> Drained:
    spent = server.spent(conn)
    ends = [0.0, *(next(at for at, count in seen if count >= jobs * part / 4) for part in (1, 2, 3, 4))]
    return Drained(
        rate=jobs / seen[-1][0],
        quarters=tuple(jobs / 4 / (end - start) for start, end in pairwise(ends) if end > start),
        worker_us=processor_seconds / jobs * 1e6,
        server_us=spent.milliseconds / jobs * 1e3,
        statements=spent.statements / jobs,
        wal_bytes=spent.wal_bytes / jobs,
        dearest=[(head, ms / jobs * 1e3) for head, _, ms in server.dearest(conn)],
    )
