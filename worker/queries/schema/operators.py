"""The people of the console, their sessions, what they did and what they noted."""

from __future__ import annotations

from sqlalchemy import BigInteger, CheckConstraint, Column, ForeignKey, Identity, Index, Integer, Table, Text, func

from worker.database import BigId, Id, Json, Timestamp, bounded, clock_default
from worker.queries.schema.base import limit, metadata

operators = Table(
    "operators",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("password", Text),
    Column("created_at", Timestamp, nullable=False, server_default=clock_default()),
    Column("disabled_at", Timestamp),
    Column("last_seen_at", Timestamp),
    # Bounded before it comes here: a CHECK that refuses it would print it in the server's log
    Column("email", Text),
    # Until the invitation is accepted
    Column("invited_at", Timestamp),
    limit("name", 100, 1),
    CheckConstraint("role IN ('viewer', 'operator', 'admin')", name="role"),
)
Index("uq_operators_name", func.lower(operators.c.name), unique=True)
Index("uq_operators_email", func.lower(operators.c.email), unique=True)

operator_sessions = Table(
    "operator_sessions",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("operator_id", Id, ForeignKey(operators.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Timestamp, nullable=False),
    Column("seen_at", Timestamp, nullable=False),
    Column("expires_at", Timestamp, nullable=False),
    Column("address", Text),
    Column("user_agent", Text),
)

sign_in_links = Table(
    "sign_in_links",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("operator_id", Id, ForeignKey(operators.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Timestamp, nullable=False),
    Column("expires_at", Timestamp, nullable=False),
    Column("used_at", Timestamp),
    Column("purpose", Text, nullable=False, server_default="sign-in"),
    CheckConstraint("purpose IN ('sign-in', 'invitation', 'password')", name="purpose"),
)

rate_counters = Table(
    "rate_counters",
    metadata,
    Column("key", Text, primary_key=True),
    Column("minute", Timestamp, primary_key=True),
    Column("uses", Integer, nullable=False),
)

operator_actions = Table(
    "operator_actions",
    metadata,
    Column("id", BigId, Identity(always=True), primary_key=True),
    Column("at", Timestamp, nullable=False),
    Column("actor", Text, nullable=False),
    Column("action", Text, nullable=False),
    Column("outcome", Text, nullable=False),
    Column("target", Text),
    Column("tenant_id", Id),
    Column("jobs", Integer, nullable=False, server_default="0"),
    Column("reason", Text),
    Column("detail", Json, nullable=False, server_default="{}"),
    Column("address", Text),
    Column("request_id", Text),
    # The chain: each row's hash covers the hash before it, so a changed or missing row is found
    Column("previous_hash", Text, nullable=False),
    Column("hash", Text, nullable=False, unique=True),
    CheckConstraint("outcome IN ('done', 'refused')", name="outcome"),
    limit("actor", 100, 1),
    limit("action", 50, 1),
    limit("target", 300),
    limit("reason", 500),
    sqlite_autoincrement=True,
)

Index(
    "ix_operator_actions_target",
    operator_actions.c.target,
    operator_actions.c.id.desc(),
    **bounded("target IS NOT NULL"),
)
Index("ix_operator_actions_at", operator_actions.c.at.desc(), operator_actions.c.id.desc())

operator_action_jobs = Table(
    "operator_action_jobs",
    metadata,
    Column("action_id", BigInteger, ForeignKey(operator_actions.c.id), primary_key=True),
    Column("job_id", Id, primary_key=True),
)
Index("ix_operator_action_jobs_job", operator_action_jobs.c.job_id, operator_action_jobs.c.action_id.desc())
