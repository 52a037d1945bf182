"""The migrations: they build what the code describes, and keep what was there."""

import signal
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import Engine, text

from tests.worker.databases import dump, fresh
from tests.worker.migrator import migrator
from tests.worker.runtime.bench import until
from worker import migrate
from worker.database import serialise
from worker.queries.schema import metadata

OLD_ROW = text(
    "INSERT INTO control.platform_jobs (id, job_type, status) VALUES (gen_random_uuid(), :job_type, :status)"
)

# Whoever is the first to come as far as that table dies there
PRESENT = text("SELECT count(DISTINCT application_name) FROM pg_stat_activity WHERE application_name LIKE 'migrator%'")


@pytest.fixture
def empty(server: str) -> Iterator[Engine]:
    """An engine on a database with nothing in it."""
    with fresh(server, "empty") as engine:
        yield engine


def test_the_migrated_database_equals_the_metadata(empty: Engine, migrated: Engine) -> None:
    with empty.begin() as conn:
        conn.execute(text("CREATE SCHEMA control"))
        metadata.create_all(conn)
    built = "\n".join(dump(migrated, rights=False)).split("CREATE FUNCTION control.enqueue_job")
    function, rest = built[1].split("$_$;", 1)
    assert "run_subscriber" in function
    assert [line for line in (built[0] + rest).splitlines() if line] == [
        line for line in dump(empty, rights=False) if line
    ]


def test_s1_09_rows_of_the_plain_record_survive_and_can_be_claimed(empty: Engine) -> None:
    migrate.upgrade(empty, "20260722_c001")
    with empty.begin() as conn:
        for job_type, status in (("a", "queued"), ("b", "failed")):
            conn.execute(OLD_ROW, {"job_type": job_type, "status": status})
    migrate.upgrade(empty)
    with empty.connect() as conn:
        rows = conn.execute(text("SELECT job_type, queue, attempts, finished_at FROM control.platform_jobs ORDER BY 1"))
        (queued, failed) = rows.all()
    assert (queued.queue, queued.attempts, queued.finished_at) == ("default", 0, None)
    assert failed.finished_at is not None


@pytest.mark.parametrize("before", [None, "20261129_c004"], ids=["from nothing", "from a version before"])
def test_a_26_and_a_27_of_four_migrators_one_works_and_another_takes_over_when_it_dies(
    empty: Engine, migrated: Engine, before: str | None, tmp_path: Path
) -> None:
    if before:
        migrate.upgrade(empty, before)
    with ExitStack() as stack:
        with empty.begin() as first:
            serialise(first, "watchfloor migrate")
            migrators = [stack.enter_context(migrator(empty, number, tmp_path / "died")) for number in range(4)]
            until(lambda: present(migrated) == 4)
        assert sorted(each.wait() for each in migrators) == [-signal.SIGKILL, 0, 0, 0]
    assert dump(empty) == dump(migrated)


def present(engine: Engine) -> int:
    with engine.begin() as conn:
        return int(conn.execute(PRESENT).scalar_one())


def test_upgrading_twice_changes_nothing(migrated: Engine) -> None:
    migrate.upgrade(migrated)
    with migrated.connect() as conn:
        assert migrate.current(conn) == migrate.head()
