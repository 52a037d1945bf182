"""The page of a shift: who did what, what came of it, what is open, and the same as text and from a shell."""

from __future__ import annotations

import html
import re
from datetime import timedelta
from urllib.parse import quote

from sqlalchemy import Connection, insert
from starlette.testclient import TestClient

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import plain
from tests.factories import NOON
from tests.worker.queries.bulk_acts.desk import MIRA, press
from tests.worker.queries.pages.test_hand_over import die, named
from worker.queries import groups, queues
from worker.queries.audit import Actor, record
from worker.queries.bulk_acts import undo
from worker.queries.schema import releases

LEE = Actor("lee")
AN_HOUR_AGO = NOON - timedelta(hours=1)


def shown(client: TestClient, address: str = "/hand-over") -> str:
    answer = client.get(address)
    assert answer.status_code == 200
    return answer.text


def copied(text: str) -> str:
    """What the button would put on the clipboard."""
    return html.unescape(re.findall(r'data-copy="([^"]*)"', text, re.DOTALL)[0])


def test_each_person_is_told_with_what_they_did(visitor: Visitor, conn: Connection) -> None:
    press(conn, [die(conn, 2), die(conn, 2)], who=MIRA)
    press(conn, [die(conn, 2)], who=MIRA)
    groups.take(conn, fingerprint=named("disk is full"), actor=LEE, now=AN_HOUR_AGO)
    record(conn, actor=LEE, action="sign-in", target="lee", now=AN_HOUR_AGO)
    record(conn, actor=LEE, action="pause", outcome="refused", target="mail", now=AN_HOUR_AGO)
    said = plain(shown(visitor("viewer")))
    assert "mira 2 replays, 3 jobs" in said
    assert "lee 1 group taken" in said
    assert "sign" not in said.partition("People")[2].partition("Groups")[0]
    assert "1 queue paused" not in said


def test_each_line_leads_to_its_page(visitor: Visitor, conn: Connection) -> None:
    tenant = factories.tenant(conn, "acme")
    worker = factories.worker_instance(conn, "host/1:7")
    act = press(conn, [die(conn, 2)], who=MIRA)
    job = factories.job(conn)
    groups.take(conn, fingerprint="g/1", actor=LEE, now=AN_HOUR_AGO)
    queues.pause(conn, queue="mail", actor=LEE, reason="provider down", now=AN_HOUR_AGO)
    record(conn, actor=LEE, action="drain", target=worker, now=AN_HOUR_AGO)
    record(conn, actor=LEE, action="provision", tenant_id=tenant, job_ids=[job], now=AN_HOUR_AGO)
    record(conn, actor=LEE, action="reveal", job_ids=[job], now=AN_HOUR_AGO)
    record(conn, actor=LEE, action="copy", detail={"copy": str(job)}, now=AN_HOUR_AGO)
    record(conn, actor=LEE, action="operator-role", target="max", now=AN_HOUR_AGO)
    conn.execute(insert(releases), {"name": "2026.11.4", "at": AN_HOUR_AGO, "told_by": "lee"})
    text = shown(visitor("viewer"))
    for href in (
        f"/acts/{act.id}",
        "/dead-letters?view=all&group=g%2F1",
        "/queues/mail",
        f"/workers/{quote(worker, safe='')}",
        "/tenants/acme",
        f"/jobs/{job}",
        "/audit?actor=lee&action=operator-role",
    ):
        assert f'href="{html.escape(href)}"' in text
    assert "2026.11.4" in plain(text)


def test_an_act_that_was_undone_is_told_once(visitor: Visitor, conn: Connection) -> None:
    act = press(conn, [die(conn, 2)], who=MIRA)
    with conn.engine.begin() as mine:
        undo.undo(mine, act_id=act.id, actor=LEE, now=NOON)
    said = plain(shown(visitor("viewer")))
    assert "Undone: 1 job is as it was" in said
    assert "mira 1 replay, 1 job" in said
    assert "lee 1 act undone" in said
    assert "lee undid" not in said


def test_what_is_open_comes_first(visitor: Visitor, conn: Connection) -> None:
    client = visitor("viewer")
    die(conn, 20)
    queues.pause(conn, queue="mail", actor=MIRA, reason="provider down", now=NOON - timedelta(days=1))
    factories.job(conn, queue="mail")
    said = plain(shown(client))
    assert "until somebody resumes it; 1 waiting provider down" in said
    assert "Open Timeout: host is down 1 dead letter Nobody has it" in said
    assert said.index("Open now") < said.index("People")
    groups.snooze(conn, fingerprint=named(), actor=LEE, until=NOON + timedelta(hours=2), now=NOON)
    assert "Wakes Timeout: host is down" in plain(shown(client))


def test_a_shift_in_which_nothing_happened_says_so(visitor: Visitor, conn: Connection) -> None:
    said = plain(shown(visitor("viewer")))
    assert "Nothing is left open" in said
    assert "Nobody did anything in this time" in said


def test_the_text_says_the_same_and_leads_to_this_very_shift(visitor: Visitor, conn: Connection) -> None:
    press(conn, [die(conn, 2), die(conn, 2)], who=MIRA)
    groups.take(conn, fingerprint=named("disk is full"), actor=LEE, now=AN_HOUR_AGO)
    client = visitor("viewer")
    text = copied(shown(client))
    assert "- mira: 1 replay, 2 jobs" in text
    assert "- Replayed 2 of 2 jobs (mira, done) – fixed" in text
    assert f"{AN_HOUR_AGO:%H:%M} UTC lee took" in text
    last = text.splitlines()[-1]
    assert last.endswith("/hand-over?since=2026-11-29T04%3A00%3A00Z&until=2026-11-29T12%3A00%3A00Z")
    assert "mira 1 replay, 2 jobs" in plain(shown(client, last))


def test_a_time_that_is_none_or_is_to_come_is_refused_in_words(visitor: Visitor) -> None:
    client = visitor("viewer")
    for since in ("yesterday", "2999-01-01T00:00Z"):
        answer = client.get("/hand-over", params={"since": since})
        assert answer.status_code == 400
        assert "since" in plain(answer.text)
