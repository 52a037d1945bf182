"""The console on a SQLite file: every page and live region tells what is there, and every act is done."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import SecretStr
from sqlalchemy import Connection, insert, select
from starlette.testclient import TestClient

from app import main, sessions
from app.routes import ROUTES
from app.settings import ConsoleSettings
from tests import factories
from tests.app.conftest import browser, trail
from tests.app.routes.rows import plain
from tests.factories import NOON
from tests.worker.queries.pages.rows import attempt, minute
from worker.database import connect
from worker.model import Status
from worker.queries import queues
from worker.queries import sessions as stored
from worker.queries.audit import Actor
from worker.queries.bulk_acts import acts
from worker.queries.bulk_acts.acts import Action, Terms
from worker.queries.schema import dead_letter_groups, saved_views, worker_instances

READY, RUNNING, DEAD, LATER, DANA, LEE, ACT, VIEW = (UUID(int=number) for number in range(1, 9))
TOKEN_HASH = sessions.digest("a token")
EVENT: dict[str, Any] = {"event_id": "ev-1", "event_type": "order.created", "subscriber_id": "invoice.render"}
PAGES = {
    "/": ("/", "1 dead letter in render_report"),
    "/account": ("/account", "dana"),
    "/operators": ("/operators", "dana"),
    "/operators/new": ("/operators/new", "No mail leaves from here"),
    "/operators/{operator}": (f"/operators/{DANA}", "Sign out everywhere"),
    "/operators/{operator}/disable": (f"/operators/{DANA}/disable", "Disable dana"),
    "/operators/{operator}/second-factor-resets/new": (
        f"/operators/{LEE}/second-factor-resets/new",
        "Reset the second factor of lee",
    ),
    "/account/second-factor": ("/account/second-factor", "No second factor can be set up here"),
    "/account/second-factor/new": ("/account/second-factor/new", "WATCHFLOOR_SECRET_KEYS is not set"),
    "/lens": ("/lens?q=AC", "Acme"),
    "/queues": ("/queues", "invoices"),
    "/queues/{queue}": ("/queues/invoices", "Why jobs wait"),
    "/job-types/{type:path}": ("/job-types/render_report", "Where it waits"),
    "/queues/{queue}/pause": ("/queues/invoices/pause", "Pause invoices"),
    "/queues/{queue}/pause/end": ("/queues/mail/pause/end", "Change the end of the pause of mail"),
    "/queues/{queue}/resume": ("/queues/mail/resume", "Resume mail"),
    "/workers": ("/workers", "ops-1"),
    "/workers/{instance}": ("/workers/worker-1", "Pulse"),
    "/workers/{instance}/drain": ("/workers/worker-1/drain", "Drain"),
    "/tenants": ("/tenants?q=ACME", "Acme"),
    "/tenants/{tenant}": ("/tenants/acme", "No step is recorded as done"),
    "/tenants/{tenant}/cancellations/new": ("/tenants/acme/cancellations/new", "Cancel the provisioning of acme"),
    "/jobs": ("/jobs?tenant=acme&error=no+SUCH", "no such template"),
    "/jobs.csv": ("/jobs.csv", "error_summary"),
    "/jobs.jsonl": ("/jobs.jsonl", "error_summary"),
    "/jobs/suggestions": ("/jobs/suggestions?q=stat", ""),
    "/jobs/views/new": ("/jobs/views/new?queue=mail", "queue:mail"),
    "/jobs/views/{view}/changes/new": (f"/jobs/views/{VIEW}/changes/new", "Rename or share a view"),
    "/jobs/{job}": (f"/jobs/{DEAD}", "no such template"),
    "/jobs/{job}/copies/new": (f"/jobs/{RUNNING}/copies/new", "Edit and run a copy"),
    "/jobs/{job}/reveals/new": (f"/jobs/{DEAD}/reveals/new", "Reveal 0 closed values"),
    "/dead-letters": ("/dead-letters", "no such template"),
    "/dead-letters/snoozes/new": ("/dead-letters/snoozes/new?group=g&back=/dead-letters", "Snooze this group"),
    "/dead-letters/resolutions/new": ("/dead-letters/resolutions/new?group=g&back=/dead-letters", "fixed in a release"),
    "/dead-letters/notes/new": ("/dead-letters/notes/new?group=g&back=/dead-letters", "Note on this group"),
    "/dead-letters/merges/new": ("/dead-letters/merges/new?group=g&back=/dead-letters", "Which one does it belong to?"),
    "/replays/new": (f"/replays/new?job={DEAD}", "Replay 1 dead letter"),
    "/cancellations/new": (f"/cancellations/new?job={READY}", "Cancel 1 job"),
    "/runs/new": (f"/runs/new?job={LATER}", "Run 1 job now"),
    "/reassignments/new": (f"/reassignments/new?job={READY}", "Reassign 1 job"),
    "/acts": ("/acts", "template shipped"),
    "/acts/{act}": (f"/acts/{ACT}", "template shipped"),
    "/findings": ("/findings", "Dead letters within an hour"),
    "/audit": ("/audit?action=pause", "provider down"),
    "/hand-over": ("/hand-over?since=1h", "1 queue paused"),
    "/help": ("/help", "Only a restart of its worker frees it"),
}
"""An address of each page, and what it tells of the rows."""

VIEWS = (
    "/?span=24h",
    "/?span=7d",
    "/queues?by=type",
    "/queues?by=tenant",
    "/queues/mail?span=7d",
    f"/jobs/{RUNNING}",
    "/jobs?event=ev-1",
)


@pytest.fixture
def local(file: Path, tmp_path: Path, swift: None) -> Iterator[tuple[TestClient, Connection]]:
    """An admin's browser on a console with a file of its own, and a connection to look into the file."""
    path = shutil.copyfile(file, tmp_path / "watchfloor.db")
    url = f"sqlite:///{path}"
    settings = ConsoleSettings.model_validate({"database_url": SecretStr(url)})
    engine = connect(url, application_name="tests")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        seed(conn)
        visit: dict[str, Any] = {"idle_seconds": 3600, "length_seconds": 3600, "address": None, "user_agent": None}
        factories.operator(conn, role="admin", id=DANA)
        factories.operator(conn, "lee", id=LEE)
        kept = {"id": VIEW, "operator_id": DANA, "name": "Mail", "query": "queue=mail", "shared": True}
        conn.execute(insert(saved_views), kept | {"saved_at": NOON})
        stored.open_session(conn, operator_id=DANA, token_hash=TOKEN_HASH, now=NOON, **visit)
        with browser(main.create_app(settings, now=NOON), "a token") as client:
            yield client, conn
    engine.dispose()


