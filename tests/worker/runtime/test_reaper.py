"""The reaper: leases alone decide, and one bad row holds up nobody."""

from datetime import timedelta

from sqlalchemy import Connection, Engine, func, select, text
from structlog.testing import LogCapture

from tests.factories import attempts, job, stored, worker_instance
from tests.worker.runtime.bench import captured
from worker.model import Status
from worker.queries.schema import platform_jobs
from worker.runtime.reaper import Reaper


def reaper(engine: Engine) -> tuple[Reaper, LogCapture]:
    log, said = captured()
    return Reaper(engine, 900, log), said


def stale(conn: Connection, count: int = 1) -> None:
    now = conn.execute(select(func.now())).scalar_one()
    for _ in range(count):
        job(conn, status=Status.RUNNING, lease_expires_at=now - timedelta(seconds=1))


def test_s1_113_and_a_03_a_lease_that_is_over_goes_back_whoever_held_it(engine: Engine, conn: Connection) -> None:
    worker_instance(conn)
    stale(conn)
    conn.execute(text("DELETE FROM control.worker_instances"))
    subject, said = reaper(engine)
    assert not subject.tick()
    row = conn.execute(select(platform_jobs)).one()
    assert (row.status, row.error_detail, row.locked_by) == ("queued", "Recovered after worker lease expired.", None)
    assert attempts(conn, row.id)[0].outcome == "lease_expired"
    (entry,) = said.entries
    assert (entry["event"], entry["requeued"], entry["holders"]) == ("job.recovered", 1, {"worker-1": 1})


def test_a_full_batch_is_followed_by_another(engine: Engine, conn: Connection) -> None:
    stale(conn, 101)
    subject, _ = reaper(engine)
    assert subject.tick()
    assert not subject.tick()
    left = select(func.count()).where(platform_jobs.c.status == Status.RUNNING)
    assert conn.execute(left).scalar_one() == 0


def test_a_11_rows_that_the_database_refuses_do_not_make_it_spin(engine: Engine, conn: Connection) -> None:
    stale(conn, 100)
    good = job(conn, status=Status.RUNNING, lease_expires_at=None, id="00000000-0000-0000-0000-000000000001")
    conn.execute(
        text("UPDATE control.platform_jobs SET locked_at = now() - interval '1 day' WHERE lease_expires_at IS NULL")
    )
    conn.execute(
        text(
            "CREATE FUNCTION control.refuse() RETURNS trigger LANGUAGE plpgsql"
            " AS $$ BEGIN RAISE EXCEPTION 'no'; END $$;"
            "CREATE TRIGGER refuse BEFORE UPDATE ON control.platform_jobs FOR EACH ROW"
            f" WHEN (NEW.id <> '{good}') EXECUTE FUNCTION control.refuse()"
        )
    )
    subject, said = reaper(engine)
    try:
        assert subject.tick(), "one of a full batch moved: look again"
        assert not subject.tick(), "nothing moved: wait for the interval"
    finally:
        conn.execute(text("DROP FUNCTION control.refuse() CASCADE"))
    assert stored(conn, good).status == "queued"
    assert sum(entry["event"] == "recovery.refused" for entry in said.entries) == 199
