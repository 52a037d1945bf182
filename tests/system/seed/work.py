"""What waits, runs and has just been done on each queue."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import cycle, islice
from typing import Any

from sqlalchemy import Connection

from tests.system.seed import rows
from tests.system.seed.clock import NOW, ago, identity
from tests.system.seed.staff import MAIL_1, PRODUCT_1, PRODUCT_3
from tests.system.seed.tenants import TENANT_IDS

SEALED = {"schema": "watchfloor.email.v1", "ciphertext": "gAAAAABpKq3c" + "Zm9v" * 78}
MAIL = {"job_type": "send_email", "queue": "mail", "payload": SEALED}
INSIGHTS = {"job_type": "materialize_insights", "queue": "insights"}
TRAINING = {"job_type": "train_tenant_model", "queue": "training"}
DIGEST = {"job_type": "run_subscriber", "queue": "campaign"}
FEEDS = "partner-feeds.eu-central.nightly-reconciliation"
SLUGS = ("acme", "globex", "initech", "umbrella", "hooli", "stark", *(slug for slug in TENANT_IDS if len(slug) > 20))

RUNNING_JOB = identity("insights running", 0, ago(minutes=4, seconds=18))
QUEUED_JOB = identity("training", 0, ago(minutes=41, seconds=7))


def feed_key(day: str) -> str:
    """A key as long as keys get."""
    return f"partner-feed:{day}:" + "eu-central-1/" * 9


def insert_all(conn: Connection) -> None:
    """All jobs but the dead ones and those that set up tenants."""
    rows.write(conn, [*_waiting(), *_later(), *_running(), *_done()])


def _tenants(count: int) -> Iterator[Any]:
    return (TENANT_IDS[slug] for slug in islice(cycle(SLUGS), count))


def _invoice(kind: str, number: int) -> dict[str, Any]:
    event = rows.of_event("order.created", "invoice.render", kind, number)
    return {**event, "queue": "default", "payload": {"invoice_id": f"inv_20261129_{number:04}", "version": 3}}


def _waiting() -> Iterator[rows.Row]:
    for number, tenant_id in enumerate(_tenants(2460)):
        yield rows.queued("mail", number, ago(seconds=372 - 368 * number / 2460), tenant_id=tenant_id, **MAIL)
    for number, tenant_id in enumerate(_tenants(58)):
        created_at = ago(seconds=14 * (1 - number / 58))
        yield rows.queued("invoice", number, created_at, tenant_id=tenant_id, **_invoice("invoice", number))
    for number, tenant_id in enumerate(_tenants(12)):
        yield rows.queued("insights", number, ago(seconds=41 - 3 * number), tenant_id=tenant_id, **INSIGHTS)
    for number, tenant_id in enumerate(_tenants(34)):
        created_at = ago(minutes=41 - number, seconds=7)
        payload = {"model": "churn", "horizon_days": 90, "features": ["orders", "visits", "support_tickets"]}
        yield rows.queued("training", number, created_at, tenant_id=tenant_id, payload=payload, **TRAINING)


def _later() -> Iterator[rows.Row]:
    for number, tenant_id in enumerate(_tenants(49)):
        event = rows.of_event("campaign.scheduled", "campaign.send_digest", "digest", number)
        due_at = NOW + timedelta(minutes=28 + number)
        yield rows.scheduled(
            "digest", number, ago(minutes=50 + number), due_at, tenant_id=tenant_id, **event, queue="campaign"
        )
    for number, tenant_id in enumerate(_tenants(6)):
        columns = {"attempts": 1 + number % 3, "generation": 1 + number % 3, "tenant_id": tenant_id}
        due_at = NOW + timedelta(seconds=25 + 40 * number)
        yield rows.scheduled("retry", number, ago(minutes=3 + number), due_at, **columns, **_invoice("retry", number))


def _running() -> Iterator[rows.Row]:
    insights = {"tenant_id": TENANT_IDS["acme"], **INSIGHTS}
    cubes = {"period": "2026-11", "cubes": ["revenue", "retention"]}
    created_at, since = ago(minutes=4, seconds=18), ago(minutes=4, seconds=12)
    yield rows.running("insights running", 0, created_at, since, PRODUCT_3, progress=62, payload=cubes, **insights)
    stopping = {"cancel_requested_at": ago(seconds=8), "progress": 17, **insights}
    yield rows.running("insights running", 1, ago(minutes=2), ago(minutes=1, seconds=50), PRODUCT_1, **stopping)
    for number, tenant_id in enumerate(_tenants(5)):
        worker, columns = (PRODUCT_3, PRODUCT_1)[number % 2], _invoice("invoice running", number)
        since = ago(seconds=0.2 * number)
        yield rows.running("invoice running", number, ago(seconds=15), since, worker, tenant_id=tenant_id, **columns)
    for number, tenant_id in enumerate(_tenants(8)):
        since = ago(seconds=0.4 + number / 10)
        yield rows.running("mail running", number, ago(seconds=373), since, MAIL_1, tenant_id=tenant_id, **MAIL)
    feed = {"job_type": "render_report", "queue": FEEDS, "idempotency_key": feed_key("2026-11-29")}
    yield rows.running("feed", 0, ago(seconds=9), ago(seconds=8), PRODUCT_3, **feed)


def _done() -> Iterator[rows.Row]:
    for number, tenant_id in enumerate(_tenants(940)):
        took = timedelta(milliseconds=40 + 7 * (number % 23))
        yield rows.succeeded(
            "invoice done",
            number,
            ago(seconds=345 - number * 0.366),
            took,
            tenant_id=tenant_id,
            **_invoice("invoice done", number),
        )
    for number, tenant_id in enumerate(_tenants(96)):
        took = timedelta(seconds=2 + number % 7)
        yield rows.succeeded(
            "insights done", number, ago(seconds=345 - 3 * number), took, tenant_id=tenant_id, **INSIGHTS
        )
    for number in range(55):
        event = rows.of_event("upload.received", "intake.scan_upload", "intake", number)
        yield rows.succeeded(
            "intake", number, ago(seconds=340 - 6 * number), timedelta(milliseconds=12), **event, queue="intake"
        )
