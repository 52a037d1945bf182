"""The trace of a job, wherever it is looked at, and its link where a setting says where traces are."""

from __future__ import annotations

from uuid import UUID

import pytest
from pydantic import ValidationError
from sqlalchemy import Connection, Engine, select
from starlette.applications import Starlette

from app import main
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import browser, signed_in
from tests.app.routes.programs import program, token
from tests.app.shell import Shell
from tests.telling import ASKED, TRACE
from worker.queries.schema import event_outbox

TEMPLATE = "https://traces.example.org/trace/{trace_id}?from=watchfloor"
ADDRESS = f"https://traces.example.org/trace/{TRACE}?from=watchfloor"


@pytest.fixture
def linking(console_rw: Engine, app_rw: Engine, swift: None) -> Starlette:
    """A console that knows where traces are looked at."""
    settings = ConsoleSettings.model_validate({"trace_url": TEMPLATE})
    return main.create_app(settings, engine=console_rw, work_engine=app_rw)


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def test_a_jobs_page_says_its_trace_and_links_it_where_traces_are(
    app: Starlette, linking: Starlette, conn: Connection
) -> None:
    job = factories.job(conn, traceparent=ASKED)
    client = browser(app, signed_in(conn))
    text = client.get(f"/jobs/{job}").text
    assert TRACE in text
    assert ADDRESS not in text
    linked = browser(linking)
    linked.cookies = client.cookies
    assert f'<a class="link" href="{ADDRESS}" rel="noreferrer">{TRACE}</a>' in linked.get(f"/jobs/{job}").text


@pytest.mark.parametrize("stored", [None, '"><script>', "00-short"])
def test_a_job_that_nobody_traced_says_nothing_of_it(linking: Starlette, conn: Connection, stored: str | None) -> None:
    job = factories.job(conn, traceparent=stored)
    text = browser(linking, signed_in(conn)).get(f"/jobs/{job}").text
    assert "<dt>Trace</dt>" not in text
    assert "<dt>Source</dt>" in text


def test_the_api_says_the_same(linking: Starlette, conn: Connection) -> None:
    job = factories.job(conn, traceparent=ASKED)
    with program(linking, token(conn)) as client:
        found = client.get(f"/api/v1/jobs/{job}").json()
    assert (found["trace_id"], found["trace_url"]) == (TRACE, ADDRESS)


def test_so_does_the_shell(shell: Shell, conn: Connection) -> None:
    job = str(factories.job(conn, traceparent=ASKED))
    assert TRACE in shell.ok("jobs", "show", job)
    assert ADDRESS in shell.ok("jobs", "show", job, WATCHFLOOR_TRACE_URL=TEMPLATE)
    found = shell.json("jobs", "show", job, WATCHFLOOR_TRACE_URL=TEMPLATE)
    assert (found["trace_id"], found["trace_url"]) == (TRACE, ADDRESS)


def test_the_shell_hands_a_trace_on(shell: Shell, conn: Connection) -> None:
    asked = shell.json("enqueue", "charge_card", "--traceparent", ASKED)
    inherited = shell.json("enqueue", "charge_card", TRACEPARENT=ASKED)
    for made in (asked, inherited):
        assert factories.stored(conn, UUID(made["id"])).traceparent == ASKED
    shell.ok("publish", "order.paid", "--traceparent", ASKED)
    assert conn.execute(select(event_outbox.c.traceparent)).scalar_one() == ASKED


@pytest.mark.parametrize(
    "template",
    [
        "https://traces.example.org/trace/",
        "javascript:alert('{trace_id}')",
        "https://{trace_id}.example.org/",
        "https://traces.example.org/{tenant}/{trace_id}",
        "https://user@traces.example.org/{trace_id}",
    ],
)
def test_a_template_that_leads_nowhere_is_refused(template: str) -> None:
    with pytest.raises(ValidationError, match="must be like https://traces"):
        ConsoleSettings.model_validate({"trace_url": template})


def test_no_template_is_none() -> None:
    assert ConsoleSettings.model_validate({"trace_url": ""}).trace_url is None
