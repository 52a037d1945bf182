"""Look through the rows for the constraints that were exchanged, while the work goes on."""

from alembic import op

from worker.database import at_leisure, schema_of

revision = "20261129_c009"
down_revision = "20261129_c008"
branch_labels = None
depends_on = None

VALIDATE = """
ALTER TABLE control.platform_jobs VALIDATE CONSTRAINT ck_platform_jobs_payload;
ALTER TABLE control.platform_jobs VALIDATE CONSTRAINT ck_platform_jobs_queue;
ALTER TABLE control.event_outbox VALIDATE CONSTRAINT ck_event_outbox_payload
"""


def upgrade() -> None:
    """Validate them; a file has been made with them."""
    if schema_of(op.get_bind()) is not None:
        with at_leisure(op.get_context()):
            for statement in VALIDATE.split(";\n"):
                op.execute(statement)


def downgrade() -> None:
    """Nothing to undo."""
