"""The demo's tenants: asked for one after the other, some with a storage out of order, each put to work once active."""

from __future__ import annotations

from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, func, select, update

from app.demo import orders, shift, tenants
from app.demo.obstacles import Obstacles, obstacles_of
from app.demo.onboarding import (
    AT_ONCE,
    ONE_MORE_EVERY_SECONDS,
    TROUBLE_BEGINS_SECONDS,
    TROUBLE_ENDS_SECONDS,
    UNTRAINED,
    Onboarding,
)
from app.demo.product import put_to_work
from app.ingest.csv_lines import read_csv
from tests.provisioned import provisioned
from worker.errors import StorageError
from worker.handlers import load
from worker.object_storage.local import LocalStorage
from worker.queries import schema
from worker.queries.tenant import datasets
from worker.settings import WorkerSettings
from worker.tenancy import tenant_uow

jobs = schema.platform_jobs.c
ALL = len(tenants.NAMES)


class Clock:
    """Stands where a test puts it."""

    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def onboarding(engine: Engine, clock: Clock, tmp_path: Path) -> Onboarding:
    return Onboarding(engine, load([shift.MODULE]).job_types, Obstacles(tmp_path / "tenants"), clock)


def asked(conn: Connection) -> list[UUID]:
    """The tenants whose provisioning was asked for, in that order."""
    found = select(jobs.tenant_id).where(jobs.job_type == "provision_tenant").order_by(jobs.created_at, jobs.id)
    return list(conn.execute(found).scalars())


def obstacles(onboarding: Onboarding) -> set[str]:
    folder = onboarding.obstacles.folder
    return {path.name for path in folder.iterdir()} if folder and folder.exists() else set()


def test_tenants_are_provisioned_one_after_the_other_and_each_once(
    onboarding: Onboarding, clock: Clock, conn: Connection
) -> None:
    onboarding.tick()
    assert len(asked(conn)) == AT_ONCE
    clock.now += ONE_MORE_EVERY_SECONDS
    onboarding.tick()
    onboarding.tick()
    assert len(asked(conn)) == AT_ONCE + 1
    clock.now += 100 * ONE_MORE_EVERY_SECONDS
    onboarding.tick()
    assert len(set(asked(conn))) == ALL


def test_starting_again_asks_for_nobody_twice(onboarding: Onboarding, engine: Engine, conn: Connection) -> None:
    onboarding.tick()
    Onboarding(engine, onboarding.job_types, onboarding.obstacles).tick()
    assert len(asked(conn)) == AT_ONCE


def test_who_comes_in_troubled_times_finds_the_storage_out_of_order_until_they_end(
    onboarding: Onboarding, clock: Clock, conn: Connection, tmp_path: Path
) -> None:
    onboarding.tick()
    assert obstacles(onboarding) == set()
    clock.now += TROUBLE_BEGINS_SECONDS
    onboarding.tick()
    troubled = {str(each) for each in asked(conn)[AT_ONCE:]}
    assert obstacles(onboarding) == troubled != set()
    storage, key = LocalStorage(tmp_path), f"tenants/{next(iter(troubled))}/verification"
    with pytest.raises(StorageError):
        storage.put(key, b"x")
    clock.now += TROUBLE_ENDS_SECONDS - TROUBLE_BEGINS_SECONDS
    onboarding.tick()
    assert obstacles(onboarding) == set()
    storage.put(key, b"x")


def test_an_obstacle_spares_what_is_kept_there_already(tmp_path: Path) -> None:
    storage, tenant_id = LocalStorage(tmp_path), UUID(int=7)
    storage.put(f"tenants/{tenant_id}/model", b"x")
    there = Obstacles(tmp_path / "tenants")
    there.put(tenant_id)
    there.clear(tenant_id)
    assert storage.get(f"tenants/{tenant_id}/model") == b"x"


@pytest.mark.parametrize("uri", [None, "s3://bucket/prefix"])
def test_where_the_storage_is_not_a_folder_nothing_is_put_in_the_way(uri: str | None) -> None:
    there = obstacles_of(WorkerSettings.model_validate({"object_storage_uri": uri}))
    there.put(UUID(int=7))
    there.clear(UUID(int=7))
    assert there.folder is None


def test_one_that_has_become_active_is_put_to_work_once(
    onboarding: Onboarding, engine: Engine, conn: Connection
) -> None:
    tenant_id = provisioned(engine, "alder-finch")
    conn.execute(update(schema.tenants).values(onboarding_status="provisioning"))
    conn.commit()
    onboarding.tick()
    assert jobs_of_type(conn, "materialize_insights") == 0
    conn.execute(update(schema.tenants).where(schema.tenants.c.id == tenant_id).values(onboarding_status="active"))
    conn.commit()
    for _ in range(2):
        onboarding.tick()
    assert jobs_of_type(conn, "materialize_insights") == 1
    with tenant_uow(engine, tenant_id=tenant_id) as own:
        (dataset,) = datasets.listed(own, limit=5)
    assert (dataset.name, dataset.row_count) == (orders.NAME, orders.ROWS)


@pytest.mark.parametrize(("served", "queue"), [(False, "training"), (True, "default")])
def test_a_model_is_asked_for_where_nobody_trains_or_where_somebody_does(
    engine: Engine, conn: Connection, served: bool, queue: str
) -> None:
    tenant_id = provisioned(engine, "alder-finch")
    registry = load([shift.MODULE])
    if served:
        registry.job_types.register("train_tenant_model", lambda job: None)
    for _ in range(2):
        put_to_work(engine, registry.job_types, slug="alder-finch", tenant_id=tenant_id, served=served)
    found = conn.execute(select(jobs.queue).where(jobs.job_type == "train_tenant_model")).scalars().all()
    assert found == [queue]


def test_without_the_means_to_train_no_model_is_asked_of_those_who_could(engine: Engine, conn: Connection) -> None:
    tenant_id = provisioned(engine, "alder-finch")
    put_to_work(engine, load([shift.MODULE]).job_types, slug="alder-finch", tenant_id=tenant_id, served=True)
    assert jobs_of_type(conn, "train_tenant_model") == 0


def test_seven_models_wait_for_somebody_who_can_train() -> None:
    assert 0 < UNTRAINED < ALL


def test_the_orders_of_a_tenant_are_the_same_each_time_and_another_tenants_are_others() -> None:
    table = read_csv(orders.csv_of("dovetail"))
    assert table.row_count == orders.ROWS
    assert orders.TARGET in table.columns
    assert table.content_hash == read_csv(orders.csv_of("dovetail")).content_hash
    assert table.content_hash != read_csv(orders.csv_of("fjordline")).content_hash


def jobs_of_type(conn: Connection, job_type: str) -> int:
    return conn.execute(select(func.count()).where(jobs.job_type == job_type)).scalar_one()
