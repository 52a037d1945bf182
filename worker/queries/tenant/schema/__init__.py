"""One tenant's tables, as `migrations/tenant_template` builds them."""

from __future__ import annotations

from worker.queries.tenant.schema.base import metadata
from worker.queries.tenant.schema.datasets import (
    dataset_records,
    datasets,
    insight_collections,
    insights,
    models,
    trainings,
)
from worker.queries.tenant.schema.role_profiles import role_profiles

__all__ = (
    "dataset_records",
    "datasets",
    "insight_collections",
    "insights",
    "metadata",
    "models",
    "role_profiles",
    "trainings",
)
