"""Enqueue, row by row of both documents: what a producer may rely on."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, event, insert, select
from sqlalchemy.exc import IntegrityError

from tests.conformance.acts import clock, jobs
from tests.factories import NOON, job, job_types, stored, tenant
from worker import Event, NewJob, enqueue, enqueue_many, publish
from worker.errors import KeyReused, UnknownJobType
from worker.job_types import JobTypes
from worker.model import Status, new_id
from worker.queries.schema import event_outbox, platform_jobs, tenants

TYPES = job_types("render_report")
PLAIN = NewJob("render_report")
KEYED = NewJob("render_report", {"month": "2026-11"}, idempotency_key="report:2026-11")

each_end = pytest.mark.parametrize("status", [Status.SUCCEEDED, Status.FAILED, Status.CANCELLED])


def raw(conn: Connection, **columns: Any) -> Any:
    """A row of which only the type is said, as the table makes it."""
    row = {"id": new_id(), "job_type": "render_report", **columns}
    conn.execute(insert(platform_jobs), row)
    return stored(conn, row["id"])


def dead(conn: Connection, status: Status = Status.FAILED) -> UUID:
    """A job that is over, with the key and the body of `KEYED`."""
    made = enqueue(conn, TYPES, KEYED).id
    gone = {"status": status, "finished_at": NOON, "attempts": 5, "generation": 7, "progress": 17}
    gone |= {
        "steps_completed": ["one", "two"],
        "available_at": NOON,
        "error_detail": "ValueError: no",
        "error_type": "V",
    }
    conn.execute(platform_jobs.update().where(platform_jobs.c.id == made).values(**gone))
    return made


def test_s1_13_a_payload_is_a_document_and_empty_by_default(conn: Connection) -> None:
    assert raw(conn).payload == {}
    assert stored(conn, enqueue(conn, TYPES, PLAIN).id).payload == {}
    nested = {"ids": [1, 2.5, True, None], "who": {"name": "Ada"}}
    assert stored(conn, enqueue(conn, TYPES, NewJob("render_report", nested)).id).payload == nested


def test_s1_14_a_key_is_optional_and_unique(conn: Connection) -> None:
    assert raw(conn).idempotency_key is raw(conn).idempotency_key is None
    raw(conn, idempotency_key="k")
    with pytest.raises(IntegrityError):
        raw(conn, idempotency_key="k")


def test_s1_15_attempts_start_at_0(conn: Connection) -> None:
    assert raw(conn).attempts == stored(conn, enqueue(conn, TYPES, PLAIN).id).attempts == 0


def test_s1_16_a_job_is_tried_5_times_unless_it_or_its_type_says_otherwise(conn: Connection) -> None:
    types = job_types("render_report")
    types.register("careful", lambda job: None, max_attempts=1)
    news = [PLAIN, NewJob("careful"), NewJob("careful", max_attempts=7)]
    assert raw(conn).max_attempts == 5
    assert [stored(conn, each.id).max_attempts for each in enqueue_many(conn, types, news)] == [5, 1, 7]


def test_s1_17_a_job_is_due_at_once_unless_it_is_for_later(conn: Connection) -> None:
    for row in (raw(conn), stored(conn, enqueue(conn, TYPES, PLAIN).id)):
        assert abs(row.available_at - clock(conn)) < timedelta(minutes=1)
    later = NewJob("render_report", available_at=NOON + timedelta(hours=2))
    assert stored(conn, enqueue(conn, TYPES, later, now=NOON).id).available_at == NOON + timedelta(hours=2)


def test_s1_18_nothing_is_locked_before_a_claim(conn: Connection) -> None:
    assert raw(conn).locked_at is stored(conn, enqueue(conn, TYPES, PLAIN).id).locked_at is None


def test_s1_19_nobody_holds_it_before_a_claim(conn: Connection) -> None:
    assert raw(conn).locked_by is stored(conn, enqueue(conn, TYPES, PLAIN).id).locked_by is None


def test_s1_22_one_key_used_twice_makes_one_row(conn: Connection) -> None:
    first, second = enqueue(conn, TYPES, KEYED), enqueue(conn, TYPES, KEYED)
    assert (first.created, second.created, len(jobs(conn))) == (True, False, 1)


def test_s1_23_the_second_call_returns_the_first_id(conn: Connection) -> None:
    first = enqueue(conn, TYPES, KEYED)
    assert enqueue(conn, TYPES, KEYED).id == first.id
    assert [each.id for each in enqueue_many(conn, TYPES, [PLAIN, KEYED])][1] == first.id


@pytest.mark.postgresql
def test_s1_24_a_request_sent_again_at_the_same_time_makes_no_second_job(engine: Engine, conn: Connection) -> None:
    start = threading.Barrier(8)

    def send(_: int) -> UUID:
        start.wait()
        with engine.begin() as mine:
            return enqueue(mine, TYPES, KEYED).id

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(send, range(8)))) == 1
    assert len(jobs(conn)) == 1


def test_s1_25_a_key_is_stored_as_it_was_given(conn: Connection) -> None:
    acme = tenant(conn)
    new = NewJob("provision_tenant", tenant_id=acme, idempotency_key=f"provision:{acme}")
    assert stored(conn, enqueue(conn, JobTypes(), new).id).idempotency_key == f"provision:{acme}"


def test_s1_26_another_configuration_of_a_training_is_another_job(conn: Connection) -> None:
    acme = tenant(conn)

    def train(config: str) -> UUID:
        key = f"train:{acme}:dataset-1:{config}"
        return enqueue(conn, JobTypes(), NewJob("train_tenant_model", {"config": config}, acme, idempotency_key=key)).id

    assert train("c1") == train("c1") != train("c2")


def test_s1_27_nothing_is_committed_for_the_caller(engine: Engine, conn: Connection) -> None:
    with engine.connect() as mine:
        enqueue(mine, TYPES, PLAIN)
        enqueue_many(mine, TYPES, [PLAIN, KEYED])
        publish(mine, Event("order.created"))
        mine.rollback()
    assert (jobs(conn), conn.execute(select(event_outbox)).all()) == ([], [])


def test_s1_28_a_business_row_and_its_job_stand_or_fall_together(engine: Engine, conn: Connection) -> None:
    def ingest(slug: str, *, fails: bool) -> None:
        with engine.begin() as mine:
            owner = tenant(mine, slug)
            enqueue(mine, JobTypes(), NewJob("materialize_insights", tenant_id=owner))
            if fails:
                raise OSError("the upload broke off")

    with pytest.raises(OSError, match="broke off"):
        ingest("acme", fails=True)
    assert (jobs(conn), conn.execute(select(tenants)).all()) == ([], [])
    ingest("globex", fails=False)
    assert [each.tenant_id for each in jobs(conn)] == list(conn.execute(select(tenants.c.id)).scalars())


def test_s1_29_an_unknown_type_is_refused_before_any_sql(engine: Engine) -> None:
    sent: list[str] = []
    event.listen(engine, "before_cursor_execute", lambda *arguments: sent.append(arguments[2]))
    many = [PLAIN] * 2500 + [NewJob("nope")]
    with engine.connect() as conn:
        for act in (lambda: enqueue(conn, TYPES, NewJob("nope")), lambda: enqueue_many(conn, TYPES, many)):
            with pytest.raises(UnknownJobType, match="nope"):
                act()
        with pytest.raises(UnknownJobType, match="run_subscriber"):
            enqueue(conn, TYPES, NewJob("run_subscriber"))
    assert sent == []


def test_s1_30_a_failed_row_runs_again_when_its_key_comes_with_the_option(conn: Connection) -> None:
    old = dead(conn, Status.FAILED)
    answer = enqueue(conn, TYPES, KEYED, retry_terminal=True)
    assert (answer.id, answer.created, answer.status, stored(conn, old).status) == (old, False, "queued", "queued")


def test_s1_31_a_cancelled_row_does_too(conn: Connection) -> None:
    old = dead(conn, Status.CANCELLED)
    answer = enqueue(conn, TYPES, KEYED, retry_terminal=True)
    assert (answer.id, answer.created, answer.status, stored(conn, old).status) == (old, False, "queued", "queued")


@each_end
def test_s1_32_without_the_option_a_row_that_is_over_stays_as_it_is(conn: Connection, status: Status) -> None:
    old = dead(conn, status)
    before = stored(conn, old)
    answer = enqueue(conn, TYPES, KEYED)
    assert (answer.id, answer.created, answer.status, stored(conn, old)) == (old, False, status, before)


@pytest.mark.parametrize("status", Status)
def test_s1_33_the_option_renews_the_budget_keeps_the_progress_and_leaves_other_states_alone(
    conn: Connection, status: Status
) -> None:
    old = job(conn, status=status, idempotency_key="k", steps_completed=["one"], progress=17, cancel_requested_at=None)
    before = stored(conn, old)
    enqueue(conn, TYPES, NewJob("render_report", idempotency_key="k"), retry_terminal=True, now=NOON)
    row = stored(conn, old)
    if status not in (Status.FAILED, Status.CANCELLED):
        assert row == before
        return
    assert (row.status, row.attempts, row.available_at, row.finished_at) == ("queued", 0, NOON, None)
    assert (row.error_detail, row.error_type, row.error_summary, row.error_fingerprint) == (None,) * 4
    assert (row.steps_completed, row.progress, row.generation) == (["one"], 17, before.generation)


def test_s1_33_the_key_of_another_request_renews_nothing(conn: Connection) -> None:
    old = dead(conn)
    other = NewJob("render_report", {"month": "2026-12"}, idempotency_key=KEYED.idempotency_key)
    with pytest.raises(KeyReused):
        enqueue(conn, TYPES, other, retry_terminal=True)
    assert stored(conn, old).status == "failed"
