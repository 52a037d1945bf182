"""The outbox for mail: a job whose payload only a worker with the key can read (S1-119 to S1-123)."""

from __future__ import annotations

import json
from uuid import UUID

from worker.database import Connection
from worker.envelope import Envelope
from worker.errors import InvalidInput, KeyReused
from worker.job_types import EMAIL_JOB_TYPE, JobTypes
from worker.mail.message import Message
from worker.model import Status, new_id
from worker.new_jobs import Enqueued, NewJob
from worker.queries import jobs, keys
from worker.sealed_mail import EMAIL_SCHEMA, is_sealed

QUEUE = "mail"
"""Of its own, so that a slow relay holds up nothing else (S2-118)."""


def build_email_job_payload(
    envelope: Envelope, message: Message, *, job_id: UUID, tenant_id: UUID | None
) -> dict[str, str]:
    """The mail, sealed for this one job: in another's payload, or another tenant's, nobody can open it."""
    plain = json.dumps({"to": message.to, "subject": message.subject, "body": message.body}).encode()
    return {"schema": EMAIL_SCHEMA, "ciphertext": envelope.seal(plain, bound_to=_binding(job_id, tenant_id))}


def opened(envelope: Envelope, payload: object, *, job_id: UUID, tenant_id: UUID | None) -> Message:
    """The mail again, for the moment of sending; InvalidInput when it is none, EnvelopeError when it stays shut."""
    if not is_sealed(payload):
        raise InvalidInput("payload", "send_email takes only the encrypted envelope")
    plain = json.loads(envelope.open(payload["ciphertext"], bound_to=_binding(job_id, tenant_id)))
    return Message(to=plain["to"], subject=plain["subject"], body=plain["body"])


def enqueue_email_job(
    conn: Connection,
    job_types: JobTypes,
    envelope: Envelope,
    message: Message,
    *,
    tenant_id: UUID | None = None,
    idempotency_key: str | None = None,
) -> Enqueued:
    """Have the mail sent once this transaction is committed.

    With a key the same mail is one job, however often it is asked for; KeyReused when the key is another's (A-57).
    """
    job_id = new_id()
    payload = build_email_job_payload(envelope, message, job_id=job_id, tenant_id=tenant_id)
    new = NewJob(EMAIL_JOB_TYPE, payload, tenant_id, QUEUE, idempotency_key, id=job_id)
    try:
        return jobs.enqueue(conn, job_types, new)
    except KeyReused:
        if same := _same(conn, envelope, message, tenant_id=tenant_id, idempotency_key=idempotency_key):
            return same
        raise


def _same(
    conn: Connection, envelope: Envelope, message: Message, *, tenant_id: UUID | None, idempotency_key: str | None
) -> Enqueued | None:
    """The job that has the key, if it is about this mail: no two sealings are alike, so it has to be opened."""
    known = keys.holder(conn, tenant_id=tenant_id, idempotency_key=(idempotency_key or "").strip())
    if known is None or known.job_type != EMAIL_JOB_TYPE:
        return None
    if opened(envelope, known.payload, job_id=known.id, tenant_id=tenant_id) != message:
        return None
    return Enqueued(known.id, created=False, status=Status(known.status))


def _binding(job_id: UUID, tenant_id: UUID | None) -> str:
    return f"job {job_id} of tenant {tenant_id or 'nobody'}"
