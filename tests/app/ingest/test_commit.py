"""Storing a dataset: once, however often and by how many at once it is handed in."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

from sqlalchemy import Connection, Engine, func, select

from app.ingest.commit import Ingested, ingest_commit
from app.ingest.csv_lines import read_csv
from tests.conformance.acts import jobs
from tests.provisioned import provisioned
from worker.job_types import JobTypes
from worker.queries.tenant.schema import dataset_records, datasets
from worker.tenancy import tenant_uow

ROWS = "a,b\n" + "".join(f"{place},x\n" for place in range(500))


def ingest(engine: Engine, tenant_id: UUID, text: str = ROWS) -> Ingested:
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        return ingest_commit(
            conn, JobTypes(), tenant_id=tenant_id, name="sales", table=read_csv(text), created_by="tests"
        )  # fmt: skip


def test_handed_in_by_many_at_once_it_is_stored_once(engine: Engine, conn: Connection) -> None:
    tenant_id = provisioned(engine)
    with ThreadPoolExecutor(8) as pool:
        asked = [pool.submit(ingest, engine, tenant_id) for _ in range(8)]
        answers = [each.result() for each in asked]
    assert len({(answer.dataset_id, answer.job_id) for answer in answers}) == 1
    assert sorted(answer.created for answer in answers) == [False] * 7 + [True]
    with tenant_uow(engine, tenant_id=tenant_id) as unit:
        assert unit.execute(select(func.count()).select_from(datasets)).scalar() == 1
        assert unit.execute(select(func.count()).select_from(dataset_records)).scalar() == 500
    assert len(jobs(conn)) == 1


def test_two_tenants_may_have_the_same(engine: Engine, conn: Connection) -> None:
    answers = [ingest(engine, provisioned(engine, slug)) for slug in ("acme", "bolt")]
    assert [answer.created for answer in answers] == [True, True]
    assert len({answer.job_id for answer in answers}) == 2
