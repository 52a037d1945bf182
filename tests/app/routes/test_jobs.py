"""The list of jobs: what a row says, where a search leads, what is refused in words."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells, plain
from tests.factories import NOON
from worker.model import Status
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.pages import keyset

ROWS = {"HX-Request": "true", "HX-Target": "div#rows"}


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
        ("payload.order.id:7 age:>2h", "/jobs?until=2h&payload.order.id=7"),
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


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ("quue:mail", "quue: is nothing that jobs are searched by. Did you mean queue:?"),
        ("status:broken", "status: must be one of"),
        ("age:old", "age: is compared as in &gt;2h"),
        ("id:7", "id: 7 is not the id of a job"),
        ("queue:", "queue: say what to look for"),
    ],
)
def test_a_search_that_cannot_be_read_names_the_word_and_keeps_the_text_and_the_list(
    visitor: Visitor, conn: Connection, said: str, problem: str
) -> None:
    factories.job(conn, queue="mail")
    answer = visitor().get("/jobs", params={"q": said, "queue": "mail"})
    assert answer.status_code == 400
    assert problem in answer.text
    assert f'name="q" value="{said}"' in answer.text
    assert len(cells(answer.text)) == 1


@pytest.mark.parametrize(
    ("said", "offered"),
    [
        ("qu", ["queue:", "queue:quick"]),
        ("error:x que", ["error:x queue:"]),
        ("queue:m", ["queue:mail"]),
        ("tenant:a", ["tenant:acme"]),
        ("status:r", ["status:running", "status:ready", "status:retrying"]),
        ("age:<3", ["age:<30m"]),
        ("pay", ["payload."]),
        ("key:i", []),
    ],
)
def test_a_search_is_offered_what_may_come_next(
    visitor: Visitor, conn: Connection, said: str, offered: list[str]
) -> None:
    factories.job(conn, queue="mail", tenant_id=factories.tenant(conn))
    factories.job(conn, queue="quick")
    text = visitor().get("/jobs/suggestions", params={"q": said}).text
    assert [unescape(value) for value in re.findall(r'<option value="([^"]*)"', text)] == offered


def test_a_list_can_be_turned_round(visitor: Visitor, conn: Connection) -> None:
    first, second = (factories.job(conn, created_at=NOON - timedelta(minutes=age)) for age in (9, 1))
    text = visitor().get("/jobs?sort=created").text
    assert text.index(str(first)) < text.index(str(second))
    assert "Every job there is, the oldest first." in plain(text)
    assert '<a class="link" href="/jobs">The newest first</a>' in text


@pytest.mark.parametrize(
    ("status", "offered"),
    [
        ("failed", {"/replays/new", "/cancellations/new"}),
        ("ready", {"/cancellations/new", "/reassignments/new"}),
        ("scheduled", {"/runs/new", "/cancellations/new", "/reassignments/new"}),
        ("running", {"/cancellations/new"}),
        ("succeeded", set()),
    ],
)
def test_a_list_offers_the_acts_that_its_state_allows_for_this_page_and_for_all(
    visitor: Visitor, conn: Connection, monkeypatch: pytest.MonkeyPatch, status: str, offered: set[str]
) -> None:
    monkeypatch.setattr(keyset, "LIMIT", 2)
    for _ in range(3):
        later: dict[str, Any] = {"scheduled": True, "available_at": NOON + timedelta(hours=1)}
        factories.job(conn, **later if status == "scheduled" else {"status": STORED[status]})
    text = visitor().get(f"/jobs?status={status}").text
    assert set(re.findall(r'formaction="([^"]+)"', text)) == offered
    assert ("Select all 3 that match" in text) == bool(offered)


STORED = {"ready": Status.QUEUED, "failed": Status.FAILED, "running": Status.RUNNING, "succeeded": Status.SUCCEEDED}


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


@pytest.mark.parametrize(
    ("address", "most"),
    [
        ("/jobs", 2),
        ("/jobs?tenant=acme&status=failed&error=no", 4),
        ("/dead-letters", 9),
        ("/audit", 1),
        ("/jobs/{job}", 7),
    ],
)
def test_a_page_costs_few_statements(
    visitor: Visitor, conn: Connection, console_rw: Engine, address: str, most: int
) -> None:
    ids = {"event_id": "ev", "event_type": "e", "subscriber_id": "s", "tenant_id": factories.tenant(conn)}
    job = factories.job(conn, status=Status.FAILED, **ids)
    client = visitor()
    client.get("/account")
    executed: list[str] = []
    event.listen(console_rw, "before_cursor_execute", lambda *found: executed.append(found[2]))
    figures = len(executed)
    assert client.get(address.format(job=job)).status_code == 200
    seam = [statement for statement in executed if "operator_sessions" in statement or statement == "BEGIN"]
    assert len(executed) - figures - len(seam) <= most


def test_the_jobs_of_a_paused_queue_say_by_whom_why_and_until_when(visitor: Visitor, conn: Connection) -> None:
    end = NOON + timedelta(hours=2)
    queues.pause(conn, queue="mail", actor=Actor("mira"), reason="provider down", until=end, now=NOON)
    mine = visitor("viewer")
    page = plain(mine.get("/jobs?queue=mail").text)
    assert "Queue mail is paused until 14:00" in page
    assert "By mira" in page
    assert "provider down" in page
    assert "is paused" not in mine.get("/jobs").text
    assert "is paused" not in mine.get("/jobs?queue=bulk").text
