"""Backfills: each net in its turn, and none pays for another's failure."""

import asyncio

import pytest
from sqlalchemy import Connection, Engine, select
from structlog.testing import LogCapture

from tests.worker.runtime.bench import captured
from worker.nets import Backfill, DurableSubscriberNet
from worker.queries.schema import net_runs
from worker.runtime.backfills import Backfills


def runner(engine: Engine, *, every_seconds: float = 3600, **backfills: Backfill) -> tuple[Backfills, LogCapture]:
    """One process's backfills, and what it says."""
    log, said = captured()
    nets = [DurableSubscriberNet(name, backfill) for name, backfill in backfills.items()]
    return Backfills(engine, nets, every_seconds=every_seconds, lease_seconds=60, log=log), said


def test_each_runs_once_an_interval_whoever_looks(engine: Engine) -> None:
    runs: list[str] = []
    for _replica in range(3):
        there, _ = runner(engine, cache=lambda: runs.append("cache"), mail=lambda: runs.append("mail"))
        assert [there.tick(), there.tick()] == [False, False]
    assert runs == ["cache", "mail"]


def test_it_runs_again_when_the_interval_is_over(engine: Engine) -> None:
    runs: list[str] = []
    there, said = runner(engine, every_seconds=0, cache=lambda: runs.append("cache"))
    there.tick()
    there.tick()
    assert runs == ["cache", "cache"]
    assert [(entry["event"], entry["subscriber"]) for entry in said.entries] == [("net.backfilled", "cache")] * 2


def test_one_that_fails_is_told_and_kept_and_the_others_run(engine: Engine, conn: Connection) -> None:
    def fail() -> None:
        raise LookupError("no such column, password=hunter2")

    runs: list[str] = []
    there, said = runner(engine, broken=fail, cache=lambda: runs.append("cache"))
    there.tick()
    assert runs == ["cache"]
    (failed,) = [entry for entry in said.entries if entry["event"] == "net.failed"]
    assert (failed["subscriber"], failed["log_level"]) == ("broken", "error")
    errors = {row.subscriber_id: row.error for row in conn.execute(select(net_runs))}
    assert errors["cache"] is None
    assert "no such column" in errors["broken"]
    assert "hunter2" not in errors["broken"] + repr(said.entries)


@pytest.mark.parametrize("error", [SystemExit(3), asyncio.CancelledError(), KeyboardInterrupt()])
def test_nothing_that_one_raises_ends_the_others(engine: Engine, error: BaseException) -> None:
    def fail() -> None:
        raise error

    runs: list[str] = []
    there, _ = runner(engine, broken=fail, cache=lambda: runs.append("cache"))
    assert not there.tick()
    assert runs == ["cache"]


def test_a_coroutine_is_run_to_its_end(engine: Engine) -> None:
    runs: list[str] = []

    async def backfill() -> None:
        runs.append("cache")

    there, _ = runner(engine, cache=backfill)
    there.tick()
    assert runs == ["cache"]


def test_while_it_runs_nobody_else_runs_it_and_no_transaction_is_open(engine: Engine) -> None:
    runs: list[str] = []

    def slow() -> None:
        runs.append("first")
        other.tick()
        assert engine.pool.checkedout() == 0  # type: ignore[attr-defined] # a QueuePool has it

    there, _ = runner(engine, every_seconds=0, cache=slow)
    other, _ = runner(engine, every_seconds=0, cache=lambda: runs.append("second"))
    there.tick()
    assert runs == ["first"]
