"""Why jobs wait, told from what lives, what is paused and what moves."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.model import Status
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.pages import figures, waits
from worker.queries.pages.waits import Cause, Wait

WORKER: dict[str, Any] = {"component": "mailer", "job_types": ["render_report"], "concurrency": 2}
LONG = NOON - timedelta(minutes=6)


def read(conn: Connection) -> list[Wait]:
    seen = figures.sample(conn, now=NOON)
    return waits.read(seen, seen.backlog)


def cause(conn: Connection) -> Cause:
    (wait,) = read(conn)
    return wait.cause


@pytest.fixture
def waiting(conn: Connection) -> None:
    """One job that has waited for six minutes."""
    factories.job(conn, queue="mail", available_at=LONG)


@pytest.mark.usefixtures("waiting")
def test_what_nobody_runs_is_unserved(conn: Connection) -> None:
    factories.worker_instance(conn, "silent", **WORKER, last_heartbeat_at=NOON - timedelta(hours=2))
    assert cause(conn) is Cause.UNSERVED


@pytest.mark.usefixtures("waiting")
def test_what_is_run_from_other_queues_only_waits_where_nobody_looks(conn: Connection) -> None:
    factories.worker_instance(conn, **WORKER, queues=["other"])
    (wait,) = read(conn)
    assert (wait.cause, [each.queues for each in wait.workers]) == (Cause.ELSEWHERE, [frozenset({"other"})])


@pytest.mark.usefixtures("waiting")
def test_a_worker_that_drains_takes_nothing_new(conn: Connection) -> None:
    factories.worker_instance(conn, **WORKER, drain_requested_at=NOON)
    assert cause(conn) is Cause.DRAINING


@pytest.mark.usefixtures("waiting")
def test_a_pause_is_the_reason_whoever_lives(conn: Connection) -> None:
    factories.worker_instance(conn, **WORKER)
    queues.pause(conn, queue="mail", actor=Actor("mira"), reason="provider down", now=NOON)
    (wait,) = read(conn)
    assert wait.pause
    assert (wait.cause, wait.pause.paused_by) == (Cause.PAUSED, "mira")


@pytest.mark.usefixtures("waiting")
def test_where_every_slot_is_taken_jobs_wait_for_one(conn: Connection) -> None:
    factories.worker_instance(conn, "w", **WORKER)
    for _ in range(2):
        factories.job(conn, queue="other", status=Status.RUNNING, locked_by="w")
    busy = [wait for wait in read(conn) if wait.of.queue == "mail"]
    assert [(wait.cause, wait.slots, wait.free) for wait in busy] == [(Cause.BUSY, 2, 0)]


@pytest.mark.usefixtures("waiting")
def test_where_slots_are_free_and_nothing_ends_something_is_wrong(conn: Connection) -> None:
    factories.worker_instance(conn, **WORKER)
    assert cause(conn) is Cause.IDLE


@pytest.mark.usefixtures("waiting")
def test_where_others_end_it_waits_behind_them(conn: Connection) -> None:
    factories.worker_instance(conn, **WORKER)
    minute(conn, NOON - timedelta(minutes=1), queue="mail", jobs=50)
    (wait,) = read(conn)
    assert (wait.cause, wait.finished) == (Cause.BEHIND, 10)


def test_what_has_just_come_has_its_turn_soon(conn: Connection) -> None:
    factories.worker_instance(conn, **WORKER)
    factories.job(conn, queue="mail", available_at=NOON - timedelta(seconds=5))
    assert cause(conn) is Cause.TURN


def test_what_is_due_later_waits_for_its_time(conn: Connection) -> None:
    due = NOON + timedelta(minutes=3)
    factories.job(conn, queue="mail", scheduled=True, available_at=due)
    (wait,) = read(conn)
    assert (wait.cause, wait.since) == (Cause.SCHEDULE, due)


def test_what_never_ends_by_itself_comes_first(conn: Connection) -> None:
    factories.worker_instance(conn, **WORKER)
    for number in range(3):
        factories.job(conn, queue="mail", available_at=NOON - timedelta(seconds=number))
    factories.job(conn, queue="mail", job_type="train", available_at=LONG)
    factories.job(conn, queue="mail", scheduled=True, available_at=NOON + timedelta(minutes=3))
    assert [(wait.cause, wait.jobs) for wait in read(conn)] == [
        (Cause.UNSERVED, 1),
        (Cause.TURN, 3),
        (Cause.SCHEDULE, 1),
    ]
