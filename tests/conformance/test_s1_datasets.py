"""What a tenant puts in, and the jobs that work on it: S1-28, S1-62 and S1-63."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, func, select
from starlette.applications import Starlette
from starlette.testclient import TestClient

from app.ingest.commit import ingest_commit
from app.ingest.formats import Format
from app.routes.admin import datasets as routes
from tests.app.routes.programs import program, token
from tests.conformance.acts import jobs, take
from tests.provisioned import provisioned
from worker.job_types import JobTypes
from worker.queries.tenant.schema import dataset_records, datasets
from worker.tenancy import tenant_uow

SALES = b"city,price,sold\r\nRome,12.5,true\r\nOslo,8,false\r\nRome,,true\r\n"
PRODUCT = ("materialize_insights", "send_email", "train_tenant_model")


@pytest.fixture
def client(app: Starlette, conn: Connection) -> TestClient:
    """A program that may write datasets."""
    return program(app, token(conn, "feed", "datasets:write"))


def put(client: TestClient, tenant_id: UUID, body: bytes = SALES, name: str = "sales") -> Any:
    """The answer to a dataset."""
    return client.post(
        f"/admin/tenants/{tenant_id}/datasets",
        params={"name": name},
        content=body,
        headers={"Content-Type": "text/csv"},
    )


def counted(engine: Engine, tenant_id: UUID) -> tuple[int, int]:
    """How many datasets the tenant has, and how many records."""
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        found = conn.execute(
            select(
                select(func.count()).select_from(datasets).scalar_subquery(),
                select(func.count()).select_from(dataset_records).scalar_subquery(),
            )
        ).one()
    return found[0], found[1]


def test_s1_28_dataset_records_and_job_are_written_together_or_not_at_all(engine: Engine, conn: Connection) -> None:
    tenant_id = provisioned(engine)
    table = Format.stated("text/csv").read(SALES)

    def commit(*, fails: bool) -> None:
        with tenant_uow(engine, tenant_id=tenant_id) as unit:
            ingest_commit(unit, JobTypes(), tenant_id=tenant_id, name="sales", table=table, created_by="tests")
            if fails:
                raise KeyError

    with pytest.raises(KeyError):
        commit(fails=True)
    assert (counted(engine, tenant_id), jobs(conn)) == ((0, 0), [])
    commit(fails=False)
    assert (counted(engine, tenant_id), len(jobs(conn))) == ((1, 3), 1)


def test_s1_28_a_request_that_breaks_after_the_enqueue_leaves_neither(
    engine: Engine, conn: Connection, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    tenant_id = provisioned(engine)

    def break_down(*_: Any, **__: Any) -> None:
        assert jobs(conn) == []  # nobody sees it before the commit
        raise KeyError

    with monkeypatch.context() as patched:
        patched.setattr(routes, "_record", break_down)
        assert put(client, tenant_id).status_code == 500
    assert (counted(engine, tenant_id), jobs(conn)) == ((0, 0), [])
    assert put(client, tenant_id).status_code == 201
    assert (counted(engine, tenant_id), len(jobs(conn))) == ((1, 3), 1)


def test_s1_63_a_dataset_brings_one_job_that_the_product_worker_takes(
    engine: Engine, conn: Connection, client: TestClient
) -> None:
    tenant_id = provisioned(engine)
    answers = [put(client, tenant_id) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert answers[0].json() == answers[1].json()
    assert take(conn, "provision_tenant") == []
    job = take(conn, *PRODUCT)[0]
    assert (job.job_type, str(job.id), job.tenant_id) == (
        "materialize_insights",
        answers[0].json()["job_id"],
        tenant_id,
    )
    assert jobs(conn)[0].idempotency_key == f"materialize:{tenant_id}:{answers[0].json()['id']}"


def test_s1_62_a_training_is_one_job_for_each_configuration_that_the_product_worker_takes(
    engine: Engine, conn: Connection, client: TestClient
) -> None:
    tenant_id = provisioned(engine)
    dataset_id = put(client, tenant_id).json()["id"]
    address = f"/admin/tenants/{tenant_id}/datasets/{dataset_id}/models"
    first, again, other = (
        client.post(address, json=config) for config in ({"target": "price"}, {"target": "price"}, {"target": "sold"})
    )
    assert [answer.status_code for answer in (first, again, other)] == [202] * 3
    assert first.json()["job_id"] == again.json()["job_id"] != other.json()["job_id"]
    assert take(conn, "provision_tenant") == []
    taken = take(conn, "train_tenant_model", limit=9)
    assert {str(job.id) for job in taken} == {first.json()["job_id"], other.json()["job_id"]}
    keys = {row.idempotency_key for row in jobs(conn)}
    assert f"train:{tenant_id}:{dataset_id}:{first.json()['config_hash']}" in keys
