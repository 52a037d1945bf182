"""Tenants: listed with their open work, searched, narrowed, paged."""

from __future__ import annotations

import re
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells
from tests.factories import NOON
from worker.model import Status


def test_no_tenant_yet_is_explained(visitor: Visitor) -> None:
    page = visitor("viewer").get("/tenants")
    assert page.status_code == 200
    assert "No tenant yet" in page.text


def test_a_line_links_to_the_tenant_and_its_work(visitor: Visitor, conn: Connection) -> None:
    tenant_id = factories.tenant(conn, "acme", onboarding_status="active")
    factories.job(conn, tenant_id=tenant_id, updated_at=NOON)
    factories.job(conn, tenant_id=tenant_id, status=Status.FAILED, created_at=NOON.replace(hour=3))
    text = visitor("viewer").get("/tenants").text
    assert cells(text) == [["acme Acme", "active", "–", "1", "0", "1", "just now"]]
    assert 'href="/jobs?tenant=acme"' in text
    assert 'href="/dead-letters?tenant=acme"' in text


def test_provisioning_says_where_it_is(visitor: Visitor, conn: Connection) -> None:
    stages: dict[str, dict[str, Any]] = {
        "failed": {"status": Status.FAILED, "steps_completed": ["create_schema"]},
        "retrying": {"attempts": 1},
        "waiting": {},
    }
    for slug, columns in stages.items():
        tenant_id = factories.tenant(conn, slug, onboarding_status="provisioning")
        key: dict[str, Any] = {"job_type": "provision_tenant", "idempotency_key": f"provision:{tenant_id}"}
        factories.job(conn, tenant_id=tenant_id, **key | columns)
    factories.tenant(conn, "new")
    seen = {row[0].split()[0]: row[2] for row in cells(visitor("viewer").get("/tenants").text)}
    assert seen["new"] == "not started"
    assert seen["failed"].endswith("failed at step 2")
    assert seen["retrying"].endswith("retrying at step 1")
    assert seen["waiting"].endswith("waiting")


def test_the_states_carry_their_counts(visitor: Visitor, conn: Connection) -> None:
    for slug, state in (("a", "active"), ("b", "active"), ("c", "created")):
        factories.tenant(conn, slug, onboarding_status=state)
    text = " ".join(visitor("viewer").get("/tenants?state=active").text.split())
    assert 'href="/tenants?state=active" aria-current="true">Active <span class="count">2</span>' in text
    assert [row[0] for row in cells(text)] == ["a A", "b B"]


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


@pytest.mark.parametrize("query", ["state=gone", "cursor=x", "cursor=" + "9" * 5000, "q=" + "x" * 201])
def test_what_the_address_cannot_mean_is_refused_by_name(visitor: Visitor, query: str) -> None:
    answer = visitor("viewer").get(f"/tenants?{query}")
    assert answer.status_code == 400
    assert f"{query.split('=', maxsplit=1)[0]}:" in answer.text


def test_the_region_answers_with_itself_alone(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn)
    text = visitor().get("/tenants", headers={"HX-Request": "true", "HX-Target": "section#tenants"}).text
    assert text.lstrip().startswith('<section class="panel" id="tenants" data-region')
    assert "<html" not in text
