"""A deployment of several processes, as whoever looks at it from outside finds it."""

from __future__ import annotations

import json
import urllib.error
from uuid import UUID

from sqlalchemy import Engine

from tests.app.program import get
from worker.handlers import load
from worker.queries import provisioning, tenants


def readiness(url: str) -> list[str]:
    """What the deployment lacks."""
    try:
        return list(json.loads(get(url + "/health/ready")[1])["reasons"])
    except urllib.error.HTTPError as refusal:
        with refusal:
            return list(json.load(refusal)["reasons"])
    except OSError:
        return ["the console"]


def provision(engine: Engine, slug: str) -> UUID:
    """The id of a new tenant whose provisioning was asked for."""
    registry = load([])
    with engine.begin() as conn:
        tenant_id = tenants.add(conn, slug=slug, display_name=slug)
        provisioning.ensure_provision_job(conn, registry.job_types, tenant_id=tenant_id)
    return tenant_id


def is_provisioned(engine: Engine, tenant_id: UUID) -> bool:
    """Whether all steps are done; a failed one is told at once."""
    with engine.connect() as conn:
        found = provisioning.status(conn, tenant_id=tenant_id)
    assert found is not None
    assert found.error_detail is None, found.error_detail
    return found.status == "succeeded"
