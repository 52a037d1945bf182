"""Queues: three views of the same work, narrowed and paged, and what is refused."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells
from tests.factories import NOON
from worker.model import Status
from worker.queries import queues
from worker.queries.audit import Actor


def test_a_queue_tells_what_waits_and_who_serves_it(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, "a", component="mailer")
    factories.worker_instance(conn, "b", component="mailer")
    factories.job(conn, queue="mail", available_at=NOON - timedelta(seconds=14))
    factories.job(conn, queue="mail", scheduled=True, available_at=NOON + timedelta(seconds=38))
    factories.job(conn, queue="mail", status=Status.FAILED)
    (row,) = cells(visitor("viewer").get("/queues").text)
    assert row == ["mail", "1", "14 s", "1 next in 38 s", "0", "0", "0", "under 1 min", "–", "1", "mailer ×2"]


def test_a_queue_that_nobody_serves_says_so_and_never_clears(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    (row,) = cells(visitor("viewer").get("/queues").text)
    assert (row[7], row[-1]) == ("never", "no live worker")


def test_a_queue_served_in_part_names_what_is_not(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, component="mailer")
    factories.job(conn, queue="mail")
    factories.job(conn, queue="mail", job_type="train")
    (row,) = cells(visitor("viewer").get("/queues").text)
    assert row[-1] == "nobody runs train mailer"


def test_a_paused_queue_says_by_whom_until_when_and_why(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    end = NOON + timedelta(hours=2)
    queues.pause(conn, queue="mail", actor=Actor("mira"), reason="provider down", until=end, now=NOON)
    (row,) = cells(visitor().get("/queues").text)
    assert (row[7], row[-2], row[-1]) == ("paused", "Paused by mira just now , until 14:00 : provider down", "Resume")


def test_only_operators_are_offered_to_pause(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    assert "/queues/mail/pause" in visitor("operator").get("/queues").text
    assert "/queues/mail/pause" not in visitor("viewer").get("/queues").text


def test_by_job_type_and_by_tenant_show_the_same_work(visitor: Visitor, conn: Connection) -> None:
    tenant_id = factories.tenant(conn, "acme")
    factories.job(conn, queue="mail", tenant_id=tenant_id)
    browser = visitor("viewer")
    assert cells(browser.get("/queues?by=type").text)[0][:2] == ["render_report", "1"]
    assert cells(browser.get("/queues?by=tenant").text)[0][:2] == ["acme Acme", "1"]


@pytest.mark.parametrize("view", ["queue", "type", "tenant"])
def test_an_empty_list_says_why(visitor: Visitor, view: str) -> None:
    page = visitor("viewer").get("/queues", params={"by": view})
    assert page.status_code == 200
    assert 'class="empty' in page.text


def test_a_filter_that_finds_nothing_says_what_was_sought(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    text = visitor("viewer").get("/queues", params={"q": "<nowhere>"}).text
    assert "No name contains “&lt;nowhere&gt;”" in text
    assert cells(text) == []


@pytest.mark.parametrize("view", ["queue", "type", "tenant"])
def test_the_next_page_keeps_view_and_filter(visitor: Visitor, conn: Connection, view: str) -> None:
    for place in range(51):
        tenant_id = factories.tenant(conn, f"t-{place}")
        factories.job(conn, queue=f"q-{place}", job_type=f"j-{place}", tenant_id=tenant_id)
    browser = visitor("viewer")
    first = browser.get("/queues", params={"by": view, "q": "-"}).text
    following = re.search(r'rel="next" href="([^"]+)"', first)
    assert following
    second = browser.get(following[1].replace("&amp;", "&")).text
    assert (len(cells(first)), len(cells(second))) == (50, 1)
    assert 'rel="next"' not in second
    assert "First page" in second


@pytest.mark.parametrize("query", ["by=queues", "by=", "cursor=x", "by=tenant&cursor=WzFd", "cursor=" + "9" * 5000])
def test_what_the_address_cannot_mean_is_refused_by_name(visitor: Visitor, query: str) -> None:
    answer = visitor("viewer").get(f"/queues?{query}")
    assert answer.status_code == 400
    assert ("by:" if "cursor" not in query else "cursor:") in answer.text


@pytest.mark.parametrize("query", ["q=" + "x" * 3000, "q=a&q=b", "by=queue&by=type", "odd=1"])
def test_odd_addresses_are_survived(visitor: Visitor, query: str) -> None:
    assert visitor("viewer").get(f"/queues?{query}").status_code == 200


def test_the_region_answers_with_itself_alone(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    headers = {"HX-Request": "true", "HX-Target": "section#loads"}
    text = visitor().get("/queues", headers=headers).text
    assert text.lstrip().startswith('<section class="panel" id="loads" data-region')
    assert "<html" not in text
