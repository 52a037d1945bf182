"""What a tenant has in its own schema, as its page shows it: datasets with what is known of them, and models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from worker.database import Row, wait_briefly
from worker.errors import TenantNotReady, UnknownTenant
from worker.queries.tenant import datasets, insights, models
from worker.tenancy import tenant_uow

DATASETS, MODELS = 5, 5
PATIENCE_SECONDS = 1
"""How long a page waits for a migration of the tenant's tables."""

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Holdings:
    """The newest of each; `is_there` is False before the schema is, `is_known` where it could not be read just now."""

    datasets: Sequence[Row] = ()
    insights: dict[UUID, list[Row]] = field(default_factory=dict)
    models: Sequence[Row] = ()
    is_there: bool = True
    is_known: bool = True


def read(engine: Engine, *, tenant_id: UUID) -> Holdings:
    """Read in the tenant's own transaction; whatever is wrong there, the answer is an empty one that says so."""
    try:
        with tenant_uow(engine, tenant_id=tenant_id) as conn:
            wait_briefly(conn, seconds=PATIENCE_SECONDS)
            listed = datasets.listed(conn, limit=DATASETS)
            of_dataset: dict[UUID, list[Row]] = {}
            for row in insights.of_datasets(conn, dataset_ids=[each.id for each in listed]) if listed else ():
                of_dataset.setdefault(row.dataset_id, []).append(row)
            return Holdings(listed, of_dataset, models.listed(conn, limit=MODELS))
    except (TenantNotReady, UnknownTenant):
        return Holdings(is_there=False)
    except SQLAlchemyError as error:
        log.warning("tenant.unreadable", tenant_id=str(tenant_id), error=type(error).__name__)
        return Holdings(is_known=False)
