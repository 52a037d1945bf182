"""Pausing and resuming a queue: with a reason, audited, harmless twice, undone in one press."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor, trail
from tests.app.routes.rows import plain
from tests.factories import NOON
from worker.queries import queues
from worker.queries.audit import Actor

DIALOG = {"HX-Request": "true", "HX-Target": "dialog#dialog", "HX-Current-URL": "http://localhost/queues"}
SENT = {"HX-Request": "true", "HX-Target": "section#loads", "HX-Current-URL": "http://localhost/queues?q=ma"}


def paused(conn: Connection, queue: str = "mail", **columns: object) -> None:
    queues.pause(conn, queue=queue, actor=Actor("mira"), reason="provider down", now=NOON, **columns)  # type: ignore[arg-type] # a test's own


def test_the_form_is_a_page_of_its_own(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    page = visitor().get("/queues/mail/pause")
    assert page.status_code == 200
    assert "<html" in page.text
    assert '<form class="sheet" method="post" action="/queues/mail/pause"' in page.text
    assert "1 waits already." in page.text


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_the_dialog_gets_the_sheet_alone(visitor: Visitor, verb: str) -> None:
    text = visitor().get(f"/queues/mail/{verb}", headers=DIALOG).text
    assert text.lstrip().startswith('<form class="sheet"')


def test_a_pause_without_script_goes_back_to_the_queues(visitor: Visitor, conn: Connection) -> None:
    answer = visitor(name="dana").post("/queues/mail/pause", data={"reason": " provider down ", "until": "4h"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/queues")
    row = queues.paused(conn, now=NOON)["mail"]
    assert (row.paused_by, row.reason, row.paused_until) == ("dana", "provider down", NOON + timedelta(hours=4))
    (action,) = trail(conn, "pause")
    assert (action.actor, action.target, action.reason) == ("dana", "mail", "provider down")


def test_a_pause_may_have_no_end(visitor: Visitor, conn: Connection) -> None:
    visitor().post("/queues/mail/pause", data={"reason": "why", "until": ""})
    assert queues.paused(conn, now=NOON)["mail"].paused_until is None


def test_a_pause_from_the_dialog_redraws_the_list_as_it_was_narrowed(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    browser = visitor(name="dana")
    browser.get("/queues")
    answer = browser.post("/queues/mail/pause", data={"reason": "why", "until": "1h"}, headers=SENT)
    assert (answer.status_code, answer.headers["location"]) == (303, "/queues?q=ma")
    redrawn = browser.get(answer.headers["location"], headers=SENT).text
    assert "Paused by dana" in redrawn
    assert "<html" not in redrawn


@pytest.mark.parametrize(
    ("over", "target"), [("/queues?by=queue", "#loads"), ("/queues/mail/pause", "#main"), ("/", "#main")]
)
def test_the_sheet_redraws_the_list_only_where_it_lies_over_it(visitor: Visitor, over: str, target: str) -> None:
    headers = DIALOG | {"HX-Current-URL": f"http://localhost{over}"}
    assert f'hx-target="{target}"' in visitor().get("/queues/mail/pause", headers=headers).text


def test_from_a_page_of_its_own_htmx_is_sent_to_the_queues(visitor: Visitor) -> None:
    headers = SENT | {"HX-Current-URL": "http://localhost/queues/mail/pause"}
    answer = visitor().post("/queues/mail/pause", data={"reason": "why", "until": ""}, headers=headers)
    assert answer.headers["HX-Redirect"] == "/queues"


@pytest.mark.parametrize("reason", ["", "   ", "x" * 501])
def test_a_reason_is_asked_for_in_the_form(visitor: Visitor, conn: Connection, reason: str) -> None:
    answer = visitor().post("/queues/mail/pause", data={"reason": reason, "until": "4h"}, headers=SENT)
    assert answer.status_code == 422
    assert answer.text.lstrip().startswith('<form class="sheet"')
    assert 'id="reason-remark"' in answer.text
    assert '<option value="4h" selected>' in answer.text
    assert queues.paused(conn, now=NOON) == {}


@pytest.mark.parametrize("until", ["5m", "yesterday", "2026-11-29T13:00:00+00:00", "9" * 5000])
def test_an_end_that_is_none_of_the_choices_is_refused(visitor: Visitor, conn: Connection, until: str) -> None:
    answer = visitor().post("/queues/mail/pause", data={"reason": "why", "until": until})
    assert answer.status_code == 422
    assert 'id="until-remark"' in answer.text
    assert queues.paused(conn, now=NOON) == {}


def test_pausing_twice_keeps_the_first_pause(visitor: Visitor, conn: Connection) -> None:
    paused(conn)
    assert visitor().post("/queues/mail/pause", data={"reason": "again", "until": ""}).status_code == 303
    assert queues.paused(conn, now=NOON)["mail"].reason == "provider down"


def test_the_resume_form_says_who_paused_it_and_why(visitor: Visitor, conn: Connection) -> None:
    paused(conn, until=NOON + timedelta(hours=1))
    factories.job(conn, queue="mail")
    text = visitor().get("/queues/mail/resume").text
    for words in ("mira", "provider down", "13:00", "1 job waits."):
        assert words in text


def test_a_resume_lets_work_flow_and_is_audited(visitor: Visitor, conn: Connection) -> None:
    paused(conn)
    answer = visitor(name="dana").post("/queues/mail/resume", data={"reason": "back up"})
    assert (answer.status_code, answer.headers["location"]) == (303, "/queues")
    assert queues.paused(conn, now=NOON) == {}
    (action,) = trail(conn, "resume")
    assert (action.actor, action.target, action.reason) == ("dana", "mail", "back up")


def test_resuming_what_is_not_paused_is_harmless(visitor: Visitor, conn: Connection) -> None:
    assert "It is not paused now" in visitor().get("/queues/mail/resume").text
    assert visitor(name="dana").post("/queues/mail/resume").status_code == 303
    assert trail(conn, "resume") == []


def test_too_long_a_reason_to_resume_is_refused_in_the_form(visitor: Visitor, conn: Connection) -> None:
    paused(conn)
    answer = visitor().post("/queues/mail/resume", data={"reason": "x" * 501})
    assert answer.status_code == 422
    assert 'id="reason-remark"' in answer.text
    assert list(queues.paused(conn, now=NOON)) == ["mail"]


@pytest.mark.parametrize("verb", ["pause", "resume"])
def test_a_name_that_no_queue_can_have_is_not_found(visitor: Visitor, verb: str) -> None:
    browser = visitor()
    for name in ("Mail", "a b", "x" * 101, "-mail"):
        assert browser.get(f"/queues/{name}/{verb}").status_code == 404


def test_a_viewer_may_neither_see_the_form_nor_send_it(visitor: Visitor, conn: Connection) -> None:
    browser = visitor("viewer")
    assert browser.get("/queues/mail/pause").status_code == 403
    assert browser.post("/queues/mail/pause", data={"reason": "why", "until": ""}).status_code == 403
    assert queues.paused(conn, now=NOON) == {}
    assert {row.outcome for row in trail(conn)} == {"refused"}


def test_a_pause_in_force_gets_another_end_and_keeps_its_author(visitor: Visitor, conn: Connection) -> None:
    queues.pause(conn, queue="mail", actor=Actor("mira"), reason="provider down", now=NOON)
    mine = visitor("operator")
    assert "/queues/mail/pause/end" in mine.get("/queues/mail").text
    assert "provider down" in mine.get("/queues/mail/pause/end").text
    assert mine.post("/queues/mail/pause/end", data={"until": "4h", "reason": "still down"}).status_code == 303
    pause = queues.paused(conn, now=NOON)["mail"]
    assert (pause.paused_by, pause.reason, pause.paused_until) == ("mira", "provider down", NOON + timedelta(hours=4))
    assert mine.post("/queues/mail/pause/end", data={"until": ""}).status_code == 303
    assert queues.paused(conn, now=NOON)["mail"].paused_until is None
    told = plain(mine.get("/queues/mail").text)
    assert "end of the pause changed by" in told
    assert "still down" in told


def test_the_end_of_no_pause_is_not_changed(visitor: Visitor, conn: Connection) -> None:
    mine = visitor("operator")
    assert "It is not paused now" in mine.get("/queues/mail/pause/end").text
    assert mine.post("/queues/mail/pause/end", data={"until": "1h"}).status_code == 303
    assert queues.paused(conn, now=NOON) == {}
    assert mine.post("/queues/mail/pause/end", data={"until": "soon"}).status_code == 422
