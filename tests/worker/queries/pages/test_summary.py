"""All jobs at a glance: what is open whatever its age, and what ended lately."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import attempt, minute
from worker.model import Status
from worker.queries.pages import summary
from worker.queries.pages.summary import JobsSummary, Standing

LONG_AGO = NOON - timedelta(days=3)


def read(conn: Connection, hours: int = 24, dead_letter_limit: int = 50) -> JobsSummary:
    return summary.read(conn, hours=hours, dead_letter_limit=dead_letter_limit, now=NOON)


def test_open_jobs_count_however_old_they_are(conn: Connection) -> None:
    for status in (Status.QUEUED, Status.RUNNING, Status.FAILED):
        factories.job(conn, status=status, created_at=LONG_AGO)
    found = read(conn, hours=1).standing
    assert (found.queued, found.running, found.dead_letters) == (1, 1, 1)


def test_the_age_of_the_backlog_is_told_apart_by_what_it_waits_for(conn: Connection) -> None:
    factories.job(conn, created_at=LONG_AGO, available_at=NOON - timedelta(minutes=4))
    factories.job(conn, created_at=LONG_AGO, available_at=NOON + timedelta(hours=1), scheduled=True, attempts=2)
    factories.job(conn, status=Status.RUNNING, created_at=LONG_AGO, locked_at=NOON - timedelta(seconds=90))
    assert read(conn).standing == Standing(
        queued=2,
        ready=1,
        oldest_ready_seconds=240,
        scheduled=1,
        next_due_seconds=3600,
        retrying=1,
        running=1,
        oldest_running_seconds=90,
        dead_letters=0,
    )


def test_what_came_due_this_second_is_ready(conn: Connection) -> None:
    factories.job(conn, available_at=NOON - timedelta(seconds=1), scheduled=True)
    found = read(conn).standing
    assert (found.ready, found.scheduled, found.oldest_ready_seconds) == (1, 0, 1)


def test_an_empty_queue_has_no_ages(conn: Connection) -> None:
    found = read(conn)
    assert found.standing == Standing(0, 0, None, 0, None, 0, 0, None, 0)
    assert (found.by_queue, found.by_subscriber, found.recent_dead_letters) == ((), (), ())
    assert found.counted_in_full


def test_each_queue_and_each_handler_has_its_part(conn: Connection) -> None:
    event = {"event_id": "ev-1", "event_type": "order.created", "subscriber_id": "crm.sync"}
    factories.job(conn, queue="mail")
    factories.job(conn, queue="mail", status=Status.RUNNING, **event)
    minute(conn, NOON, queue="reports", handler="crm.sync", jobs=6)
    found = read(conn)
    queues = {
        each.queue: (each.standing.queued, each.standing.running, each.window.succeeded) for each in found.by_queue
    }
    assert queues == {"mail": (1, 1, 0), "reports": (0, 0, 6)}
    handlers = {each.handler_key: (each.standing.queued, each.window.succeeded) for each in found.by_subscriber}
    assert handlers == {"crm.sync": (0, 6), "render_report": (1, 0)}


def test_the_newest_dead_letters_come_with_the_worker_of_their_last_attempt(conn: Connection) -> None:
    old = factories.job(conn, status=Status.FAILED, finished_at=LONG_AGO)
    new = factories.job(conn, status=Status.FAILED, generation=2, finished_at=NOON)
    attempt(conn, new, 1, worker_id="first")
    attempt(conn, new, 2, worker_id="last")
    found = read(conn).recent_dead_letters
    assert [(each.id, each.last_worker_id) for each in found] == [(new, "last"), (old, None)]
    assert [each.id for each in read(conn, dead_letter_limit=1).recent_dead_letters] == [new]


def test_a_count_that_stopped_says_so(conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(summary, "COUNTED", 2)
    factories.job(conn, queue="mail")
    factories.job(conn, queue="reports")
    assert read(conn).counted_in_full
    factories.job(conn, queue="mail")
    assert not read(conn).counted_in_full
