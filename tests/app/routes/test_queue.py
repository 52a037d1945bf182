"""The page of a queue: how it stands, why it waits, its charts, and what can be done about it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import plain
from tests.factories import NOON
from tests.worker.queries.pages.rows import jobs, minute
from worker.model import Status
from worker.queries import queues, releases, samples
from worker.queries.audit import Actor
from worker.queries.samples import Pair, Sample

MIRA = Actor("mira")


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """The statements that the console executes meanwhile."""
    seen: list[str] = []

    def keep(*arguments: Any) -> None:
        seen.append(arguments[2])

    event.listen(engine, "before_cursor_execute", keep)
    try:
        yield seen
    finally:
        event.remove(engine, "before_cursor_execute", keep)


def test_the_page_says_how_it_stands_and_why_it_waits(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, queue="mail", available_at=NOON - timedelta(minutes=6))
    text = visitor("viewer").get("/queues/mail").text
    assert "1 waits, the oldest for" in text
    assert "no live worker takes them" in text
    assert "no worker has ever said it could" in text


def test_what_is_run_from_other_queues_only_can_be_sent_there(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, component="printer", job_types=["render_report"], queues=["print"])
    factories.job(conn, queue="mail")
    text = visitor("operator").get("/queues/mail").text
    assert "printer runs render_report, but not from mail: only from print" in text
    assert "queue=mail&amp;handler=render_report&amp;status=queued&amp;back=/queues/mail" in text


def test_only_operators_are_offered_to_pause_reassign_and_cancel(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    acts = ("/queues/mail/pause", "/reassignments/new?all=1", "/cancellations/new?all=1")
    operators, viewers = visitor("operator").get("/queues/mail").text, visitor("viewer").get("/queues/mail").text
    assert [act in operators for act in acts] == [True] * 3
    assert [act in viewers for act in acts] == [False] * 3


def test_a_pause_is_told_with_its_end_its_reason_and_who_ended_the_one_before(
    visitor: Visitor, conn: Connection
) -> None:
    queues.pause(conn, queue="mail", actor=MIRA, reason="first time", now=NOON - timedelta(hours=1))
    queues.resume(conn, queue="mail", actor=Actor("lee"), reason="all is well", now=NOON - timedelta(minutes=50))
    queues.pause(conn, queue="mail", actor=MIRA, reason="again", until=NOON + timedelta(hours=2), now=NOON)
    queues.pause(conn, queue="other", actor=MIRA, reason="elsewhere", now=NOON)
    text = visitor().get("/queues/mail").text
    assert "Paused until" in text
    assert [words in text for words in ("again", "resumed by lee", "all is well", "first time", "elsewhere")] == [
        *[True] * 4,
        False,
    ]
    assert "paused by mira, until 14:00" in plain(text)
    assert "/queues/mail/resume" in text


def test_the_charts_tell_what_ended_how_long_it_took_and_what_waited(visitor: Visitor, conn: Connection) -> None:
    minute(conn, NOON, queue="mail", jobs=40, runs={100: 40}, wait_1000=40)
    minute(conn, NOON, queue="mail", outcome="failed", jobs=2, wait_1000=2)
    samples.write(conn, Sample(ready=9, pairs=[Pair("mail", "render_report", ready=7, oldest_seconds=65)]), now=NOON)
    text = visitor().get("/queues/mail").text
    assert 'aria-label="Last hour: 40 completed, 2 failed"' in text
    assert 'aria-label="Last hour: at most 7 ready"' in text
    assert 'aria-label="Last hour: 95% within 96 ms at worst"' in text
    assert "7 ready, oldest 1 min 5 s" in text
    rows = [[plain(cell) for cell in row.split("</td>")[:-1]] for row in re.findall("<tr>(<td.*?)</tr>", text)]
    assert rows[0] == ["12:00", "40", "2", "0", "65 ms", "96 ms", "650 ms", "965 ms", "7", "1 min 5 s", "0"]
    assert [row[1] for row in rows[1:]] == ["0"] * 59


def test_a_release_is_marked_where_it_began(visitor: Visitor, conn: Connection) -> None:
    minute(conn, NOON, queue="mail")
    releases.record(conn, name="2026.11.3", at=NOON - timedelta(minutes=10), actor=MIRA, now=NOON)
    assert "2026.11.3 began" in visitor().get("/queues/mail").text


def test_where_nothing_is_known_the_page_says_so(visitor: Visitor) -> None:
    page = visitor().get("/queues/nowhere")
    assert page.status_code == 200
    assert "nothing ended in the last hour" in page.text
    assert "Not counted in this time" in page.text


def test_the_charts_keep_to_a_part_and_every_choice_keeps_the_other(visitor: Visitor, conn: Connection) -> None:
    minute(conn, NOON, queue="mail", handler="send", jobs=10)
    minute(conn, NOON, queue="mail", handler="render", jobs=1)
    text = visitor().get("/queues/mail?part=render&span=24h").text
    assert "Last day: 1 completed, 0 failed" in text
    assert 'href="/queues/mail?part=send&amp;span=24h"' in text
    assert 'href="/queues/mail?part=render"' in text


@pytest.mark.parametrize(("query", "named"), [("span=2h", "span"), ("part=" + "x" * 201, "part")])
def test_what_the_address_cannot_mean_is_refused_by_name(visitor: Visitor, query: str, named: str) -> None:
    answer = visitor().get(f"/queues/mail?{query}")
    assert answer.status_code == 400
    assert named in answer.text


@pytest.mark.parametrize("name", ["Mail", "a b", "x" * 101])
def test_what_cannot_be_a_queue_is_not_found(visitor: Visitor, name: str) -> None:
    assert visitor().get(f"/queues/{name}").status_code == 404


@pytest.mark.parametrize("region", ["subject", "course", "parts"])
def test_a_region_answers_with_itself_alone(visitor: Visitor, conn: Connection, region: str) -> None:
    factories.job(conn, queue="mail")
    text = visitor().get("/queues/mail", headers={"HX-Request": "true", "HX-Target": f"div#{region}"}).text
    assert f'id="{region}" data-region' in text
    assert text.count("data-region") == 1


def test_every_act_offered_opens_its_form(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, component="printer", job_types=["render_report"], queues=["print"])
    factories.job(conn, queue="mail")
    browser = visitor()
    acts = {
        unescape(each) for each in re.findall(r'href="([^"]*(?:/new\?|/pause)[^"]*)"', browser.get("/queues/mail").text)
    }
    assert len(acts) == 4
    assert [act for act in acts if browser.get(act).status_code != 200] == []


def test_the_page_costs_the_same_however_much_there_is(visitor: Visitor, conn: Connection, console_rw: Engine) -> None:
    browser = visitor()
    costs = []
    for number in (1, 40):
        jobs(conn, number, queue="mail", job_type=f"kind_{number}")
        minute(conn, NOON, queue="mail", handler=f"kind_{number}")
        browser.get("/queues/mail")
        with counted(console_rw) as statements:
            browser.get("/queues/mail")
        costs.append(len(statements))
    assert costs[0] == costs[1] <= 12


def test_a_pause_asked_for_here_redraws_the_page(visitor: Visitor, conn: Connection) -> None:
    here = {"HX-Request": "true", "HX-Current-URL": "http://testserver/queues/mail?span=24h"}
    browser = visitor()
    form = browser.get("/queues/mail/pause", headers=here).text
    assert 'hx-target="#subject" hx-swap="outerMorph"' in form
    paused = browser.post(
        "/queues/mail/pause", data={"reason": "why", "until": "1h"}, headers=here, follow_redirects=False
    )
    assert paused.headers["location"] == "/queues/mail?span=24h"


def test_the_pages_of_a_queue_and_of_a_type_say_who_acted_on_their_jobs(visitor: Visitor, conn: Connection) -> None:
    fields = {"all": "1", "before": NOON.isoformat(), "status": "failed", "back": "/jobs"}
    dana = visitor(name="dana")
    for kept, reason in (({"queue": "mail"}, "template is back"), ({"type": "render_report"}, "fonts are back")):
        factories.job(conn, status=Status.FAILED, queue="mail", finished_at=NOON - timedelta(minutes=1))
        dana.post("/replays", data=fields | kept | {"reason": reason})
    queue, kind = (plain(dana.get(at).text) for at in ("/queues/mail", "/job-types/render_report"))
    assert "Replay of 1 by dana, done template is back" in queue
    assert "fonts are back" not in queue
    assert "Replay of 1 by dana, done fonts are back" in kind
    assert "Acts on its jobs" not in plain(dana.get("/queues/default").text)
