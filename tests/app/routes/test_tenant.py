"""One tenant's page: where its provisioning is, why it stopped, and what the tenant has."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine

from tests import factories
from tests.app.conftest import Visitor
from tests.factories import NOON
from tests.provisioned import clear
from tests.provisioned import provisioned as provisioned_place
from worker.insights.cells import field
from worker.insights.summary import insights_of
from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries import audit
from worker.queries.tenancy import tenant_uow
from worker.queries.tenant import datasets, insights, models
from worker.queries.tenant.datasets import NewDataset
from worker.queries.tenant.models import Trained

DENIED = "permission denied for schema <b>tenant_acme"


def plain(text: str) -> str:
    """What can be read of a page."""
    main = re.sub(r"(?s)<(svg|head|style)\b.*?</\1>", "", text.partition('id="main"')[2]).replace("&ensp;", " ")
    return " ".join(re.sub(r"<[^>]+>", "", main).split())


def ago(seconds: float) -> datetime:
    return NOON - timedelta(seconds=seconds)


def provisioned(conn: Connection, slug: str = "acme", *, done: int = 0, **columns: Any) -> UUID:
    """A tenant with its provisioning job, asked for two minutes ago, so many steps of which are done."""
    tenant_id = factories.tenant(conn, slug, onboarding_status="active" if done == 6 else "provisioning")
    job: dict[str, Any] = {"job_type": "provision_tenant", "queue": "provision", "tenant_id": tenant_id}
    job |= {"idempotency_key": f"provision:{tenant_id}", "steps_completed": list(STEPS[:done])}
    job |= {"progress": round(100 * done / 6, 2), "created_at": ago(120), "available_at": ago(120)}
    return factories.job(conn, **job | columns)


def serve(conn: Connection, **columns: Any) -> None:
    """A live provisioner."""
    factories.worker_instance(conn, job_types=["provision_tenant"], queues=None, label="provisioner-1", **columns)


def step(conn: Connection, job_id: UUID, number: int, began: float, ended: float | None, **columns: Any) -> None:
    """A run of a step, seconds before noon."""
    times = {"started_at": ago(began), "finished_at": None if ended is None else ago(ended)}
    outcome = {"outcome": "done" if ended is not None else None}
    factories.job_step(conn, job_id, number, STEPS[number - 1], **times | outcome | columns)


def retrying(conn: Connection) -> UUID:
    """Tried twice, failed at the third step each time, to be tried again in 38 s."""
    serve(conn)
    again: dict[str, Any] = {"scheduled": True, "available_at": NOON + timedelta(seconds=38), "error_detail": DENIED}
    job_id = provisioned(conn, done=2, attempts=2, generation=2, **again)
    factories.attempt(conn, job_id, 1, claimed_at=ago(100), finished_at=ago(78), retry_at=ago(40))
    factories.attempt(conn, job_id, 2, claimed_at=ago(38), finished_at=ago(36))
    step(conn, job_id, 1, 100, 99)
    step(conn, job_id, 2, 99, 80)
    step(conn, job_id, 3, 80, 78, outcome="failed", error=DENIED)
    step(conn, job_id, 3, 38, 36, outcome="failed", error=DENIED, generation=2)
    return job_id


STANDS: dict[str, tuple[dict[str, Any], str]] = {
    "waiting": ({}, "waiting for 2 min; step 1 of 6 is next"),
    "starting": ({"status": Status.RUNNING, "done": 1}, "starting claimed just now, step 2 of 6 is next, 17% done"),
    "cancelling": (
        {"status": Status.RUNNING, "done": 3, "cancel_requested_at": ago(8)},
        "cancelling asked to stop 8 s ago; it does once step 4 of 6 is done",
    ),
    "interrupted": (
        {"attempts": 1, "done": 2, "available_at": NOON + timedelta(seconds=5), "updated_at": ago(20)},
        "retrying step 3 of 6 was interrupted, next try in 5 s, 33% done",
    ),
    "failed": ({"status": Status.FAILED, "done": 4}, "failed step 5 of 6 was interrupted, no try is left, 67% done"),
    "cancelled": ({"status": Status.CANCELLED, "done": 1}, "cancelled just now before step 2 of 6, 17% done"),
    "done": ({"status": Status.SUCCEEDED, "done": 6}, "active provisioned just now, 2 min after it was asked for"),
}


@pytest.mark.parametrize("name", STANDS)
def test_where_it_is_stands_in_one_sentence(visitor: Visitor, conn: Connection, name: str) -> None:
    columns, sentence = STANDS[name]
    serve(conn)
    provisioned(conn, **columns)
    assert sentence in plain(visitor("viewer").get("/tenants/acme").text)


def test_what_failed_says_how_often_and_when_it_is_tried_again(visitor: Visitor, conn: Connection) -> None:
    retrying(conn)
    text = plain(visitor("viewer").get("/tenants/acme").text)
    assert "retrying step 3 of 6 failed twice, next try in 38 s, 33% done" in text


def test_a_running_step_past_what_is_usual_says_by_how_much(visitor: Visitor, conn: Connection) -> None:
    for number in range(5):
        past = factories.job(conn)
        factories.job_step(conn, past, 2, STEPS[1], finished_at=NOON + timedelta(seconds=8 + number))
    serve(conn)
    job_id = provisioned(conn, done=1, status=Status.RUNNING, locked_at=ago(50))
    step(conn, job_id, 2, 41, None)
    text = visitor("viewer").get("/tenants/acme").text
    assert "running step 2 of 6 for 41 s, 17% done, 4.1 × the median" in plain(text)
    assert 'data-kind="run" data-state="late"' in text
    assert "median of 5 runs: 10 s" in text.replace("10.0 s", "10 s")


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({}, "stuck no live worker can take it, for 2 min; step 1 of 6 is next"),
        ({"status": Status.RUNNING, "done": 2, "locked_by": "gone"}, "stuck its worker fell silent at step 3 of 6"),
    ],
)
def test_without_a_live_worker_it_is_stuck(
    visitor: Visitor, conn: Connection, columns: dict[str, Any], sentence: str
) -> None:
    provisioned(conn, **columns)
    text = plain(visitor("viewer").get("/tenants/acme").text)
    assert sentence in text
    assert "Why it waits" in text


def test_without_progress_for_long_it_is_stuck_too(visitor: Visitor, conn: Connection) -> None:
    serve(conn)
    job_id = provisioned(conn, done=1, status=Status.RUNNING, created_at=ago(700), locked_at=ago(660))
    step(conn, job_id, 1, 659, 658)
    step(conn, job_id, 2, 657, None)
    text = visitor("viewer").get("/tenants/acme").text
    assert "stuck step 2 of 6 for 10 min 57 s, 17% done, no step done for 10 min 58 s" in plain(text)
    assert 'data-kind="run" data-state="running"' in text


def test_why_it_stopped_and_where_a_retry_resumes(visitor: Visitor, conn: Connection) -> None:
    retrying(conn)
    text = visitor("viewer").get("/tenants/acme").text
    assert "<b>tenant_acme" not in text
    assert "permission denied for schema &lt;b&gt;tenant_acme" in text
    assert "The first 2 steps are recorded as done, and a new try starts at grant_app_rw." in plain(text)
    assert "resume runs from here: 2 steps kept, 4 to do" in plain(text)


def test_the_drawing_has_one_sentence_and_a_twin_as_a_table(visitor: Visitor, conn: Connection) -> None:
    retrying(conn)
    text = visitor("viewer").get("/tenants/acme").text
    assert 'aria-label="6 steps, 2 done, step 3 retrying at attempt 2, over 2 min 38 s"' in text
    row = plain('id="main"' + text.partition('id="step-grant_5f_app_5f_rw"')[2].partition("</tr>")[0])
    assert (
        row
        == "> 3 grant_app_rw retrying in 38 s 1 min 54 s 2.0 s 2 – – permission denied for schema &lt;b&gt;tenant_acme"
    )


def test_an_old_row_without_times_says_so(visitor: Visitor, conn: Connection) -> None:
    provisioned(conn, done=6, status=Status.SUCCEEDED)
    text = visitor("viewer").get("/tenants/acme").text
    assert text.count("done, time unknown") == 12
    assert 'data-kind="run"' not in text


def test_a_night_without_work_is_folded_and_unfolded_by_address(visitor: Visitor, conn: Connection) -> None:
    serve(conn)
    job_id = provisioned(conn, attempts=1, generation=1, created_at=ago(36_000))
    factories.attempt(conn, job_id, 1, claimed_at=ago(36_000), finished_at=ago(35_990))
    step(conn, job_id, 1, 36_000, 35_990, outcome="failed")
    browser = visitor("viewer")
    folded = browser.get("/tenants/acme").text
    assert 'data-kind="fold"' in folded
    assert 'href="/tenants/acme?idle=shown"' in folded
    assert "Unfold 9 h 59 min in which nothing ran" in plain(folded)
    unfolded = browser.get("/tenants/acme?idle=shown").text
    assert 'data-kind="fold"' not in unfolded
    assert "Fold the time in which nothing ran" in plain(unfolded)
    assert 'hx-get="/tenants/acme?idle=shown"' in unfolded


def test_who_asked_for_it_and_what_was_done_about_it(visitor: Visitor, conn: Connection) -> None:
    job_id = retrying(conn)
    for seconds, action in ((120, "provision"), (60, "provision"), (39, "try-now")):
        actor = audit.Actor("dana")
        audit.record(conn, actor=actor, action=action, job_ids=[job_id], now=ago(seconds), reason="Now <i>", target="a")
    text = plain(visitor("viewer").get("/tenants/acme").text)
    assert "Asked bydana, Nov 29, 11:58" in text
    trail = text.partition("Trail")[2].partition("Jobs")[0]
    told = ["grant_app_rw failed, attempt 2", "tried at once by dana", "asked for again by dana"]
    told += ["grant_app_rw failed, attempt 1", "create_schema done in 1.0 s, attempt 1", "asked for by dana"]
    assert [trail.index(each) for each in told] == sorted(trail.index(each) for each in told)


def test_what_a_program_asked_for_has_its_source(visitor: Visitor, conn: Connection) -> None:
    provisioned(conn, source="seeding")
    text = plain(visitor("viewer").get("/tenants/acme").text)
    assert "Asked byseeding, Nov 29, 11:58" in text
    assert "asked for by seeding" in text


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
    assert 'href="/dead-letters?tenant=acme"' in text


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
        trained = Trained("price", "a" * 64, {}, "models/1", "b" * 64, {"r2": 0.91234, "rows": {"train": 20}})
        models.put(conn, dataset_id=added.id, trained=trained, now=ago(5))
    text = visitor("viewer").get("/tenants/acme").text
    assert "sales &lt;b&gt;2026&lt;/b&gt;" in text
    assert 'aria-label="price: 30 values from 0 to 29, half of them under 14.5"' in text
    told = plain(text)
    assert "30 rows, 2 fields, csv, 1 min ago by dana" in told
    assert "Rome &lt;i&gt;20Oslo10" in told
    assert "r2 0.912" in told


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
