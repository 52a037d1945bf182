"""What a job died of as it is compared, and by which rule; of acts, when they were chosen and what was lost of them."""

import sqlalchemy as sa
from alembic import op

from worker.database import Timestamp, schema_of

revision = "20261130_c025"
down_revision = "20261130_c024"
branch_labels = None
depends_on = None

_LOST = ("cancelled", "gone")
COUNT = """
UPDATE bulk_acts SET
    cancelled = (SELECT count(*) FROM bulk_act_jobs WHERE act_id = bulk_acts.id AND outcome = 'cancelled'),
    gone = (SELECT count(*) FROM bulk_act_jobs WHERE act_id = bulk_acts.id AND outcome = 'gone')
"""
COUNT_IN_SCHEMA = """
UPDATE control.bulk_acts SET
    cancelled = (SELECT count(*) FROM control.bulk_act_jobs WHERE act_id = bulk_acts.id AND outcome = 'cancelled'),
    gone = (SELECT count(*) FROM control.bulk_act_jobs WHERE act_id = bulk_acts.id AND outcome = 'gone')
"""


def upgrade() -> None:
    """Add the columns, and count what earlier acts lost; what has died is read by the maintenance, bit by bit."""
    schema = schema_of(op.get_bind())
    op.add_column("bulk_act_jobs", sa.Column("was_error_alike", sa.Text), schema=schema)
    op.add_column("bulk_act_jobs", sa.Column("was_error_rule", sa.Integer), schema=schema)
    op.add_column("bulk_acts", sa.Column("seen_at", Timestamp), schema=schema)
    for name in _LOST:
        op.add_column("bulk_acts", sa.Column(name, sa.Integer, nullable=False, server_default="0"), schema=schema)
    op.execute(COUNT_IN_SCHEMA if schema else COUNT)
    # The last, for all claims wait from here to the end
    op.add_column("platform_jobs", sa.Column("error_alike", sa.Text), schema=schema)
    op.add_column("platform_jobs", sa.Column("error_rule", sa.Integer), schema=schema)


def downgrade() -> None:
    """Undo it, with the data in it."""
    schema = schema_of(op.get_bind())
    for name in ("seen_at", *_LOST):
        op.drop_column("bulk_acts", name, schema=schema)
    for name in ("error_alike", "error_rule"):
        op.drop_column("bulk_act_jobs", f"was_{name}", schema=schema)
        op.drop_column("platform_jobs", name, schema=schema)
