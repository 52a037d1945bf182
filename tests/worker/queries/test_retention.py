"""Retention: what is old goes, in batches; dead letters and direct jobs never do."""

from datetime import timedelta

from sqlalchemy import Connection, func, insert, select

from tests.factories import NOON, job, stored, worker_instance
from tests.worker.queries.bulk_acts.desk import press
from worker.model import AttemptOutcome, Event, Status, new_id
from worker.queries import statistics
from worker.queries.outbox import publish, relay
from worker.queries.retention import prune
from worker.queries.schema import (
    bulk_act_jobs,
    bulk_acts,
    event_outbox,
    platform_jobs,
    statistics_minutes,
    tenant_statistics_minutes,
    worker_instances,
)
from worker.subscribers import Subscribers

OLD = NOON - timedelta(days=31)
EVENT = {"job_type": "run_subscriber", "event_type": "order.created", "subscriber_id": "crm.sync"}


def left(conn: Connection) -> int:
    return conn.execute(select(func.count()).select_from(platform_jobs)).scalar_one()


def test_s2_24_an_old_finished_event_job_goes(conn: Connection) -> None:
    job(conn, status=Status.SUCCEEDED, finished_at=OLD, event_id="e1", **EVENT)
    kept = job(conn, status=Status.SUCCEEDED, finished_at=NOON - timedelta(days=29), event_id="e2", **EVENT)
    assert prune(conn, retention_days=30, now=NOON)["jobs"] == 1
    assert stored(conn, kept)


def test_s2_25_dead_letters_and_direct_jobs_are_never_pruned(conn: Connection) -> None:
    job(conn, status=Status.FAILED, finished_at=OLD, event_id="e1", **EVENT)
    job(conn, status=Status.SUCCEEDED, finished_at=OLD)
    job(conn, status=Status.CANCELLED, finished_at=OLD)
    assert prune(conn, retention_days=30, now=NOON + timedelta(days=3650))["jobs"] == 0
    assert left(conn) == 3


def test_a_59_a_job_outlives_the_outbox_row_it_came_from(conn: Connection) -> None:
    known = Subscribers()
    known.register("order.created", "crm.sync", lambda job: None)
    publish(conn, Event("order.created", {}, event_id="e1"), now=OLD)
    with conn.engine.begin() as mine:
        relay(mine, known, now=NOON - timedelta(days=29))
    conn.execute(platform_jobs.update().values(status="succeeded", finished_at=OLD))
    assert prune(conn, retention_days=30, now=NOON)["jobs"] == 0
    assert prune(conn, retention_days=30, now=NOON + timedelta(days=2)) == {
        "events": 1, "jobs": 1, "workers": 0, "acts": 0, "statistics": 0, "sleepers": 0,
    }  # fmt: skip


def test_an_act_goes_with_its_jobs_once_nothing_more_is_to_come_of_it(conn: Connection) -> None:
    over, watched = (press(conn, [job(conn, status=Status.FAILED)], now=OLD) for _ in range(2))
    conn.execute(bulk_acts.update().where(bulk_acts.c.id == over.id).values(next_at=None))
    assert prune(conn, retention_days=30, now=NOON)["acts"] == 1
    assert conn.execute(select(bulk_act_jobs.c.act_id)).scalars().all() == [watched.id]


def test_retention_off_keeps_everything(conn: Connection) -> None:
    job(conn, status=Status.SUCCEEDED, finished_at=OLD, event_id="e1", **EVENT)
    assert prune(conn, retention_days=0, now=NOON)["jobs"] == 0


def test_an_unrelayed_event_is_never_pruned(conn: Connection) -> None:
    publish(conn, Event("order.created", {}), now=OLD)
    prune(conn, retention_days=1, now=NOON)
    assert conn.execute(select(func.count()).select_from(event_outbox)).scalar_one() == 1


def test_a_batch_is_bounded(conn: Connection) -> None:
    for number in range(5):
        job(conn, status=Status.SUCCEEDED, finished_at=OLD, event_id=f"e{number}", **EVENT)
    assert prune(conn, retention_days=30, limit=3, now=NOON)["jobs"] == 3


def test_a_batch_of_gone_workers_is_bounded(conn: Connection) -> None:
    for number in range(5):
        worker_instance(conn, f"w{number}", last_heartbeat_at=OLD)
    lives = worker_instance(conn, "lives", last_heartbeat_at=NOON)
    assert [prune(conn, retention_days=30, limit=3, now=NOON)["workers"] for _ in range(3)] == [3, 2, 0]
    assert conn.execute(select(worker_instances.c.instance_id)).scalars().all() == [lives]


def test_statistics_go_a_day_at_a_time(conn: Connection) -> None:
    for days in (93, 92, 91, 89):
        minute = {"minute": NOON - timedelta(days=days), "handler_key": "nothing", "queue": "default"}
        figures = {"outcome": "completed", "jobs": 1, "run_ms": 1, "wait_ms": 1}
        conn.execute(insert(statistics_minutes), minute | figures)
    assert [prune(conn, retention_days=30, now=NOON)["statistics"] for _ in range(4)] == [1, 1, 1, 0]
    assert conn.execute(select(func.count()).select_from(statistics_minutes)).scalar_one() == 1


def test_what_ended_of_a_tenant_is_forgotten_after_eight_days_five_minutes_at_a_time(conn: Connection) -> None:
    theirs = statistics.Measured("mail", "default", AttemptOutcome.COMPLETED, 10, 10, tenant_id=new_id())
    for days, minutes in ((9, 5), (9, 1), (9, 0), (8, -1)):
        statistics.add(conn, [theirs], now=NOON - timedelta(days=days, minutes=minutes))
    assert [prune(conn, retention_days=30, now=NOON)["statistics"] for _ in range(3)] == [2, 1, 0]
    left = select(tenant_statistics_minutes.c.minute)
    assert conn.execute(left).scalars().all() == [NOON - timedelta(days=8) + timedelta(minutes=1)]
