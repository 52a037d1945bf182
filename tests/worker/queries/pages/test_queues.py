"""The Queues page's lists: every line once, whatever has the same rank (A-79)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, event, insert

from tests import factories
from tests.factories import NOON
from worker.errors import InvalidInput
from worker.model import AttemptOutcome, Status, new_id
from worker.queries import statistics
from worker.queries.pages import cursors, figures, queues
from worker.queries.pages.queues import PAGE
from worker.queries.pages.tenant_figures import of_tenant
from worker.queries.schema import platform_jobs
from worker.queries.statistics import Measured

COUNTS = ("tenant_id", "slug", "display_name", "ready", "ready_since", "scheduled", "next_due", "running", "dead")


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
    return queues.by_tenant(conn, figures.sample(conn, now=NOON), cursor=cursor)


def rows(page: Any) -> list[Any]:
    return [line.row for line in page.lines]


def test_tenants_are_listed_with_all_their_open_work(conn: Connection) -> None:
    acme, globex = factories.tenant(conn, "acme"), factories.tenant(conn, "globex")
    factories.tenant(conn, "idle")
    for status in (Status.QUEUED, Status.RUNNING, Status.FAILED, Status.SUCCEEDED):
        factories.job(conn, tenant_id=acme, status=status)
    for _ in range(2):
        factories.job(conn, tenant_id=globex)
    factories.job(conn)
    lines = [(line.slug, line.ready, line.running, line.dead) for line in rows(tenants(conn))]
    assert lines == [("globex", 2, 0, 0), ("acme", 1, 1, 1)]


def test_each_tenant_is_on_one_page_although_all_wait_alike(conn: Connection) -> None:
    for place in range(PAGE + 2):
        factories.job(conn, tenant_id=factories.tenant(conn, f"tenant-{place}"))
    first = tenants(conn)
    second = tenants(conn, first.older)
    slugs = [line.slug for line in (*rows(first), *rows(second))]
    assert (len(first.lines), len(second.lines), second.older) == (PAGE, 2, None)
    assert len(set(slugs)) == PAGE + 2


@pytest.mark.parametrize("cursor", ["nonsense", cursors.encode(1, "no uuid"), cursors.encode("1", UUID(int=1))])
def test_a_cursor_of_another_list_is_refused(conn: Connection, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="cursor"):
        tenants(conn, cursor)
    with pytest.raises(InvalidInput, match="cursor"):
        queues.by_queue(figures.sample(conn, now=NOON), cursor=cursor)


def test_a_tenants_line_says_how_fast_its_work_goes_and_why_it_waits(conn: Connection) -> None:
    acme, globex = factories.tenant(conn, "acme"), factories.tenant(conn, "globex")
    factories.worker_instance(conn)
    for _ in range(3):
        factories.job(conn, tenant_id=acme, job_type="train", created_at=NOON)
    factories.job(conn, tenant_id=globex, available_at=NOON, created_at=NOON)
    for owner, number in ((acme, 10), (globex, 5)):
        ended = Measured("render_report", "default", AttemptOutcome.COMPLETED, 2000, 0, tenant_id=owner)
        statistics.add(conn, [ended] * number, now=NOON)
    lines = tenants(conn).lines
    told = [(line.row.slug, line.load.arrived, line.load.finished, line.load.run_seconds(0.5)) for line in lines]
    assert told == [("acme", 0.6, 2, 2.0), ("globex", 0.2, 1, 2.0)]
    assert [(line.wait.cause, line.load.pace) for line in lines] == [("unserved", "unserved"), ("turn", "steady")]


def test_the_figures_of_one_tenant_list_it_alone(conn: Connection) -> None:
    acme, globex = factories.tenant(conn, "acme"), factories.tenant(conn, "globex")
    for owner in (acme, globex):
        for status in (Status.QUEUED, Status.QUEUED, Status.RUNNING, Status.FAILED):
            factories.job(conn, tenant_id=owner, status=status)
        factories.job(conn, tenant_id=owner, available_at=NOON + timedelta(hours=1), scheduled=True)
    everybodys = rows(tenants(conn))
    own = rows(queues.by_tenant(conn, of_tenant(conn, figures.sample(conn, now=NOON), tenant_id=acme)))
    assert [[getattr(row, name) for name in COUNTS] for row in own] == [
        [getattr(row, name) for name in COUNTS] for row in everybodys if row.slug == "acme"
    ]


def test_the_line_of_one_tenant_is_told_from_its_figures_and_no_job_is_read_for_it(conn: Connection) -> None:
    acme, globex = factories.tenant(conn, "acme"), factories.tenant(conn, "globex")
    narrowed = of_tenant(conn, figures.sample(conn, now=NOON), tenant_id=globex)
    for owner in (acme, globex):
        factories.job(conn, tenant_id=owner)
    assert queues.by_tenant(conn, narrowed).lines == []
    narrowed = of_tenant(conn, figures.sample(conn, now=NOON), tenant_id=globex)
    read: list[str] = []
    event.listen(conn, "before_cursor_execute", lambda *given: read.append(given[2]))
    assert [row.slug for row in rows(queues.by_tenant(conn, narrowed))] == ["globex"]
    assert [statement for statement in read if "platform_jobs" in statement] == []
