"""S1, the two revisions that made the table: a plain record first, then a queue."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, inspect, make_url, text

from tests.conformance.acts import take
from worker import migrate
from worker.database import autocommit, connect

pytestmark = pytest.mark.postgresql

RECORD, QUEUE = "20260722_c001", "20260727_c003"
OLD_ROW = text("INSERT INTO control.platform_jobs (id, job_type) VALUES (gen_random_uuid(), 'render_report')")


@pytest.fixture
def empty(server: str) -> Iterator[Engine]:
    """An engine on a database with nothing in it."""
    maintenance = autocommit(connect(server, application_name="tests"))
    with maintenance.connect() as conn:
        conn.execute(text("CREATE DATABASE revisions"))
    engine = connect(make_url(server).set(database="revisions").render_as_string(), application_name="tests")
    yield engine
    engine.dispose()
    with maintenance.connect() as conn:
        conn.execute(text("DROP DATABASE revisions"))
    maintenance.dispose()


def columns(engine: Engine) -> set[str]:
    return {column["name"] for column in inspect(engine).get_columns("platform_jobs", schema="control")}


def test_s1_07_the_first_revision_makes_a_plain_record(empty: Engine) -> None:
    migrate.upgrade(empty, RECORD)
    record = {"id", "tenant_id", "job_type", "status", "progress", "steps_completed", "error_detail"}
    assert columns(empty) == record | {"created_at", "updated_at"}


def test_s1_09_the_second_makes_it_a_queue_and_old_rows_can_be_claimed(empty: Engine) -> None:
    migrate.upgrade(empty, RECORD)
    with empty.begin() as conn:
        conn.execute(OLD_ROW)
    migrate.upgrade(empty, QUEUE)
    assert {"payload", "idempotency_key", "attempts", "available_at", "locked_at", "locked_by"} <= columns(empty)
    migrate.upgrade(empty)
    with empty.begin() as conn:
        later = conn.execute(text("SELECT now() + interval '1 minute'")).scalar_one()
        assert [each.attempts for each in take(conn, now=later)] == [1]
