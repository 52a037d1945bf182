"""On SQLite too the pages read by an index, and a longer history costs nothing: scans are of open work or in order."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, insert

from tests import files
from tests.architecture.test_page_plans import DEAD, GROUP, NOW, ORDERED, PROBED, READY, RUNNING, SCHEDULED, Read
from worker.model import new_id
from worker.queries.pages import backlog, figures, tenant_loads
from worker.queries.schema import platform_jobs

OPEN = {READY, SCHEDULED, RUNNING, DEAD, GROUP}
PENDING = "ix_event_outbox_pending"
TABLES = ("platform_jobs", "event_outbox", "job_attempts", "keyed")
SAMPLED: dict[str, Read] = {
    "the figures": lambda conn: figures.sample(conn, now=NOW),
    "the backlog in full": lambda conn: backlog.read(conn, held=(), in_full=True, now=NOW),
    "the fullest tenants": lambda conn: tenant_loads.fullest(conn, after=None, now=NOW),
}


@pytest.fixture(scope="module")
def filed(file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A connection on a file with some jobs of every state."""
    engine = files.fresh(file, tmp_path_factory.mktemp("plans") / "watchfloor.db")
    with engine.begin() as conn:
        conn.execute(insert(platform_jobs), [_row(number) for number in range(700)])
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        yield conn
    engine.dispose()


def _row(number: int) -> dict[str, Any]:
    status = ("queued", "queued", "succeeded", "succeeded", "succeeded", "failed", "cancelled")[number % 7]
    at = NOW - timedelta(seconds=number)
    over = status != "queued"
    return {
        "id": new_id(),
        "job_type": "render_report",
        "status": status,
        "queue": f"queue_{number % 3}",
        "created_at": at,
        "available_at": at,
        "scheduled": number % 7 == 1,
        "finished_at": at if over else None,
        "error_fingerprint": f"g{number % 2}" if status == "failed" else None,
        "idempotency_key": f"key-{number}",
    }


@pytest.mark.parametrize("name", ORDERED)
def test_a_list_walks_the_index_of_its_order(filed: Connection, name: str) -> None:
    read, promised = ORDERED[name]
    assert scans(filed, read) <= promised


@pytest.mark.parametrize("name", PROBED)
def test_few_rows_are_found_by_their_keys(filed: Connection, name: str) -> None:
    assert scans(filed, PROBED[name][0]) <= {RUNNING}


@pytest.mark.parametrize("name", SAMPLED)
def test_only_open_work_is_counted(filed: Connection, name: str) -> None:
    assert scans(filed, SAMPLED[name]) <= {*OPEN, PENDING}


def scans(conn: Connection, read: Read) -> set[str]:
    """The indexes that the reading walks from end to end, or the table itself where it does even that."""
    executed: list[tuple[str, Any]] = []

    def keep(_conn: Connection, _cursor: object, statement: str, parameters: Any, *_more: object) -> None:
        executed.append((statement, parameters))

    event.listen(conn, "before_cursor_execute", keep)
    try:
        read(conn)
    finally:
        event.remove(conn, "before_cursor_execute", keep)
    plans = [conn.exec_driver_sql(f"EXPLAIN QUERY PLAN {sql}", values).all() for sql, values in executed]
    assert plans
    return {_walked(step.detail) for plan in plans for step in plan if _is_scan(step.detail)}


def _is_scan(detail: str) -> bool:
    return detail.startswith(tuple(f"SCAN {table}" for table in TABLES))


def _walked(detail: str) -> str:
    """`SCAN platform_jobs AS j USING COVERING INDEX ix` names the index last; without one, there is no USING."""
    return detail.partition(" INDEX ")[2] or detail
