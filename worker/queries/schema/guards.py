"""What a role may not do with a job although it may write the table: run a provisioning, end a job by hand, unless the
act that had it run again is undone, or make one of an event, unless it is a copy that was written down.

Each is looked for after the row is written, which locks nothing, and its function is called for no other row.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import DDL
from sqlalchemy.schema import ExecutableDDLElement

_ddl: Callable[[str], ExecutableDDLElement] = DDL

_OF_OWNER = """
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
"""
_PROVISIONING = """
CREATE TRIGGER provisioning_is_the_owners AFTER UPDATE OF status, job_type, locked_by ON control.platform_jobs
    FOR EACH ROW
    WHEN (new.job_type = 'provision_tenant' AND new.status IN ('running', 'succeeded')
        AND (old.status <> new.status OR old.job_type <> new.job_type OR old.locked_by IS DISTINCT FROM new.locked_by))
    EXECUTE FUNCTION control.refuse_unless_owner()
"""
_OF_CONSOLE = """
CREATE FUNCTION control.refuse_console() RETURNS trigger
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
_CONSOLE = """
CREATE TRIGGER console_runs_nothing AFTER UPDATE OF status ON control.platform_jobs
    FOR EACH ROW
    WHEN (new.status IN ('running', 'succeeded', 'failed') AND old.status <> new.status
        AND current_user = 'console_rw')
    EXECUTE FUNCTION control.refuse_console()
"""
_OF_COPIES = """
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
"""
_COPIES = """
CREATE TRIGGER console_publishes_nothing AFTER INSERT ON control.platform_jobs
    FOR EACH ROW
    WHEN (new.event_id IS NOT NULL AND current_user = 'console_rw')
    EXECUTE FUNCTION control.refuse_unless_copy()
"""

GUARDS = tuple(
    _ddl(statement.replace("%", "%%")).execute_if(dialect="postgresql")
    for statement in (_OF_OWNER, _PROVISIONING, _OF_CONSOLE, _CONSOLE, _OF_COPIES, _COPIES)
)
"""The functions and triggers; a file has no roles."""
