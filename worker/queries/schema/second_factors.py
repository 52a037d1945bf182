"""How operators prove who they are beyond a password: an authenticator's secret, codes on paper, a provider's word."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, ForeignKey, Integer, Table, Text

from worker.database import Id, Timestamp
from worker.queries.schema.base import limit, metadata
from worker.queries.schema.operators import operators

second_factors = Table(
    "second_factors",
    metadata,
    Column("operator_id", Id, ForeignKey(operators.c.id, ondelete="CASCADE"), primary_key=True),
    # Sealed, and of no use for another operator
    Column("secret", Text, nullable=False),
    # The newest half minute whose code was used: no code counts twice
    Column("last_step", BigInteger, nullable=False),
    Column("created_at", Timestamp, nullable=False),
)

recovery_codes = Table(
    "recovery_codes",
    metadata,
    Column("code_hash", Text, primary_key=True),
    Column("operator_id", Id, ForeignKey(operators.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("used_at", Timestamp),
)

sign_in_challenges = Table(
    "sign_in_challenges",
    metadata,
    Column("token_hash", Text, primary_key=True),
    Column("operator_id", Id, ForeignKey(operators.c.id, ondelete="CASCADE"), nullable=False, index=True),
    # What the operator has shown already, and where they were going
    Column("proof", Text, nullable=False),
    Column("following", Text, nullable=False),
    Column("tries", Integer, nullable=False, server_default="0"),
    Column("expires_at", Timestamp, nullable=False),
    limit("proof", 50, 1),
    limit("following", 2000, 1),
)

operator_identities = Table(
    "operator_identities",
    metadata,
    # Who somebody is to the provider: names and addresses are given to others one day, subjects never
    Column("issuer", Text, primary_key=True),
    Column("subject", Text, primary_key=True),
    Column("operator_id", Id, ForeignKey(operators.c.id, ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", Timestamp, nullable=False),
    limit("issuer", 500, 1),
    limit("subject", 255, 1),
)
