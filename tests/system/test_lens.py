"""Somebody looks at one tenant, moves what is its own, and leaves again, as a person does it."""

from __future__ import annotations

from uuid import UUID

from playwright.sync_api import Page, expect
from sqlalchemy import Connection

from tests import factories
from tests.system.conftest import Enter
from worker.model import Status

GROUP = "f" * 16


def die(conn: Connection, tenant_id: UUID) -> UUID:
    error = {"error_type": "LookupError", "error_summary": "no template", "error_fingerprint": GROUP}
    return factories.job(conn, tenant_id=tenant_id, status=Status.FAILED, **error)


def whose(page: Page) -> str:
    return page.get_by_role("region", name="Lens").inner_text()


def test_a_tenants_dead_letters_are_replayed_in_its_lens_and_others_stay(enter: Enter, conn: Connection) -> None:
    acme, globex = factories.tenant(conn, "acme"), factories.tenant(conn, "globex")
    own, other = die(conn, acme), die(conn, globex)
    page = enter("dana", "/dead-letters")
    expect(page.get_by_role("main").get_by_role("button", name="Replay 2")).to_be_visible()

    page.keyboard.press("i")
    expect(page.get_by_role("dialog").get_by_label("Tenant")).to_be_focused()
    page.keyboard.type("ac")
    expect(page.get_by_role("dialog").get_by_role("link", name="globex")).to_have_count(0)
    page.get_by_role("dialog").get_by_role("link", name="acme").click()
    page.wait_for_url("/in/acme/dead-letters")
    assert "acme" in whose(page)

    page.get_by_role("main").get_by_role("button", name="Replay 1").click()
    expect(page.get_by_role("dialog").get_by_label("Why")).to_be_focused()
    page.get_by_role("dialog").get_by_role("button", name="Replay 1").click()
    expect(page.locator(".toast").first).to_contain_text("Replayed 1 job.")
    page.wait_for_url("/in/acme/**")
    assert [factories.stored(conn, job).status for job in (own, other)] == [Status.QUEUED, Status.FAILED]

    late = die(conn, acme)
    expect(page.get_by_role("main").get_by_role("link", name="LookupError")).to_be_visible()
    page.goto(f"/in/acme/jobs/{late}")
    page.get_by_role("region", name="Lens").get_by_role("link", name="Leave").click()
    page.wait_for_url(f"/jobs/{late}")
    expect(page.get_by_role("region", name="Lens")).to_have_count(0)
