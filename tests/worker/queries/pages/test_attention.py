"""What needs a person: each trouble has its line, and quiet is quiet."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, insert

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.rows import minute
from worker.model import Status, new_id
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.pages import attention, figures, provisioning
from worker.queries.pages.attention import Item, people
from worker.queries.pages.figures import Figures
from worker.queries.schema import dead_letter_groups, event_outbox

LIMIT = timedelta(minutes=30)


def read(conn: Connection) -> list[Item]:
    return of(conn, figures.sample(conn, now=NOON))


def of(conn: Connection, seen: Figures) -> list[Item]:
    return attention.read(conn, seen, in_flight=provisioning.in_flight(conn)[0], max_runtime=LIMIT)


def kinds(conn: Connection) -> list[tuple[str, str]]:
    return [(item.kind, item.level) for item in read(conn)]


def ago(**amount: float) -> datetime:
    return NOON - timedelta(**amount)


def published(conn: Connection, *, since: datetime, error: str | None = None) -> None:
    row = {"id": new_id(), "event_id": str(new_id()), "event_type": "order.created", "payload": {}}
    row |= {
        "source": "api",
        "occurred_at": since,
        "created_at": since,
        "relay_error": error,
        "retry_at": error and NOON,
    }
    conn.execute(insert(event_outbox), row)


def test_a_floor_that_works_needs_nobody(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, available_at=ago(seconds=20))
    factories.job(conn, status=Status.RUNNING)
    factories.job(conn, status=Status.SUCCEEDED)
    published(conn, since=ago(seconds=10))
    assert read(conn) == []


def test_an_empty_database_needs_nobody(conn: Connection) -> None:
    assert read(conn) == []


def test_work_that_nobody_can_run_names_who_could_last(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.worker_instance(conn, "trainer", component="trainer", job_types=["train"], last_heartbeat_at=ago(hours=3))
    factories.job(conn, job_type="train", available_at=ago(minutes=41))
    (item,) = read(conn)
    assert (item.kind, item.level) == ("unserved", "urgent")
    assert (item.facts["last"].component, item.facts["elsewhere"]) == ("trainer", [])


def test_a_type_that_runs_on_other_queues_says_where(conn: Connection) -> None:
    factories.worker_instance(conn, queues=["default"])
    factories.job(conn, queue="bulk")
    (item,) = read(conn)
    assert [worker.instance_id for worker in item.facts["elsewhere"]] == ["worker-1"]


def test_half_a_minute_without_a_worker_is_a_deployment(conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["other"])
    factories.job(conn, available_at=ago(seconds=29))
    assert read(conn) == []


def test_where_no_worker_lives_one_line_says_so(conn: Connection) -> None:
    factories.worker_instance(conn, last_heartbeat_at=ago(minutes=5))
    for job_type in ("render_report", "train"):
        factories.job(conn, job_type=job_type)
    assert kinds(conn) == [("nobody", "urgent")]


def test_dead_letters_are_told_by_group_the_fresh_ones_first(conn: Connection) -> None:
    factories.worker_instance(conn)
    for tenant in range(2):
        at = ago(minutes=10 + tenant)
        factories.job(conn, status=Status.FAILED, finished_at=at, tenant_id=new_id())
    for _ in range(3):
        factories.job(conn, status=Status.FAILED, finished_at=ago(days=2), error_fingerprint="old")
    fresh, old = read(conn)
    assert (fresh.level, fresh.facts["of"].jobs, fresh.facts["of"].tenants) == ("urgent", 2, 2)
    assert fresh.facts["of"].first_at == ago(minutes=11)
    assert (old.level, old.facts["of"].jobs) == ("warn", 3)


def test_a_group_that_began_with_a_release_says_so(conn: Connection) -> None:
    factories.worker_instance(conn, "a", version="1", started_at=ago(days=1))
    factories.worker_instance(conn, "b", version="2", started_at=ago(minutes=12))
    factories.job(conn, status=Status.FAILED, finished_at=ago(minutes=10))
    assert read(conn)[0].facts["release"].version == "2"


def test_the_only_release_known_explains_nothing(conn: Connection) -> None:
    factories.worker_instance(conn, version="2", started_at=ago(minutes=12))
    factories.job(conn, status=Status.FAILED, finished_at=ago(minutes=10))
    assert read(conn)[0].facts["release"] is None


def test_many_kinds_of_dead_letters_are_summed_up(conn: Connection) -> None:
    for place in range(6):
        factories.job(conn, status=Status.FAILED, finished_at=ago(hours=2 + place), error_fingerprint=str(place))
    items = read(conn)
    assert [item.kind for item in items] == ["dead", "dead", "dead", "more_dead"]
    assert items[-1].facts == {"groups": 3, "jobs": 3}
    assert people(items) == 6


def test_what_grows_comes_first_then_what_nobody_has_then_the_greatest(conn: Connection) -> None:
    for fingerprint, minutes, times in (("old", 90, 9), ("taken", 80, 5), ("small", 70, 2), ("fresh", 50, 1)):
        for _ in range(times):
            factories.job(conn, status=Status.FAILED, finished_at=ago(minutes=minutes), error_fingerprint=fingerprint)
    group(conn, "taken", assignee="mira")
    assert [item.facts["of"].fingerprint for item in read(conn)[:3]] == ["fresh", "old", "small"]


def group(conn: Connection, fingerprint: str, **columns: Any) -> None:
    row = {"fingerprint": fingerprint, "updated_at": NOON, "updated_by": "dana"}
    conn.execute(insert(dead_letter_groups), row | columns)


def test_a_snoozed_group_is_left_out_until_it_wakes(conn: Connection) -> None:
    for fingerprint in ("asleep", "awake"):
        factories.job(conn, status=Status.FAILED, error_fingerprint=fingerprint)
    group(conn, "asleep", snoozed_until=NOON + timedelta(minutes=1))
    group(conn, "awake", snoozed_until=NOON)
    assert [item.facts["of"].fingerprint for item in read(conn)] == ["awake"]


def test_dead_letters_that_no_error_tells_apart_are_not_forgotten(conn: Connection) -> None:
    for _ in range(2):
        factories.job(conn, status=Status.FAILED, error_fingerprint=None)
    (item,) = read(conn)
    assert (item.kind, item.facts) == ("more_dead", {"groups": 0, "jobs": 2})


def test_a_handler_past_its_time_is_named_with_its_holder(conn: Connection) -> None:
    factories.worker_instance(conn)
    job_id = factories.job(conn, status=Status.RUNNING, locked_at=ago(minutes=31))
    factories.job(conn, status=Status.RUNNING, job_type="other", locked_at=ago(minutes=29))
    (item,) = read(conn)
    assert (item.kind, item.level, item.facts["of"].oldest_id) == ("hung", "urgent", job_id)
    assert item.facts["holder"].instance_id == "worker-1"


def test_what_a_silent_worker_holds_is_not_called_hung(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.worker_instance(conn, "silent", last_heartbeat_at=ago(minutes=1))
    factories.job(conn, status=Status.RUNNING, locked_by="silent", locked_at=ago(minutes=31))
    assert kinds(conn) == [("silent", "warn")]


def test_leases_that_ended_and_nobody_took_back_are_urgent(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, status=Status.RUNNING, locked_by="long gone", lease_expires_at=ago(minutes=3))
    (item,) = read(conn)
    assert (item.kind, item.facts) == ("unreaped", {"jobs": 1, "since": ago(minutes=3)})


def test_events_that_wait_for_the_relay_are_urgent_after_a_minute(conn: Connection) -> None:
    published(conn, since=ago(seconds=61))
    assert kinds(conn) == [("relay_late", "urgent")]


def test_events_without_a_taker_and_events_refused_are_told_apart(conn: Connection) -> None:
    published(conn, since=ago(minutes=5), error="No subscriber is registered for this event type.")
    published(conn, since=ago(minutes=5), error="value too long")
    assert kinds(conn) == [("relay_failing", "warn"), ("unsubscribed", "warn")]


def provision(conn: Connection, slug: str, **columns: Any) -> None:
    tenant_id = factories.tenant(conn, slug, onboarding_status="provisioning")
    key: dict[str, Any] = {
        "job_type": "provision_tenant",
        "tenant_id": tenant_id,
        "idempotency_key": f"provision:{tenant_id}",
    }
    factories.job(conn, **key | columns)


def test_provisioning_that_failed_is_its_tenants_story_and_no_dead_letter(conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["provision_tenant"])
    provision(conn, "failed", status=Status.FAILED, steps_completed=["create_schema"])
    provision(conn, "again", attempts=2, available_at=NOON + timedelta(seconds=38), scheduled=True)
    provision(conn, "fine", status=Status.RUNNING)
    failed, again = read(conn)
    assert (failed.kind, failed.level, failed.facts.slug, failed.facts.done) == ("provisioning", "urgent", "failed", 1)
    assert (again.kind, again.level, again.facts.slug) == ("provisioning", "warn", "again")


@pytest.mark.parametrize(
    ("minutes", "arrived", "finished", "level"),
    [
        (3, 50, 0, "warn"),
        (16, 50, 0, "urgent"),
        (3, 0, 0, "warn"),
        (3, 0, 1, "warn"),
        (3, 0, 60, None),
        (1.9, 50, 0, None),
    ],
)
def test_a_queue_that_falls_behind_is_named_until_it_clears_soon(
    conn: Connection, minutes: float, arrived: int, finished: int, level: str | None
) -> None:
    factories.worker_instance(conn)
    for _ in range(100):
        factories.job(conn, queue="mail", available_at=ago(minutes=minutes), created_at=ago(minutes=minutes))
    for _ in range(arrived):
        factories.job(conn, queue="mail", status=Status.SUCCEEDED, created_at=ago(minutes=1))
    if finished:
        minute(conn, ago(minutes=1), queue="mail", jobs=finished * 5)
    assert kinds(conn) == ([("behind", level)] if level else [])


def test_what_nobody_can_run_is_not_also_called_behind(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, job_type="train", available_at=ago(hours=1))
    assert kinds(conn) == [("unserved", "urgent")]


def test_a_silent_worker_matters_when_it_holds_jobs_or_was_the_last_of_its_name(conn: Connection) -> None:
    factories.worker_instance(conn, "live")
    for name, component in (("idle", "worker"), ("holding", "worker"), ("last", "trainer")):
        factories.worker_instance(conn, name, component=component, last_heartbeat_at=ago(minutes=2))
    factories.job(conn, status=Status.RUNNING, locked_by="holding")
    seen = {item.facts["of"].instance_id: item.level for item in read(conn) if item.kind == "silent"}
    assert seen == {"idle": "info", "holding": "warn", "last": "warn"}


def test_a_pause_without_an_end_over_waiting_jobs_needs_a_person(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, queue="mail")
    queues.pause(conn, queue="mail", actor=Actor("dana"), reason="why", now=ago(hours=1))
    queues.pause(conn, queue="bulk", actor=Actor("dana"), reason="why", until=NOON + timedelta(hours=1), now=NOON)
    assert kinds(conn) == [("paused", "warn"), ("paused", "info")]
    assert people(read(conn)) == 1


@pytest.mark.postgresql
def test_a_21_an_old_transaction_is_a_warning(conn: Connection) -> None:
    engine = conn.engine
    with engine.connect() as holding:
        holding.execution_options(isolation_level="REPEATABLE READ").exec_driver_sql("SELECT 1")
        seen = figures.sample(conn)
        assert [item.kind for item in of(conn, seen)] == []
        later = figures.sample(conn, now=seen.at + timedelta(minutes=6))
        assert [item.kind for item in of(conn, later)] == ["transaction"]


def test_the_urgent_comes_first(conn: Connection) -> None:
    factories.worker_instance(conn)
    queues.pause(conn, queue="bulk", actor=Actor("dana"), reason="why", until=NOON + timedelta(hours=1), now=NOON)
    factories.job(conn, status=Status.FAILED, finished_at=ago(days=3))
    factories.job(conn, status=Status.RUNNING, locked_at=ago(minutes=31))
    assert [item.level for item in read(conn)] == ["urgent", "warn", "info"]


def test_more_of_a_kind_than_can_be_read_are_summed_up(conn: Connection) -> None:
    factories.worker_instance(conn)
    for place in range(6):
        factories.job(conn, job_type=f"train_{place}")
    items = read(conn)
    assert [item.kind for item in items] == ["unserved"] * 3 + ["more_unserved"]
    assert people(items) == 6
