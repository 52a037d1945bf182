"""Jobs with their whole history, by id and by event."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import attempt
from worker.model import Status, new_id
from worker.queries.pages import histories
from worker.queries.pages.histories import SIBLINGS

ORDER: dict[str, Any] = {"event_id": "ev-1", "event_type": "order.created"}


def test_attempts_come_newest_first_with_who_how_long_and_why(conn: Connection) -> None:
    job = factories.job(conn, generation=2)
    attempt(conn, job, 1, worker_id="one", error="ValueError: no", started_at=NOON - timedelta(seconds=2))
    attempt(conn, job, 2, worker_id="two", outcome="lease_expired")
    found = histories.job_of(conn, job_id=job, attempt_limit=50, now=NOON)
    assert found
    told = [(each.generation, each.worker_id, each.outcome, each.duration_ms, each.error) for each in found.history]
    assert told == [(2, "two", "lease_expired", None, None), (1, "one", "failed", 2000, "ValueError: no")]
    assert {each.handler_key for each in found.history} == {"render_report"}


def test_no_more_attempts_are_read_than_asked_for(conn: Connection) -> None:
    job = factories.job(conn, generation=5)
    for generation in range(1, 6):
        attempt(conn, job, generation)
    found = histories.job_of(conn, job_id=job, attempt_limit=2, now=NOON)
    assert found
    assert [each.generation for each in found.history] == [5, 4]


def test_the_attempt_that_runs_now_leads_the_history_without_an_outcome(conn: Connection) -> None:
    job = factories.job(conn, status=Status.RUNNING, generation=3, attempts=3)
    attempt(conn, job, 1)
    attempt(conn, job, 2)
    found = histories.job_of(conn, job_id=job, attempt_limit=2, now=NOON)
    assert found
    assert [(each.generation, each.outcome) for each in found.history] == [(3, None), (2, "failed")]
    assert (found.history[0].worker_id, found.history[0].claimed_at) == ("worker-1", NOON)


def test_an_attempt_that_ended_while_it_was_read_is_told_once(conn: Connection) -> None:
    job = factories.job(conn, status=Status.RUNNING)
    attempt(conn, job, 1, outcome="completed")
    found = histories.job_of(conn, job_id=job, attempt_limit=2, now=NOON)
    assert found
    assert [each.outcome for each in found.history] == ["completed"]


def test_a_job_is_told_in_stored_words_and_in_the_consoles(conn: Connection) -> None:
    job = factories.job(conn, scheduled=True, available_at=NOON + timedelta(hours=1), attempts=1, progress=12.5)
    found = histories.job_of(conn, job_id=job, attempt_limit=2, now=NOON)
    assert found
    assert (found.status, found.state, found.progress) == ("queued", "retrying", 12.5)
    assert found.available_at == NOON + timedelta(hours=1)


def test_no_job_is_none(conn: Connection) -> None:
    assert histories.job_of(conn, job_id=new_id(), attempt_limit=1, now=NOON) is None


def test_the_jobs_of_an_event_come_by_subscriber_each_with_its_own_attempts(conn: Connection) -> None:
    second = factories.job(conn, subscriber_id="b", generation=1, **ORDER)
    first = factories.job(conn, subscriber_id="a", generation=2, **ORDER)
    factories.job(conn, subscriber_id="a", event_id="ev-2", event_type="order.created")
    attempt(conn, first, 1)
    attempt(conn, first, 2)
    attempt(conn, second, 1)
    found = histories.jobs_of(conn, event_id="ev-1", attempt_limit=1, now=NOON)
    assert [(each.id, [one.generation for one in each.history]) for each in found] == [(first, [2]), (second, [1])]


def test_of_an_event_with_very_many_subscribers_two_hundred_are_read(conn: Connection) -> None:
    for number in range(SIBLINGS + 1):
        factories.job(conn, subscriber_id=f"sub-{number}", **ORDER)
    assert len(histories.jobs_of(conn, event_id="ev-1", attempt_limit=1, now=NOON)) == SIBLINGS
