"""Guards on jobs: only the owner runs a provisioning, and the console queues and cancels but runs nothing.

The roles and what each may do are no revision: `watchfloor migrate` sees to them every time.
"""

from alembic import op

from worker.database import schema_of

revision = "20261129_c012"
down_revision = "20261129_c011"
branch_labels = None
depends_on = None

GUARDS = """
CREATE FUNCTION control.refuse_unless_owner() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path = pg_catalog, pg_temp
    AS $$
BEGIN
    IF NOT pg_has_role((SELECT relowner FROM pg_class WHERE oid = tg_relid), 'MEMBER') THEN
        RAISE EXCEPTION 'provision_tenant is run by the owner of % alone', tg_relid::regclass
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NULL;
END
$$
---
CREATE TRIGGER provisioning_is_the_owners AFTER UPDATE OF status, job_type, locked_by ON control.platform_jobs
    FOR EACH ROW
    WHEN (new.job_type = 'provision_tenant' AND new.status IN ('running', 'succeeded')
        AND (old.status <> new.status OR old.job_type <> new.job_type OR old.locked_by IS DISTINCT FROM new.locked_by))
    EXECUTE FUNCTION control.refuse_unless_owner()
---
CREATE FUNCTION control.refuse_console() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'console_rw queues and cancels jobs, it makes none %', new.status
        USING ERRCODE = 'insufficient_privilege';
END
$$
---
CREATE TRIGGER console_runs_nothing AFTER UPDATE OF status ON control.platform_jobs
    FOR EACH ROW
    WHEN (new.status IN ('running', 'succeeded', 'failed') AND old.status <> new.status
        AND current_user = 'console_rw')
    EXECUTE FUNCTION control.refuse_console()
"""


def upgrade() -> None:
    """Set them; a file has no roles."""
    if schema_of(op.get_bind()) is not None:
        for statement in GUARDS.split("---"):
            op.execute(statement)


def downgrade() -> None:
    """Let whoever may write the table do anything with it."""
    if schema_of(op.get_bind()) is not None:
        op.execute("DROP FUNCTION control.refuse_unless_owner(), control.refuse_console() CASCADE")