def seed(conn: Connection) -> None:
    """A little of everything that a page tells of."""
    tenant_id = factories.tenant(conn, "acme", onboarding_status="provisioning")
    factories.job(conn, id=READY, queue="invoices", job_type="run_subscriber", **EVENT)
    factories.job(conn, id=RUNNING, queue="mail", status=Status.RUNNING, tenant_id=tenant_id)
    factories.job(conn, id=DEAD, queue="mail", status=Status.FAILED, tenant_id=tenant_id)
    provision: dict[str, Any] = {
        "job_type": "provision_tenant",
        "idempotency_key": f"provision:{tenant_id}",
        "attempts": 1,
    }
    factories.job(
        conn, id=LATER, tenant_id=tenant_id, available_at=NOON + timedelta(minutes=1), scheduled=True, **provision
    )
    factories.worker_instance(conn)
    attempt(conn, DEAD)
    minute(conn, NOON - timedelta(minutes=1), queue="mail", jobs=3)
    note = {"fingerprint": "f" * 16, "note": "why", "updated_at": NOON, "updated_by": "dana"}
    conn.execute(insert(dead_letter_groups), note)
    queues.pause(conn, queue="mail", actor=Actor("dana"), reason="provider down", now=NOON)
    acts.add(conn, act_id=ACT, terms=Terms(Action.REPLAY), actor=Actor("dana"), reason="template shipped", now=NOON)


def test_no_page_is_forgotten() -> None:
    shown = {route.path for route in ROUTES if route.method == "GET" and route.access != "anyone"}
    assert PAGES.keys() == shown - {"/live"}


def test_every_page_tells_what_is_there(local: tuple[TestClient, Connection]) -> None:
    client, _ = local
    for address, told in PAGES.values():
        answer = client.get(address)
        assert (answer.status_code, told in plain(answer.text)) == (200, True), address


def test_every_live_region_is_drawn_alone(local: tuple[TestClient, Connection]) -> None:
    client, _ = local
    regions = 0
    for address in (*(address for address, _ in PAGES.values()), *VIEWS):
        for region in re.findall(r'id="([\w-]+)" data-region', client.get(address).text):
            answer = client.get(address, headers={"HX-Request": "true", "HX-Target": f"div#{region}"})
            assert (answer.status_code, f'id="{region}"' in answer.text, "<html" in answer.text) == (200, True, False)
            regions += 1
    assert regions > len(PAGES)


def test_every_act_is_done_and_told_in_the_trail(local: tuple[TestClient, Connection]) -> None:
    client, conn = local
    presses = {
        f"/dead-letters/{DEAD}/replays": {},
        f"/jobs/{READY}/cancellations": {"reason": "not wanted"},
        f"/jobs/{RUNNING}/cancellations": {"reason": "not wanted"},
        "/queues/mail/resume": {},
        "/queues/invoices/pause": {"reason": "month's end", "until": "1h"},
        "/workers/worker-1/drain": {},
    }
    for address, form in presses.items():
        assert client.post(address, data=form).status_code in (200, 303), address
    assert factories.stored(conn, DEAD).status == Status.QUEUED
    assert factories.stored(conn, READY).status == Status.CANCELLED
    assert factories.stored(conn, RUNNING).cancel_requested_at == NOON
    assert list(queues.paused(conn, now=NOON)) == ["invoices"]
    assert conn.execute(select(worker_instances.c.drain_requested_at)).scalar_one() == NOON
    assert [row.action for row in trail(conn)] == ["pause", "replay", "cancel", "cancel", "resume", "pause", "drain"]
