"""S1, the privilege split: the owner's address is the provisioner's alone, and nobody can do more than they must."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import DBAPIError

from app.main import new_worker
from tests import factories
from tests.worker.runtime.bench import nothing, quick, registry, status, until
from worker.database import code_of
from worker.errors import TopologyRefused
from worker.runtime.worker import Worker

pytestmark = pytest.mark.postgresql

OWNERS = "postgresql://watchfloor_owner:hunter2@db.internal/shop"
ABLE = {"provision_tenant": nothing, "work": nothing}


def address(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def standalone(**values: Any) -> Worker:
    """A worker of a process of its own, not started, that has handlers for everything."""
    return new_worker(quick(job_worker_mode="standalone", **values), registry(**ABLE))


@contextmanager
def started(worker: Worker) -> Iterator[Worker]:
    worker.start()
    try:
        yield worker
    finally:
        worker.stop(0.1)


def test_s1_66_the_provisioner_provisions_with_the_owners_address(
    engine: Engine, conn: Connection, app_rw: Engine, owner: Engine
) -> None:
    job_id = factories.job(conn, job_type="provision_tenant", tenant_id=factories.tenant(conn))
    addresses = {"database_url": address(app_rw), "migrations_database_url": address(owner)}
    objects = {"object_storage_uri": "s3://floor-objects"}
    with started(standalone(worker_job_types=["provision_tenant"], **addresses, **objects)):
        until(lambda: status(engine, job_id) == "succeeded")


def test_s1_66_without_it_no_provisioner_starts(url: str) -> None:
    with pytest.raises(TopologyRefused, match=r"^MIGRATIONS_DATABASE_URL is not set: .*provision_tenant"):
        standalone(database_url=url, worker_job_types=["provision_tenant"])


@pytest.mark.parametrize("types", [None, ["work"], ["provision_tenant", "work"]])
def test_s1_67_no_other_worker_starts_with_it(url: str, types: list[str] | None) -> None:
    with pytest.raises(TopologyRefused, match=r"^MIGRATIONS_DATABASE_URL: is for the provisioner alone") as refusal:
        standalone(database_url=url, migrations_database_url=OWNERS, worker_job_types=types)
    assert [part for part in ("hunter2", "db.internal", url) if part in str(refusal.value)] == []


@pytest.mark.parametrize(
    "deed", ["CREATE SCHEMA x", "CREATE TABLE control.x ()", "ALTER TABLE control.tenants ADD x int"]
)
def test_s1_69_app_rw_can_do_none_of_provisioning(app_rw: Engine, deed: str) -> None:
    with app_rw.connect() as conn, pytest.raises(DBAPIError) as refusal:
        conn.execute(text(deed))
    assert code_of(refusal.value) == "42501"


def test_s1_71_a_product_worker_leaves_provisioning_alone_though_it_could_run_it(
    engine: Engine, conn: Connection, app_rw: Engine
) -> None:
    tenant_id = factories.tenant(conn)
    waiting = factories.job(conn, job_type="provision_tenant", tenant_id=tenant_id)
    works = factories.job(conn, job_type="work", tenant_id=tenant_id)
    with started(standalone(database_url=address(app_rw))) as worker:
        assert worker.instance.job_types == ("work",)
        until(lambda: status(engine, works) == "succeeded")
    assert status(engine, waiting) == "queued"


def test_s1_71_and_the_database_would_not_let_it(conn: Connection, app_rw: Engine) -> None:
    factories.job(conn, job_type="provision_tenant", tenant_id=factories.tenant(conn))
    with app_rw.connect() as product, pytest.raises(DBAPIError) as refusal:
        product.execute(text("UPDATE control.platform_jobs SET status = 'running', locked_by = 'me'"))
    assert code_of(refusal.value) == "42501"
