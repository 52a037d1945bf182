"""The API's table below /admin: what the product's own programs put in, each with a narrow scope."""

from __future__ import annotations

from app.api import ApiRoute
from app.ingest.formats import MEDIA_TYPES
from app.ingest.table import MAX_BYTES
from app.routes.admin import datasets, provisionings, tenants
from app.shapes import admin as shapes
from worker.training.config import TrainingConfig

LIST, ONE = "/admin/tenants", "/admin/tenants/{tenant}"
DATASETS = f"{ONE}/datasets"
NEW, TAKEN = (201, 200), (202,)
"""New, or there already; and still to be done."""

ADMIN = (
    ApiRoute("GET", LIST, tenants.index, "tenants:read", shapes.TenantPage, query=shapes.TenantsAfter),
    ApiRoute("POST", LIST, tenants.create, "tenants:write", shapes.Tenant, body=shapes.NewTenant, statuses=NEW),
    ApiRoute("GET", ONE, tenants.show, "tenants:read", shapes.Tenant),
    ApiRoute(
        "POST",
        f"{ONE}/provision",
        provisionings.create,
        "tenants:write",
        shapes.Provisioning,
        body=shapes.Provision,
        statuses=TAKEN,
    ),
    ApiRoute("GET", f"{ONE}/provision/status", provisionings.show, "tenants:read", shapes.Provisioning),
    ApiRoute(
        "POST",
        DATASETS,
        datasets.create,
        "datasets:write",
        shapes.Dataset,
        query=shapes.NamedDataset,
        statuses=NEW,
        max_body_bytes=MAX_BYTES,
        media_types=MEDIA_TYPES,
    ),
    ApiRoute(
        "POST",
        f"{DATASETS}/{{dataset}}/models",
        datasets.train,
        "datasets:write",
        shapes.Training,
        body=TrainingConfig,
        statuses=TAKEN,
    ),
)
