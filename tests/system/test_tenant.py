"""A tenant's page while its provisioning happens: it moves with the clock, and with what the worker does."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import Connection, update

from tests import factories
from tests.system.conftest import Enter
from tests.system.console import Console
from tests.system.watch import Watch
from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries.schema import job_steps, platform_jobs

WIDTH = "element => parseFloat(element.getAttribute('width'))"


def ago(seconds: float) -> datetime:
    return datetime.now(UTC) - timedelta(seconds=seconds)


@pytest.fixture
def job_id(conn: Connection) -> UUID:
    """A provisioning whose second step has been running for 20 s, on a live worker."""
    tenant_id = factories.tenant(conn, onboarding_status="provisioning")
    factories.worker_instance(conn, job_types=["provision_tenant"], last_heartbeat_at=ago(-600), queues=None)
    job: dict[str, Any] = {"job_type": "provision_tenant", "queue": "provision", "tenant_id": tenant_id}
    job |= {"idempotency_key": f"provision:{tenant_id}", "steps_completed": [STEPS[0]], "progress": 16.67}
    job |= {"created_at": ago(24), "available_at": ago(24), "locked_at": ago(23), "lease_expires_at": ago(-600)}
    job_id = factories.job(conn, status=Status.RUNNING, **job)
    factories.job_step(conn, job_id, 1, STEPS[0], started_at=ago(22), finished_at=ago(20))
    factories.job_step(conn, job_id, 2, STEPS[1], started_at=ago(20), finished_at=None, outcome=None)
    return job_id


def progress(conn: Connection, job_id: UUID) -> None:
    """The second step is done, the third begins."""
    done = {"finished_at": ago(0), "outcome": "done"}
    conn.execute(update(job_steps).where(job_steps.c.job_id == job_id, job_steps.c.ordinal == 2).values(**done))
    factories.job_step(conn, job_id, 3, STEPS[2], started_at=ago(0), finished_at=None, outcome=None)
    values = {"progress": 33.33, "steps_completed": list(STEPS[:2])}
    conn.execute(update(platform_jobs).where(platform_jobs.c.id == job_id).values(**values))


def bar(page: Page, kind: str = "run", state: str = "running") -> Locator:
    return page.locator(f".gantt .seg[data-kind={kind}][data-state={state}] .body[data-grows]")


def watched(enter: Enter) -> Page:
    """The page, live, in a browser whose clock the test may turn on."""
    page = enter("dana")
    page.clock.install()
    page.goto("/tenants/acme")
    expect(page.locator("[data-live]")).to_have_text("Live")
    return page


def growth(page: Page) -> float:
    """By how much the bar is longer after two seconds, in hundredths of the axis."""
    before: float = bar(page).evaluate(WIDTH)
    page.clock.run_for(2_000)
    after: float = bar(page).evaluate(WIDTH)
    return after - before


@pytest.mark.usefixtures("job_id")
def test_a_running_bar_grows_between_updates(enter: Enter) -> None:
    page = watched(enter)
    assert growth(page) > 2
    page.emulate_media(reduced_motion="no-preference")
    assert page.locator(".gantt .edge").evaluate("edge => getComputedStyle(edge).animationDuration") == "2s"


@pytest.mark.usefixtures("job_id")
def test_who_wants_less_motion_has_a_still_edge(enter: Enter) -> None:
    page = enter("dana", "/tenants/acme")
    assert page.locator(".gantt .edge").evaluate("edge => getComputedStyle(edge).animationName") == "none"


@pytest.mark.usefixtures("job_id")
def test_a_lost_stream_stops_the_bar_and_greys_it(enter: Enter, console: Console, watch: Watch) -> None:
    watch.expect("ERR_|Failed to fetch")
    page = watched(enter)
    colour = "bar => getComputedStyle(bar).fill"
    alive = bar(page).evaluate(colour)
    console.stop()
    expect(page.locator("[data-live]")).to_contain_text("Lost, since")
    assert bar(page).evaluate(colour) != alive
    assert growth(page) == 0


def test_the_page_follows_the_worker(enter: Enter, conn: Connection, job_id: UUID) -> None:
    page = enter("dana", "/tenants/acme")
    sentence = page.locator(".page-head p").last
    expect(sentence).to_contain_text("step 2 of 6 for")
    progress(conn, job_id)
    expect(sentence).to_contain_text("step 3 of 6 for")
    expect(page.get_by_role("list", name="6 steps, 2 done, step 3 running at attempt 1")).to_be_visible()


def test_the_table_stays_open_while_the_page_follows(enter: Enter, conn: Connection, job_id: UUID) -> None:
    page = enter("dana", "/tenants/acme")
    page.get_by_text("As a table").first.click()
    row = page.get_by_role("row", name="2 run_tenant_migrations running")
    expect(row).to_be_visible()
    progress(conn, job_id)
    expect(page.get_by_role("row", name="2 run_tenant_migrations done")).to_be_visible()


@pytest.mark.usefixtures("job_id")
def test_under_the_pointer_stands_the_time(enter: Enter) -> None:
    page = enter("dana", "/tenants/acme")
    hair = page.locator(".gantt .hair text")
    expect(hair).to_be_hidden()
    box = page.locator(".gantt .track").nth(1).bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 5)
    expect(hair).to_be_visible()
    expect(hair).to_have_text(re.compile(r"^\d\d\.\d s · \d\d:\d\d:\d\d$"))
    page.mouse.move(5, 5)
    expect(hair).to_be_hidden()


@pytest.mark.usefixtures("job_id")
def test_without_scripts_the_page_says_all_the_same(enter: Enter) -> None:
    page = enter("dana", "/tenants/acme", java_script_enabled=False)
    expect(page.locator(".page-head p").last).to_contain_text("running")
    expect(bar(page)).to_have_count(1)
    page.get_by_text("As a table").first.click()
    expect(page.get_by_role("row", name="2 run_tenant_migrations running")).to_be_visible()
