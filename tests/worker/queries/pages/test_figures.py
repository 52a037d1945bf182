"""The figures that every viewer shares, and what follows from them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Engine, event, insert, text, update

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.model import Status, new_id
from worker.queries import audit, queues, releases
from worker.queries.audit import Actor
from worker.queries.outbox import NOBODY
from worker.queries.pages import figures, readiness
from worker.queries.pages.figures import Figures, count_text
from worker.queries.pages.outbox import OUTBOX
from worker.queries.schema import event_outbox, platform_jobs, worker_instances

DANA = Actor("dana")


def sample(conn: Connection) -> Figures:
    return figures.sample(conn, now=NOON)


def test_an_empty_database_is_quiet(conn: Connection) -> None:
    seen = sample(conn)
    assert (seen.ready, seen.running, seen.dead, seen.slots, seen.ready_since) == (0, 0, 0, 0, None)
    assert (seen.unserved, seen.silent, seen.transaction, seen.releases) == ((), (), None, [])
    assert [item.count for item in seen.nav()] == [None] * len(seen.nav())


def test_without_a_clock_the_database_tells_the_time(conn: Connection) -> None:
    before = readiness.clock(conn)
    assert figures.sample(conn).at >= before


def test_a_sample_is_a_handful_of_statements_and_writes_nothing(engine: Engine) -> None:
    seen: list[str] = []
    with engine.connect().execution_options(postgresql_readonly=True) as conn:
        event.listen(conn, "before_cursor_execute", lambda *arguments: seen.append(arguments[2]))
        sample(conn)
    assert len(seen) <= 14


def test_provisionings_are_taken_from_the_queues_of_the_live_workers_that_can(conn: Connection) -> None:
    assert sample(conn).provisioned_queues == frozenset()
    can: dict[str, Any] = {"job_types": ["provision_tenant"]}
    factories.worker_instance(conn, "w-1", queues=["provision", "default"], **can)
    factories.worker_instance(conn, "w-2", queues=["silent"], last_heartbeat_at=NOON - timedelta(minutes=5), **can)
    factories.worker_instance(conn, "w-3", queues=["leaving"], drain_requested_at=NOON, **can)
    factories.worker_instance(conn, "w-4", job_types=["render_report"], queues=None)
    assert sample(conn).provisioned_queues == frozenset({"provision", "default"})
    factories.worker_instance(conn, "w-5", queues=None, **can)
    assert sample(conn).provisioned_queues is None


@pytest.mark.parametrize("queues", [None, ["provision"]])
def test_the_tenants_are_drawn_anew_when_the_last_provisioner_falls_silent(
    conn: Connection, queues: list[str] | None
) -> None:
    factories.worker_instance(conn, job_types=["provision_tenant"], queues=queues)
    before = sample(conn).topics()["tenants"]
    assert sample(conn).topics()["tenants"] == before
    conn.execute(update(worker_instances).values(last_heartbeat_at=NOON - timedelta(minutes=5)))
    assert sample(conn).topics()["tenants"] != before


def test_work_that_nobody_live_takes_is_named_the_longest_waiting_first(conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["render_report"], queues=["default"])
    factories.job(conn, job_type="train", available_at=NOON - timedelta(minutes=1))
    factories.job(conn, job_type="render_report", queue="bulk", available_at=NOON - timedelta(minutes=9))
    factories.job(conn, job_type="render_report", queue="bulk", available_at=NOON - timedelta(minutes=8))
    factories.job(conn, job_type="render_report")
    factories.job(conn, job_type="later", scheduled=True, available_at=NOON + timedelta(hours=1))
    seen = [(each.job_type, each.queues, each.ready, each.more) for each in sample(conn).unserved]
    assert seen == [("render_report", ("bulk",), 2, False), ("train", ("default",), 1, False)]


@pytest.mark.parametrize("columns", [{"last_heartbeat_at": NOON - timedelta(minutes=2)}, {"drain_requested_at": NOON}])
def test_a_silent_or_draining_worker_serves_nothing(conn: Connection, columns: dict[str, Any]) -> None:
    factories.worker_instance(conn, **columns)
    factories.job(conn)
    assert [each.job_type for each in sample(conn).unserved] == ["render_report"]


def test_slots_are_those_of_workers_that_still_take_work(conn: Connection) -> None:
    factories.worker_instance(conn, "a", concurrency=8)
    factories.worker_instance(conn, "b", concurrency=4, drain_requested_at=NOON)
    factories.worker_instance(conn, "c", concurrency=2, last_heartbeat_at=NOON - timedelta(hours=2))
    seen = sample(conn)
    assert (seen.slots, len(seen.live)) == (8, 2)


def test_a_worker_silent_for_hours_is_no_news_unless_it_holds_jobs(conn: Connection) -> None:
    for name, silent_for in (("fresh", 50), ("long", 70), ("holding", 70)):
        factories.worker_instance(conn, name, last_heartbeat_at=NOON - timedelta(minutes=silent_for))
    factories.job(conn, status=Status.RUNNING, locked_by="holding")
    assert sorted(each.instance_id for each in sample(conn).silent) == ["fresh", "holding"]


def test_the_outbox_is_told_by_what_keeps_its_events(conn: Connection) -> None:
    for place, error in enumerate([None, NOBODY, NOBODY, "value too long"]):
        at = NOON - timedelta(minutes=place)
        row = {"id": new_id(), "event_id": str(place), "event_type": f"type {place}", "source": "api", "payload": {}}
        row |= {"occurred_at": at, "created_at": at, "relay_error": error, "retry_at": NOON if error else None}
        conn.execute(insert(event_outbox), row)
    outbox = sample(conn).outbox
    assert (outbox.fresh, outbox.fresh_since) == (1, NOON)
    assert (outbox.unsubscribed, outbox.unsubscribed_type, outbox.unsubscribed_types) == (2, "type 1", 2)
    assert (outbox.failing, outbox.failing_error, outbox.failing_since) == (
        1,
        "value too long",
        NOON - timedelta(minutes=3),
    )


def test_a_pause_that_lapsed_is_none(conn: Connection) -> None:
    queues.pause(
        conn,
        queue="mail",
        actor=DANA,
        reason="deploy",
        until=NOON - timedelta(minutes=1),
        now=NOON - timedelta(hours=1),
    )
    queues.pause(conn, queue="bulk", actor=DANA, reason="deploy", until=NOON + timedelta(minutes=1), now=NOON)
    assert list(sample(conn).paused) == ["bulk"]


@pytest.mark.postgresql
def test_the_oldest_transaction_that_holds_vacuum_back_is_seen(engine: Engine, conn: Connection) -> None:
    assert sample(conn).transaction is None
    with engine.connect() as holding, engine.connect() as idle:
        idle.execute(text("SELECT 1"))
        holding.execution_options(isolation_level="REPEATABLE READ").execute(text("SELECT 1"))
        found = sample(conn).transaction
        pid = holding.execute(text("SELECT pg_backend_pid()")).scalar_one()
    assert (found.pid, found.application, found.state) == (pid, "tests", "idle in transaction")


def test_the_releases_of_the_last_days_are_known(conn: Connection) -> None:
    for name, days in (("1", 9), ("2", 7), ("3", 1)):
        releases.record(conn, name=name, actor=Actor("token:ci"), at=NOON - timedelta(days=days), now=NOON)
    assert [each.name for each in sample(conn).releases] == ["2", "3"]


def test_the_rail_counts_what_waits_and_alarms_at_what_is_wrong(conn: Connection) -> None:
    factories.job(conn)
    factories.job(conn, status=Status.FAILED)
    factories.worker_instance(conn, last_heartbeat_at=NOON - timedelta(minutes=2))
    factories.tenant(conn, onboarding_status="provisioning")
    nav = {item.key: (item.count, item.alarm) for item in sample(conn).nav() if item.count}
    assert nav == {
        "queues": ("1", False),
        "dead-letters": ("1", True),
        "workers": ("1 silent", True),
        "tenants": ("1", False),
    }


@pytest.mark.parametrize(("number", "written"), [(None, None), (0, None), (1234, "1,234"), (100_000, "100,000+")])
def test_a_count_says_where_counting_stopped(number: int | None, written: str | None) -> None:
    assert count_text(number) == written


def changed(conn: Connection, act: Callable[[], object]) -> set[str]:
    before = sample(conn).topics()
    act()
    after = sample(conn).topics()
    return {topic for topic in before if before[topic] != after[topic]}


def test_topics_stand_still_while_nothing_happens(conn: Connection) -> None:
    factories.job(conn)
    factories.worker_instance(conn)
    assert changed(conn, lambda: None) == set()


def test_a_new_job_moves_queues_and_jobs(conn: Connection) -> None:
    factories.worker_instance(conn)
    assert changed(conn, lambda: factories.job(conn)) == {"queues", "jobs"}


def test_a_dead_letter_moves_the_inbox_and_the_overview(conn: Connection) -> None:
    assert changed(conn, lambda: factories.job(conn, status=Status.FAILED)) >= {"dead-letters", "overview"}


def test_a_worker_that_falls_silent_moves_workers_and_the_overview(conn: Connection) -> None:
    factories.worker_instance(conn)
    silence = update(worker_instances).values(last_heartbeat_at=NOON - timedelta(minutes=2))
    assert changed(conn, lambda: conn.execute(silence)) == {"workers", "overview"}


def test_a_provisioning_step_moves_tenants(conn: Connection) -> None:
    tenant_id = factories.tenant(conn, onboarding_status="provisioning")
    factories.job(conn, job_type="provision_tenant", tenant_id=tenant_id, status=Status.RUNNING)
    step = update(platform_jobs).values(progress=16.67)
    assert changed(conn, lambda: conn.execute(step)) == {"tenants"}


def test_whatever_an_operator_does_moves_every_topic(conn: Connection) -> None:
    topics = set(sample(conn).topics())
    assert changed(conn, lambda: audit.record(conn, actor=DANA, action="note", now=NOON)) == topics


def test_a_finished_minute_moves_queues_and_jobs(conn: Connection) -> None:
    assert changed(conn, lambda: minute(conn, NOON)) == {"queues", "jobs"}


@pytest.mark.postgresql
def test_relayed_events_are_never_read_however_many_there_are(conn: Connection) -> None:
    conn.exec_driver_sql(
        "INSERT INTO control.event_outbox (id, event_id, event_type, source, occurred_at, payload, relayed_at, fanout)"
        " SELECT gen_random_uuid(), n::text, 't', 'api', now(), '{}', now(), 1 FROM generate_series(1, 20000) n"
    )
    conn.exec_driver_sql("ANALYZE control.event_outbox")
    compiled = OUTBOX.compile(dialect=conn.dialect)
    plan = "\n".join(conn.exec_driver_sql(f"EXPLAIN {compiled}", compiled.construct_params()).scalars())
    assert "event_outbox" in plan
    assert "Seq Scan on event_outbox" not in plan, plan
