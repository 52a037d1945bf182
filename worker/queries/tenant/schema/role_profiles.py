"""What each role in a tenant's own team may do."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from worker.database import Id, Json
from worker.queries.schema.base import limit
from worker.queries.tenant.schema.base import metadata

role_profiles = Table(
    "role_profiles",
    metadata,
    Column("name", Text, primary_key=True),
    Column("tenant_id", Id, nullable=False),
    Column("display_name", Text, nullable=False),
    Column("permissions", Json, nullable=False),
    limit("name", 100, 1),
    limit("display_name", 200, 1),
)
