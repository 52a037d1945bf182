"""The Overview: the headline counts, each trouble is one sentence with one button, quiet is calm."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import plain
from tests.factories import NOON
from tests.worker.queries.pages.rows import jobs, minute
from worker.model import Status
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.pages import groups
from worker.queries.schema import dead_letter_groups


def region(name: str, tag: str = "section") -> dict[str, str]:
    return {"HX-Request": "true", "HX-Target": f"{tag}#{name}"}


def headline(text: str) -> str:
    found = re.search(r"<h1>(.*?)</h1>", text)
    assert found
    return found[1]


def sentences(text: str) -> list[str]:
    found = re.findall(r'<div class="what">(.*?)</div>', text, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", "", each).split()) for each in found]


def test_an_empty_console_is_calm(visitor: Visitor) -> None:
    page = visitor("viewer").get("/")
    assert page.status_code == 200
    assert headline(page.text) == "Nothing needs you"
    assert "All quiet" in page.text
    assert "No job waits, and none finished in the last five minutes." in page.text


def test_each_trouble_is_a_sentence_the_urgent_first(visitor: Visitor, conn: Connection) -> None:
    ago = {name: NOON - timedelta(**{name: 12}) for name in ("minutes", "hours")}
    factories.worker_instance(conn)
    factories.worker_instance(conn, "s", label="mail-1", host="mx", last_heartbeat_at=ago["minutes"])
    factories.job(conn, job_type="train", available_at=ago["minutes"])
    factories.job(conn, status=Status.RUNNING, locked_by="s")
    for _ in range(2):
        factories.job(conn, status=Status.FAILED, finished_at=ago["hours"])
    tenant_id = factories.tenant(conn, "northwind", onboarding_status="provisioning")
    key: dict[str, Any] = {"job_type": "provision_tenant", "idempotency_key": f"provision:{tenant_id}"}
    key["error_fingerprint"] = "provision"
    factories.job(conn, tenant_id=tenant_id, status=Status.FAILED, steps_completed=["create_schema"], **key)
    queues.pause(conn, queue="bulk", actor=Actor("dana"), reason="why", until=NOON + timedelta(hours=1), now=NOON)
    page = visitor().get("/")
    assert headline(page.text) == "4 things need a person"
    assert sentences(page.text) == [
        "No live worker can run train",
        "Provisioning of northwind has stopped at step 2 of 6",
        "2 dead letters in render_report, all the same error",
        "Worker mail-1 on mx has been silent for 12 min, holding 1 job",
        "Queue bulk is paused until 13:00",
    ]


def test_one_thing_is_one_thing(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, status=Status.FAILED)
    assert headline(visitor().get("/").text) == "1 thing needs a person"


def test_what_an_operator_may_do_a_viewer_only_sees(visitor: Visitor, conn: Connection) -> None:
    queues.pause(conn, queue="bulk", actor=Actor("dana"), reason="why", now=NOON)
    assert 'href="/queues/bulk/resume"' in visitor("operator").get("/").text
    assert 'href="/queues/bulk/resume"' not in visitor("viewer").get("/").text


@pytest.mark.parametrize("name", ["attention", "tiles", "course", "busiest", "pulses", "provisioning"])
def test_a_region_answers_with_itself_alone(visitor: Visitor, conn: Connection, name: str) -> None:
    factories.worker_instance(conn)
    answer = visitor().get("/", headers=region(name, "div" if name == "attention" else "section"))
    assert answer.status_code == 200
    assert re.findall(r'id="([a-z]+)" data-region', answer.text) == [name]
    assert "<html" not in answer.text
    assert answer.headers["vary"].startswith("HX-Request, HX-Target")


def test_a_region_it_does_not_know_gets_the_page(visitor: Visitor) -> None:
    assert "<html" in visitor().get("/", headers=region("elsewhere")).text


@pytest.mark.parametrize("span", ["24h", "7d"])
def test_the_chart_looks_as_far_back_as_asked(visitor: Visitor, span: str) -> None:
    text = visitor().get("/", params={"span": span}).text
    assert f'<a href="/?span={span}" aria-current="true">' in text
    assert f'hx-get="/?span={span}"' in text


@pytest.mark.parametrize("span", ["", "2h", "1h'", "9" * 5000])
def test_a_span_that_is_none_is_refused_by_name(visitor: Visitor, span: str) -> None:
    answer = visitor().get("/", params={"span": span})
    assert answer.status_code == 400
    assert "span" in answer.text


def test_names_and_errors_are_shown_as_text(visitor: Visitor, conn: Connection) -> None:
    evil = "<img src=x onerror=alert(1)>"
    event_job: dict[str, Any] = {
        "job_type": "run_subscriber",
        "event_id": "1",
        "event_type": "t",
        "subscriber_id": evil,
    }
    factories.job(conn, status=Status.FAILED, error_summary=evil, error_type=evil, **event_job)
    factories.worker_instance(conn, label=evil, host=evil, last_heartbeat_at=NOON - timedelta(minutes=5))
    queues.pause(conn, queue="bulk", actor=Actor("dana"), reason=evil, now=NOON)
    text = visitor().get("/").text
    assert evil not in text
    assert text.count("&lt;img src=x") >= 5


def test_who_has_a_group_is_said(visitor: Visitor, conn: Connection) -> None:
    factories.job(conn, status=Status.FAILED, error_fingerprint="f")
    row = {"fingerprint": "f", "assignee": "mira", "updated_at": NOON, "updated_by": "mira"}
    conn.execute(dead_letter_groups.insert(), row)
    assert "mira has it" in visitor().get("/").text


def test_a_group_too_large_to_count_says_at_least(visitor: Visitor, conn: Connection) -> None:
    jobs(conn, groups.COUNTED + 1, status=Status.FAILED, error_fingerprint="f", error_type="E")
    assert "10,000+ dead letters" in visitor().get("/").text


def test_a_queue_where_as_many_come_as_go_is_not_said_to_double(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    jobs(conn, 10, queue="mail")
    jobs(conn, 10, queue="mail", status=Status.SUCCEEDED, created_at=NOON - timedelta(minutes=1))
    minute(conn, NOON - timedelta(minutes=1), queue="mail", jobs=10)
    assert "is 1 h behind and not catching up In 2.0, out 2.0 per minute · as many come as go, and 10 wait" in plain(
        visitor().get("/").text
    )


def test_the_page_costs_few_statements_beside_the_sample(
    visitor: Visitor, conn: Connection, console_rw: Engine
) -> None:
    factories.worker_instance(conn)
    factories.job(conn, job_type="train")
    factories.job(conn, status=Status.FAILED)
    browser = visitor()
    browser.get("/")
    seen: list[str] = []
    event.listen(console_rw, "before_cursor_execute", lambda *arguments: seen.append(arguments[2]))
    browser.get("/", params={"span": "24h"})
    asked = [statement for statement in seen if "operator_sessions" not in statement and statement != "BEGIN"]
    assert 2 <= len(asked) <= 7


def test_a_queue_that_takes_long_to_catch_up_says_when_it_is_done(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    for _ in range(100):
        factories.job(
            conn, queue="mail", available_at=NOON - timedelta(minutes=9), created_at=NOON - timedelta(hours=1)
        )
    minute(conn, NOON - timedelta(minutes=1), queue="mail", jobs=5)
    assert "100 waiting, gone in about" in visitor().get("/").text
