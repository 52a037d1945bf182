"""The list of jobs and one job's page: what is shown, where a search leads, what is refused in words."""

from __future__ import annotations

from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, insert

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells, plain
from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries import queues
from worker.queries.audit import Actor, record
from worker.queries.pages import keyset
from worker.queries.schema import job_attempts

ROWS = {"HX-Request": "true", "HX-Target": "div#rows"}
NASTY = '"><img src=x onerror=alert(1)>'


def test_a_row_says_what_the_job_is_and_what_went_wrong(visitor: Visitor, conn: Connection) -> None:
    tenant = factories.tenant(conn)
    dead = factories.job(conn, status=Status.FAILED, tenant_id=tenant, finished_at=NOON - timedelta(minutes=3))
    ((_, job, state, whose, queue, attempts, created, error),) = cells(visitor().get("/jobs").text)
    assert job == f"render_report {str(dead)[:8]}…{str(dead)[-4:]}"
    assert (state, whose, queue) == ("dead letter 3 min ago", "acme", "default")
    assert (attempts, created, error) == ("5 of 5", "10 min ago", "ValueError : no such template")


def test_each_state_has_a_list_and_how_many_there_are(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn)
    factories.job(conn, status=Status.FAILED)
    text = visitor().get("/jobs?status=failed").text
    assert 'href="/jobs?status=failed" aria-current="true">Dead letters <span class="count">1</span>' in text
    assert 'href="/jobs?status=ready">Ready <span class="count">1</span>' in text
    assert len(cells(text)) == 1


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("acme", "/jobs?tenant=acme"),
        ("ev-1", "/jobs?event=ev-1"),
        ("invoice:7", "/jobs?key=invoice%3A7"),
        ("queue:mail type:crm.sync", "/jobs?type=crm.sync&queue=mail"),
        ("status:pending", "/jobs?status=queued"),
        ("status:dead_letter tenant:acme", "/jobs?status=failed&tenant=acme"),
        ("mail", "/jobs?queue=mail"),
        ("crm.sync", "/jobs?type=crm.sync"),
        ("did not answer", "/jobs?status=failed&error=did+not+answer"),
        ('error:"did not" queue:mail', "/jobs?status=failed&queue=mail&error=%22did+not%22"),
        ("", "/jobs"),
    ],
)
def test_a_search_leads_to_an_address(visitor: Visitor, conn: Connection, said: str, address: str) -> None:
    event = {"event_id": "ev-1", "event_type": "order.created", "subscriber_id": "crm.sync"}
    factories.job(conn, tenant_id=factories.tenant(conn), queue="mail", idempotency_key="invoice:7", **event)  # type: ignore[arg-type] # columns
    answer = visitor().get("/jobs", params={"q": said})
    assert (answer.status_code, answer.headers["location"]) == (303, address)


def test_the_id_of_a_job_leads_to_its_page(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn)
    client = visitor()
    assert client.get(f"/jobs?q={job}").headers["location"] == f"/jobs/{job}"
    assert client.get(f"/jobs?q=id:{job}").headers["location"] == f"/jobs/{job}"


def test_a_search_adds_to_the_filters_there_are_and_each_can_be_taken_away(visitor: Visitor, conn: Connection) -> None:
    client = visitor()
    answer = client.get("/jobs?queue=mail&since=24h&q=type:crm.sync")
    assert answer.headers["location"] == "/jobs?type=crm.sync&queue=mail&since=24h"
    text = client.get(answer.headers["location"]).text
    for without in ("/jobs?queue=mail&amp;since=24h", "/jobs?type=crm.sync&amp;since=24h"):
        assert f'href="{without}"' in text


@pytest.mark.parametrize(
    ("address", "title"),
    [
        ("/jobs", "No job yet"),
        ("/jobs?status=running", "None now"),
        ("/jobs?queue=nowhere", "No job matches"),
        ("/jobs?tenant=nobody", "There is no tenant “nobody”"),
    ],
)
def test_an_empty_list_says_why_it_is_empty(visitor: Visitor, address: str, title: str) -> None:
    assert title in visitor().get(address).text


