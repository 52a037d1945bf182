"""The API's bearer tokens: who holds one is a program, and only the hash of what it holds is kept."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from worker.database import Names, Timestamp, check, clock_default
from worker.queries.schema.base import limit, metadata

api_tokens = Table(
    "api_tokens",
    metadata,
    # For good, also once it is revoked: the audit trail knows a token by its name alone
    Column("name", Text, primary_key=True),
    Column("token_hash", Text, nullable=False, unique=True),
    Column("scopes", Names, nullable=False),
    Column("created_at", Timestamp, nullable=False, server_default=clock_default()),
    Column("created_by", Text, nullable=False),
    Column("last_used_at", Timestamp),
    Column("revoked_at", Timestamp),
    *check(
        "name",
        postgresql="name ~ '^[a-z0-9][a-z0-9._-]{0,79}$'",
        sqlite="name GLOB '[a-z0-9]*' AND name NOT GLOB '*[^a-z0-9._-]*' AND length(name) <= 80",
    ),
    limit("created_by", 100, 1),
)
