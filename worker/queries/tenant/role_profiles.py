"""The roles that every tenant begins with."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Connection, bindparam

from worker.database import Id, insert
from worker.queries.tenant.schema import role_profiles

PROFILES = {
    "owner": ("Owner", ["tenant:manage", "team:manage", "datasets:write", "datasets:read", "models:train"]),
    "admin": ("Administrator", ["team:manage", "datasets:write", "datasets:read", "models:train"]),
    "analyst": ("Analyst", ["datasets:write", "datasets:read", "models:train"]),
    "viewer": ("Viewer", ["datasets:read"]),
}
SEED = (
    insert(role_profiles)
    .values(
        name=bindparam("as_name"),
        tenant_id=bindparam("of_tenant", type_=Id),
        display_name=bindparam("as_display_name"),
        permissions=bindparam("may"),
    )
    .on_conflict_do_nothing(index_elements=["name"])
)


def seed(conn: Connection, *, tenant_id: UUID) -> None:
    """Make those that are missing; what the tenant has changed of the others stays (S1-79)."""
    rows = [
        {"as_name": name, "of_tenant": tenant_id, "as_display_name": display_name, "may": permissions}
        for name, (display_name, permissions) in PROFILES.items()
    ]
    conn.execute(SEED, rows)
