"""The workers: four beat, one fell silent with the only handler of its kind."""

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


def insert_all(conn: Connection) -> None:
    """The five processes, and one that stopped an hour ago."""
    released = at("09:12:20")
    _worker(
        conn,
        PRODUCT_1,
        "product-worker-1",
        "api-7f",
        PRODUCT,
        ["default", "insights", "intake"],
        2,
        started_at=released,
    )
    _worker(
        conn,
        PRODUCT_2,
        "product-worker-2",
        "api-9c",
        ["train_tenant_model"],
        ["training"],
        41 * 60,
        concurrency=2,
        version="2026.11.2",
        started_at=ago(days=2),
    )
    _worker(conn, PRODUCT_3, "product-worker-3", "api-2b", PRODUCT, None, 6, missed={12}, started_at=at("09:12:41"))
    _worker(
        conn,
        MAIL_1,
        "mail-worker-1",
        "mx-1",
        ["send_email"],
        ["mail"],
        1,
        version="2026.11.2",
        started_at=ago(days=2),
    )
    _worker(
        conn,
        PROVISIONER_1,
        "provisioner-worker-1",
        "ops-1",
        ["provision_tenant"],
        ["provision"],
        9,
        missed={3, 4},
        concurrency=4,
        started_at=at("09:13:02"),
    )
    _worker(
        conn,
        GONE,
        "product-worker-1",
        "api-7f",
        PRODUCT,
        None,
        20 * 60,
        version="2026.11.2",
        started_at=ago(days=2),
        stopped_at=ago(minutes=20),
    )


def insert_idle(conn: Connection) -> None:
    """One worker with nothing to do."""
    _worker(conn, PRODUCT_1, "product-worker-1", "api-7f", PRODUCT, None, 2, started_at=at("09:12:20"))


def _worker(
    conn: Connection,
    instance_id: str,
    label: str,
    host: str,
    job_types: list[str],
    queues: list[str] | None,
    silent_seconds: int,
    *,
    missed: Container[int] = (),
    concurrency: int = 8,
    version: str = "2026.11.3",
    started_at: datetime,
    **columns: Any,
) -> None:
    last = ago(seconds=silent_seconds)
    beats = [int(last.timestamp()) - INTERVAL * number for number in range(39, -1, -1) if number not in missed]
    factories.worker_instance(
        conn,
        instance_id,
        component=label.rpartition("-")[0],
        label=label,
        host=host,
        job_types=job_types,
        queues=queues,
        concurrency=concurrency,
        version=version,
        started_at=started_at,
        last_heartbeat_at=last,
        recent_beats=[beat for beat in beats if beat >= started_at.timestamp()],
        **columns,
    )
