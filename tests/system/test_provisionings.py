"""Provisioning from the fleet and from a tenant's page: for real, before the operator's eyes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect
from sqlalchemy import Connection, Engine

from tests import factories
from tests.app.conftest import trail
from tests.provisioned import clear
from tests.system.conftest import Enter, Hire
from tests.system.desk import Desk
from worker.deployment import Deployment
from worker.handlers import provision_tenant
from worker.settings import WorkerSettings

SLUG = "riverside"
Provisioner = Callable[[], object]


@pytest.fixture
def provisioner(hire: Hire, desk: Desk, engine: Engine, url: str, tmp_path: Path) -> Iterator[Provisioner]:
    """Starts a worker that provisions tenants, with a folder of the test's to keep objects in."""
    clear(engine, SLUG)
    about = {"database_url": url, "job_worker_mode": "in_process", "object_storage_uri": tmp_path.as_uri()}
    provision_tenant.register(desk.registry, Deployment(WorkerSettings.model_validate(about)))
    yield lambda: hire(job_worker_mode="in_process")
    clear(engine, SLUG)


def row(page: Page) -> Locator:
    """The tenant's line."""
    return page.get_by_role("row", name=SLUG)


def marks(page: Page, state: str) -> Locator:
    return row(page).locator(f".step-mark[data-state={state}]")


def test_a_tenant_is_provisioned_from_the_fleet_and_each_step_turns_green(
    enter: Enter, provisioner: Provisioner, conn: Connection
) -> None:
    factories.tenant(conn, SLUG)
    provisioner()
    page = enter("dana", "/tenants")
    expect(row(page)).to_contain_text("not started")
    row(page).get_by_role("button", name="Provision").click()
    expect(marks(page, "done")).to_have_count(6)
    expect(row(page)).to_contain_text("active")
    expect(row(page).get_by_role("button")).to_have_count(0)
    (action,) = trail(conn, "provision")
    assert action.actor == "dana"


def test_what_nobody_takes_is_stuck_until_a_provisioner_comes(
    enter: Enter, provisioner: Provisioner, conn: Connection
) -> None:
    factories.tenant(conn, SLUG)
    page = enter("dana", "/tenants")
    row(page).get_by_role("button", name="Provision").click()
    expect(row(page)).to_contain_text("no live worker takes it")
    expect(page.get_by_role("link", name="Stuck 1")).to_be_visible()
    provisioner()
    expect(row(page)).to_contain_text("active")
    expect(page.get_by_role("link", name="Stuck 0")).to_be_visible()


def test_a_storage_that_fails_is_a_red_step_until_it_is_repaired_and_tried_now(
    enter: Enter, provisioner: Provisioner, conn: Connection, tmp_path: Path
) -> None:
    obstacle = tmp_path / "tenants"
    obstacle.touch()
    factories.tenant(conn, SLUG)
    provisioner()
    page = enter("dana", f"/tenants/{SLUG}")
    page.get_by_role("button", name="Provision", exact=True).click()
    page.goto("/tenants?step=verify_object_storage")
    expect(marks(page, "done")).to_have_count(4)
    third = "verify_object_storage: retrying, 3 failed tries"  # after which eight seconds are left to press the button
    expect(marks(page, "retrying")).to_have_attribute("title", third, timeout=20_000)
    expect(page.get_by_role("columnheader", name="1 retrying")).to_contain_text("Storage")
    obstacle.unlink()
    row(page).get_by_role("button", name="Try now").click()
    expect(page.get_by_text("No tenant matches")).to_be_visible()
    page.get_by_role("link", name="Remove filter at step verify_object_storage").click()
    expect(row(page)).to_contain_text("active")
    expect(row(page).locator("[data-troubled]")).to_have_attribute("title", re.compile("done in .*, 3 failed tries"))


def test_a_provisioning_is_cancelled_with_a_reason_and_goes_on_where_it_stopped(
    enter: Enter, provisioner: Provisioner, conn: Connection
) -> None:
    factories.tenant(conn, SLUG)
    page = enter("dana", f"/tenants/{SLUG}")
    page.get_by_role("button", name="Provision", exact=True).click()
    page.get_by_role("link", name="Cancel provisioning").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_label("Why").fill("Wrong region")
    dialog.get_by_role("button", name="Cancel provisioning").click()
    expect(page.get_by_role("main")).to_contain_text("cancelled")
    expect(dialog).to_be_hidden()
    provisioner()
    page.get_by_role("button", name="Provision again").click()
    expect(page.get_by_role("main")).to_contain_text("active")
    assert [(each.action, each.reason) for each in trail(conn) if "sign" not in each.action] == [
        ("provision", None),
        ("cancel", "Wrong region"),
        ("provision", None),
    ]


def test_without_script_the_buttons_lead_to_the_tenants_page(enter: Enter, conn: Connection) -> None:
    factories.tenant(conn, SLUG)
    page = enter("dana", "/tenants", java_script_enabled=False)
    row(page).get_by_role("button", name="Provision").click()
    page.wait_for_url(f"/tenants/{SLUG}")
    expect(page.get_by_role("button", name="Provision", exact=True)).to_be_disabled()
    page.get_by_role("link", name="Cancel provisioning").click()
    page.get_by_label("Why").fill("Wrong region")
    page.get_by_role("button", name="Cancel provisioning").click()
    page.wait_for_url(f"/tenants/{SLUG}")
    expect(page.get_by_role("button", name="Provision again")).to_be_enabled()
