"""What ended and what waited by tenant, minute by minute; and what is open of one tenant, found by its id."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from worker.database import Bytewise, Id, Timestamp, bounded, index_at_leisure, schema_of

revision = "20261130_c024"
down_revision = "20261130_c023"
branch_labels = None
depends_on = None

_BOUNDS = (3, 10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000, 300_000, "more")
_INDEXES: dict[str, tuple[list[Any], dict[str, Any]]] = {
    "ix_platform_jobs_tenant_waiting": (
        ["tenant_id", "available_at", "id"],
        bounded("status = 'queued' AND tenant_id IS NOT NULL"),
    ),
    "ix_platform_jobs_tenant_dead": (
        ["tenant_id", sa.text("finished_at DESC"), sa.text("id DESC")],
        bounded("status = 'failed' AND tenant_id IS NOT NULL"),
    ),
}


def upgrade() -> None:
    """Create the indexes beside the work that goes on, then the tables: what precedes the former is not undone."""
    index_at_leisure(op.get_context(), "platform_jobs", _INDEXES)
    op.create_table(
        "tenant_statistics_minutes",
        *_of_minute("tenant_id", "handler_key", "queue", "outcome"),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("jobs", "late")),
        *(sa.Column(name, sa.BigInteger, nullable=False) for name in ("run_ms", "wait_ms")),
        *(sa.Column(f"{kind}_{each}", sa.Integer, nullable=False) for kind in ("run", "wait") for each in _BOUNDS),
        schema="control",
    )
    op.create_table(
        "tenant_backlog_minutes",
        *_of_minute("tenant_id", "queue", "handler_key"),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("ready", "oldest_seconds", "scheduled", "running")),
        sa.Column("dead", sa.Integer, nullable=False),
        schema="control",
    )
    for name in ("tenant_statistics_minutes", "tenant_backlog_minutes"):
        op.create_index(f"ix_{name}_tenant", name, ["tenant_id", "minute"], schema="control")
    op.add_column("sample_minutes", sa.Column("tenants_in_full", sa.Boolean), schema=schema_of(op.get_bind()))


def _of_minute(*names: str) -> list[sa.Column[Any]]:
    kinds: dict[str, Any] = {"tenant_id": Id, "queue": Bytewise}
    keys = (sa.Column(name, kinds.get(name, sa.Text), primary_key=True) for name in names)
    return [sa.Column("minute", Timestamp, primary_key=True), *keys]


def downgrade() -> None:
    """Drop them."""
    schema = schema_of(op.get_bind())
    for name in _INDEXES:
        op.drop_index(name, table_name="platform_jobs", schema="control")
    op.drop_column("sample_minutes", "tenants_in_full", schema=schema)
    op.drop_table("tenant_backlog_minutes", schema="control")
    op.drop_table("tenant_statistics_minutes", schema="control")
