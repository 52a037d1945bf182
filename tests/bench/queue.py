"""The queue, measured as users run it: a durable server, all features on. `python -m tests.bench.queue`.

With PgQueuer installed beside this project, it is measured in the same run.
"""

from __future__ import annotations

import os

import click
from sqlalchemy import Engine, text

from tests.bench import beside, enqueue, fill, peer
from tests.bench.drain import Drained, drain
from tests.bench.pickup import pickup
from tests.bench.server import empty, measured
from tests.bench.work import KINDS
from worker.database import autocommit

_PROCESSES = (1, 2)


@click.command()
@click.option("--jobs", default=50_000, help="Per drain.")
@click.option("--finished", default=1_000_000, help="Rows of history for the drain beside them.")
def main(jobs: int, finished: int) -> None:
    """Print one line per measurement; compare within a run, for machines differ."""
    say(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {jobs:,} jobs a drain")
    with measured() as engine:
        enqueues(engine)
        pickups(engine)
        drains(engine, jobs)
        under_an_old_snapshot(engine, jobs * 2)
        beside_history(engine, jobs, finished)


def enqueues(engine: Engine) -> None:
    """One caller, job by job and in bulk."""
    for name, theirs in {"one by one": beside.one_by_one, "in bulk, 1,000 a commit": beside.in_bulk}.items():
        empty(engine)
        rate = enqueue.MEASURES[name](engine)
        say(f"enqueue {name}: {rate:,.0f} /s{ratio(rate, theirs(engine) if peer.is_here() else None)}")


def pickups(engine: Engine) -> None:
    """A lone job, on an idle queue."""
    theirs = beside.pickup(engine) if peer.is_here() else None
    for kind in KINDS:
        median, worst = pickup(engine, kind=kind)
        compared = f"; PgQueuer's p50 {theirs[0]:.1f} ms, p99 {theirs[1]:.1f} ms" if theirs else ""
        say(f"pickup, {kind} handler: p50 {median:.1f} ms, p99 {worst:.1f} ms{compared}")


def drains(engine: Engine, jobs: int) -> None:
    """Each kind of handler with one and two processes, and the peer beside it."""
    for processes in _PROCESSES:
        theirs = beside.drained(engine, jobs, processes=processes) if peer.is_here() else None
        for kind in KINDS:
            ours = drain(engine, jobs, processes=processes, kind=kind)
            say(f"drain, {processes} process(es), {kind} handlers: {ours.rate:,.0f} /s{ratio(ours.rate, theirs)}")
            costs(ours)


def under_an_old_snapshot(engine: Engine, jobs: int) -> None:
    """Nothing that was taken can be cleared away while it is held (A-21)."""
    with engine.connect().execution_options(isolation_level="REPEATABLE READ") as old:
        old.execute(text("SELECT set_config('idle_in_transaction_session_timeout', '0', true)"))
        old.execute(text("SELECT pg_current_snapshot()"))
        held = drain(engine, jobs)
    quarters = ", ".join(f"{rate:,.0f}" for rate in held.quarters)
    say(f"drain of {jobs:,} under an old snapshot: {held.rate:,.0f} /s; by quarters {quarters}")


def beside_history(engine: Engine, jobs: int, finished: int) -> None:
    """With many finished rows around, against without."""
    plain = drain(engine, jobs).rate
    empty(engine)
    with autocommit(engine).connect() as conn:
        fill.finished(conn, finished)
    beside = drain(engine, jobs, anew=False).rate
    say(f"drain beside {finished:,} finished rows: {beside:,.0f} /s, {beside / plain:.2f} of {plain:,.0f} /s without")


def costs(drained: Drained) -> None:
    """Where the time of a drain went."""
    say(
        f"    per job: {drained.worker_us:.0f} us of the worker's processor, {drained.server_us:.0f} us in statements,"
        f" {drained.statements:.3f} statements, {drained.wal_bytes:,.0f} bytes of WAL"
    )
    for head, microseconds in drained.dearest[:4]:
        say(f"    {microseconds:6.1f} us  {head}")


def ratio(rate: float, theirs: float | None) -> str:
    """How many times the peer's rate it is, where there is a peer."""
    return f", {rate / theirs:.2f} x PgQueuer's {theirs:,.0f} /s" if theirs else ""


def say(line: str) -> None:
    """One line, at once."""
    click.echo(line)


if __name__ == "__main__":
    main()
