"""One job's story, read in a few probes whatever its size (A-35, A-36)."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection, insert

from tests import factories
from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries.audit import Actor, record
from worker.queries.pages import job as story
from worker.queries.schema import job_attempts


def test_a_job_comes_with_its_state_tenant_and_payload_as_text(conn: Connection) -> None:
    tenant = factories.tenant(conn)
    row = story.read(conn, job_id=factories.job(conn, tenant_id=tenant, payload={"a": 1}), now=NOON)
    assert row
    assert (row.state, row.tenant, row.payload, row.payload_bytes, row.now) == ("ready", "acme", '{"a": 1}', 8, NOON)


def test_no_job_is_none(conn: Connection) -> None:
    assert story.read(conn, job_id=new_id(), now=NOON) is None


def test_a_36_a_large_payload_is_cut_and_its_size_kept(conn: Connection) -> None:
    row = story.read(conn, job_id=factories.job(conn, payload={"a": "ü" * 200_000}), now=NOON)
    assert row
    assert (len(row.payload), row.payload_bytes) == (story.PAYLOAD_SHOWN, 400_009)


def test_a_35_a_payload_that_python_cannot_read_is_text_all_the_same(conn: Connection) -> None:
    row = story.read(conn, job_id=factories.unreadable(conn), now=NOON)
    assert row
    assert row.payload == "[" * 1200 + "]" * 1200


def test_attempts_and_acts_come_newest_first_and_are_the_jobs_own(conn: Connection) -> None:
    job, other = factories.job(conn), factories.job(conn)
    for generation in (1, 2, 3):
        row = {"job_id": job, "generation": generation, "attempt": generation, "worker_id": "w", "claimed_at": NOON}
        conn.execute(insert(job_attempts), row | {"finished_at": NOON, "outcome": "failed"})
    for reason, jobs in (("one", [job]), ("both", [job, other]), ("other", [other])):
        record(conn, actor=Actor("dana"), action="replay", job_ids=jobs, reason=reason, now=NOON)
    assert [each.generation for each in story.attempts(conn, job_id=job)] == [3, 2, 1]
    assert [(each.reason, each.jobs) for each in story.actions(conn, job_id=job)] == [("both", 2), ("one", 1)]


def test_the_jobs_of_an_event_come_together(conn: Connection) -> None:
    for subscriber in ("crm.sync", "invoice.render"):
        factories.job(conn, event_id="ev-1", event_type="order.created", subscriber_id=subscriber)
    factories.job(conn, event_id="ev-2", event_type="order.created", subscriber_id="crm.sync")
    found = story.siblings(conn, event_id="ev-1", now=NOON)
    assert [(each.handler_key, each.state) for each in found] == [("crm.sync", "ready"), ("invoice.render", "ready")]


def test_only_dead_letters_with_the_same_error_are_alike(conn: Connection) -> None:
    for status in (Status.FAILED, Status.FAILED, Status.QUEUED):
        factories.job(conn, status=status, error_fingerprint="a" * 16)
    factories.job(conn, status=Status.FAILED)
    assert story.alike(conn, fingerprint="a" * 16) == 2


def test_what_is_ahead_is_ready_older_and_on_the_same_queue(conn: Connection) -> None:
    at = NOON - timedelta(minutes=5)
    job = factories.job(conn, created_at=at)
    factories.job(conn, created_at=at - timedelta(seconds=1))
    factories.job(conn, created_at=at + timedelta(seconds=1))
    factories.job(conn, created_at=at - timedelta(seconds=1), queue="mail")
    factories.job(conn, created_at=at - timedelta(seconds=1), scheduled=True)
    factories.job(conn, created_at=at - timedelta(seconds=1), status=Status.FAILED)
    assert story.ahead(conn, queue="default", created_at=at, job_id=job) == 1
