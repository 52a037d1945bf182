"""What became of the mail with an operator's latest link."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import Connection, Text, bindparam, cast, func, literal, literal_column, select

from worker.database import Id, Row
from worker.queries.links import KEY_LENGTH
from worker.queries.schema import platform_jobs as job
from worker.queries.schema import sign_in_links as link

_key = literal("email:").concat(link.c.purpose).concat(":").concat(func.substr(link.c.token_hash, 1, KEY_LENGTH))
_latest = (
    select(link.c.purpose, _key.label("idempotency_key"))
    .where(link.c.operator_id == bindparam("of_id", type_=Id), link.c.used_at.is_(None), link.c.purpose != "sign-in")
    .order_by(link.c.created_at.desc(), link.c.token_hash)
    .limit(1)
    .subquery("latest")
)
LETTER = select(_latest.c.purpose, job.c.id, job.c.status, job.c.finished_at).join_from(
    _latest,
    job,
    # Nobody's, as in the index of the keys
    (func.coalesce(cast(job.c.tenant_id, Text), literal_column("''", Text)) == literal_column("''", Text))
    & (job.c.idempotency_key == _latest.c.idempotency_key),
)


def latest(conn: Connection, *, operator_id: UUID) -> Row | None:
    """The job that mails their latest link, as long as that is kept; None where it was used, or handed over by hand."""
    return conn.execute(LETTER, {"of_id": operator_id}).one_or_none()
