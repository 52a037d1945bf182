"""Tenants: listed step by step with their open work, searched, narrowed, paged."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells
from tests.factories import NOON
from worker.model import Status


def test_no_tenant_yet_is_explained(visitor: Visitor) -> None:
    page = visitor("viewer").get("/tenants")
    assert page.status_code == 200
    assert "No tenant yet" in page.text


def provisioned(conn: Connection, slug: str, **columns: Any) -> None:
    """A tenant that is being set up, and the job that does it."""
    tenant_id = factories.tenant(conn, slug, onboarding_status="provisioning")
    key: dict[str, Any] = {"job_type": "provision_tenant", "idempotency_key": f"provision:{tenant_id}"}
    factories.job(conn, tenant_id=tenant_id, **key | {"updated_at": NOON} | columns)


def by_slug(text: str) -> dict[str, list[str]]:
    """The cells of each tenant's row, without the first."""
    return {row[0].split()[0]: row[1:] for row in cells(text)}


def test_a_line_links_to_the_tenant_and_its_work(visitor: Visitor, conn: Connection) -> None:
    tenant_id = factories.tenant(conn, "acme", onboarding_status="active")
    factories.job(conn, tenant_id=tenant_id)
    factories.job(conn, tenant_id=tenant_id, status=Status.FAILED)
    text = visitor("viewer").get("/tenants").text
    assert by_slug(text) == {"acme": ["active", *["still to come"] * 6, "–", "–", "1", "0", "1", ""]}
    for href in ("/tenants/acme", "/jobs?tenant=acme&amp;status=queued", "/dead-letters?tenant=acme"):
        assert f'href="{href}"' in text


def test_provisioning_says_where_it_is_step_by_step(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["provision_tenant"])
    done = {"steps_completed": ["create_schema"], "attempts": 5}
    provisioned(conn, "failed", status=Status.FAILED, **done)
    provisioned(conn, "retrying", attempts=1, scheduled=True, available_at=NOON + timedelta(seconds=38))
    provisioned(conn, "waiting")
    provisioned(conn, "leaving", status=Status.RUNNING, cancel_requested_at=NOON)
    factories.tenant(conn, "new")
    seen = by_slug(visitor().get("/tenants").text)
    assert seen["failed"][:4] == ["failed try 5 of 5", "done", "failed", "still to come"]
    assert seen["retrying"][:3] == ["retrying in 38 s , try 2 of 5", "retrying", "still to come"]
    assert seen["waiting"][:2] == ["waiting for a worker", "waiting"]
    assert seen["leaving"][:2] == ["cancelling try 1 of 5", "running"]
    assert seen["new"][:2] == ["created not started", "still to come"]
    acts = {slug: row[-1] for slug, row in seen.items()}
    assert acts == {
        "failed": "Provision again",
        "retrying": "Try now",
        "waiting": "",
        "leaving": "",
        "new": "Provision",
    }


def test_what_nobody_takes_is_stuck_and_so_is_what_stands_still(
    visitor: Visitor, conn: Connection, settings: ConsoleSettings
) -> None:
    provisioned(conn, "untaken")
    limit = timedelta(seconds=settings.stuck_after_seconds)
    provisioned(conn, "idle", status=Status.RUNNING, locked_at=NOON - limit - timedelta(seconds=1))
    provisioned(conn, "busy", status=Status.RUNNING, locked_at=NOON - limit)
    text = visitor().get("/tenants?state=stuck").text
    assert {slug: row[0] for slug, row in by_slug(text).items()} == {
        "untaken": "stuck no live worker takes it",
        "idle": "stuck no step done for 5 min 1 s",
    }
    assert 'aria-current="true">Stuck <span class="count">2</span>' in " ".join(text.split())


def test_the_headings_count_who_does_not_get_past_a_step_and_lead_to_those_at_it(
    visitor: Visitor, conn: Connection
) -> None:
    provisioned(conn, "failed", status=Status.FAILED, steps_completed=["create_schema"])
    provisioned(conn, "first")
    factories.tenant(conn, "fox", onboarding_status="active")
    reader = visitor()
    text = reader.get("/tenants?q=f&state=active").text
    assert "run_tenant_migrations: 1 tenant at it, 1 failed" in text
    assert 'href="/tenants?step=run_tenant_migrations&amp;q=f"' in text
    text = reader.get("/tenants?state=stopped&step=run_tenant_migrations").text
    assert list(by_slug(text)) == ["failed"]
    assert 'aria-label="Remove filter at step run_tenant_migrations"' in text
    assert 'href="/tenants?state=stopped"' in text
    assert 'href="/tenants?state=provisioning&amp;step=run_tenant_migrations"' in text
    assert 'href="/tenants?state=active"' in text


def test_a_viewer_sees_the_acts_and_why_they_are_not_theirs(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    text = visitor("viewer").get("/tenants").text
    assert 'disabled aria-description="Provisioning needs the role of operator"' in text
    assert "/provisionings" not in text


def test_an_act_redraws_the_list_as_it_was_narrowed(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    browser = visitor()
    sent = {"HX-Request": "true", "HX-Target": "div#tenants", "HX-Current-URL": "http://localhost/tenants?q=ac"}
    answer = browser.post("/tenants/acme/provisionings", headers=sent)
    redrawn = browser.get(answer.headers["location"], headers=sent).text
    assert by_slug(redrawn)["acme"][0] == "stuck no live worker takes it"
    assert "<html" not in redrawn


def test_the_states_carry_their_counts(visitor: Visitor, conn: Connection) -> None:
    for slug, state in (("a", "active"), ("b", "active"), ("c", "created")):
        factories.tenant(conn, slug, onboarding_status=state)
    text = " ".join(visitor("viewer").get("/tenants?state=active").text.split())
    assert 'href="/tenants?state=active" aria-current="true">Active <span class="count">2</span>' in text
    assert list(by_slug(text)) == ["a", "b"]


def test_search_and_state_narrow_together_and_survive_the_next_page(visitor: Visitor, conn: Connection) -> None:
    for place in range(51):
        factories.tenant(conn, f"shop-{place}", onboarding_status="active")
    factories.tenant(conn, "other", onboarding_status="active")
    factories.tenant(conn, "shop-new")
    browser = visitor("viewer")
    first = browser.get("/tenants?state=active&q=shop").text
    following = re.search(r'rel="next" href="([^"]+)"', first)
    assert following
    second = browser.get(following[1].replace("&amp;", "&")).text
    assert (len(cells(first)), len(cells(second))) == (50, 1)
    assert cells(second)[0][0].startswith("shop-")


def test_nothing_found_says_what_was_sought(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    text = visitor("viewer").get("/tenants?state=active&q=<b>").text
    assert "None is active and has “&lt;b&gt;” in its slug or name." in text


def test_names_are_shown_as_text_however_long(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "a" * 56, display_name="<script>alert(1)</script>" + "x" * 170)
    text = visitor("viewer").get("/tenants").text
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text


@pytest.mark.parametrize("query", ["state=gone", "step=gone", "cursor=x", "cursor=" + "9" * 5000, "q=" + "x" * 201])
def test_what_the_address_cannot_mean_is_refused_by_name(visitor: Visitor, query: str) -> None:
    answer = visitor("viewer").get(f"/tenants?{query}")
    assert answer.status_code == 400
    assert f"{query.split('=', maxsplit=1)[0]}:" in answer.text


def test_the_region_answers_with_itself_alone(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn)
    text = visitor().get("/tenants", headers={"HX-Request": "true", "HX-Target": "div#tenants"}).text
    assert text.lstrip().startswith('<div class="stack" id="tenants" data-region')
    assert "<html" not in text
