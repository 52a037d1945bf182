"""Provisionings of tenants, as programs ask for them and stop them."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.errors import NotFound
from app.shapes.changes import Changed, NeedsWhy
from app.shapes.provisionings import Again
from worker.database import Connection
from worker.queries import provision_acts, provisioning


@in_transaction
def create(call: ApiCall, conn: Connection) -> Response:
    """Have a tenant provisioned; asking twice is asking once."""
    asked, tenant_id, job_types = call.read(Again), _tenant(call, conn), call.registry.job_types
    how: dict[str, Any] = {"actor": call.actor, "again": asked.again, "now": call.now}
    return Document(Changed(changed=provision_acts.provision(conn, job_types, tenant_id=tenant_id, **how)))


@in_transaction
def hurry(call: ApiCall, conn: Connection) -> Response:
    """Make the try due at once that waits for its time."""
    done = provision_acts.try_now(conn, tenant_id=_tenant(call, conn), actor=call.actor, now=call.now)
    return Document(Changed(changed=done))


@in_transaction
def cancel(call: ApiCall, conn: Connection) -> Response:
    """Stop a provisioning: at once while it waits, between two steps while it runs."""
    why, tenant_id = call.read(NeedsWhy).reason, _tenant(call, conn)
    done = provision_acts.cancel(conn, tenant_id=tenant_id, actor=call.actor, reason=why, now=call.now)
    return Document(Changed(changed=done))


def _tenant(call: ApiCall, conn: Connection) -> UUID:
    if provisioning.status(conn, tenant_id=call.tenant) is None:
        raise NotFound("There is no tenant with this id.")
    return call.tenant
