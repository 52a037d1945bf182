"""The engine's statements on a SQLite file: none walks through a table of work."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event

from tests import files
from tests.factories import NOON, claimed, job, job_types, tenant
from worker.model import AttemptOutcome, Event, Status
from worker.queries import retention
from worker.queries.audit import Actor
from worker.queries.cancellations import cancel
from worker.queries.claims import claim, release, renew
from worker.queries.dead_letters import replay
from worker.queries.jobs import NewJob, enqueue
from worker.queries.legacy import retag
from worker.queries.outbox import publish, relay
from worker.queries.outcomes import finish
from worker.queries.pages import step_tallies, total_times
from worker.queries.pages.figures import sample
from worker.queries.pages.stuck import Watch
from worker.queries.pages.tenant_figures import of_tenant
from worker.queries.pages.tenant_rows import listing
from worker.queries.provisioning import ensure_provision_job, status
from worker.queries.recovery import recover
from worker.queries.results import Result
from worker.subscribers import Subscribers

TYPES = job_types("render_report")
DANA = Actor("dana")
WALKED = re.compile(
    r"SCAN (platform_jobs|event_outbox|job_attempts|statistics_minutes)(_\d+)?\b"
    r"(?! USING (COVERING )?INDEX ix_\w+_(pending|scheduled|running)\b)"  # which hold no more than is to be done
)


@pytest.fixture
def conn(file: Path, tmp_path: Path) -> Iterator[Connection]:
    """A connection on a fresh file."""
    engine = files.fresh(file, tmp_path / "queue.db")
    with engine.begin() as conn:
        yield conn
    engine.dispose()


def plans(engine: Engine) -> list[str]:
    """The steps of every statement that is executed from now on."""
    steps: list[str] = []

    def explain(conn: Connection, cursor: Any, statement: str, parameters: Any, _: Any, many: bool) -> None:
        if not many and statement.startswith(("SELECT", "INSERT", "UPDATE", "DELETE", "WITH")):
            session: Any = conn.connection.dbapi_connection
            steps.extend(
                f"{row[3]} in {statement}" for row in session.execute(f"EXPLAIN QUERY PLAN {statement}", parameters)
            )

    event.listen(engine, "before_cursor_execute", explain)
    return steps


def act(conn: Connection) -> None:
    """Every duty of the engine once."""
    subscribers = Subscribers()
    subscribers.register("stock", "order.created", lambda job: None)
    ids = [job(conn, status=state) for state in (Status.FAILED, Status.FAILED, Status.QUEUED)]
    mine, failed = (claimed(conn, job(conn, status=Status.RUNNING)) for _ in range(2))
    enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k"))
    enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k"), retry_terminal=True)
    publish(conn, Event("order.created", {}))
    relay(conn, subscribers)
    renew(conn, instance_id="worker-1", claims=[mine.claim], lease_seconds=300, now=NOON)
    retag(conn, {"stock": "warehouse"})
    claim(conn, instance_id="me", job_types=["render_report"], queues=None, after="", limit=1, lease_seconds=300)
    results = [Result(mine, AttemptOutcome.COMPLETED, run_ms=1), Result(failed, AttemptOutcome.DEAD_LETTER, run_ms=1)]
    finish(conn, instance_id="worker-1", results=results)
    release(conn, instance_id="worker-1", claims=[mine.claim])
    recover(conn, stale_after_seconds=900)
    replay(conn, job_ids=ids, actor=DANA, reason=None)
    cancel(conn, job_ids=ids, actor=DANA, reason=None)
    retention.prune(conn, retention_days=30)


def test_no_duty_of_the_engine_walks_through_a_table_of_work(conn: Connection) -> None:
    steps = plans(conn.engine)
    act(conn)
    assert len(steps) > 20
    assert [step for step in steps if WALKED.match(step)] == []


def test_a_provisioning_is_found_by_its_key(conn: Connection) -> None:
    acme = tenant(conn)
    steps = plans(conn.engine)
    ensure_provision_job(conn, TYPES, tenant_id=acme)
    status(conn, tenant_id=acme)
    found = [step.partition(" in ")[0] for step in steps if "platform_jobs_1" in step.partition(" in ")[0]]
    assert found
    assert [step for step in found if not re.search("^SEARCH .* USING INDEX uq_platform_jobs_key", step)] == []


def test_the_fleet_of_tenants_is_read_by_keys(conn: Connection) -> None:
    tenant(conn, "active", onboarding_status="active", activated_at=NOON)
    ensure_provision_job(conn, TYPES, tenant_id=tenant(conn))
    steps, watch = plans(conn.engine), Watch(None, 300)
    values = {"containing": "", "after_urgency": -1, "after_slug": "", "after_resting": "", "at_place": None}
    for state in (None, "stuck", "active"):
        shown = listing(containing=False, state=state, at_step=False)
        assert conn.execute(shown, {**values, **watch.values, "at_now": NOON}).all() or state
    step_tallies.read(conn, watch=watch, now=NOON)
    total_times.usual(conn)
    assert len(steps) > 10
    assert [step for step in steps if WALKED.match(step)] == []


def test_the_figures_of_a_tenant_are_read_by_its_own_indexes(conn: Connection) -> None:
    acme = tenant(conn)
    steps = plans(conn.engine)
    of_tenant(conn, sample(conn, now=NOON), tenant_id=acme)
    theirs = [step for step in steps if "of_tenant" in step or "tenant_id" in step]
    jobs = [
        step.partition(" in ")[0] for step in theirs if step.startswith(("SEARCH platform_jobs", "SCAN platform_jobs"))
    ]
    assert {each.split("INDEX ")[1].split(" ")[0] for each in jobs} == {
        "ix_platform_jobs_tenant",
        "ix_platform_jobs_tenant_waiting",
        "ix_platform_jobs_tenant_dead",
        "ix_platform_jobs_running",
    }
    assert [each for each in jobs if "ix_platform_jobs_tenant " in each and "created_at>?" not in each] == []
