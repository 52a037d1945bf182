"""Datasets as programs put them in, and trainings as they ask for them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, select, update
from starlette.applications import Starlette
from starlette.testclient import TestClient

from tests import factories
from tests.app.conftest import trail
from tests.app.routes.programs import program, token
from tests.conformance.acts import jobs
from tests.provisioned import clear, provisioned
from worker.model import new_id
from worker.queries.schema import operator_actions, platform_jobs
from worker.queries.tenant import datasets
from worker.tenancy import tenant_uow

ROWS = b"city,price\nRome,1\nOslo,2\n"


@pytest.fixture
def client(app: Starlette, conn: Connection) -> TestClient:
    """A program that may write datasets."""
    return program(app, token(conn, "feed", "datasets:write"))


@pytest.fixture
def tenant_id(engine: Engine) -> UUID:
    return provisioned(engine)


def put(client: TestClient, tenant_id: UUID, body: bytes = ROWS, *, name: str = "sales", as_: str = "text/csv") -> Any:
    address = f"/admin/tenants/{tenant_id}/datasets"
    return client.post(address, params={"name": name}, content=body, headers={"Content-Type": as_})


def stored(engine: Engine, tenant_id: UUID) -> list[str]:
    """The names of the tenant's datasets, newest first."""
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        return [row.name for row in datasets.listed(conn, limit=9)]


def test_a_dataset_is_answered_with_what_it_holds_and_the_job(
    client: TestClient, conn: Connection, engine: Engine, tenant_id: UUID
) -> None:
    answer = put(client, tenant_id)
    assert answer.status_code == 201
    (job,) = jobs(conn)
    said = answer.json()
    assert said == {
        "id": job.payload["dataset_id"],
        "name": "sales",
        "rows": 2,
        "columns": ["city", "price"],
        "job_id": str(job.id),
    }
    with tenant_uow(engine, tenant_id=tenant_id) as unit:
        (row,) = datasets.listed(unit, limit=9)
    assert (row.created_by, row.source_format, row.row_count, row.computed_at) == ("token:feed", "csv", 2, None)


def test_json_lines_are_taken_too(client: TestClient, engine: Engine, tenant_id: UUID) -> None:
    assert put(client, tenant_id, b'{"a": 1}\n{"b": true}', as_="application/x-ndjson").json()["columns"] == ["a", "b"]
    assert stored(engine, tenant_id) == ["sales"]


def test_the_same_content_under_a_name_is_the_same_dataset(
    client: TestClient, conn: Connection, engine: Engine, tenant_id: UUID
) -> None:
    first = put(client, tenant_id)
    again = put(client, tenant_id, ROWS.replace(b"\n", b"\r\n"))
    assert (again.status_code, again.json()) == (200, first.json())
    assert [put(client, tenant_id, name="other").status_code, put(client, tenant_id, ROWS + b"Bern,3").status_code] == [
        201,
        201,
    ]
    assert sorted(stored(engine, tenant_id)) == ["other", "sales", "sales"]
    assert len(jobs(conn)) == 3


def test_it_leaves_its_row_in_the_trail_once(client: TestClient, conn: Connection, tenant_id: UUID) -> None:
    job_id = put(client, tenant_id).json()["job_id"]
    put(client, tenant_id)
    (act,) = conn.execute(select(operator_actions).where(operator_actions.c.action == "dataset-add"))
    assert (act.actor, act.outcome, act.target, act.tenant_id, act.jobs) == (
        "token:feed",
        "done",
        "sales",
        tenant_id,
        1,
    )
    assert UUID(job_id) == jobs(conn)[0].id


