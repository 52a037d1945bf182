"""Jobs by the API: found as by the search box, told whole, with nothing in them that is closed to the eye."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app import main
from app.settings import ConsoleSettings
from tests import factories
from tests.app.routes.programs import SECRET, problem, program, token
from tests.factories import NOON
from worker.handlers import Registry
from worker.model import Status

LIST = "/api/v1/jobs"


@pytest.fixture
def reader(console_rw: Engine, app_rw: Engine, settings: ConsoleSettings, swift: None, conn: Connection) -> TestClient:
    """A program that may look, at a console that knows a handler with something to hide."""
    registry = Registry()
    registry.job_types.register("invoice", lambda job: None, redact=["customer.email"])
    app: Starlette = main.create_app(settings, engine=console_rw, work_engine=app_rw, registry=registry, now=NOON)
    return program(app, token(conn, "reader", "viewer"))


def ids(answer: Any) -> list[UUID]:
    assert answer.status_code == 200, answer.text
    return [UUID(each["id"]) for each in answer.json()["jobs"]]


def test_jobs_are_found_by_filters_and_by_the_words_of_the_search_box(reader: TestClient, conn: Connection) -> None:
    mail = factories.job(conn, queue="mail", payload={"order": {"id": 7}})
    dead = factories.job(conn, status=Status.FAILED, error_summary="the door is shut")
    assert ids(reader.get(LIST, params={"queue": "mail"})) == [mail]
    assert ids(reader.get(LIST, params={"status": "failed"})) == [dead]
    assert ids(reader.get(LIST, params={"q": "queue:mail payload.order.id:7"})) == [mail]
    assert (
        ids(reader.get(LIST, params={"q": 'error:"door is"'})) == ids(reader.get(LIST, params={"q": "shut"})) == [dead]
    )
    assert set(ids(reader.get(LIST))) == {mail, dead}


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"status": "asleep"}, "status"), ({"limit": "0"}, "limit"), ({"limit": "201"}, "limit"),
        ({"limit": "x"}, "limit"),
        ({"cursor": "x"}, "cursor"), ({"tenant": "nobody"}, "tenant"), ({"since": "yesterday"}, "since"),
        ({"offset": "5"}, "offset"), ({"age": "old"}, "age"),
    ],
)  # fmt: skip
def test_what_is_no_filter_is_refused_by_its_name(reader: TestClient, query: dict[str, str], field: str) -> None:
    found = problem(reader.get(LIST, params=query), 422)
    assert [each["field"] for each in found["errors"]] == [field]


@pytest.mark.parametrize("address", ["/api/v1/token", "/api/v1/views", LIST, "/admin/tenants"])
def test_a_parameter_that_is_none_is_never_ignored(api: TestClient, address: str) -> None:
    found = problem(api.get(address, params={"colour": "blue"}), 422)
    assert [each["field"] for each in found["errors"]] == ["colour"]


def test_a_parameter_that_is_given_twice_is_never_half_ignored(reader: TestClient) -> None:
    found = problem(reader.get(f"{LIST}?queue=mail&queue=reports"), 422)
    assert found["errors"] == [{"field": "queue", "detail": "Is given twice"}]


def test_what_is_closed_is_neither_shown_nor_searched(reader: TestClient, conn: Connection) -> None:
    job = factories.job(conn, job_type="invoice", payload={"customer": {"email": SECRET, "name": "Ada"}, "n": 2**70})
    answer = reader.get(f"{LIST}/{job}")
    assert answer.json()["payload"] == {"customer": {"email": "[redacted]", "name": "Ada"}, "n": 2**70}
    assert SECRET not in answer.text
    assert str(2**70) in answer.text
    asked = {"type": "invoice", "q": f'payload.customer.email:"{SECRET}"'}
    assert "closed" in problem(reader.get(LIST, params=asked), 400)["detail"]


def test_a_job_is_told_with_its_attempts_and_what_was_done_to_it(reader: TestClient, conn: Connection) -> None:
    job = factories.job(conn, status=Status.FAILED, event_id=None)
    for number in (1, 2):
        factories.attempt(conn, job, number)
    told = reader.get(f"{LIST}/{job}").json()
    assert [each["attempt"] for each in told["attempts_made"]] == [2, 1]
    assert (told["state"], told["error_type"], told["trace_id"]) == ("dead", "ValueError", None)
    assert told["created_at"].endswith("+00:00")
    assert told["siblings"] == told["copies"] == told["actions"] == []


def test_a_payload_that_nobody_can_read_is_its_text(reader: TestClient, conn: Connection) -> None:
    job = factories.unreadable(conn)
    assert set(reader.get(f"{LIST}/{job}").json()["payload"]) <= set("[] \n")


@pytest.mark.parametrize("stranger", ["00000000-0000-7000-8000-000000000000", "x"])
def test_a_job_that_is_not_there_is_not_found(reader: TestClient, stranger: str) -> None:
    problem(reader.get(f"{LIST}/{stranger}"), 404)


def test_whoever_has_the_answer_is_told_so(reader: TestClient, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    first = reader.get(LIST)
    again = reader.get(LIST, headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", first.headers["etag"])
    factories.job(conn, queue="mail")
    changed = reader.get(LIST, headers={"If-None-Match": f'"other", {first.headers["etag"]}'})
    assert (changed.status_code, len(changed.json()["jobs"])) == (200, 2)
    assert changed.headers["etag"] != first.headers["etag"]
