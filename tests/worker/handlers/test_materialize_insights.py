"""The insights of a dataset: computed by a job, replaced whole, and brought back when they are gone."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from statistics import correlation
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, delete, func, select

from tests import factories
from tests.conformance.acts import clock, end, jobs, take
from tests.provisioned import clear
from tests.worker.handlers.conftest import Ingest
from tests.worker.runtime.bench import settings
from worker.deployment import Deployment
from worker.errors import ClaimLost, InvalidInput, JobCancelled
from worker.handlers import Registry, configured
from worker.handlers.materialize_insights import materialize, register
from worker.model import Job, Status
from worker.queries.tenant import insights
from worker.queries.tenant.schema import datasets, insight_collections
from worker.signals import Signal, enter, leave
from worker.tenancy import tenant_uow

SALES = b"city,price,cost\nRome,12.5,6\nOslo,8,4\nRome,,1\nBern,10,5\n"


@pytest.fixture
def signal() -> Iterator[Signal]:
    """What the handler is told."""
    signal = Signal()
    enter(signal)
    yield signal
    leave()


def claimed(conn: Connection) -> Job:
    """The next job for insights."""
    return take(conn, "materialize_insights", now=clock(conn))[0]


def found(engine: Engine, tenant_id: UUID, dataset_id: UUID) -> dict[str | None, Any]:
    """The facts by field; those of the correlations by None."""
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        return {row.field: row.facts for row in insights.of_datasets(conn, dataset_ids=[dataset_id])}


def collections(engine: Engine, tenant_id: UUID) -> int:
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        return conn.execute(select(func.count()).select_from(insight_collections)).scalar_one()


def test_each_field_and_the_correlations_are_told_of(
    engine: Engine, conn: Connection, tenant_id: UUID, deployment: Deployment, ingest: Ingest
) -> None:
    dataset_id = ingest(SALES).dataset_id
    materialize(deployment, claimed(conn))
    facts = found(engine, tenant_id, dataset_id)
    assert list(facts) == ["city", "price", "cost", None]
    assert facts["city"] == {
        "type": "text",
        "count": 4,
        "missing": 0,
        "distinct": 3,
        "top": [{"value": "Rome", "count": 2}, {"value": "Bern", "count": 1}, {"value": "Oslo", "count": 1}],
    }
    assert (facts["price"]["type"], facts["price"]["missing"]) == ("number", 1)
    assert facts["price"]["quantiles"]["p50"] == 10
    (pair,) = facts[None]["pairs"]
    assert (pair["fields"], pair["rows"]) == (["price", "cost"], 3)
    assert pair["r"] == pytest.approx(correlation([12.5, 8, 10], [6, 4, 5]))


def test_the_same_job_twice_leaves_one_collection(
    engine: Engine, conn: Connection, tenant_id: UUID, deployment: Deployment, ingest: Ingest
) -> None:
    dataset_id = ingest(SALES).dataset_id
    job = claimed(conn)
    materialize(deployment, job)
    before = found(engine, tenant_id, dataset_id)
    materialize(deployment, job)
    assert found(engine, tenant_id, dataset_id) == before
    assert collections(engine, tenant_id) == 1


def test_several_at_once_leave_one_collection_that_is_whole(
    engine: Engine, conn: Connection, tenant_id: UUID, deployment: Deployment, ingest: Ingest
) -> None:
    dataset_id = ingest(SALES).dataset_id
    job = claimed(conn)
    with ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(materialize, deployment, job) for _ in range(8)]:
            each.result()
    assert list(found(engine, tenant_id, dataset_id)) == ["city", "price", "cost", None]
    assert collections(engine, tenant_id) == 1


@pytest.mark.parametrize(("told", "raised"), [("cancel_requested", JobCancelled), ("lease_lost", ClaimLost)])
def test_it_stops_when_it_is_told_to_and_writes_nothing(
    engine: Engine,
    conn: Connection,
    tenant_id: UUID,
    deployment: Deployment,
    ingest: Ingest,
    signal: Signal,
    told: str,
    raised: type[Exception],
) -> None:
    ingest(SALES)
    setattr(signal, told, True)
    with pytest.raises(raised):
        materialize(deployment, claimed(conn))
    assert collections(engine, tenant_id) == 0


def test_a_dataset_that_is_gone_needs_no_insights(
    engine: Engine, conn: Connection, tenant_id: UUID, deployment: Deployment, ingest: Ingest
) -> None:
    ingest(SALES)
    with tenant_uow(engine, tenant_id=tenant_id) as unit:
        unit.execute(delete(datasets))
    materialize(deployment, claimed(conn))
    assert collections(engine, tenant_id) == 0


def test_a_job_that_names_no_dataset_says_so(conn: Connection, deployment: Deployment, ingest: Ingest) -> None:
    ingest(SALES)
    job = claimed(conn)
    job.__dict__["payload"] = {"dataset_id": "sales"}
    with pytest.raises(InvalidInput, match=r"payload\.dataset_id: is not the id of a dataset"):
        materialize(deployment, job)


def test_insights_that_were_deleted_come_back_by_the_net(
    engine: Engine, conn: Connection, tenant_id: UUID, deployment: Deployment, ingest: Ingest
) -> None:
    registry, dataset_id = Registry(), ingest(SALES).dataset_id
    register(registry, deployment)
    (net,) = registry.nets
    assert net.backfill
    net.backfill()
    assert len(jobs(conn)) == 1  # the first one is on its way
    for times in (1, 2, 3):
        job = claimed(conn)
        handler = registry.handler(job)
        assert handler
        handler(job)
        assert end(conn, job, now=clock(conn)) == Status.SUCCEEDED
        net.backfill()
        assert len(jobs(conn)) == times  # nothing is missing
        with tenant_uow(engine, tenant_id=tenant_id) as unit:
            unit.execute(delete(insight_collections))
        net.backfill()
        net.backfill()
        assert len(jobs(conn)) == times + 1
    materialize(deployment, claimed(conn))
    assert list(found(engine, tenant_id, dataset_id)) == ["city", "price", "cost", None]


def test_what_failed_or_was_cancelled_is_left_to_people(
    conn: Connection, deployment: Deployment, ingest: Ingest
) -> None:
    registry = Registry()
    register(registry, deployment)
    ingest(SALES)
    assert end(conn, claimed(conn), JobCancelled(), now=clock(conn)) == Status.CANCELLED
    (net,) = registry.nets
    assert net.backfill
    net.backfill()
    assert [row.status for row in jobs(conn)] == ["cancelled"]


def test_a_tenant_whose_place_is_gone_keeps_nobody_from_theirs(
    engine: Engine, conn: Connection, deployment: Deployment, ingest: Ingest
) -> None:
    registry, dataset_id = Registry(), ingest(SALES).dataset_id
    register(registry, deployment)
    end(conn, claimed(conn), now=clock(conn))
    clear(engine, "aardvark")
    factories.tenant(conn, "aardvark", onboarding_status="active")
    (net,) = registry.nets
    assert net.backfill
    net.backfill()
    assert [row.payload["dataset_id"] for row in jobs(conn, status="queued")] == [str(dataset_id)]


def test_every_deployment_runs_it() -> None:
    assert "materialize_insights" in configured(settings()).capabilities()
