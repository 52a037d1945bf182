"""The Tenants page costs what the fleet is worth, whatever the history of jobs behind it (R13)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from sqlalchemy import Connection, text

from tests.architecture.test_page_plans import plans
from worker.queries.pages import step_marks, step_tallies, tenants, total_times
from worker.queries.pages.stuck import Watch
from worker.queries.pages.tenant_rows import STATES
from worker.queries.pages.tenants import Wanted

NOW = datetime.now(UTC)
WATCH = Watch(frozenset({"provision-eu"}), 300)
HISTORY = ("platform_jobs", "job_steps", "job_attempts")
FILL = """
INSERT INTO control.tenants (id, slug, display_name, schema_name, onboarding_status, activated_at)
SELECT gen_random_uuid(), 'slug-' || n, 'Name ' || n, 'tenant_' || n,
    CASE WHEN n % 40 = 0 THEN 'provisioning' ELSE 'active' END, CASE WHEN n % 40 > 0 THEN now() END
FROM generate_series(1, 4000) AS n;
INSERT INTO control.platform_jobs (id, job_type, tenant_id, idempotency_key, status, attempts, generation, finished_at,
    steps_completed)
SELECT gen_random_uuid(), 'provision_tenant', id, 'provision:' || id,
    CASE WHEN onboarding_status = 'active' THEN 'succeeded' ELSE 'queued' END, 2, 2, activated_at, '["create_schema"]'
FROM control.tenants;
"""


@pytest.fixture(scope="module")
def fleet(filled: Connection) -> Iterator[Connection]:
    """Four thousand tenants, a hundred of them under way, beside a quarter of a million jobs."""
    filled.execute(text("TRUNCATE control.tenants CASCADE"))
    for statement in FILL.split(";\n"):
        if statement.strip():
            filled.execute(text(statement))
    for table in (*HISTORY, "tenants"):
        filled.execute(text(f"ANALYZE control.{table}"))
    yield filled
    filled.execute(text("DELETE FROM control.platform_jobs WHERE job_type = 'provision_tenant'"))
    filled.execute(text("TRUNCATE control.tenants CASCADE"))
    for table in (*HISTORY, "tenants"):  # else other tests' plans would be for thousands
        filled.execute(text(f"VACUUM ANALYZE control.{table}"))


def listed(**wanted: Any) -> Any:
    """Reads the first page and the second."""

    def read(conn: Connection) -> None:
        cursor = tenants.page(conn, Wanted(**wanted), watch=WATCH, now=NOW).older
        if cursor:
            tenants.page(conn, Wanted(**wanted), watch=WATCH, cursor=cursor, now=NOW)

    return read


READS = {
    "the fleet": listed(),
    "those with a word in the name": listed(containing="slug-7"),
    "those at a step": listed(step="run_tenant_migrations"),
    **{f"those that are {state}": listed(state=state) for state in STATES},
    "tallies": lambda conn: step_tallies.read(conn, watch=WATCH, now=NOW),
    "totals": total_times.usual,
}


@pytest.mark.parametrize("name", READS)
def test_the_history_is_found_by_its_indexes_alone(fleet: Connection, name: str) -> None:
    statements = plans(fleet, READS[name])
    for steps in statements:
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in HISTORY] == []
    assert any(step.index == "uq_platform_jobs_key" for steps in statements for step in steps)


def test_the_marks_are_read_by_job(fleet: Connection) -> None:
    statements = plans(fleet, lambda conn: step_marks.of(conn, [line.provisioning for line in _lines(conn)]))
    assert any(step.index == "pk_job_steps" for step in statements[-1])


def _lines(conn: Connection) -> list[tenants.Line]:
    return tenants.page(conn, watch=WATCH, now=NOW).lines
