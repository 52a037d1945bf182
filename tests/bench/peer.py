"""PgQueuer doing the same, at its best settings, where it is installed beside this project."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import random
import sys
import time
from collections.abc import Callable, Coroutine
from typing import Any

import click

_BATCH = 250
_waited_ms: list[float] = []


def is_here() -> bool:
    """Whether there is a PgQueuer to compare with."""
    return all(importlib.util.find_spec(name) for name in ("pgqueuer", "asyncpg"))


async def install(dsn: str, jobs: str) -> None:
    """Its tables, and so many jobs in bulk; prints how many it wrote in a second."""
    queries = await _queries(dsn)
    if not await queries.has_table("pgqueuer"):
        await queries.install()
    payloads = [b'{"report": 1, "note": "' + b"x" * 60 + b'"}'] * 1000
    begun = time.perf_counter()
    for start in range(0, int(jobs), 1000):
        count = min(1000, int(jobs) - start)
        await queries.enqueue(["nothing"] * count, payloads[:count], [0] * count)
    click.echo(int(jobs) / (time.perf_counter() - begun))


async def send(dsn: str, jobs: str, pauses: str) -> None:
    """So many jobs one by one, each with the time it was sent at; between them a pause, or none."""
    queries = await _queries(dsn)
    begun = time.perf_counter()
    for _ in range(int(jobs)):
        await queries.enqueue("nothing", json.dumps({"sent": time.time()}).encode(), 0)
        if pauses == "paused":
            await asyncio.sleep(random.uniform(0.01, 0.03))
    click.echo(int(jobs) / (time.perf_counter() - begun))


async def work(dsn: str) -> None:
    """One worker process: from a line on stdin until the queue is empty."""
    types = importlib.import_module("pgqueuer.types")
    application = await _application(dsn)
    await _line()
    await application.run(batch_size=_BATCH, mode=types.QueueExecutionMode.drain)


async def watch(dsn: str) -> None:
    """One worker process, from a line on stdin to the next; then it prints how long each job waited."""
    application = await _application(dsn)
    await _line()
    running = asyncio.create_task(application.run(batch_size=_BATCH))
    await _line()
    click.echo(json.dumps(_waited_ms))
    application.shutdown.set()
    await running


async def _nothing(job: Any) -> None:
    """A handler on the event loop."""
    if b'"sent"' in job.payload:
        _waited_ms.append((time.time() - json.loads(job.payload)["sent"]) * 1000)


async def _application(dsn: str) -> Any:
    application = importlib.import_module("pgqueuer").PgQueuer.from_asyncpg_connection(await _connect(dsn))
    application.entrypoint("nothing")(_nothing)
    click.echo("ready")
    return application


async def _line() -> None:
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


async def _connect(dsn: str) -> Any:
    return await importlib.import_module("asyncpg").connect(dsn)


async def _queries(dsn: str) -> Any:
    pgqueuer = importlib.import_module("pgqueuer.queries")
    drivers = importlib.import_module("pgqueuer.db")
    return pgqueuer.Queries(drivers.AsyncpgDriver(await _connect(dsn)))


if __name__ == "__main__":
    if importlib.util.find_spec("uvloop"):
        importlib.import_module("uvloop").install()
    commands: dict[str, Callable[..., Coroutine[Any, Any, None]]]
    commands = {"install": install, "send": send, "work": work, "watch": watch}
    asyncio.run(commands[sys.argv[1]](*sys.argv[2:]))
