"""S1, the table: one row is message, retry state and record, in the database of everything else."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from sqlalchemy import Connection, Engine, text
from sqlalchemy.exc import IntegrityError

from tests.conformance.acts import ME, SEALED, end, jobs, sweep, take
from tests.factories import NOON, attempts, claimed, job, stored, tenant
from tests.worker.runtime.bench import Start, nothing, put, status, until
from worker.job_types import SUPPORTED_JOB_TYPES, JobTypes
from worker.model import Status
from worker.queries import tenants
from worker.queries.audit import Actor
from worker.queries.cancellations import cancel
from worker.queries.claims import release
from worker.queries.dead_letters import replay
from worker.queries.jobs import NewJob, enqueue
from worker.queries.schema import platform_jobs

ROOT = Path(__file__).resolve().parents[2]
LATER = NOON + timedelta(minutes=1)


def imports() -> Iterator[tuple[str, str]]:
    """Each module imported by our code, and who imports it."""
    for path in [*(ROOT / "app").rglob("*.py"), *(ROOT / "worker").rglob("*.py")]:
        where = path.relative_to(ROOT).as_posix()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield node.module, where
            elif isinstance(node, ast.Import):
                yield from ((each.name, where) for each in node.names)


@pytest.mark.parametrize("kind", sorted(SUPPORTED_JOB_TYPES))
def test_s1_01_work_that_outlives_a_request_becomes_one_queued_row(conn: Connection, kind: str) -> None:
    payload = SEALED if kind == "send_email" else {"of": "acme"}
    made = enqueue(conn, JobTypes(), NewJob(kind, payload, tenant_id=tenant(conn)))
    assert [(row.id, row.job_type, row.status) for row in jobs(conn)] == [(made.id, kind, "queued")]


@pytest.mark.postgresql
def test_s1_02_rows_wait_for_a_worker_that_takes_their_type(engine: Engine, start: Start) -> None:
    other, mine = put(engine, "render_report", "train_tenant_model")
    assert (status(engine, other), status(engine, mine)) == ("queued", "queued")
    start(train_tenant_model=nothing)
    until(lambda: status(engine, mine) == "succeeded")
    assert status(engine, other) == "queued"


def test_s1_03_there_is_no_message_broker_beside_the_database() -> None:
    foreign = {name.split(".")[0] for name, _ in imports()} - sys.stdlib_module_names - {"app", "worker"}
    assert "sqlalchemy" in foreign
    assert (
        foreign & {"redis", "valkey", "kombu", "celery", "pika", "aio_pika", "kafka", "confluent_kafka", "nats"}
        == set()
    )


def test_s1_04_a_job_that_is_over_stays_as_its_own_record(conn: Connection) -> None:
    id_ = job(conn, max_attempts=1)
    (mine,) = take(conn)
    end(conn, mine, ValueError("no such template"), now=LATER)
    row, (attempt,) = stored(conn, id_), attempts(conn, id_)
    assert (row.status, row.attempts, row.finished_at) == ("failed", 1, LATER)
    assert row.error_detail.endswith("ValueError: no such template")
    assert (attempt.claimed_at, attempt.finished_at) == (NOON, LATER)


@pytest.mark.parametrize("outcome", ["commit", "rollback"])
def test_s1_05_a_job_and_a_business_row_share_a_transaction(engine: Engine, conn: Connection, outcome: str) -> None:
    with engine.connect() as mine:
        tenants.add(mine, slug="acme", display_name="Acme")
        enqueue(mine, JobTypes(), NewJob("materialize_insights"))
        getattr(mine, outcome)()
    kept = outcome == "commit"
    assert (len(jobs(conn)), tenants.id_of(conn, slug="acme") is not None) == (kept, kept)


def test_s1_06_the_table_is_control_platform_jobs(conn: Connection) -> None:
    assert (platform_jobs.schema, platform_jobs.name) == ("control", "platform_jobs")
    assert jobs(conn) == []


def test_s1_08_the_database_refuses_a_sixth_status(conn: Connection) -> None:
    for status_ in Status:
        job(conn, status=status_)
    with pytest.raises(IntegrityError):
        job(conn, status="pending")  # type: ignore[arg-type] # the word of the other vocabulary


def test_s1_10_steps_completed_is_an_array_and_empty_at_first(conn: Connection) -> None:
    assert stored(conn, job(conn)).steps_completed == []
    with pytest.raises(IntegrityError):
        job(conn, steps_completed={"create_schema": True})


def test_s1_11_each_transition_moves_updated_at(conn: Connection) -> None:
    id_, dana = job(conn, max_attempts=1), Actor("dana")
    moves: list[Callable[[datetime], object]] = [
        lambda at: take(conn, now=at),
        lambda at: release(conn, instance_id=ME, claims=[claimed(conn, id_).claim], now=at),
        lambda at: take(conn, now=at),
        lambda at: sweep(conn, now=at + timedelta(hours=1)),
        lambda at: replay(conn, job_ids=[id_], actor=dana, reason=None, now=at),
        lambda at: take(conn, now=at),
        lambda at: end(conn, claimed(conn, id_), ValueError("no"), now=at),
        lambda at: cancel(conn, job_ids=[id_], actor=dana, reason=None, now=at),
    ]
    seen = [stored(conn, id_).updated_at]
    for hours, move in enumerate(moves):
        move(NOON + timedelta(hours=2 * hours))
        seen.append(stored(conn, id_).updated_at)
    assert stored(conn, id_).created_at < NOON
    assert all(earlier < later for earlier, later in pairwise(seen))


def test_s1_12_only_the_query_layer_knows_the_table() -> None:
    users = {where for name, where in imports() if name in ("worker.queries.schema", "sqlalchemy")}
    others = {where for where in users if not where.startswith(("worker/queries/", "worker/database"))}
    assert others <= {"worker/migrate.py"}


@pytest.mark.postgresql
def test_s1_20_a_partial_index_serves_the_claim_in_its_own_order(conn: Connection) -> None:
    found = text("SELECT indexdef FROM pg_indexes WHERE indexname = 'ix_platform_jobs_ready'")
    definition = conn.execute(found).scalar_one()
    assert "(queue, created_at, id) WHERE ((status = 'queued'::text) AND (NOT scheduled))" in definition


def test_s1_21_when_an_attempt_started_and_finished_is_kept(conn: Connection) -> None:
    id_ = job(conn)
    (mine,) = take(conn)
    end(conn, mine, now=LATER)
    (attempt,) = attempts(conn, id_)
    assert NOON <= attempt.started_at <= attempt.finished_at == LATER
