"""What one worker ran, page by page."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import attempt
from worker.errors import InvalidInput
from worker.model import new_id
from worker.queries.pages import attempts, cursors


def test_a_page_goes_on_where_the_last_ended_though_many_ended_at_once(conn: Connection) -> None:
    for generation in range(1, 8):
        attempt(conn, factories.job(conn), generation, finished_at=NOON + timedelta(seconds=generation // 5))
    seen, cursor = [], None
    for _ in range(3):
        page = attempts.of_worker(conn, instance_id="worker-1", limit=3, cursor=cursor)
        seen += [(each.finished_at, each.job_id) for each in page.attempts]
        cursor = page.next_cursor
    assert cursor is None
    assert len(set(seen)) == 7
    assert seen == sorted(seen, reverse=True)


def test_a_full_last_page_has_no_next(conn: Connection) -> None:
    for _ in range(2):
        attempt(conn, factories.job(conn))
    assert attempts.of_worker(conn, instance_id="worker-1", limit=2).next_cursor is None


def test_what_others_ran_is_not_there(conn: Connection) -> None:
    attempt(conn, factories.job(conn), worker_id="other")
    assert attempts.of_worker(conn, instance_id="worker-1", limit=2).attempts == ()


def test_an_attempt_outlives_its_job(conn: Connection) -> None:
    job = new_id()
    attempt(conn, job)
    (only,) = attempts.of_worker(conn, instance_id="worker-1", limit=2).attempts
    assert (only.job_id, only.handler_key, only.queue, only.event_id) == (job, None, None, None)


def test_an_attempt_is_told_with_its_job(conn: Connection) -> None:
    event: dict[str, Any] = {"event_id": "ev-1", "event_type": "order.created", "subscriber_id": "crm.sync"}
    attempt(conn, factories.job(conn, queue="mail", **event))
    (only,) = attempts.of_worker(conn, instance_id="worker-1", limit=2).attempts
    assert (only.handler_key, only.queue, only.event_id) == ("crm.sync", "mail", "ev-1")


@pytest.mark.parametrize(
    "key", [(), (NOON, new_id()), (NOON, "no id", 1), ("noon", new_id(), 1), (NOON, new_id(), "1")]
)
def test_a_cursor_of_another_list_is_refused(conn: Connection, key: tuple[object, ...]) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        attempts.of_worker(conn, instance_id="worker-1", limit=2, cursor=cursors.encode(*key))


def test_a_cursor_with_a_number_no_row_has_is_an_empty_place_not_an_error(conn: Connection) -> None:
    cursor = cursors.encode(NOON, new_id(), 2**61)
    assert attempts.of_worker(conn, instance_id="worker-1", limit=2, cursor=cursor).attempts == ()