def test_a_search_that_stopped_says_how_far_it_looked_and_does_not_repeat_itself(
    visitor: Visitor, conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "WINDOW", 2)
    for _ in range(4):
        factories.job(conn)
    text = visitor().get("/jobs?queue=nowhere").text
    assert "Nothing found so far." in text
    assert "as far as <time" in text
    assert "live:jobs" not in text
    assert "live:jobs" in visitor(name="lee").get("/jobs").text


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("status=x", "status"),
        ("before=x", "cursor"),
        ("after=WzFd", "cursor"),
        ("since=soon", "since"),
        ("action=x", "action"),
        ("queue=" + "q" * 101, "queue"),
        ("q=" + "x" * 501, "q"),
    ],
)
def test_a_80_what_makes_no_sense_is_refused_by_name(visitor: Visitor, query: str, field: str) -> None:
    answer = visitor().get(f"/jobs?{query}")
    assert answer.status_code == 400
    assert f"{field}:" in plain(answer.text)


def test_a_region_gets_its_block_alone(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn)
    text = visitor().get("/jobs?status=ready", headers=ROWS).text
    assert text.lstrip().startswith('<div class="stack" id="rows"')
    assert 'hx-get="/jobs?status=ready"' in text


def test_a_viewer_sees_the_buttons_off_and_why(visitor: Visitor, conn: Connection) -> None:
    dead = factories.job(conn, status=Status.FAILED)
    client = visitor("viewer")
    for address in ("/jobs", f"/jobs/{dead}", "/dead-letters"):
        text = client.get(address).text
        assert "Replaying and cancelling need the role of operator" in text
        assert text.count('<button class="button primary" type="button" disabled') == 1
        assert "/replays/new" not in text


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


def test_a_job_is_shown_among_those_of_its_event(visitor: Visitor, conn: Connection) -> None:
    jobs = [
        factories.job(conn, event_id="ev-1", event_type="order.created", subscriber_id=name)
        for name in ("a.one", "b.two")
    ]
    text = visitor().get(f"/jobs/{jobs[0]}").text
    assert f'href="/jobs/{jobs[1]}"' in text
    assert "a.one this one" in plain(text)


def test_a_82_a_sealed_payload_shows_its_size_and_nothing_of_it(visitor: Visitor, conn: Connection) -> None:
    sealed = {"schema": "watchfloor.email.v1", "ciphertext": "gAAAAsecret" * 9}
    jobs = [
        factories.job(conn, job_type="send_email", payload=sealed),
        factories.job(conn, payload={"order": 7, "mail": sealed}),
    ]
    client = visitor()
    for job in jobs:
        text = client.get(f"/jobs/{job}").text
        assert "sealed, 99 bytes" in text
        assert "gAAAAsecret" not in text


def test_a_35_a_payload_that_no_worker_can_read_says_so(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn)
    conn.exec_driver_sql(
        "UPDATE control.platform_jobs SET payload = CAST(repeat('[', 1200) || repeat(']', 1200) AS jsonb)"
    )
    answer = visitor().get(f"/jobs/{job}")
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


@pytest.mark.parametrize(
    ("address", "most"),
    [
        ("/jobs", 1),
        ("/jobs?tenant=acme&status=failed&error=no", 3),
        ("/dead-letters", 4),
        ("/audit", 1),
        ("/jobs/{job}", 6),
    ],
)
def test_a_page_costs_few_statements(
    visitor: Visitor, conn: Connection, engine: Engine, address: str, most: int
) -> None:
    ids = {"event_id": "ev", "event_type": "e", "subscriber_id": "s", "tenant_id": factories.tenant(conn)}
    job = factories.job(conn, status=Status.FAILED, **ids)
    client = visitor()
    client.get("/account")
    executed: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *found: executed.append(found[2]))
    figures = len(executed)
    assert client.get(address.format(job=job)).status_code == 200
    seam = [statement for statement in executed if "operator_sessions" in statement]
    assert len(executed) - figures - len(seam) <= most
