"""Bulk acts as stored sets, and the one way in which the console makes a job a dead letter again: by undoing."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from worker.database import BigId, Bytewise, Id, Json, Timestamp, bounded, schema_of

revision = "20261130_c018"
down_revision = "20261130_c017"
branch_labels = None
depends_on = None

REFUSE_UNLESS_UNDONE = """
CREATE OR REPLACE FUNCTION control.refuse_console() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF new.status = 'failed' AND EXISTS (
        SELECT FROM control.bulk_act_jobs WHERE job_id = new.id AND state = 'done' AND was_status = 'failed'
    ) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'console_rw queues and cancels jobs, it makes none %', new.status
        USING ERRCODE = 'insufficient_privilege';
END
$$
"""
REFUSE = """
CREATE OR REPLACE FUNCTION control.refuse_console() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'console_rw queues and cancels jobs, it makes none %', new.status
        USING ERRCODE = 'insufficient_privilege';
END
$$
"""


def upgrade() -> None:
    """Create the tables; the guard lets go of what such an act had moved."""
    _acts()
    _jobs()
    if schema_of(op.get_bind()) is not None:
        op.execute(REFUSE_UNLESS_UNDONE)


def _acts() -> None:
    moved = ("missed", "chosen", "done", "asked", "skipped", "failed", "undone")
    counts = (*moved, "passed", "same_error", "new_error")
    op.create_table(
        "bulk_acts",
        sa.Column("id", Id, primary_key=True),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("action", "state", "mode")),
        *(sa.Column(name, sa.Integer) for name in ("rate", "stop_after")),
        sa.Column("to_queue", Bytewise),
        sa.Column("undo_seconds", sa.Integer, nullable=False),
        sa.Column("filters", Json),
        sa.Column("chosen_at", Timestamp, nullable=False),
        sa.Column("actor", sa.Text, nullable=False),
        *(sa.Column(name, sa.Text) for name in ("address", "request_id", "reason")),
        *(sa.Column(name, BigId) for name in ("action_id", "undo_action_id")),
        *(sa.Column(name, sa.Integer, nullable=False, server_default="0") for name in counts),
        sa.Column("reasons", Json, nullable=False, server_default="{}"),
        *(sa.Column(f"{name}_place", sa.Integer, nullable=False, server_default="0") for name in ("moved", "watched")),
        *(sa.Column(name, Timestamp) for name in ("moved_at", "ended_at")),
        *(sa.Column(name, sa.Text) for name in ("ended_by", "why")),
        sa.Column("next_at", Timestamp),
        *_act_checks(),
        schema="control",
    )
    page = [sa.text("chosen_at DESC"), sa.text("id DESC")]
    op.create_index("ix_bulk_acts_page", "bulk_acts", page, schema="control")
    op.create_index("ix_bulk_acts_next", "bulk_acts", ["next_at"], schema="control", **bounded("next_at IS NOT NULL"))
    op.create_index("ix_bulk_acts_action", "bulk_acts", ["action_id"], schema="control")


def _act_checks() -> list[sa.CheckConstraint]:
    checks = {
        "action": "action IN ('replay', 'cancel', 'run', 'reassign')",
        "state": "state IN ('trial', 'moving', 'stopped', 'aborted', 'done', 'undoing', 'undone')",
        "mode": "mode IN ('all', 'one_first', 'rate')",
        "rate": "(mode = 'rate') = (rate IS NOT NULL) AND rate BETWEEN 1 AND 500",
        "stop_after": "stop_after BETWEEN 1 AND 1000",
        "to_queue": "(action = 'reassign') = (to_queue IS NOT NULL)",
        "counts": "done + skipped + failed + undone <= chosen",
        "actor": "length(actor) BETWEEN 1 AND 100",
        "reason": "length(reason) BETWEEN 0 AND 500",
        "why": "length(why) BETWEEN 0 AND 300",
    }
    return [sa.CheckConstraint(words, name=name) for name, words in checks.items()]


def _jobs() -> None:
    checks = {
        "state": "state IN ('left', 'done', 'skipped', 'failed', 'undone')",
        "outcome": "outcome IN ('passed', 'same_error', 'new_error', 'cancelled', 'gone')",
        "why": "length(why) BETWEEN 0 AND 200",
    }
    op.create_table(
        "bulk_act_jobs",
        sa.Column("act_id", Id, sa.ForeignKey("control.bulk_acts.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("place", sa.Integer, primary_key=True),
        sa.Column("job_id", Id, nullable=False),
        sa.Column("state", sa.Text, nullable=False),
        sa.Column("why", sa.Text),
        sa.Column("moved_at", Timestamp),
        *(sa.Column(name, sa.Text) for name in ("outcome", "fingerprint")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("was_generation", "was_replays")),
        *_as_it_was(),
        *(sa.CheckConstraint(words, name=name) for name, words in checks.items()),
        schema="control",
    )
    op.create_index("ix_bulk_act_jobs_job", "bulk_act_jobs", ["job_id", "act_id"], schema="control")


def _as_it_was() -> list[sa.Column[Any]]:
    errors = ("type", "summary", "detail", "fingerprint")
    return [
        sa.Column("was_status", sa.Text),
        sa.Column("was_queue", Bytewise),
        sa.Column("was_attempts", sa.Integer),
        sa.Column("was_available_at", Timestamp),
        sa.Column("was_scheduled", sa.Boolean),
        *(sa.Column(f"was_{name}_at", Timestamp) for name in ("cancel_requested", "finished")),
        *(sa.Column(f"was_error_{name}", sa.Text) for name in errors),
    ]


def downgrade() -> None:
    """Undo it, with the data in it."""
    if schema_of(op.get_bind()) is not None:
        op.execute(REFUSE)
    op.drop_table("bulk_act_jobs", schema="control")
    op.drop_table("bulk_acts", schema="control")
