"""Provisioning as a program asks for it: S1-61, and S1-83 to S1-89."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import anyio
import httpx2
import pytest
from sqlalchemy import Connection, insert, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests.app.routes.programs import token
from tests.conformance.acts import jobs, take
from tests.factories import NOON, tenant
from worker.model import Status, new_ids
from worker.queries.schema import platform_jobs, tenants

PROVISIONER, PRODUCT = ("provision_tenant",), ("materialize_insights", "send_email", "train_tenant_model")
OVER = [Status.FAILED, Status.CANCELLED]
PAIRS, AT_ONCE = 1000, 8


def ask(api: TestClient, tenant_id: UUID, **body: Any) -> dict[str, Any]:
    """What the POST answers."""
    answer = api.post(f"/admin/tenants/{tenant_id}/provision", json=body)
    assert answer.status_code == 202
    assert answer.headers["location"] == f"/admin/tenants/{tenant_id}/provision/status"
    return dict(answer.json())


def status(api: TestClient, tenant_id: UUID) -> dict[str, Any]:
    """What the GET answers."""
    answer = api.get(f"/admin/tenants/{tenant_id}/provision/status")
    assert answer.status_code == 200
    return dict(answer.json())


def become(conn: Connection, **columns: Any) -> None:
    """Have every job look so."""
    conn.execute(update(platform_jobs).values(**columns))


def test_s1_24_a_request_sent_again_at_the_same_time_makes_no_second_job(app: Starlette, conn: Connection) -> None:
    pairs = anyio.run(ask_and_look, app, token(conn), [tenant(conn)] * 16)
    [job] = jobs(conn)
    assert [(posted["job_id"], found["status"]) for posted, found in pairs] == [(str(job.id), "queued")] * 16


def test_s1_61_the_request_makes_the_job_that_the_provisioner_takes(api: TestClient, conn: Connection) -> None:
    acme = tenant(conn)
    made = ask(api, acme)
    [job] = jobs(conn)
    assert (str(job.id), job.job_type, job.tenant_id) == (made["job_id"], "provision_tenant", acme)
    assert job.idempotency_key == f"provision:{acme}"
    assert take(conn, *PRODUCT) == []
    assert [each.id for each in take(conn, *PROVISIONER)] == [job.id]


def test_s1_83_the_row_is_there_when_the_202_arrives_though_no_worker_runs(api: TestClient, conn: Connection) -> None:
    acme = tenant(conn)
    made = ask(api, acme)
    assert [(str(each.id), each.tenant_id) for each in jobs(conn)] == [(made["job_id"], acme)]
    assert conn.execute(select(tenants.c.onboarding_status)).scalar_one() == "provisioning"


def test_s1_83_a_request_without_a_tenant_makes_no_row(api: TestClient, conn: Connection) -> None:
    assert api.post(f"/admin/tenants/{UUID(int=7)}/provision").status_code == 404
    assert jobs(conn) == []


def test_s1_84_asking_twice_makes_one_row(api: TestClient, conn: Connection) -> None:
    acme = tenant(conn)
    assert ask(api, acme) == ask(api, acme) == ask(api, acme, retry=True)
    assert len(jobs(conn)) == 1


@pytest.mark.parametrize("end", [*OVER, Status.SUCCEEDED])
def test_s1_84_asking_again_once_it_is_over_changes_nothing(api: TestClient, conn: Connection, end: Status) -> None:
    acme = tenant(conn)
    made = ask(api, acme)
    become(conn, status=end, finished_at=NOON, attempts=5)
    again = ask(api, acme)
    assert (again["job_id"], again["status"], again["attempts"]) == (made["job_id"], end, 5)


@pytest.mark.parametrize("end", OVER)
def test_s1_84_what_failed_or_was_cancelled_runs_again_where_that_is_asked_for(
    api: TestClient, conn: Connection, end: Status
) -> None:
    acme = tenant(conn)
    made = ask(api, acme)
    become(conn, status=end, finished_at=NOON, attempts=5, steps_completed=["create_schema"])
    again = ask(api, acme, retry=True)
    assert (again["job_id"], again["status"], again["attempts"]) == (made["job_id"], "queued", 0)
    assert again["steps_completed"] == ["create_schema"]


def test_s1_84_what_succeeded_stays_so_even_where_a_retry_is_asked_for(api: TestClient, conn: Connection) -> None:
    acme = tenant(conn)
    ask(api, acme)
    become(conn, status=Status.SUCCEEDED, finished_at=NOON)
    assert ask(api, acme, retry=True)["status"] == "succeeded"


def test_s1_85_the_new_row_is_queued(api: TestClient, conn: Connection) -> None:
    acme = tenant(conn)
    assert ask(api, acme)["status"] == status(api, acme)["status"] == "queued"


def test_s1_86_only_the_provisioners_claim_makes_it_run(api: TestClient, conn: Connection) -> None:
    acme = tenant(conn)
    ask(api, acme)
    assert take(conn, *PRODUCT) == []
    assert status(api, acme)["status"] == "queued"
    assert len(take(conn, *PROVISIONER)) == 1
    found = status(api, acme)
    assert (found["status"], found["attempts"]) == ("running", 1)


def test_s1_87_a_thousand_times_the_status_after_the_post_is_not_that_nothing_was_started(
    app: Starlette, conn: Connection
) -> None:
    ids = new_ids(PAIRS)
    names = ((each, f"t{number}") for number, each in enumerate(ids))
    rows = [{"id": each, "slug": name, "display_name": name, "schema_name": f"tenant_{name}"} for each, name in names]
    conn.execute(insert(tenants), rows)
    pairs = anyio.run(ask_and_look, app, token(conn), ids)
    assert [(posted, found) for posted, found in pairs if posted != found] == []
    assert [found["status"] for _, found in pairs] == ["queued"] * PAIRS
    assert {found["job_id"] for _, found in pairs} == {str(each.id) for each in jobs(conn)}


async def ask_and_look(app: Starlette, shown: str, ids: list[UUID]) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What POST and, at once, GET say of each tenant, several at a time."""
    client = httpx2.AsyncClient(transport=httpx2.ASGITransport(app), base_url="http://localhost")
    client.headers["Authorization"] = f"Bearer {shown}"
    left, pairs = iter(ids), []

    async def work() -> None:
        for each in left:
            address = f"/admin/tenants/{each}/provision"
            posted = await client.post(address)
            found = await client.get(f"{address}/status")
            pairs.append((posted.json(), found.json()))

    async with client, anyio.create_task_group() as group:
        for _ in range(AT_ONCE):
            group.start_soon(work)
    return pairs


