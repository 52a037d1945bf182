"""The dead letters: twelve invoices of one release, a timeout that somebody has taken, and an error that holds HTML."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, insert

from tests.system.seed import people, rows
from tests.system.seed.clock import ago, at, identity
from tests.system.seed.staff import PRODUCT_1, PRODUCT_3
from tests.system.seed.tenants import TENANT_IDS
from tests.system.seed.work import FEEDS, INSIGHTS, feed_key
from worker.failures import fingerprint
from worker.model import AttemptOutcome, Status
from worker.queries.schema import job_attempts

HIT = ("acme", "acme", "globex", "acme", "initech", "hooli", "acme", "globex", "umbrella", "acme", "globex", "acme")
TRACE = """\
shop/handlers/invoices.py:41 in render_invoice
    html = env.get_template(f"invoice_v{version}.html").render(invoice=invoice)
site-packages/jinja2/environment.py:1016 in get_template
    return self._load_template(name, globals)
"""
CHEEKY = "row 1 of <b onmouseover=\"alert('hi')\">feed.csv</b> has 13 columns, not 12"
FIRST_STARTS = ("09:14:07", "09:14:31", "09:15:44", "09:19:02", "09:31:40")
"""When the attempts of the job began whose page is shown."""

PUBLISHED = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
DEAD_JOB = identity("dead invoice", 0, at(FIRST_STARTS[0]))


def insert_all(conn: Connection) -> None:
    """The fourteen jobs, with every attempt of each."""
    groups = [*_invoices(), _timeout(), _feed()]
    rows.write(conn, groups)
    people.take(conn)
    conn.execute(insert(job_attempts), [attempt for job in groups for attempt in _attempts(job)])


def died_of(handler: str, error_type: str, summary: str, trace: str = "") -> dict[str, Any]:
    """What is kept of the error that a job died of."""
    return {
        "error_type": error_type,
        "error_summary": summary,
        "error_detail": f"{trace}{error_type}: {summary}",
        "error_fingerprint": fingerprint(handler, error_type, summary),
    }


def _dead(kind: str, number: int, created_at: datetime, died_at: datetime, **columns: Any) -> rows.Row:
    spent = {"status": Status.FAILED, "attempts": 5, "generation": 5, "finished_at": died_at, "updated_at": died_at}
    return rows.queued(kind, number, created_at, **spent, **columns)


def _invoices() -> Iterator[rows.Row]:
    error = died_of("invoice.render", "TemplateNotFound", "invoice_v3.html", TRACE)
    for number, slug in enumerate(HIT):
        event = rows.of_event("order.created", "invoice.render", "dead invoice", number)
        created_at = at(FIRST_STARTS[0]) + timedelta(seconds=number and 9 * number + 4)
        payload = {
            "invoice_id": f"inv_20261129_{71 + number:04}",
            "version": 3,
            "customer": {"name": "Zoë <admin>", "vat": None},
        }
        yield _dead(
            "dead invoice",
            number,
            created_at,
            at(FIRST_STARTS[4]) - timedelta(seconds=67 * number),
            queue="default",
            tenant_id=TENANT_IDS[slug],
            payload=payload,
            traceparent=PUBLISHED,
            **event,
            **error,
        )


def _timeout() -> rows.Row:
    error = died_of("materialize_insights", "ConnectTimeout", people.TIMEOUT)
    return _dead(
        "dead insights", 0, ago(hours=3, minutes=31), ago(hours=3), tenant_id=TENANT_IDS["acme"], **INSIGHTS, **error
    )


def _feed() -> rows.Row:
    error = died_of("render_report", "ValueError", CHEEKY)
    about = {"job_type": "render_report", "queue": FEEDS, "tenant_id": TENANT_IDS["hooli"]}
    about |= {"idempotency_key": feed_key("2026-11-28")}
    return _dead("dead feed", 0, ago(minutes=26), ago(minutes=6), **about, **error)


def _attempts(job: rows.Row) -> Iterator[dict[str, Any]]:
    """Five of them, each waiting longer than the one before; the first invoice's at the times of FIRST_STARTS."""
    span = job["finished_at"] - job["created_at"]
    starts = [job["created_at"] + span * share for share in (0, 0.02, 0.09, 0.28, 1)]
    if job["id"] == DEAD_JOB:
        starts = [at(clock) for clock in FIRST_STARTS]
    for number, start in enumerate(starts):
        last = number == 4
        ended = start + timedelta(milliseconds=198 + 11 * number) if not last else job["finished_at"]
        claimed = start if not last else start - timedelta(milliseconds=221)
        yield {
            "job_id": job["id"],
            "generation": number + 1,
            "attempt": number + 1,
            "worker_id": PRODUCT_1 if number % 2 == 0 else PRODUCT_3,
            "claimed_at": claimed,
            "started_at": claimed,
            "finished_at": ended,
            "outcome": AttemptOutcome.DEAD_LETTER if last else AttemptOutcome.FAILED,
            "retry_at": None if last else starts[number + 1] - timedelta(milliseconds=40),
            "error": job["error_detail"],
        }
