"""The figures of one tenant keep to its own rows: neither others' work nor anybody's history is read for them."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, text

from tests.architecture.history import TABLES
from tests.architecture.test_page_plans import RUNNING, TENANT, Read, plans
from worker.queries import samples as kept
from worker.queries.pages import courses, fleet, flow, samples, tenant_backlog, tenant_flows
from worker.queries.pages.courses import SPANS

NOW = datetime.now(UTC)
MINE = UUID(int=1)
WAITING, DEAD = "ix_platform_jobs_tenant_waiting", "ix_platform_jobs_tenant_dead"
STATISTICS, BACKLOG = "ix_tenant_statistics_minutes_tenant", "ix_tenant_backlog_minutes_tenant"
FILLED = ("tenant_statistics_minutes", "tenant_backlog_minutes", "sample_minutes")
COUNTERS = (
    "jobs, late, run_ms, wait_ms, run_3, run_10, run_30, run_100, run_300, run_1000, run_3000, run_10000, run_30000,"
    " run_100000, run_300000, run_more, wait_3, wait_10, wait_30, wait_100, wait_300, wait_1000, wait_3000,"
    " wait_10000, wait_30000, wait_100000, wait_300000, wait_more"
)
FILL = f"""
INSERT INTO control.platform_jobs (id, tenant_id, job_type, queue, status, created_at, updated_at, available_at,
    finished_at)
SELECT gen_random_uuid(), lpad(to_hex(1 + n % 4), 32, '0')::uuid, 'type_1', 'queue_1', state, born, born, born,
    CASE WHEN state <> 'queued' THEN born END
FROM (
    SELECT n, now() - n * interval '1 minute' AS born,
        CASE WHEN n % 20 = 0 THEN 'queued' WHEN n % 20 = 1 THEN 'failed' ELSE 'succeeded' END AS state
    FROM generate_series(1, 40000) AS n
) AS made;
INSERT INTO control.tenant_statistics_minutes (minute, tenant_id, handler_key, queue, outcome, {COUNTERS})
SELECT date_trunc('minute', now()) - n * interval '1 minute', lpad(to_hex(t), 32, '0')::uuid, 'h', 'q', 'completed',
    {", ".join("1" for _ in COUNTERS.split(","))}
FROM generate_series(0, 5000) AS n, generate_series(1, 12) AS t;
INSERT INTO control.sample_minutes (minute, ready, oldest_seconds, scheduled, running, dead, tenants_in_full)
SELECT date_trunc('minute', now()) - n * interval '1 minute', 1, 1, 1, 1, 1, true FROM generate_series(0, 5000) AS n;
INSERT INTO control.tenant_backlog_minutes (minute, tenant_id, queue, handler_key, ready, oldest_seconds, scheduled,
    running, dead)
SELECT minute, lpad(to_hex(t), 32, '0')::uuid, 'q', 'h', 1, 1, 1, 1, 1
FROM control.sample_minutes, generate_series(1, 12) AS t;
"""


@pytest.fixture(scope="module")
def stocked(filled: Connection) -> Iterator[Connection]:
    """The same with forty thousand jobs of four tenants, and three days of the minutes of twelve."""
    for statement in filter(str.strip, FILL.split(";\n")):
        filled.execute(text(statement))
    for table in ("platform_jobs", *FILLED):
        filled.execute(text(f"VACUUM ANALYZE control.{table}"))
    yield filled
    filled.execute(text("DELETE FROM control.platform_jobs WHERE tenant_id IS NOT NULL AND idempotency_key IS NULL"))
    filled.execute(text(f"TRUNCATE {', '.join(f'control.{table}' for table in FILLED)}"))
    filled.execute(text("VACUUM (FULL, ANALYZE) control.platform_jobs"))


def seen(conn: Connection) -> None:
    samples.backlog(conn, since=NOW - timedelta(hours=1), until=NOW, slot_seconds=60, tenant_id=MINE)


PROBED: dict[str, tuple[Read, set[str]]] = {
    "what is open": (lambda conn: tenant_backlog.of_tenant(conn, tenant_id=MINE, held=(), now=NOW), {WAITING, DEAD}),
    "what waits first of several": (
        lambda conn: tenant_backlog.heads(conn, tenant_ids=[MINE, UUID(int=2)], now=NOW), {WAITING},
    ),
    "how fast it comes and goes of several": (
        lambda conn: tenant_flows.read(conn, tenant_ids=[MINE, UUID(int=2)], now=NOW), {TENANT, STATISTICS},
    ),
    "what runs": (lambda conn: fleet.held(conn, tenant_id=MINE), {RUNNING}),
    "how fast it comes and goes": (lambda conn: flow.read(conn, now=NOW, tenant_id=MINE), {TENANT, STATISTICS}),
    "the course of a day": (lambda conn: courses.read(conn, SPANS["24h"], tenant_id=MINE, now=NOW), {STATISTICS}),
    "the course of one of its queues": (
        lambda conn: courses.read(conn, SPANS["24h"], tenant_id=MINE, queue="q", now=NOW), {STATISTICS},
    ),
    "how much waited": (seen, {BACKLOG, "pk_sample_minutes"}),
    "what is past its time": (
        kept.prune,
        {"pk_sample_minutes", "pk_backlog_minutes", "ix_finding_minutes_minute", "pk_tenant_backlog_minutes"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROBED)
def test_what_is_told_of_a_tenant_reads_its_own_index(stocked: Connection, name: str) -> None:
    read, promised = PROBED[name]
    for steps in plans(stocked, read):
        tables = {*TABLES, *FILLED}
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in tables] == []
        used = {step.index for step in steps if step.table in tables or step.kind.startswith("Bitmap")} - {None}
        assert used <= promised