def test_s1_88_not_started_is_said_of_a_tenant_that_nobody_asked_for(api: TestClient, conn: Connection) -> None:
    acme, other = tenant(conn), tenant(conn, "other")
    ask(api, other)
    assert status(api, acme) | {"status": "", "tenant_id": ""} == {
        "tenant_id": "", "status": "", "progress": 0, "steps_completed": [], "error_detail": None, "job_id": None,
        "attempts": 0, "max_attempts": 0, "next_attempt_at": None, "requested_at": None, "finished_at": None,
    }  # fmt: skip
    assert status(api, acme)["status"] == "not_started"
    assert jobs(conn)[0].tenant_id == other


@pytest.mark.parametrize("stranger", [UUID(int=7), "acme", "x", "%00", "9" * 300])
def test_s1_88_a_tenant_that_is_not_there_has_no_status(api: TestClient, conn: Connection, stranger: object) -> None:
    tenant(conn)
    answer = api.get(f"/admin/tenants/{stranger}/provision/status")
    assert answer.status_code == (400 if stranger == "%00" else 404)
    assert answer.headers["content-type"] == "application/problem+json"


def test_s1_89_the_status_has_what_a_poller_needs(api: TestClient, conn: Connection) -> None:
    acme = tenant(conn)
    made = ask(api, acme)
    steps = ["create_schema", "run_tenant_migrations"]
    become(conn, status=Status.FAILED, finished_at=NOON, attempts=5, progress=33.33, steps_completed=steps,
           error_detail="OSError: no bucket")  # fmt: skip
    found = status(api, acme)
    assert found == {
        "tenant_id": str(acme), "status": "failed", "progress": 33.33, "steps_completed": steps,
        "error_detail": "OSError: no bucket", "job_id": made["job_id"], "attempts": 5, "max_attempts": 5,
        "next_attempt_at": None, "requested_at": NOON.isoformat(), "finished_at": NOON.isoformat(),
    }  # fmt: skip
