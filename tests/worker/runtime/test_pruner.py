"""The pruner: batch after batch, and a line that says how much went."""

from datetime import timedelta

from sqlalchemy import Connection, Engine, func, insert, select, text

from tests.factories import job
from tests.worker.runtime.bench import captured
from worker.model import Status, new_id
from worker.queries.schema import platform_jobs
from worker.runtime.pruner import Pruner


def old_event_jobs(conn: Connection, count: int) -> None:
    finished_at = conn.execute(select(func.now() - timedelta(days=31))).scalar_one()
    rows = [
        {"id": new_id(), "job_type": "run_subscriber", "status": Status.SUCCEEDED, "finished_at": finished_at}
        | {"event_id": str(new_id()), "event_type": "order.paid", "subscriber_id": "orders.mail"}
        for _ in range(count)
    ]
    conn.execute(insert(platform_jobs), rows)


def test_it_goes_on_while_a_batch_is_full_and_says_what_went(engine: Engine, conn: Connection) -> None:
    old_event_jobs(conn, 1001)
    log, said = captured()
    pruner = Pruner(engine, 30, log)
    assert pruner.tick()
    assert not pruner.tick()
    assert not pruner.tick()
    assert [(entry["event"], entry["jobs"]) for entry in said.entries] == [("rows.pruned", 1000), ("rows.pruned", 1)]


def test_s2_25_dead_letters_and_direct_jobs_stay(engine: Engine, conn: Connection) -> None:
    job(conn, status=Status.FAILED)
    job(conn, status=Status.SUCCEEDED)
    conn.execute(text("UPDATE control.platform_jobs SET finished_at = now() - interval '400 days'"))
    log, said = captured()
    assert not Pruner(engine, 30, log).tick()
    assert said.entries == []
    assert conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one() == 2
