"""Have a tenant provisioned, and ask how far that is."""

from __future__ import annotations

from dataclasses import replace

from starlette.responses import Response

from app.api import ApiCall
from app.documents import Document
from app.shapes.admin import Provision
from worker.database import Connection
from worker.errors import UnknownTenant
from worker.failures import last_line
from worker.queries import provision_acts, provisioning
from worker.queries.provisioning import ProvisionStatus


def create(call: ApiCall) -> Response:
    """Have the tenant provisioned: the job is in the database when this is answered; twice is once (S1-83, S1-84)."""
    again, job_types = call.read(Provision).retry, call.registry.job_types
    with call.engine.begin() as conn:
        provision_acts.provision(conn, job_types, tenant_id=call.tenant, actor=call.actor, again=again, now=call.now)
        found = _status(call, conn)
    return Document(found, 202, {"Location": f"/admin/tenants/{call.tenant}/provision/status"})


def show(call: ApiCall) -> Response:
    """Say how far it is: `not_started` only where nobody has asked for it (S1-87 to S1-89)."""
    with call.engine.begin() as conn:
        return Document(_status(call, conn))


def _status(call: ApiCall, conn: Connection) -> ProvisionStatus:
    """Of an error the words alone: where in the code it arose is for those who read the console."""
    found = provisioning.status(conn, tenant_id=call.tenant)
    if found is None:
        raise UnknownTenant
    return replace(found, error_detail=found.error_detail and last_line(found.error_detail))
