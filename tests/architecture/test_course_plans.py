"""A chart of one queue or one handler reads its own minutes, however many others there are; and so does its page."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection, text

from tests.architecture.history import TABLES
from tests.architecture.test_page_plans import READY, Read, plans
from worker.queries.pages import audit, backlog, courses
from worker.queries.pages.courses import SPANS

NOW = datetime.now(UTC)
DAY = SPANS["24h"]
OF_QUEUE, OF_HANDLER = "ix_statistics_minutes_queue", "ix_statistics_minutes_handler"
FILLED = ("statistics_minutes", "operator_actions")
FILL = """
INSERT INTO control.statistics_minutes (minute, handler_key, queue, outcome, jobs, run_ms, wait_ms)
SELECT date_trunc('minute', now()) - n * interval '1 minute', 'h-' || h, 'q-' || h, 'completed', 1, 1, 1
FROM generate_series(0, 10000) AS n, generate_series(1, 12) AS h;
INSERT INTO control.operator_actions (at, actor, action, outcome, target, previous_hash, hash)
SELECT now(), 'dana', 'sign-in', 'done', 'target-' || n, 'h-' || n - 1, 'h-' || n FROM generate_series(1, 20000) AS n;
"""
PROBED: dict[str, tuple[Read, str]] = {
    "the course of a queue": (lambda conn: courses.read(conn, DAY, queue="q-3", now=NOW), OF_QUEUE),
    "the course of a handler": (lambda conn: courses.read(conn, DAY, handler="h-3", now=NOW), OF_HANDLER),
    "what is ready on a deep queue": (
        lambda conn: backlog.of_queue(conn, [], queue="queue_1", deep=True),
        READY,
    ),
    "the acts on a queue": (
        lambda conn: audit.of_target(conn, target="target-7", actions=("pause",), limit=8),
        "ix_operator_actions_target",
    ),
}


@pytest.fixture(scope="module")
def stocked(filled: Connection) -> Iterator[Connection]:
    """The same with a week of statistics of twelve queues, and a long trail."""
    for statement in filter(str.strip, FILL.split(";\n")):
        filled.execute(text(statement))
    for table in FILLED:
        filled.execute(text(f"VACUUM ANALYZE control.{table}"))
    yield filled
    filled.execute(text("TRUNCATE control.statistics_minutes, control.operator_actions CASCADE"))


@pytest.mark.parametrize("name", PROBED)
def test_a_page_of_one_thing_reads_the_index_of_its_name(stocked: Connection, name: str) -> None:
    read, promised = PROBED[name]
    for steps in plans(stocked, read):
        tables = {*TABLES, *FILLED}
        assert [step for step in steps if step.kind == "Seq Scan" and step.table in tables] == []
        used = {step.index for step in steps if step.table in tables or step.kind.startswith("Bitmap")} - {None}
        assert used == {promised}
