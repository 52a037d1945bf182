"""The audit trail's page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells, plain
from tests.factories import NOON
from worker.model import new_id
from worker.queries.audit import Actor, record

DANA = Actor("dana", "10.0.0.7")
NASTY = '"><img src=x onerror=alert(1)>'


def test_a_row_says_who_did_what_to_which_jobs_why_when_and_from_where(visitor: Visitor, conn: Connection) -> None:
    job = factories.job(conn)
    at = NOON - timedelta(minutes=3)
    number = record(conn, actor=DANA, action="replay", job_ids=[job, new_id()], reason="fixed", now=at)
    record(conn, actor=DANA, action="cancel", job_ids=[job], reason="twice", now=at)
    record(conn, actor=DANA, action="pause", target="mail", outcome="refused", now=at)
    text = visitor().get("/audit").text
    paused, cancelled, replayed = cells(text)
    assert paused[:6] == ["Nov 29, 11:57 3 min ago", "dana", "pause mail", "", "refused", "10.0.0.7"]
    assert cancelled[2:4] == [f"cancel {str(job)[:8]}…{str(job)[-4:]}", "twice"]
    assert replayed[2:5] == ["replay 2 jobs", "fixed", "done"]
    assert f'href="/jobs?action={number}"' in text
    assert len(replayed[6]) == 8


def test_the_jobs_of_an_act_can_be_listed(visitor: Visitor, conn: Connection) -> None:
    jobs = [factories.job(conn) for _ in range(3)]
    number = record(conn, actor=DANA, action="replay", job_ids=jobs[:2], now=NOON)
    assert len(cells(visitor().get(f"/jobs?action={number}").text)) == 2


@pytest.mark.parametrize(
    ("said", "address"),
    [
        ("dana", "/audit?actor=dana"),
        ("replay", "/audit?action=replay"),
        ("actor:dana action:pause", "/audit?actor=dana&action=pause"),
        ("tenant:acme outcome:refused", "/audit?outcome=refused&tenant=acme"),
        ("019b0000-0000-7000-8000-000000000000", "/audit?job=019b0000-0000-7000-8000-000000000000"),
        ("", "/audit"),
    ],
)
def test_a_search_leads_to_an_address(visitor: Visitor, said: str, address: str) -> None:
    answer = visitor().get("/audit", params={"q": said})
    assert (answer.status_code, answer.headers["location"]) == (303, address)


def test_each_filter_can_be_taken_away(visitor: Visitor, conn: Connection) -> None:
    record(conn, actor=DANA, action="pause", target="mail", now=NOON)
    text = visitor().get("/audit?actor=dana&action=pause&outcome=done").text
    assert len(cells(text)) == 1
    assert 'href="/audit?actor=dana&amp;outcome=done"' in text
    assert 'href="/audit?action=pause&amp;outcome=done"' in text


@pytest.mark.parametrize(
    ("address", "title"),
    [
        ("/audit", "Nobody has done anything yet"),
        ("/audit?actor=dana", "No act matches"),
        ("/audit?tenant=nobody", "There is no tenant “nobody”"),
    ],
)
def test_an_empty_trail_says_why_it_is_empty(visitor: Visitor, address: str, title: str) -> None:
    assert title in plain(visitor().get(address).text)


@pytest.mark.parametrize(
    ("query", "field"), [("outcome=maybe", "outcome"), ("job=7", "job"), ("before=x", "cursor"), ("q=job:7", "job")]
)
def test_a_80_what_makes_no_sense_is_refused_by_name(visitor: Visitor, query: str, field: str) -> None:
    answer = visitor().get(f"/audit?{query}")
    assert answer.status_code == 400
    assert f"{field}:" in plain(answer.text)


def test_a_38_what_people_wrote_is_shown_as_text(visitor: Visitor, conn: Connection) -> None:
    record(conn, actor=Actor(NASTY, NASTY), action=NASTY, target=NASTY, reason=NASTY, now=NOON)
    text = visitor().get("/audit").text
    assert "<img src=x" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text


def test_a_region_gets_its_block_alone(visitor: Visitor, conn: Connection) -> None:
    text = visitor().get("/audit", headers={"HX-Request": "true", "HX-Target": "div#acts"}).text
    assert text.lstrip().startswith('<div class="stack" id="acts"')


@pytest.mark.parametrize("action", ["operator-disable", "invitation-accept", "password-reset", "sign-out-everywhere"])
def test_what_happened_to_accounts_is_found_by_its_word(visitor: Visitor, action: str) -> None:
    assert visitor(name="lee").get(f"/audit?q={action}").headers["location"] == f"/audit?action={action}"
