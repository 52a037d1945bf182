"""Figures in a lens: what pages, rail and sentences say is the one tenant's, and nothing of the others."""

from __future__ import annotations

import re
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells
from tests.factories import NOON
from worker.model import AttemptOutcome, Status
from worker.queries import queues, statistics
from worker.queries.audit import Actor
from worker.queries.statistics import Measured


@pytest.fixture
def two(conn: Connection) -> tuple[UUID, UUID]:
    """Acme with one job of each kind on mail, and globex with seven of each on mail and on bulk."""
    acme, globex = factories.tenant(conn, "acme"), factories.tenant(conn, "globex")
    factories.worker_instance(conn, "worker-1", component="mailer")
    for owner, number, places in ((acme, 1, ("mail",)), (globex, 7, ("mail", "bulk"))):
        for queue in places * number:
            factories.job(conn, tenant_id=owner, queue=queue, available_at=NOON - timedelta(seconds=20))
            factories.job(conn, tenant_id=owner, queue=queue, status=Status.FAILED, error_fingerprint=f"{owner}"[:16])
            factories.job(conn, tenant_id=owner, queue=queue, status=Status.RUNNING)
    for owner, number in ((acme, 5), (globex, 500)):
        ended = Measured("render_report", "mail", AttemptOutcome.COMPLETED, 2000, 0, tenant_id=owner)
        statistics.add(conn, [ended] * number, now=NOON - timedelta(minutes=1))
    return acme, globex


def test_the_overview_counts_the_tenants_work_alone(two: tuple[UUID, UUID], visitor: Visitor) -> None:
    page = visitor().get("/in/acme/").text
    tiles = page.partition('aria-label="Now"')[2].partition("</section>")[0]
    figures = re.findall(r'class="figure[^>]*>\s*([^<]*?)\s*<', tiles)
    assert figures == ["1", "1", "1.0", "1"]
    assert "1 thing of Acme needs a person" in page
    assert "5 completed" in page
    assert "globex" not in page


def test_each_view_of_the_queues_lists_what_the_tenant_has(two: tuple[UUID, UUID], visitor: Visitor) -> None:
    mine = visitor()
    (queue,) = cells(mine.get("/in/acme/queues").text)
    assert (queue[0], queue[1], queue[4], queue[9]) == ("mail", "1", "1", "1")
    (kind,) = cells(mine.get("/in/acme/queues?by=type").text)
    assert (kind[0], kind[1]) == ("render_report", "1")
    (tenant,) = cells(mine.get("/in/acme/queues?by=tenant").text)
    assert tenant == ["1", "20 s", "0", "1", "0 / 1.0", "under 1 min", "2.0 s / 2.9 s", "1", "its turn"]


@pytest.mark.parametrize("address", ["/queues/mail", "/job-types/render_report"])
def test_a_queue_and_a_job_type_tell_of_the_tenants_jobs_alone(
    two: tuple[UUID, UUID], visitor: Visitor, address: str
) -> None:
    page = visitor().get(f"/in/acme{address}").text
    assert "1 waits, the oldest for" in page
    assert "5 completed, 0 failed" in page


def test_a_worker_shows_what_it_runs_of_the_tenant_and_how_full_it_is(two: tuple[UUID, UUID], visitor: Visitor) -> None:
    mine = visitor()
    page = mine.get("/in/acme/workers").text
    (row,) = [row for row in cells(page) if row[0].startswith("mailer")]
    assert row[6] == "8 / 8"
    assert "render_report" in row[7]
    assert "×" not in row[7]
    own = mine.get("/in/acme/workers/worker-1").text
    held = own.partition("Runs of acme now")[2].partition("</section>")[0]
    assert held.count('id="held-') == 1
    assert "globex" not in own


def test_a_pause_of_a_queue_without_the_tenants_work_is_not_its_trouble(
    two: tuple[UUID, UUID], visitor: Visitor, conn: Connection
) -> None:
    for queue in ("mail", "bulk"):
        queues.pause(conn, queue=queue, actor=Actor("mira"), reason="provider down", now=NOON - timedelta(hours=1))
    page = visitor().get("/in/acme/").text
    attention = page.partition('aria-label="Needs attention"')[2].partition("</section>")[0]
    assert "mail" in attention
    assert "bulk" not in attention


def test_trouble_of_the_whole_system_is_counted_apart_with_the_way_to_it(
    two: tuple[UUID, UUID], visitor: Visitor, conn: Connection
) -> None:
    long_ago = NOON - timedelta(minutes=10)
    factories.worker_instance(conn, "worker-2", component="renderer", last_heartbeat_at=long_ago)
    page = visitor().get("/in/acme/").text
    assert "renderer" not in page.partition('aria-label="Needs attention"')[2].partition("</section>")[0]
    assert '1 thing that concerns all tenants needs a person, too: <a class="link" data-leaves href="/">' in page
