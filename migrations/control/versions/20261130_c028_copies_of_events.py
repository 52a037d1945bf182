"""A guard on jobs of events: the console makes none but the copies that it has written down, under ids of their own."""

from alembic import op

from worker.database import schema_of

revision = "20261130_c028"
down_revision = "20261130_c027"
branch_labels = None
depends_on = None

GUARD = """
CREATE FUNCTION control.refuse_unless_copy() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    IF EXISTS (
        SELECT FROM control.job_copies AS made JOIN control.platform_jobs AS original ON original.id = made.original_id
        WHERE made.copy_id = new.id AND original.subscriber_id = new.subscriber_id
            AND original.job_type = new.job_type AND original.event_type = new.event_type
            AND original.tenant_id IS NOT DISTINCT FROM new.tenant_id
    ) AND NOT EXISTS (SELECT FROM control.event_outbox WHERE event_id = new.event_id)
    AND NOT EXISTS (SELECT FROM control.platform_jobs WHERE event_id = new.event_id AND id <> new.id) THEN
        RETURN NULL;
    END IF;
    RAISE EXCEPTION 'console_rw makes no job of an event but a copy of one'
        USING ERRCODE = 'insufficient_privilege';
END
$$
---
CREATE TRIGGER console_publishes_nothing AFTER INSERT ON control.platform_jobs
    FOR EACH ROW
    WHEN (new.event_id IS NOT NULL AND current_user = 'console_rw')
    EXECUTE FUNCTION control.refuse_unless_copy()
"""


def upgrade() -> None:
    """Set it; a file has no roles."""
    if schema_of(op.get_bind()) is not None:
        for statement in GUARD.split("---"):
            op.execute(statement)


def downgrade() -> None:
    """Let the console make jobs of events."""
    if schema_of(op.get_bind()) is not None:
        op.execute("DROP FUNCTION control.refuse_unless_copy() CASCADE")
