"""The audit trail, as programs read it."""

from __future__ import annotations

from starlette.responses import Response

from app.api import ApiCall, in_transaction
from app.documents import Document
from app.shapes.audit import Deed, Trail, TrailWanted
from worker.database import Connection
from worker.errors import InvalidInput
from worker.queries import tenants
from worker.queries.pages import audit


@in_transaction
def index(call: ApiCall, conn: Connection) -> Response:
    """Read the trail: who did what to which rows, why, when and from where; the newest first."""
    asked = call.wanted(TrailWanted)
    given = asked.model_dump(exclude={"cursor", "limit"}, exclude_none=True)
    wanted = audit.parse((name, str(value)) for name, value in given.items())
    tenant_id = tenants.id_of(conn, slug=wanted.tenant) if wanted.tenant else None
    if wanted.tenant and tenant_id is None:
        raise InvalidInput("tenant", "is the slug of no tenant")
    page = audit.read(conn, wanted, tenant_id=tenant_id, before=asked.cursor, most=asked.limit)
    deeds = [Deed.model_validate(row) for row in page.rows]
    return Document(Trail(deeds=deeds, next_cursor=page.older, looked_at=page.looked_at))
