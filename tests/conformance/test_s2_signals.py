"""S2, the signal: what a handler may ask, and what it is worth when it does not."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import copy_context
from datetime import timedelta
from threading import Thread

import pytest
from sqlalchemy import Connection, Engine

from tests.conformance.acts import ME, end, sweep, take
from tests.factories import NOON, attempts, job, stored
from tests.worker.runtime.bench import Bench, registry
from worker import lease_lost
from worker.model import Job
from worker.queries.claims import release, renew


def in_thread(target: Callable[[], object]) -> None:
    thread = Thread(target=target)
    thread.start()
    thread.join()


def test_s2_138_a_handler_that_raises_after_the_signal_is_retried(engine: Engine, conn: Connection) -> None:
    def send(_job: Job) -> None:
        run.signal.lease_lost = True
        if lease_lost():
            raise ConnectionAbortedError("nothing was sent")

    bench = Bench(engine, registry(send_report=send))
    id_ = bench.enqueue("send_report")
    (run,) = bench.claim()
    bench.run(run)
    row = stored(conn, id_)
    assert (row.status, row.error_type) == ("queued", "ConnectionAbortedError")
    assert row.available_at > row.updated_at


def test_s2_139_a_handler_looks_between_units_of_work(engine: Engine) -> None:
    sent: list[int] = []

    def send(_job: Job) -> None:
        for number in range(10):
            if lease_lost():
                return
            sent.append(number)
            run.signal.lease_lost = len(sent) == 3

    bench = Bench(engine, registry(send_report=send))
    bench.enqueue("send_report")
    (run,) = bench.claim()
    bench.run(run)
    assert sent == [0, 1, 2]


def test_s2_140_there_is_no_signal_outside_a_job() -> None:
    assert lease_lost() is False


def test_s2_141_the_signal_does_not_follow_into_threads_of_the_handler(engine: Engine) -> None:
    heard: list[tuple[str, bool]] = []

    def work(_job: Job) -> None:
        run.signal.lease_lost = True
        heard.append(("here", lease_lost()))
        in_thread(lambda: heard.append(("thread", lease_lost())))
        context = copy_context()
        in_thread(lambda: context.run(lambda: heard.append(("copied", lease_lost()))))

    bench = Bench(engine, registry(send_report=work))
    bench.enqueue("send_report")
    (run,) = bench.claim()
    bench.run(run)
    assert heard == [("here", True), ("thread", False), ("copied", True)]


def test_s2_142_a_job_that_ran_twice_says_so(conn: Connection) -> None:
    id_ = job(conn)
    (first,) = take(conn)
    later = NOON + timedelta(minutes=6)
    sweep(conn, now=later)
    (second,) = take(conn, now=later)
    assert end(conn, first, now=later) is None  # it ran to its end, ignoring the signal
    end(conn, second, now=later)
    assert [each.outcome for each in attempts(conn, id_)] == ["superseded", "completed"]


LATE_WRITES: dict[str, Callable[[Connection, Job], object]] = {
    "complete": end,
    "fail": lambda conn, old: end(conn, old, ValueError("late")),
    "renew": lambda conn, old: renew(conn, instance_id=ME, claims=[old.claim], lease_seconds=900, now=NOON),
    "release": lambda conn, old: release(conn, instance_id=ME, claims=[old.claim], now=NOON),
}


@pytest.mark.parametrize("write", LATE_WRITES)
def test_s2_143_a_late_worker_cannot_overwrite_a_newer_claim(conn: Connection, write: str) -> None:
    id_ = job(conn)
    (old,) = take(conn)
    later = NOON + timedelta(minutes=6)
    sweep(conn, now=later)
    take(conn, now=later)  # by the same worker: only the generation tells the claims apart
    newer = stored(conn, id_)
    assert not LATE_WRITES[write](conn, old)
    assert stored(conn, id_) == newer
