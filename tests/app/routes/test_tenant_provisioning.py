"""The provisioning on a tenant's page: where it is, why it stopped, and who did what about it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.provisioning_rows import ago, plain, provisioned, retrying, serve, step
from tests.factories import NOON
from worker.model import Status
from worker.provisioning.steps import STEPS
from worker.queries import audit

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


def test_the_runs_of_a_step_open_under_its_row(visitor: Visitor, conn: Connection) -> None:
    retrying(conn)
    text = visitor("viewer").get("/tenants/acme").text
    detail = plain('id="main"' + text.partition('aria-label="Runs of grant_app_rw"')[2].partition("</details>")[0])
    ran = "provisioner-1 failed 11:59:22 2.0 s permission denied for schema &lt;b&gt;tenant_acme"
    assert f"2 {ran}" in detail
    assert "1 provisioner-1 failed 11:58:40 2.0 s" in detail
    assert "2 runs, 2 failed" in plain(text)
    assert "Runs of create_schema" not in text


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