@pytest.mark.parametrize(
    ("body", "name", "as_", "status", "field", "detail"),
    [
        (b"a,b\n1,2\n3\n", "sales", "text/csv", 422, "line 3", "has 1 cells where the header has 2"),
        (b'{"a": 1}\n{"a": NaN}', "sales", "application/jsonl", 422, "line 2, column a", "is no number that can be"),
        (b"", "sales", "text/csv", 422, "body", "holds no rows"),
        (ROWS, "", "text/csv", 422, "name", "must not be empty"),
        (ROWS, "x" * 201, "text/csv", 422, "name", "is longer than 200 characters"),
    ],
)
def test_what_is_refused_names_the_place_and_stores_nothing(
    client: TestClient,
    conn: Connection,
    engine: Engine,
    tenant_id: UUID,
    body: bytes,
    name: str,
    as_: str,
    status: int,
    field: str,
    detail: str,
) -> None:
    answer = put(client, tenant_id, body, name=name, as_=as_)
    assert (answer.status_code, answer.headers["content-type"]) == (status, "application/problem+json")
    (error,) = answer.json()["errors"]
    assert error["field"] == field
    assert error["detail"].startswith(detail)
    assert (stored(engine, tenant_id), jobs(conn)) == ([], [])


def test_another_type_and_too_much_are_refused(client: TestClient, engine: Engine, tenant_id: UUID) -> None:
    assert put(client, tenant_id, as_="application/json").status_code == 415
    assert put(client, tenant_id, b"a\n" + b"1\n" * 5_000_000).status_code == 413
    assert stored(engine, tenant_id) == []


def test_only_for_tenants_that_are_there_and_provisioned(client: TestClient, conn: Connection, engine: Engine) -> None:
    assert put(client, new_id()).status_code == 404
    clear(engine, "bolt")
    assert put(client, factories.tenant(conn, "bolt")).status_code == 409
    assert jobs(conn) == []


def test_another_scope_does_not_do(app: Starlette, conn: Connection, engine: Engine, tenant_id: UUID) -> None:
    reader = program(app, token(conn, "reader", "tenants:read"))
    assert put(reader, tenant_id).status_code == 403
    assert stored(engine, tenant_id) == []


def ask(client: TestClient, tenant_id: UUID, dataset_id: object, **config: Any) -> Any:
    return client.post(f"/admin/tenants/{tenant_id}/datasets/{dataset_id}/models", json=config)


@pytest.mark.parametrize("status", ["failed", "cancelled"])
def test_a_training_that_failed_runs_again_when_it_is_asked_for_again_and_the_trail_has_both(
    client: TestClient, conn: Connection, tenant_id: UUID, status: str
) -> None:
    dataset_id = put(client, tenant_id).json()["id"]
    job_id = ask(client, tenant_id, dataset_id, target="price").json()["job_id"]
    ended = {"status": status, "finished_at": factories.NOON}
    conn.execute(update(platform_jobs).where(platform_jobs.c.id == UUID(job_id)).values(ended))
    again = ask(client, tenant_id, dataset_id, target="price").json()
    assert (again["job_id"], factories.stored(conn, UUID(job_id)).status) == (job_id, "queued")
    assert ask(client, tenant_id, dataset_id, target="price").json() == again
    assert [act.detail for act in trail(conn, "model-train")] == [{}, {"again": True}]


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"target": "weight"}, "target"),
        ({}, "target"),
        ({"target": "price", "learner": "oracle"}, "learner"),
        ({"target": "price", "test_share": 0.9}, "test_share"),
        ({"target": "price", "seed": True}, "seed"),
        ({"target": "price", "depth": 3}, "depth"),
    ],
)
def test_a_training_that_cannot_be_is_refused(
    client: TestClient, conn: Connection, tenant_id: UUID, config: dict[str, Any], field: str
) -> None:
    dataset_id = put(client, tenant_id).json()["id"]
    answer = ask(client, tenant_id, dataset_id, **config)
    assert (answer.status_code, [error["field"] for error in answer.json()["errors"]]) == (422, [field])
    assert len(jobs(conn)) == 1


def test_a_dataset_of_another_tenant_is_not_there(
    client: TestClient, conn: Connection, engine: Engine, tenant_id: UUID
) -> None:
    dataset_id = put(client, provisioned(engine, "bolt")).json()["id"]
    assert ask(client, tenant_id, dataset_id, target="price").status_code == 404
    assert ask(client, tenant_id, "nothing", target="price").status_code == 404
    assert len(jobs(conn)) == 1
