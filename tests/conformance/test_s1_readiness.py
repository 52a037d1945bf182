"""S1, readiness: the deployment is ready when workers that live can run all that it needs."""

from __future__ import annotations

import urllib.error
from datetime import timedelta

import pytest
from sqlalchemy import Connection, delete, insert
from starlette.testclient import TestClient

from app.settings import ConsoleSettings
from tests.app.program import get, program, serves, until
from tests.app.shell import HANDLERS
from tests.conformance.acts import clock
from tests.worker.runtime.bench import settings as worker_settings
from worker.queries.schema import runtime_heartbeats
from worker.queries.workers import beat
from worker.runtime.startup import new_instance

READY = {"status": "ready", "reasons": []}


@pytest.fixture
def settings() -> ConsoleSettings:
    """A deployment that needs two job types."""
    return ConsoleSettings.model_validate({"required_job_types": "send_email, train_tenant_model"})


def advertise(conn: Connection, component: str, *types: str, silent_seconds: float = 0) -> None:
    """A beat of a worker that runs these types, so many seconds ago."""
    now = clock(conn) - timedelta(seconds=silent_seconds)
    beat(conn, instance=new_instance(worker_settings(worker_component=component), frozenset(types)), now=now)


def test_s1_93_readiness_reads_the_heartbeats(client: TestClient, conn: Connection) -> None:
    advertise(conn, "product-worker", "send_email", "train_tenant_model")
    assert client.get("/health/ready").json() == READY
    conn.execute(delete(runtime_heartbeats))
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["status"]) == (503, "not_ready")


def test_s1_94_each_required_type_needs_a_worker_that_lives(client: TestClient, conn: Connection) -> None:
    advertise(conn, "product-worker", "train_tenant_model", "materialize_insights")
    advertise(conn, "mailer", "send_email", silent_seconds=60)
    answer = client.get("/health/ready")
    assert (answer.status_code, answer.json()["reasons"]) == (503, ["no live worker runs send_email"])
    advertise(conn, "mailer", "send_email")
    assert client.get("/health/ready").json() == READY


def test_s1_94_a_beat_that_advertises_nothing_covers_nothing(client: TestClient, conn: Connection) -> None:
    advertise(conn, "product-worker", "send_email", "train_tenant_model")
    theirs = {"component": "scheduler", "instance_id": "scheduler-1", "heartbeat_at": clock(conn)}
    conn.execute(insert(runtime_heartbeats).values(theirs))
    assert client.get("/health/ready").json() == READY


@pytest.mark.postgresql
def test_s1_101_a_console_that_starts_first_waits_for_its_workers(url: str) -> None:
    options = {"DATABASE_URL": url, "WATCHFLOOR_HANDLERS": HANDLERS}
    with program("serve", "--json", "--port", "0", **options) as console:
        address = console.document()["url"] + "/health/ready"
        with pytest.raises(urllib.error.HTTPError, match="503"):
            get(address)
        with program("worker", "--json", **options) as worker:
            worker.document()
            until(lambda: serves(address))
