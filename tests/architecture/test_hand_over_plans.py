"""A shift reads its own rows of the trail and its own acts, however long the history is."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, text

from tests.architecture.history import TABLES
from tests.architecture.test_page_plans import DEAD, GROUP, plans
from worker.queries.pages import figures, hand_over

NOW = datetime.now(UTC)
FILLED = ("operator_actions", "bulk_acts")
PROMISED = {
    "ix_operator_actions_at",
    "ix_bulk_acts_page",
    "ix_releases_at",
    "ix_releases_component",
    "pk_releases",
    DEAD,
    GROUP,
    "pk_job_attempts",
    "pk_operator_action_jobs",
    "pk_dead_letter_groups",
    "pk_tenants",
}
FILL = """
INSERT INTO control.operator_actions (at, actor, action, outcome, previous_hash, hash)
SELECT now() - n * interval '1 minute', 'dana', 'sign-in', 'done', 'h-' || n - 1, 'h-' || n
FROM generate_series(1, 20000) AS n;
INSERT INTO control.bulk_acts (id, action, state, mode, undo_seconds, chosen_at, actor)
SELECT gen_random_uuid(), 'replay', 'done', 'all', 8, now() - n * interval '1 minute', 'dana'
FROM generate_series(1, 20000) AS n;
"""


@pytest.fixture(scope="module")
def stocked(filled: Connection) -> Iterator[Connection]:
    """The same with a long trail and many acts."""
    for statement in filter(str.strip, FILL.split(";\n")):
        filled.execute(text(statement))
    for table in FILLED:
        filled.execute(text(f"VACUUM ANALYZE control.{table}"))
    yield filled
    filled.execute(text("TRUNCATE control.operator_actions, control.bulk_acts CASCADE"))


def test_a_shift_reads_the_indexes_of_time(stocked: Connection) -> None:
    seen, tables = figures.sample(stocked, now=NOW), {*TABLES, *FILLED}
    used: set[str | None] = set()
    span: dict[str, Any] = {"since": NOW - timedelta(hours=8), "until": NOW}
    for steps in plans(stocked, lambda conn: hand_over.read(conn, seen, **span, now=NOW)):
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in tables] == []
        used |= {step.index for step in steps if step.table in tables}
    assert used - {None} <= PROMISED
    assert used >= {"ix_operator_actions_at", "ix_bulk_acts_page", GROUP}


def test_a_shift_in_a_lens_reads_the_tenants_own(stocked: Connection) -> None:
    seen, tables = figures.sample(stocked, now=NOW), {*TABLES, *FILLED}
    used: set[str | None] = set()
    span: dict[str, Any] = {"since": NOW - timedelta(hours=8), "until": NOW}
    for steps in plans(stocked, lambda conn: hand_over.read(conn, seen, tenant_id=UUID(int=7), **span, now=NOW)):
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in tables] == []
        used |= {step.index for step in steps if step.table in tables}
    assert used >= {"ix_operator_actions_at", "ix_bulk_acts_page", "ix_platform_jobs_tenant_group"}
    assert DEAD not in used
