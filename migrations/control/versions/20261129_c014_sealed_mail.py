"""Refuse a mail that is not sealed before the constraint does, which would print it in the server's log."""

from alembic import op

from worker.database import schema_of

revision = "20261129_c014"
down_revision = "20261129_c013"
branch_labels = None
depends_on = None

GUARD = """
CREATE FUNCTION control.refuse_unsealed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'payload: send_email takes only the encrypted envelope' USING ERRCODE = '22023';
END
$$
---
CREATE TRIGGER mail_is_sealed BEFORE INSERT OR UPDATE OF job_type, payload ON control.platform_jobs
    FOR EACH ROW
    WHEN (new.job_type = 'send_email' AND new.subscriber_id IS NULL
        AND (jsonb_typeof(new.payload) = 'object' AND new.payload ->> 'schema' = 'watchfloor.email.v1'
            AND jsonb_typeof(new.payload -> 'ciphertext') = 'string'
            AND new.payload ->> 'ciphertext' ~ '^[A-Za-z0-9_+/-]+={0,2}$'
            AND length(new.payload ->> 'ciphertext') % 4 = 0
            AND new.payload - ARRAY['schema', 'ciphertext'] = CAST('{}' AS jsonb)) IS NOT TRUE)
    EXECUTE FUNCTION control.refuse_unsealed()
"""


def upgrade() -> None:
    """Set it; a file has no log."""
    if schema_of(op.get_bind()) is not None:
        for statement in GUARD.split("---"):
            op.execute(statement)


def downgrade() -> None:
    """Leave it to the constraint."""
    if schema_of(op.get_bind()) is not None:
        op.execute("DROP FUNCTION control.refuse_unsealed() CASCADE")
