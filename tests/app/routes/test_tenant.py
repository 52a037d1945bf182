"""One tenant's page: found by name, live in two regions, with what the tenant has."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.provisioning_rows import ago, plain, provisioned, retrying
from tests.app.routes.rows import cells
from tests.factories import NOON
from tests.provisioned import clear
from tests.provisioned import provisioned as provisioned_place
from worker.insights.cells import field
from worker.insights.summary import insights_of
from worker.model import AttemptOutcome, Status
from worker.queries import audit, statistics
from worker.queries.audit import Actor
from worker.queries.statistics import Measured
from worker.queries.tenant import datasets, insights, models
from worker.queries.tenant.datasets import NewDataset
from worker.queries.tenant.models import Trained
from worker.tenancy import tenant_uow


def test_a_tenant_that_nobody_provisions_yet(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn)
    text = visitor("operator").get("/tenants/acme").text
    assert "created nobody has asked for its provisioning yet" in plain(text)
    assert "not yet" in text
    assert "gantt" not in text


@pytest.mark.parametrize("name", ["nobody", "0193a6c1-0000-7000-8000-000000000003", "%F0%9F%90%98"])
def test_nobody_of_that_name_is_not_found(visitor: Visitor, name: str) -> None:
    answer = visitor("viewer").get(f"/tenants/{name}")
    assert answer.status_code == 404
    assert "There is no tenant of this name or id." in answer.text


def test_an_id_leads_there_too(visitor: Visitor, conn: Connection) -> None:
    tenant_id = factories.tenant(conn)
    assert '<h1 class="anywhere">acme</h1>' in visitor("viewer").get(f"/tenants/{tenant_id}").text


def test_its_jobs_and_dead_letters_are_linked(visitor: Visitor, conn: Connection) -> None:
    tenant_id = factories.tenant(conn, onboarding_status="active")
    running = factories.job(conn, tenant_id=tenant_id, status=Status.RUNNING)
    dead = factories.job(conn, tenant_id=tenant_id, status=Status.FAILED, error_summary="no <template>")
    other = factories.job(conn, tenant_id=factories.tenant(conn, "other"))
    text = visitor("viewer").get("/tenants/acme").text
    assert all(f'href="/jobs/{job_id}"' in text for job_id in (running, dead))
    assert str(other) not in text
    assert "no &lt;template&gt;" in text
    assert 'href="/jobs?tenant=acme"' in text
    assert 'href="/in/acme/dead-letters"' in text


def test_what_was_done_to_it_and_to_its_jobs_is_told(visitor: Visitor, conn: Connection) -> None:
    ours, theirs = factories.tenant(conn), factories.tenant(conn, "other")
    for tenant_id in (ours, theirs):
        audit.record(conn, actor=Actor("mira"), action="model-train", tenant_id=tenant_id, reason="asked by phone")
        job = factories.job(conn, tenant_id=tenant_id)
        audit.record(conn, actor=Actor("lee"), action="cancel", job_ids=[job], reason="wrong <file>")
    text = visitor("viewer").get("/tenants/acme").text
    told = plain(text)
    assert told.count("lee cancelled 1 job wrong &lt;file&gt;") == 1
    assert told.count("mira trained a model of acme asked by phone") == 1
    assert 'href="/audit?tenant=acme"' in text


@pytest.mark.parametrize("region", ["tenant", "holdings"])
def test_a_region_answers_with_itself_alone(visitor: Visitor, conn: Connection, region: str) -> None:
    retrying(conn)
    headers = {"HX-Request": "true", "HX-Target": f"div#{region}"}
    text = visitor("viewer").get("/tenants/acme", headers=headers).text
    assert re.match(rf'\s*<div class="[\w ]+" id="{region}" data-region', text)
    assert "<html" not in text
    assert ("Datasets" in text, "gantt" in text) == (region == "holdings", region == "tenant")


def test_each_dataset_has_its_insights_as_small_drawings(visitor: Visitor, engine: Engine) -> None:
    tenant_id = provisioned_place(engine)
    prices, cities = range(30), ["Rome <i>" if number % 3 else "Oslo" for number in range(30)]
    fields = [field("price", prices, spelled=False), field("city", cities, spelled=False)]
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        new = NewDataset("sales <b>2026</b>", "csv", ["price", "city"], 30, "c" * 64)
        added = datasets.add(conn, tenant_id=tenant_id, new=new, created_by="dana", now=ago(60))
        insights.replace(conn, dataset_id=added.id, row_count=30, found=insights_of(fields), now=NOON)
        trained = Trained(
            "price",
            "a" * 64,
            {},
            "models/1",
            "b" * 64,
            {"test_rows": 9, "scores": {"r2": 0.91234}, "baseline": {"r2": 0.01}},
        )
        models.put(conn, dataset_id=added.id, trained=trained, now=ago(5))
    text = visitor("viewer").get("/tenants/acme").text
    assert "sales &lt;b&gt;2026&lt;/b&gt;" in text
    assert 'aria-label="price: 30 values from 0 to 29, half of them under 14.5"' in text
    told = plain(text)
    assert "30 rows, 2 fields, csv, 1 min ago by dana" in told
    assert "Rome &lt;i&gt;20Oslo10" in told
    assert "r2 0.912, baseline 0.01" in told


def test_the_page_stands_before_the_schema_does(visitor: Visitor, engine: Engine, conn: Connection) -> None:
    clear(engine)
    provisioned(conn)
    answer = visitor("viewer").get("/tenants/acme")
    assert answer.status_code == 200
    assert "The tenant’s schema comes with its provisioning." in answer.text


def test_names_are_shown_as_text_however_long(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, "a" * 56, display_name="<script>alert(1)</script>" + "x" * 170)
    text = visitor("viewer").get("/tenants/" + "a" * 56).text
    assert "<script>alert" not in text
    assert "&lt;script&gt;" in text


def test_its_page_says_how_its_work_goes_and_what_it_waits_for(visitor: Visitor, conn: Connection) -> None:
    acme, globex = factories.tenant(conn, onboarding_status="active"), factories.tenant(conn, "globex")
    for owner, number in ((acme, 5), (globex, 70)):
        for _ in range(number):
            factories.job(conn, tenant_id=owner, available_at=NOON - timedelta(seconds=20))
        ended = Measured("render_report", "default", AttemptOutcome.COMPLETED, 2000, 0, tenant_id=owner)
        statistics.add(conn, [ended] * number, now=NOON)
    page = visitor("viewer").get("/tenants/acme").text
    work = page.partition('aria-label="Work"')[2].partition("</section>")[0]
    (row,) = cells(work)
    assert row[:8] == ["render_report", "5", "20 s", "0", "0", "0 / 1.0", "never", "2.0 s / 2.9 s"]
    assert row[8:] == ["0", "nobody live runs render_report"]
    assert "5 completed, 0 failed" in page


def test_what_fails_there_is_told_error_by_error(visitor: Visitor, conn: Connection) -> None:
    acme, globex = factories.tenant(conn, onboarding_status="active"), factories.tenant(conn, "globex")
    for _ in range(3):
        factories.job(conn, tenant_id=acme, status=Status.FAILED, error_fingerprint="one", error_summary="No template")
    factories.job(conn, tenant_id=acme, status=Status.FAILED, error_fingerprint="two", error_summary="Timed out")
    factories.job(conn, tenant_id=globex, status=Status.FAILED, error_fingerprint="two", error_summary="Timed out")
    page = visitor("viewer").get("/tenants/acme").text
    failing = page.partition("What fails")[2].partition("</section>")[0]
    assert sorted(row[:2] for row in cells(failing)) == [
        ["No template render_report", "3"],
        ["Timed out render_report", "1"],
    ]
    assert 'href="/in/acme/dead-letters?group=one"' in failing


def test_in_a_lens_there_is_no_other_tenant(visitor: Visitor, conn: Connection) -> None:
    factories.tenant(conn, onboarding_status="active"), factories.tenant(conn, "globex")
    mine = visitor("viewer")
    assert mine.get("/in/acme/tenants/acme").status_code == 200
    answer = mine.get("/in/acme/tenants/globex")
    assert answer.status_code == 404
    assert "This is the lens of acme: leave it to look at globex." in answer.text
