"""The workers told to a program: states, what each holds, how its attempts ended, page by page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import attempt
from worker.model import AttemptOutcome, Status
from worker.queries.pages import roster
from worker.queries.pages.roster import AttemptCounts, WorkersSummary

SILENT = {"last_heartbeat_at": NOON - timedelta(minutes=1)}


def read(conn: Connection, **asked: Any) -> WorkersSummary:
    usual: dict[str, Any] = {"hours": 24, "limit": 100, "now": NOON}
    return roster.read(conn, **usual | asked)


def fleet(conn: Connection) -> None:
    factories.worker_instance(conn, "live")
    factories.worker_instance(conn, "draining", drain_requested_at=NOON)
    factories.worker_instance(conn, "silent", **SILENT)
    factories.worker_instance(conn, "stopped", stopped_at=NOON - timedelta(minutes=1), **SILENT)


def test_every_process_is_counted_and_shown_in_its_state(conn: Connection) -> None:
    fleet(conn)
    found = read(conn)
    assert (found.live, found.draining, found.silent, found.stopped) == (1, 1, 1, 1)
    assert {each.instance_id: each.state for each in found.workers} == {name: name for name in (
        "live", "draining", "silent", "stopped",
    )}  # fmt: skip


def test_the_counts_are_of_all_whatever_the_page(conn: Connection) -> None:
    fleet(conn)
    found = read(conn, limit=1)
    assert (found.live, found.draining, found.silent, found.stopped, len(found.workers)) == (1, 1, 1, 1, 1)


@pytest.mark.parametrize(("seconds", "silent"), [(59, 1), (60, 0), (1, 3)])
def test_how_long_silence_may_last_can_be_said(conn: Connection, seconds: float, silent: int) -> None:
    fleet(conn)
    found = read(conn, stale_after_seconds=seconds)
    assert (found.silent, found.stopped, found.stale_after_seconds) == (silent, 1, seconds)
    assert sum(each.state == "silent" for each in found.workers) == silent


def test_what_a_worker_holds_is_counted_among_the_jobs(conn: Connection) -> None:
    fleet(conn)
    for holder in ("live", "silent", "silent", "unknown"):
        factories.job(conn, status=Status.RUNNING, locked_by=holder)
    found = read(conn)
    assert {each.instance_id: each.holds for each in found.workers if each.holds} == {"live": 1, "silent": 2}
    assert found.claimed_by_silent_workers == 2


def test_attempts_are_counted_by_outcome_within_the_window(conn: Connection) -> None:
    factories.worker_instance(conn)
    for outcome in AttemptOutcome:
        attempt(conn, factories.job(conn), outcome=outcome, finished_at=NOON - timedelta(minutes=59))
    attempt(conn, factories.job(conn), outcome="failed", finished_at=NOON - timedelta(minutes=30))
    attempt(conn, factories.job(conn), outcome="failed", finished_at=NOON - timedelta(minutes=61))
    attempt(conn, factories.job(conn), outcome="failed", worker_id="other")
    (worker,) = read(conn, hours=1).workers
    assert worker.attempts == AttemptCounts(1, 2, 1, 1, 1, 1, 1, 1)
    assert worker.last_finished_at == NOON - timedelta(minutes=30)
    assert worker.counted_since == NOON - timedelta(hours=1)


def test_a_worker_that_ran_nothing_has_counted_nothing(conn: Connection) -> None:
    factories.worker_instance(conn)
    (worker,) = read(conn).workers
    assert (worker.attempts, worker.last_finished_at, worker.holds) == (AttemptCounts(), None, 0)


def test_only_the_newest_thousand_are_counted_and_the_answer_says_since_when(conn: Connection) -> None:
    factories.worker_instance(conn)
    job = factories.job(conn)
    for generation in range(1, roster.COUNTED + 2):
        attempt(conn, job, generation, finished_at=NOON - timedelta(hours=1) + timedelta(seconds=generation))
    (worker,) = read(conn).workers
    assert worker.attempts == AttemptCounts(failed=roster.COUNTED)
    assert worker.counted_since == NOON - timedelta(hours=1) + timedelta(seconds=2)


def test_a_worker_is_told_with_what_it_can_run(conn: Connection) -> None:
    factories.worker_instance(conn, queues=["mail"], role="mailer", metadata={"zone": "b"})
    factories.worker_instance(conn, "all", started_at=NOON - timedelta(hours=2))
    one, every = read(conn).workers
    assert (list(one.job_types), list(one.queues or ())) == (["render_report", "run_subscriber"], ["mail"])
    assert (one.role, one.metadata, one.concurrency, one.host, every.queues) == (
        "mailer",
        {"zone": "b"},
        8,
        "ops-1",
        None,
    )
