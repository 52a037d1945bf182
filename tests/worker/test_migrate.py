"""The migrations: they build what the code describes, and keep what was there."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Engine, text
from sqlalchemy.exc import OperationalError

from tests.worker.databases import dump, fresh
from tests.worker.runtime.bench import until
from worker import migrate
from worker.database import connect
from worker.queries.schema import metadata

OLD_ROW = text(
    "INSERT INTO control.platform_jobs (id, job_type, status) VALUES (gen_random_uuid(), :job_type, :status)"
)

# Whoever holds the migrators' lock, once all four are there
KILL = text("""
WITH present AS (SELECT * FROM pg_stat_activity WHERE datname = :database AND application_name LIKE 'migrator%'),
    holder AS (SELECT application_name FROM pg_locks JOIN present USING (pid) WHERE locktype = 'advisory' AND granted)
SELECT count(pg_terminate_backend(pid)) FROM present JOIN holder USING (application_name)
WHERE (SELECT count(DISTINCT application_name) FROM present) = 4
""")


@pytest.fixture
def empty(server: str) -> Iterator[Engine]:
    """An engine on a database with nothing in it."""
    with fresh(server, "empty") as engine:
        yield engine


def test_the_migrated_database_equals_the_metadata(empty: Engine, migrated: Engine) -> None:
    with empty.begin() as conn:
        conn.execute(text("CREATE SCHEMA control"))
        metadata.create_all(conn)
    built = "\n".join(dump(migrated)).split("CREATE FUNCTION control.enqueue_job")
    function, rest = built[1].split("$_$;", 1)
    assert "run_subscriber" in function
    assert [line for line in (built[0] + rest).splitlines() if line] == [line for line in dump(empty) if line]


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
    empty: Engine, migrated: Engine, before: str | None
) -> None:
    if before:
        migrate.upgrade(empty, before)
    engines = [connect(address(empty), application_name=f"migrator {number}") for number in range(4)]
    with ThreadPoolExecutor(4) as pool:
        migrating = [pool.submit(migrate.upgrade, engine) for engine in engines]
        until(lambda: kill_the_first(migrated, str(empty.url.database)))
        problems = [each.exception(60) for each in migrating]
    for engine in engines:
        engine.dispose()
    assert [type(each) for each in problems if each] == [OperationalError]
    assert dump(empty) == dump(migrated)


def address(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


def kill_the_first(server: Engine, database: str) -> bool:
    """End the one that migrates, with both its sessions; whether it was there."""
    with server.begin() as conn:
        return bool(conn.execute(KILL, {"database": database}).scalar())


def test_upgrading_twice_changes_nothing(migrated: Engine) -> None:
    migrate.upgrade(migrated)
    with migrated.connect() as conn:
        assert migrate.current(conn) == migrate.head()
