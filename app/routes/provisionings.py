"""A tenant's provisioning: start it, or start it again where it stopped; have its next try at once; cancel it."""

from __future__ import annotations

from uuid import UUID

from starlette.responses import Response

from app import choice
from app.answers import go_back, is_over
from app.errors import NotFound
from app.templating import render
from app.web import Call
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries import provision_acts, provisioning, tenants

FLEET = "/tenants"


def create(call: Call, conn: Connection) -> Response:
    """Have it provisioned; `again` says that what failed or was cancelled is meant. Twice is once."""
    tenant_id, again = _tenant(call, conn), bool(call.form.get("again"))
    job_types = call.registry.job_types
    provision_acts.provision(conn, job_types, tenant_id=tenant_id, actor=call.actor, again=again, now=call.now)
    return _back(call)


def hurry(call: Call, conn: Connection) -> Response:
    """Make the try that waits for its time due at once; one that is due or runs is left as it is."""
    provision_acts.try_now(conn, tenant_id=_tenant(call, conn), actor=call.actor, now=call.now)
    return _back(call)


def confirm(call: Call, conn: Connection) -> Response:
    """The form that cancels it."""
    return _form(call, conn)


def delete(call: Call, conn: Connection) -> Response:
    """Cancel it: at once while it waits, between two steps while it runs."""
    tenant_id = _tenant(call, conn)
    try:
        why = choice.reason(call, required=True)
    except InvalidInput as refusal:
        return _form(call, conn, problem=choice.sentence(refusal))
    provision_acts.cancel(conn, tenant_id=tenant_id, actor=call.actor, reason=why or "", now=call.now)
    return _back(call)


def _tenant(call: Call, conn: Connection) -> UUID:
    if (found := tenants.id_of(conn, slug=call.path("tenant"))) is None:
        raise NotFound
    if call.lens and found != call.lens.id:
        raise NotFound(f"{call.path('tenant')} is another tenant than {call.lens.slug}.", title="Not in this lens")
    return found


def _page(call: Call) -> str:
    """The page that the act was pressed on: the fleet's, or the tenant's."""
    return FLEET if is_over(call, FLEET) else f"{FLEET}/{call.path('tenant')}"


def _back(call: Call) -> Response:
    return go_back(call, _page(call))


def _form(call: Call, conn: Connection, *, problem: str | None = None) -> Response:
    page = _page(call)
    return render(
        call,
        "provisionings/cancel.html",
        block="sheet" if call.htmx else None,
        status=422 if problem else 200,
        slug=call.path("tenant"),
        known=provisioning.status(conn, tenant_id=_tenant(call, conn)),
        back=page,
        target=("#tenants" if page == FLEET else "#tenant") if is_over(call, page) else "#main",
        reason=str(call.form.get("reason", "")),
        problem=problem,
    )
