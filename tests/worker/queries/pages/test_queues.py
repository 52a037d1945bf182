"""The Queues page's lists: every line once, whatever has the same rank (A-79)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, insert

from tests import factories
from tests.factories import NOON
from worker.errors import InvalidInput
from worker.model import Status, new_id
from worker.queries.pages import cursors, figures, queues
from worker.queries.pages.queues import PAGE
from worker.queries.schema import platform_jobs


def filled(conn: Connection, names: int) -> None:
    """One ready job on each of so many queues."""
    at = NOON - timedelta(minutes=10)
    numbers = range(1, names + 1)
    rows = [{"id": new_id(), "job_type": f"type-{number}", "queue": f"queue-{number}"} for number in numbers]
    conn.execute(insert(platform_jobs).values(created_at=at, available_at=at), rows)


@pytest.mark.parametrize("view", ["queue", "type"])
def test_each_line_is_on_one_page_although_all_rank_alike(conn: Connection, view: str) -> None:
    filled(conn, 2 * PAGE + 3)
    seen: list[str] = []
    cursor = None
    sampled = figures.sample(conn, now=NOON)
    for _ in range(3):
        page = (
            queues.by_queue(sampled, cursor=cursor) if view == "queue" else queues.by_type(conn, sampled, cursor=cursor)
        )
        seen += [line.name for line in page.lines]
        cursor = page.older
    assert cursor is None
    assert len(seen) == len(set(seen)) == 2 * PAGE + 3


def test_a_list_is_narrowed_by_a_part_of_the_name(conn: Connection) -> None:
    filled(conn, 12)
    page = queues.by_queue(figures.sample(conn, now=NOON), containing="ue-1")
    assert sorted(line.name for line in page.lines) == ["queue-1", "queue-10", "queue-11", "queue-12"]


def tenants(conn: Connection, cursor: str | None = None) -> Any:
    return queues.by_tenant(conn, cursor=cursor, now=NOON)


def test_tenants_are_listed_with_all_their_open_work(conn: Connection) -> None:
    acme, globex = factories.tenant(conn, "acme"), factories.tenant(conn, "globex")
    factories.tenant(conn, "idle")
    for status in (Status.QUEUED, Status.RUNNING, Status.FAILED, Status.SUCCEEDED):
        factories.job(conn, tenant_id=acme, status=status)
    for _ in range(2):
        factories.job(conn, tenant_id=globex)
    factories.job(conn)
    lines = [(line.slug, line.ready, line.running, line.dead) for line in tenants(conn).lines]
    assert lines == [("globex", 2, 0, 0), ("acme", 1, 1, 1)]


def test_each_tenant_is_on_one_page_although_all_wait_alike(conn: Connection) -> None:
    for place in range(PAGE + 2):
        factories.job(conn, tenant_id=factories.tenant(conn, f"tenant-{place}"))
    first = tenants(conn)
    second = tenants(conn, first.older)
    slugs = [line.slug for line in (*first.lines, *second.lines)]
    assert (len(first.lines), len(second.lines), second.older) == (PAGE, 2, None)
    assert len(set(slugs)) == PAGE + 2


@pytest.mark.parametrize("cursor", ["nonsense", cursors.encode(1, "no uuid"), cursors.encode("1", UUID(int=1))])
def test_a_cursor_of_another_list_is_refused(conn: Connection, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        tenants(conn, cursor)
    with pytest.raises(InvalidInput, match="cursor"):
        queues.by_queue(figures.sample(conn, now=NOON), cursor=cursor)
