"""What becomes of a group of dead letters: its state, and the rules that put groups together or keep them apart."""

from typing import Any

import sqlalchemy as sa
from alembic import op

from worker.database import Timestamp, bounded, schema_of

revision = "20261130_c019"
down_revision = "20261130_c018"
branch_labels = None
depends_on = None

TABLE, TARGET = "dead_letter_groups", "ix_operator_actions_target"
CHECKED = {
    "state": "TEXT DEFAULT 'new' NOT NULL CONSTRAINT ck_dead_letter_groups_state"
    " CHECK (state IN ('new', 'taken', 'snoozed', 'resolved', 'returned'))",
    "snooze_rate": "INTEGER CONSTRAINT ck_dead_letter_groups_snooze_rate CHECK (snooze_rate BETWEEN 1 AND 1000)",
    "resolved_in": "TEXT CONSTRAINT ck_dead_letter_groups_resolved_in CHECK (length(resolved_in) BETWEEN 1 AND 100)",
    "title": "TEXT CONSTRAINT ck_dead_letter_groups_title CHECK (length(title) BETWEEN 0 AND 500)",
}
ADD = "ALTER TABLE {table} ADD COLUMN {name} {definition}"
PLAIN: dict[str, Any] = {
    "state_at": Timestamp,
    "state_by": sa.Text,
    "merged_into": sa.Text,
    "split_from": sa.Text,
}
STATES = """
UPDATE {table} SET state = CASE WHEN snoozed_until IS NULL THEN 'taken' ELSE 'snoozed' END,
    state_at = updated_at, state_by = updated_by WHERE assignee IS NOT NULL OR snoozed_until IS NOT NULL
"""


def upgrade() -> None:
    """Add the columns, also in a file that was made without; what was taken or snoozed stays so."""
    schema = schema_of(op.get_bind())
    table = f"{schema}.{TABLE}" if schema else TABLE
    for name, definition in CHECKED.items():
        op.execute(ADD.format(table=table, name=name, definition=definition))
    for name, plain in PLAIN.items():
        op.add_column(TABLE, sa.Column(name, plain), schema=schema)
    split = sa.Column("is_split", sa.Boolean, server_default=sa.text("false"), nullable=False)
    op.add_column(TABLE, split, schema=schema)
    op.execute(STATES.format(table=table))
    for name, column in (("merged", "merged_into"), ("split", "split_from")):
        condition = bounded(f"{column} IS NOT NULL")
        op.create_index(f"ix_{TABLE}_{name}", TABLE, [column], schema="control", **condition)
    is_there = bounded("target IS NOT NULL")
    op.create_index(TARGET, "operator_actions", ["target", sa.text("id DESC")], schema="control", **is_there)


def downgrade() -> None:
    """Undo it, with the data in it."""
    schema = schema_of(op.get_bind())
    op.drop_index(TARGET, table_name="operator_actions", schema="control")
    for name in ("merged", "split"):
        op.drop_index(f"ix_{TABLE}_{name}", table_name=TABLE, schema="control")
    for name in ("is_split", *PLAIN, *CHECKED):
        op.drop_column(TABLE, name, schema=schema)
