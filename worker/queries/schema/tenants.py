"""Tenants."""

from __future__ import annotations

from sqlalchemy import CheckConstraint, Column, Index, Table, Text

from worker.database import Id, Timestamp, bounded, check, clock_default
from worker.queries.schema.base import limit, metadata

tenants = Table(
    "tenants",
    metadata,
    Column("id", Id, primary_key=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("display_name", Text, nullable=False),
    Column("schema_name", Text, nullable=False, unique=True),
    Column("onboarding_status", Text, nullable=False, server_default="created"),
    Column("created_at", Timestamp, nullable=False, server_default=clock_default()),
    Column("activated_at", Timestamp),
    *check(
        "slug",
        postgresql="slug ~ '^[a-z0-9][a-z0-9-]{0,62}$'",
        sqlite="slug GLOB '[a-z0-9]*' AND slug NOT GLOB '*[^a-z0-9-]*' AND length(slug) <= 63",
    ),
    limit("display_name", 200, 1),
    *check(
        "schema_name",
        postgresql="schema_name ~ '^tenant_[a-z0-9_]{1,56}$'",
        sqlite="schema_name GLOB 'tenant_[a-z0-9_]*' AND schema_name NOT GLOB '*[^a-z0-9_]*'"
        " AND length(schema_name) <= 63",
    ),
    CheckConstraint(
        "onboarding_status IN ('created', 'provisioning', 'active', 'suspended')", name="onboarding_status"
    ),
)
# What a provisioning usually takes is read from the tenants that became active last
Index("ix_tenants_activated", tenants.c.activated_at.desc(), **bounded("activated_at IS NOT NULL"))
