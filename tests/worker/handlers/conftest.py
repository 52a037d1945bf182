"""A tenant with its place, and a deployment whose jobs can reach it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Engine

from app.ingest.commit import Ingested, ingest_commit
from app.ingest.formats import Format
from tests.provisioned import provisioned
from tests.worker.runtime.bench import settings
from worker.deployment import Deployment
from worker.job_types import JobTypes
from worker.tenancy import tenant_uow

Ingest = Callable[..., Ingested]


@pytest.fixture
def tenant_id(engine: Engine) -> UUID:
    return provisioned(engine)


@pytest.fixture
def deployment(url: str, tmp_path: Path) -> Deployment:
    """The database of the test, and a folder for objects."""
    values: dict[str, Any] = {"database_url": url, "object_storage_uri": (tmp_path / "objects").as_uri()}
    return Deployment(settings(**values))


@pytest.fixture
def ingest(engine: Engine, tenant_id: UUID) -> Ingest:
    """Stores a dataset as the API does: `ingest(b"a,b\\n1,2")`."""

    def store(body: bytes, content_type: str = "text/csv", name: str = "sales") -> Ingested:
        table = Format.stated(content_type).read(body)
        with tenant_uow(engine, tenant_id=tenant_id) as conn:
            return ingest_commit(conn, JobTypes(), tenant_id=tenant_id, name=name, table=table, created_by="tests")

    return store
