"""The workers: four beat, one fell silent with the only handler of its kind, one stopped."""

from __future__ import annotations

from collections.abc import Container
from datetime import datetime
from typing import Any

from sqlalchemy import Connection

from tests import factories
from tests.system.seed.clock import ago, at, identity

PRODUCT = ["run_subscriber", "send_email", "materialize_insights", "render_report"]
INTERVAL = 10
PRODUCT_1, PRODUCT_2, PRODUCT_3, MAIL_1, PROVISIONER_1, GONE = (str(identity("worker", n)) for n in range(6))

OLD = {"version": "2026.11.2", "started_at": ago(days=2)}
STAFF: dict[str, dict[str, Any]] = {
    PRODUCT_1: {"label": "product-worker-1", "host": "api-7f", "job_types": PRODUCT, "silent_seconds": 2}
    | {"queues": ["default", "insights", "intake"], "started_at": at("09:12:20")},
    PRODUCT_2: {"label": "product-worker-2", "host": "api-9c", "job_types": ["train_tenant_model"], **OLD}
    | {"queues": ["training"], "concurrency": 2, "silent_seconds": 41 * 60},
    PRODUCT_3: {"label": "product-worker-3", "host": "api-2b", "job_types": PRODUCT, "silent_seconds": 6}
    | {"missed": {12}, "started_at": at("09:12:41")},
    MAIL_1: {"label": "mail-worker-1", "host": "mx-1", "job_types": ["send_email"], "silent_seconds": 1, **OLD}
    | {"queues": ["mail"]},
    PROVISIONER_1: {"label": "provisioner-worker-1", "host": "ops-1", "job_types": ["provision_tenant"]}
    | {"queues": ["provision"], "concurrency": 4, "silent_seconds": 9, "missed": {3, 4}, "started_at": at("09:13:02")},
    GONE: {"label": "product-worker-1", "host": "api-7f", "job_types": PRODUCT, "silent_seconds": 20 * 60, **OLD}
    | {"stopped_at": ago(minutes=20)},
}


def insert_all(conn: Connection) -> None:
    """The five processes, and the one that stopped."""
    for instance_id, about in STAFF.items():
        _insert(conn, instance_id, **about)


def insert_idle(conn: Connection) -> None:
    """One worker, which serves every queue and has nothing to do."""
    _insert(conn, PRODUCT_1, **STAFF[PRODUCT_1] | {"queues": None})


def _insert(
    conn: Connection,
    instance_id: str,
    *,
    label: str,
    silent_seconds: int,
    started_at: datetime,
    missed: Container[int] = (),
    **columns: Any,
) -> None:
    last = ago(seconds=silent_seconds)
    beats = [int(last.timestamp()) - INTERVAL * number for number in range(39, -1, -1) if number not in missed]
    row = {"component": label.rpartition("-")[0], "label": label, "version": "2026.11.3", "concurrency": 8}
    row |= {"started_at": started_at, "last_heartbeat_at": last} | columns
    factories.worker_instance(
        conn, instance_id, recent_beats=[beat for beat in beats if beat >= started_at.timestamp()], **row
    )
