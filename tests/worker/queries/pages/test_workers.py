"""The Workers page's lists."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.errors import InvalidInput
from worker.model import Status
from worker.queries.pages import figures, workers
from worker.queries.pages.workers import PAGE, Page


def present(conn: Connection, cursor: str | None = None) -> Page:
    return workers.present(conn, figures.sample(conn, now=NOON), cursor=cursor)


def test_the_silent_lead_the_rest_follows_by_name(conn: Connection) -> None:
    factories.worker_instance(conn, "b", label="mail-2")
    factories.worker_instance(conn, "a", label="mail-1")
    factories.worker_instance(conn, "z", last_heartbeat_at=NOON - timedelta(minutes=1))
    factories.worker_instance(conn, "long", last_heartbeat_at=NOON - timedelta(minutes=61))
    factories.worker_instance(conn, "stopped", stopped_at=NOON)
    assert [(line.name, line.state) for line in present(conn).lines] == [
        ("worker", "silent"),
        ("mail-1", "live"),
        ("mail-2", "live"),
    ]


def test_a_line_tells_what_it_holds_the_oldest_first(conn: Connection) -> None:
    factories.worker_instance(conn)
    for minutes, job_type in ((1, "young"), (9, "old"), (2, "young")):
        factories.job(conn, status=Status.RUNNING, job_type=job_type, locked_at=NOON - timedelta(minutes=minutes))
    (line,) = present(conn).lines
    assert line.busy == 3
    assert [(row.handler_key, row.jobs) for row in line.held] == [("old", 1), ("young", 2)]
    assert line.pulse == "|" * 28


@pytest.mark.parametrize("there", [True, False], ids=["present", "gone"])
def test_each_process_is_on_one_page_although_all_started_at_once(conn: Connection, there: bool) -> None:
    for place in range(2 * PAGE + 1):
        factories.worker_instance(conn, f"w{place}", stopped_at=None if there else NOON)
    seen: list[str] = []
    cursor = None
    for _ in range(3):
        page = present(conn, cursor) if there else workers.gone(conn, cursor=cursor, now=NOON)
        seen += [line.row.instance_id for line in page.lines]
        cursor = page.older
    assert cursor is None
    assert len(seen) == len(set(seen)) == 2 * PAGE + 1


def test_those_that_are_gone_are_told_apart_by_how(conn: Connection) -> None:
    factories.worker_instance(conn, "stopped", stopped_at=NOON, started_at=NOON - timedelta(hours=1))
    factories.worker_instance(
        conn, "lost", last_heartbeat_at=NOON - timedelta(hours=2), started_at=NOON - timedelta(hours=3)
    )
    factories.worker_instance(conn, "live")
    page = workers.gone(conn, limit=1, now=NOON)
    assert [(line.row.instance_id, line.state) for line in page.lines] == [("stopped", "stopped")]
    rest = workers.gone(conn, cursor=page.older, now=NOON)
    assert [(line.row.instance_id, line.state) for line in rest.lines] == [("lost", "silent")]


def test_a_cursor_of_another_list_is_refused(conn: Connection) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        present(conn, "WyJhIl0")
