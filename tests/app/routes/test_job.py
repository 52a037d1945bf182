"""One job's page: its story in words, its payload, and what it says of itself shown as text."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import Any

from sqlalchemy import Connection, insert

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import plain
from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries import queues
from worker.queries.audit import Actor, record
from worker.queries.schema import job_attempts

NASTY = '"><img src=x onerror=alert(1)>'


def test_a_job_that_is_not_there_is_not_found(visitor: Visitor) -> None:
    client = visitor()
    for address in (f"/jobs/{new_id()}", "/jobs/7", "/jobs/" + "9" * 4000):
        assert client.get(address).status_code == 404


def test_a_dead_letter_tells_its_story(visitor: Visitor, conn: Connection) -> None:
    tenant = factories.tenant(conn)
    columns: dict[str, Any] = {"error_detail": "a.py:3 in f\nValueError: no such template", "tenant_id": tenant}
    job = factories.job(conn, status=Status.FAILED, payload={"order": 12345678901234567890123}, **columns)
    factories.job(conn, status=Status.FAILED)
    for attempt in (1, 2):
        at = NOON - timedelta(minutes=10 - 4 * attempt)
        row = {"job_id": job, "generation": attempt, "attempt": attempt, "worker_id": "w-1", "claimed_at": at}
        row |= {
            "started_at": at,
            "finished_at": at + timedelta(milliseconds=420),
            "error": "ValueError: no such template",
        }
        outcome = "failed" if attempt == 1 else "dead_letter"
        retry_at = NOON if attempt == 1 else None
        conn.execute(insert(job_attempts), row | {"outcome": outcome, "retry_at": retry_at})
    record(conn, actor=Actor("lee"), action="replay", job_ids=[job], reason="try one", now=NOON - timedelta(minutes=5))
    text = visitor().get(f"/jobs/{job}").text
    said = " ".join(unescape(plain(text)).split())
    for words in (
        "dead letter after 5 attempts",
        "No attempt is left.",
        "420 ms",
        "attempt 1 failed, the next",
        "attempt 2 failed, and none was left",
        "replayed by lee try one",
        "same as 1 other job",
        '"order": 12345678901234567890123',
    ):
        assert words in said
    assert '<span class="hot">ValueError: no such template</span>' in text
    assert f'href="/replays/new?job={job}&amp;back=/jobs/{job}"' in text


def test_a_job_that_nobody_can_run_says_so_and_who_could_last(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(
        conn, "gpu-1", component="gpu", job_types=["train"], last_heartbeat_at=NOON - timedelta(hours=4)
    )
    job = factories.job(conn, job_type="train")
    said = plain(visitor().get(f"/jobs/{job}").text)
    assert "No worker can run it. None that lives takes train from default" in said
    assert "gpu, was seen 4 h ago" in said


def test_a_job_that_can_run_says_what_is_before_it(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, created_at=NOON - timedelta(hours=1))
    job = factories.job(conn)
    assert "1 worker can take it; 1 older job is before it in default." in plain(visitor().get(f"/jobs/{job}").text)


def test_a_job_on_a_paused_queue_says_who_paused_it_and_why(visitor: Visitor, conn: Connection) -> None:
    queues.pause(conn, queue="default", actor=Actor("mira"), reason=NASTY, until=NOON + timedelta(hours=1), now=NOON)
    text = visitor().get(f"/jobs/{factories.job(conn)}").text
    assert "Queue default is paused. Paused by mira" in plain(text)
    assert NASTY not in text


def test_a_running_job_says_where_and_when_its_worker_is_silent(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, "worker-1", last_heartbeat_at=NOON - timedelta(minutes=9))
    factories.worker_instance(conn, "worker-2")
    client = visitor()
    silent = factories.job(conn, status=Status.RUNNING, locked_by="worker-1")
    held = factories.job(conn, status=Status.RUNNING, locked_by="worker-2")
    assert "Its worker is silent." in plain(client.get(f"/jobs/{silent}").text)
    assert "It runs on worker" in plain(client.get(f"/jobs/{held}").text)


def test_a_cancel_of_a_running_job_is_asked_for_heard_and_ended_apart(visitor: Visitor, conn: Connection) -> None:
    asked_at = NOON - timedelta(seconds=60)
    factories.worker_instance(conn, "worker-1", last_heartbeat_at=asked_at - timedelta(seconds=5))
    factories.worker_instance(conn, "worker-2", last_heartbeat_at=asked_at + timedelta(seconds=50))
    client = visitor()
    running: dict[str, Any] = {"status": Status.RUNNING, "cancel_requested_at": asked_at}
    unheard, heard = (factories.job(conn, locked_by=f"worker-{number}", **running) for number in (1, 2))
    record(conn, actor=Actor("mira"), action="cancel", job_ids=[heard], now=asked_at)
    assert "not heard yet" in plain(client.get(f"/jobs/{unheard}").text)
    said = plain(client.get(f"/jobs/{heard}").text)
    assert "asked by mira" in said
    assert "heard by its worker" in said
    assert "not ended yet" in said
    for status, words in ((Status.CANCELLED, "and was not tried again, 1 min"), (Status.SUCCEEDED, "all the same")):
        ended = factories.job(conn, status=status, cancel_requested_at=asked_at)
        assert words in plain(client.get(f"/jobs/{ended}").text)
    assert "Asked to stop" not in client.get(f"/jobs/{factories.job(conn)}").text


def test_a_job_that_waits_for_its_time_can_be_run_now(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn, scheduled=True, available_at=NOON + timedelta(hours=1))
    assert f'href="/runs/new?job={job}&amp;back=/jobs/{job}"' in visitor().get(f"/jobs/{job}").text
    assert "/runs/new" not in visitor("viewer").get(f"/jobs/{job}").text


def test_the_frame_to_look_at_is_marked(visitor: Visitor, conn: Connection) -> None:
    detail = "shop/invoice.py:3 in render\n    load(<b>)\nsite-packages/x.py:1 in f\nBoom: no"
    text = visitor().get(f"/jobs/{factories.job(conn, status=Status.FAILED, error_detail=detail)}").text
    assert "shop/invoice.py:3 in render\n    load(&lt;b&gt;)</mark>" in text
    assert '<span class="hot">Boom: no</span>' in text


def test_a_job_is_shown_among_those_of_its_event(visitor: Visitor, conn: Connection) -> None:
    jobs = [
        factories.job(conn, event_id="ev-1", event_type="order.created", subscriber_id=name)
        for name in ("a.one", "b.two")
    ]
    text = visitor().get(f"/jobs/{jobs[0]}").text
    assert f'href="/jobs/{jobs[1]}"' in text
    assert "a.one this one" in plain(text)


def test_a_82_a_sealed_payload_shows_its_size_and_nothing_of_it(visitor: Visitor, conn: Connection) -> None:
    sealed = {"schema": "watchfloor.email.v1", "ciphertext": "gAAAAsecret0" * 9}
    jobs = [
        factories.job(conn, job_type="send_email", payload=sealed),
        factories.job(conn, payload={"order": 7, "mail": sealed}),
    ]
    client = visitor()
    for job in jobs:
        text = client.get(f"/jobs/{job}").text
        assert "sealed, 108 bytes" in text
        assert "gAAAAsecret" not in text


def test_a_35_a_payload_that_no_worker_can_read_says_so(visitor: Visitor, conn: Connection) -> None:
    answer = visitor().get(f"/jobs/{factories.unreadable(conn)}")
    assert answer.status_code == 200
    assert "No worker can read it. Reading it raises RecursionError" in plain(answer.text)


def test_a_36_a_huge_payload_is_cut_on_its_page_and_left_out_of_lists(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn, payload={"note": "lorem" * 200_000})
    client = visitor()
    page = client.get(f"/jobs/{job}").text
    assert "1,000,012 bytes, the first 32,000 characters shown" in plain(page)
    assert len(page) < 80_000
    assert "lorem" not in client.get("/jobs").text


def test_a_38_what_a_job_says_is_shown_as_text(visitor: Visitor, conn: Connection) -> None:
    error = dict.fromkeys(("error_type", "error_summary", "error_detail"), NASTY)
    event = {"event_id": "ev", "event_type": NASTY, "subscriber_id": NASTY}
    more: dict[str, Any] = {
        "payload": {NASTY: NASTY},
        "idempotency_key": NASTY,
        "source": NASTY,
        "metadata": {"a": NASTY},
    }
    job = factories.job(conn, status=Status.FAILED, **error, **event, **more)
    client = visitor()
    for address in (
        "/jobs",
        f"/jobs/{job}",
        "/dead-letters",
        f"/replays/new?job={job}&back=/jobs",
        f"/cancellations/new?job={job}",
    ):
        text = client.get(address).text
        assert "<img src=x" not in text
        assert "&lt;img src=x onerror=alert(1)&gt;" in text
