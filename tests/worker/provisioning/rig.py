"""A tenant to be provisioned, by claims that a test takes by hand."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from uuid import UUID

from pydantic import SecretStr
from sqlalchemy import Connection, Engine, select, update

from tests import factories
from tests.factories import NOON
from tests.provisioned import clear, no_storage
from tests.worker.runtime.bench import settings
from worker.database import connect
from worker.database.tenancy import beside, owning
from worker.deployment import Deployment
from worker.job_types import JobTypes
from worker.model import Job, Status
from worker.object_storage import ObjectStorage
from worker.provisioning.strategies import strategy_for
from worker.provisioning.strategy import Strategy
from worker.queries.provisioning import ensure_provision_job
from worker.queries.schema import job_steps, platform_jobs, tenants
from worker.queries.tenant.schema import role_profiles
from worker.tenancy import tenant_uow

SCHEMA = "tenant_acme"


class Asked(NamedTuple):
    """A tenant without a place yet, and the job that is to make it."""

    tenant_id: UUID
    job_id: UUID


def asked(engine: Engine, slug: str = "acme", **columns: Any) -> Asked:
    """Somebody has asked for the provisioning, in these words."""
    clear(engine, slug)
    with engine.begin() as conn:
        tenant_id = factories.tenant(conn, slug)
        job_id = ensure_provision_job(conn, JobTypes(), tenant_id=tenant_id).id
        if columns:
            conn.execute(update(platform_jobs).where(platform_jobs.c.id == job_id).values(columns))
    return Asked(tenant_id, job_id)


def claimed(engine: Engine, job_id: UUID) -> Job:
    """The next claim of the job, whoever had it before."""
    row = platform_jobs.c
    running = {"status": Status.RUNNING, "locked_by": "me", "locked_at": NOON, "lease_expires_at": NOON}
    taken = update(platform_jobs).where(row.id == job_id).values(generation=row.generation + 1, **running)
    with engine.begin() as conn:
        conn.execute(taken)
        job = factories.claimed(conn, job_id)
        steps = json.dumps(factories.stored(conn, job_id).steps_completed)
    return Job(**{**{name: getattr(job, name) for name in job.__dataclass_fields__}, "steps_text": steps})


def deployment(url: str, folder: Path) -> Deployment:
    """One process that does everything, its objects in the folder."""
    return Deployment(settings(database_url=SecretStr(url), object_storage_uri=(folder / "objects").as_uri()))


def strategy(engine: Engine, tenant_id: UUID, storage: Callable[[], ObjectStorage] = no_storage) -> Strategy:
    """The steps for the tenant, by a role that may do everything."""
    return strategy_for(tenant_id, engine=engine, owner=engine, storage=storage)


@contextmanager
def place(engine: Engine, schema_name: str = SCHEMA) -> Iterator[Connection]:
    """A transaction within a tenant's place, as its owner."""
    if engine.dialect.name != "sqlite":
        with owning(engine, schema_name) as conn:
            yield conn
        return
    file = connect(f"sqlite:///{beside(engine.url, schema_name)}", application_name="tests")
    with file.begin() as conn:
        yield conn
    file.dispose()


def history(conn: Connection, job_id: UUID) -> list[tuple[int, str, str | None]]:
    """What became of each step in each run: generation, step, outcome."""
    row = job_steps.c
    found = select(row.generation, row.step, row.outcome).where(row.job_id == job_id)
    return [(each[0], each[1], each[2]) for each in conn.execute(found.order_by(row.generation, row.ordinal))]


def is_open(engine: Engine, tenant_id: UUID) -> bool:
    """Whether the tenant may work: it is active, and finds the roles that it begins with."""
    with engine.connect() as conn:
        tenant = conn.execute(select(tenants).where(tenants.c.id == tenant_id)).one()
    with tenant_uow(engine, tenant_id=tenant_id) as conn:
        roles = conn.execute(select(role_profiles.c.name)).scalars().all()
    return len(roles) == 4 and tenant.onboarding_status == "active" and tenant.activated_at is not None
