"""Draining a worker: said what it stops, audited, harmless twice."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection, select

from tests import factories
from tests.app.conftest import Visitor, trail
from tests.app.routes.rows import plain
from tests.factories import NOON
from worker.model import Status
from worker.queries.schema import worker_instances

SENT = {"HX-Request": "true", "HX-Target": "section#present", "HX-Current-URL": "http://localhost/workers"}


def asked_at(conn: Connection, instance_id: str = "worker-1") -> object:
    table = worker_instances.c
    return conn.execute(select(table.drain_requested_at).where(table.instance_id == instance_id)).scalar_one()


def test_the_form_says_what_the_worker_ends_and_what_nobody_else_takes(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["render_report", "train"])
    factories.worker_instance(conn, "other", job_types=["render_report"])
    factories.job(conn, status=Status.RUNNING)
    text = plain(visitor().get("/workers/worker-1/drain").text)
    assert "ends the 1 job it runs and stops" in text
    assert "No other live worker takes train . Such jobs wait until one starts." in text


def test_where_others_take_its_work_there_is_no_warning(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.worker_instance(conn, "other")
    assert "No other live worker" not in visitor().get("/workers/worker-1/drain").text


def test_the_dialog_gets_the_sheet_alone(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    headers = {"HX-Request": "true", "HX-Target": "dialog#dialog"}
    assert visitor().get("/workers/worker-1/drain", headers=headers).text.lstrip().startswith('<form class="sheet"')


def test_a_drain_is_asked_for_and_audited(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    answer = visitor(name="dana").post("/workers/worker-1/drain", data={"reason": " deploy "})
    assert (answer.status_code, answer.headers["location"]) == (303, "/workers")
    assert asked_at(conn) == NOON
    (action,) = trail(conn, "drain")
    assert (action.actor, action.target, action.reason) == ("dana", "worker-1", "deploy")


def test_from_the_dialog_the_list_is_redrawn(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    browser = visitor()
    browser.get("/workers")
    answer = browser.post("/workers/worker-1/drain", headers=SENT)
    assert (answer.status_code, answer.headers["location"]) == (303, "/workers")
    assert "draining" in browser.get("/workers", headers=SENT).text


def test_from_the_dialog_over_its_own_page_that_is_redrawn(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    browser, over = visitor(), {**SENT, "HX-Current-URL": "http://localhost/workers/worker-1?cursor=x"}
    assert 'hx-target="#process"' in browser.get("/workers/worker-1/drain", headers=over).text
    answer = browser.post("/workers/worker-1/drain", headers=over)
    assert (answer.status_code, answer.headers["location"]) == (303, "/workers/worker-1?cursor=x")


def test_asking_twice_is_harmless(visitor: Visitor, conn: Connection) -> None:
    before = NOON - timedelta(minutes=1)
    factories.worker_instance(conn, drain_requested_at=before)
    assert visitor().post("/workers/worker-1/drain").status_code == 303
    assert asked_at(conn) == before
    assert trail(conn, "drain") == []


def test_too_long_a_reason_is_refused_in_the_form(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    answer = visitor().post("/workers/worker-1/drain", data={"reason": "x" * 501})
    assert answer.status_code == 422
    assert 'id="reason-remark"' in answer.text
    assert asked_at(conn) is None


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_a_worker_that_is_not_there_is_not_found(visitor: Visitor, conn: Connection, method: str) -> None:
    factories.worker_instance(conn, "stopped", stopped_at=NOON)
    browser = visitor()
    for name in ("stopped", "unknown", "x" * 500):
        assert browser.request(method, f"/workers/{name}/drain").status_code == 404


def test_a_viewer_may_neither_see_the_form_nor_send_it(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    browser = visitor("viewer")
    assert browser.get("/workers/worker-1/drain").status_code == 403
    assert browser.post("/workers/worker-1/drain").status_code == 403
    assert asked_at(conn) is None
