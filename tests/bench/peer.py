"""PgQueuer doing the same, at its best settings, where it is installed beside this project."""

from __future__ import annotations

import asyncio
import importlib.util
import sys
from typing import Any

import click

_BATCH = 250


def is_here() -> bool:
    """Whether there is a PgQueuer to compare with."""
    return all(importlib.util.find_spec(name) for name in ("pgqueuer", "asyncpg"))


async def install(dsn: str, jobs: int) -> None:
    """Its tables, and so many jobs."""
    queries = await _queries(dsn)
    if not await queries.has_table("pgqueuer"):
        await queries.install()
    payloads = [b'{"report": 1, "note": "' + b"x" * 60 + b'"}'] * 1000
    for start in range(0, jobs, 1000):
        count = min(1000, jobs - start)
        await queries.enqueue(["nothing"] * count, payloads[:count], [0] * count)


async def work(dsn: str) -> None:
    """One worker process: from a line on stdin until the queue is empty."""
    pgqueuer = importlib.import_module("pgqueuer")
    types = importlib.import_module("pgqueuer.types")
    application = pgqueuer.PgQueuer.from_asyncpg_connection(await _connect(dsn))

    application.entrypoint("nothing")(_nothing)
    click.echo("ready")
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)
    await application.run(batch_size=_BATCH, mode=types.QueueExecutionMode.drain)


async def _nothing(_job: Any) -> None:
    """A handler on the event loop."""


async def _connect(dsn: str) -> Any:
    return await importlib.import_module("asyncpg").connect(dsn)


async def _queries(dsn: str) -> Any:
    pgqueuer = importlib.import_module("pgqueuer.queries")
    drivers = importlib.import_module("pgqueuer.db")
    return pgqueuer.Queries(drivers.AsyncpgDriver(await _connect(dsn)))


if __name__ == "__main__":
    if importlib.util.find_spec("uvloop"):
        importlib.import_module("uvloop").install()
    what, where, *rest = sys.argv[1:]
    asyncio.run(work(where) if what == "work" else install(where, int(rest[0])))
