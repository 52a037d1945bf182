"""Cancelling from the console: at once what does not run, by request what does (A-50, A-51)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from httpx2 import Response
from sqlalchemy import Connection, select
from starlette.testclient import TestClient

from tests import factories
from tests.app.conftest import Visitor, trail
from tests.app.routes.rows import plain
from tests.app.routes.test_replays import told
from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries.schema import operator_action_jobs

SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)
DIALOG = {"HX-Request": "true", "HX-Target": "dialog#dialog", "HX-Current-URL": "http://localhost/jobs"}


def cancel(client: TestClient, *jobs: UUID, reason: str = "ordered twice") -> Response:
    return client.post("/cancellations", data={"job": [str(job) for job in jobs], "reason": reason, "back": "/jobs"})


def test_the_form_tells_apart_what_ends_what_is_asked_and_what_stays(visitor: Visitor, conn: Connection) -> None:
    jobs = [factories.job(conn, status=status) for status in Status]
    said = plain(visitor().get("/cancellations/new", params={"job": [str(job) for job in jobs]}).text)
    assert "Cancel 3 jobs" in said
    assert "2 jobs of render_report end as cancelled at once" in said
    assert "1 job of render_report runs now: its worker is asked to stop" in said
    assert "2 others have ended and stay as they are." in said


def test_a_selection_is_cancelled_and_the_page_says_what_became_of_each(visitor: Visitor, conn: Connection) -> None:
    jobs = {status: factories.job(conn, status=status) for status in Status}
    client = visitor(name="dana")
    answer = cancel(client, *jobs.values())
    expected = "Cancelled 2 jobs, asked 1 running job to stop; 2 were past that already."
    assert told(client, answer) == expected
    assert {status: factories.stored(conn, job).status for status, job in jobs.items()} == {
        Status.QUEUED: "cancelled",
        Status.FAILED: "cancelled",
        Status.RUNNING: "running",
        Status.SUCCEEDED: "succeeded",
        Status.CANCELLED: "cancelled",
    }
    assert factories.stored(conn, jobs[Status.RUNNING]).cancel_requested_at == NOON
    (act,) = trail(conn, "cancel")
    assert (act.actor, act.reason, act.jobs) == ("dana", "ordered twice", 3)


def test_a_running_job_is_asked_once_and_its_page_says_so(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn, status=Status.RUNNING)
    dana, lee = visitor(name="dana"), visitor(name="lee")
    fields = {"reason": "stuck", "back": f"/jobs/{job}"}
    assert told(dana, dana.post(f"/jobs/{job}/cancellations", data=fields)) == "Asked 1 running job to stop."
    answer = lee.post(f"/jobs/{job}/cancellations", data=fields)
    assert told(lee, answer) == "It was already asked to stop by dana just now."
    said = plain(lee.get(f"/jobs/{job}").text)
    assert "cancelling" in said
    assert "Asked to stop" in said
    assert len(trail(conn, "cancel")) == 1


@pytest.mark.parametrize("reason", ["", "   ", "x" * 501])
def test_a_reason_is_asked_for_in_the_form(visitor: Visitor, conn: Connection, reason: str) -> None:
    job = factories.job(conn)
    answer = visitor().post("/cancellations", data={"job": str(job), "reason": reason}, headers=DIALOG)
    assert answer.status_code == 422
    assert answer.text.lstrip().startswith('<form class="sheet"')
    assert 'id="reason-remark"' in answer.text
    assert f'<input type="hidden" name="job" value="{job}">' in answer.text
    assert factories.stored(conn, job).status == "queued"


def test_a_group_of_dead_letters_is_cancelled_whole(visitor: Visitor, conn: Connection) -> None:
    jobs = [factories.job(conn, status=Status.FAILED) for _ in range(3)]
    fields = {"group": "f" * 16, "before": NOON.isoformat(), "back": "/dead-letters", "reason": "obsolete", "all": "1"}
    client = visitor()
    assert told(client, client.post("/cancellations", data={**fields, "shown": "3"})) == "Cancelled 3 jobs."
    assert {factories.stored(conn, job).status for job in jobs} == {"cancelled"}


def test_a_54_a_set_that_grew_since_it_was_shown_is_shown_again(visitor: Visitor, conn: Connection) -> None:
    fields = {"status": "failed", "all": "1", "before": NOON.isoformat(), "back": "/jobs", "reason": "wrong"}
    jobs = [factories.job(conn, status=Status.FAILED) for _ in range(3)]
    client = visitor()
    answer = client.post("/cancellations", data=fields | {"shown": "2"})
    assert answer.status_code == 422
    assert "3 match by now, and you were told of 2: look again." in plain(answer.text)
    assert "Cancel 3 jobs" in plain(answer.text)
    assert [factories.stored(conn, job).status for job in jobs] == ["failed"] * 3
    assert trail(conn, "cancel") == []
    assert told(client, client.post("/cancellations", data=fields | {"shown": "3"})) == "Cancelled 3 jobs."


@pytest.mark.parametrize(
    ("status", "columns"),
    [
        ("running", {"status": Status.RUNNING, "locked_at": NOON + SECOND}),
        ("ready", {"available_at": NOON + SECOND}),
        ("ready", {"updated_at": NOON + SECOND}),
        ("retrying", {"attempts": 1, "scheduled": True, "available_at": NOON + HOUR, "updated_at": NOON + SECOND}),
    ],
)
def test_what_came_into_a_state_after_the_list_was_drawn_is_no_part_of_it(
    visitor: Visitor, conn: Connection, status: str, columns: dict[str, Any]
) -> None:
    before = {name: value - 2 * SECOND if value == NOON + SECOND else value for name, value in columns.items()}
    shown = factories.job(conn, **before)
    factories.job(conn, **columns)
    fields = {"status": status, "all": "1", "before": NOON.isoformat(), "back": "/jobs", "reason": "wrong"}
    answer = visitor().post("/cancellations", data=fields | {"shown": "1"})
    assert answer.status_code == 303
    (act,) = trail(conn, "cancel")
    assert list(conn.execute(select(operator_action_jobs.c.job_id)).scalars()) == [shown]
    assert act.jobs == 1


def test_when_all_have_ended_there_is_no_button(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn, status=Status.SUCCEEDED)
    text = visitor().get(f"/cancellations/new?job={job}").text
    assert "Nothing to cancel" in text
    assert '<form class="sheet"' not in text


def test_a_73_a_job_that_is_not_there_is_not_found(visitor: Visitor, conn: Connection) -> None:
    assert visitor().post(f"/jobs/{new_id()}/cancellations", data={"reason": "x"}).status_code == 404
    assert trail(conn) == []


def test_a_viewer_may_not_cancel(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn)
    client = visitor("viewer")
    assert cancel(client, job).status_code == 403
    assert client.post(f"/jobs/{job}/cancellations", data={"reason": "x"}).status_code == 403
    assert factories.stored(conn, job).status == "queued"
