"""A mail that was not sealed is refused before its row is complete: a constraint would print the row in the log."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import DDL
from sqlalchemy.schema import ExecutableDDLElement

_ddl: Callable[[str], ExecutableDDLElement] = DDL

_REFUSE = """
CREATE FUNCTION control.refuse_unsealed() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
BEGIN
    RAISE EXCEPTION 'payload: send_email takes only the encrypted envelope' USING ERRCODE = '22023';
END
$$
"""
_SEALED = """
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

SEALED = tuple(_ddl(statement.replace("%", "%%")).execute_if(dialect="postgresql") for statement in (_REFUSE, _SEALED))
"""The function and the trigger, which is asked about mail alone; a file has no log."""
