"""S1, the claim: who gets which row, and what is written before any work begins."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, select, text

from tests.conformance.acts import ME, clock, jobs, take
from tests.factories import NOON, job, stored
from tests.worker.runtime.bench import Bench, Gate, Start, nothing, put, registry, status, until
from worker.errors import UnknownJobType
from worker.model import Status
from worker.queries.schema import platform_jobs

SESSIONS = text("SELECT xact_start < :since AS held_open FROM pg_stat_activity WHERE application_name = :name")
OLD, YOUNG = NOON - timedelta(hours=2), NOON - timedelta(hours=1)


def test_s1_34_a_claim_of_one_takes_one_row(conn: Connection) -> None:
    job(conn), job(conn)
    assert len(take(conn, limit=1)) == 1
    assert sorted(row.status for row in jobs(conn)) == ["queued", "running"]


@pytest.mark.parametrize("state", [each for each in Status if each is not Status.QUEUED])
def test_s1_35_only_queued_rows_are_claimed(conn: Connection, state: Status) -> None:
    job(conn, status=state)
    queued = job(conn)
    assert [each.id for each in take(conn, limit=9)] == [queued]


@pytest.mark.parametrize("marked", [True, False], ids=["marked as scheduled", "written without the mark"])
def test_s1_36_only_rows_whose_time_has_come_are_claimed(conn: Connection, marked: bool) -> None:
    job(conn, available_at=NOON + timedelta(seconds=60), scheduled=marked)
    assert take(conn, now=NOON + timedelta(seconds=59)) == []
    assert len(take(conn, now=NOON + timedelta(seconds=60))) == 1


def test_s1_37_only_the_callers_types_are_claimed(conn: Connection) -> None:
    job(conn, job_type="provision_tenant", tenant_id="0" * 32)
    mail = job(conn, job_type="materialize_insights")
    assert [each.id for each in take(conn, "materialize_insights", "train_tenant_model", limit=9)] == [mail]


def test_s1_38_the_oldest_goes_first_a_retried_one_too(conn: Connection) -> None:
    young = job(conn, created_at=YOUNG)
    retried = job(conn, created_at=OLD, attempts=2, generation=2, available_at=NOON, scheduled=True)
    assert [take(conn)[0].id for _ in range(2)] == [retried, young]


@pytest.mark.postgresql
def test_s1_39_locked_rows_are_skipped(engine: Engine, conn: Connection) -> None:
    locked, free = job(conn, created_at=OLD), job(conn, created_at=YOUNG)
    with engine.begin() as other:
        other.execute(select(platform_jobs).where(platform_jobs.c.id == locked).with_for_update())
        assert [each.id for each in take(conn, limit=9)] == [free]


@pytest.mark.postgresql
def test_s1_40_claimants_never_wait_for_each_other(engine: Engine, conn: Connection) -> None:
    first, second = job(conn, created_at=OLD), job(conn, created_at=YOUNG)
    with engine.begin() as one, engine.begin() as other:
        other.execute(text("SET LOCAL lock_timeout = '1ms'"))  # a wait would be an error
        assert [each.id for each in take(one)] == [first]
        assert [each.id for each in take(other)] == [second]


def test_s1_41_a_claim_sets_the_row_to_running(conn: Connection) -> None:
    id_ = job(conn)
    take(conn)
    assert stored(conn, id_).status == "running"


def test_s1_42_a_claim_counts_the_attempt(conn: Connection) -> None:
    id_ = job(conn, attempts=1)
    (mine,) = take(conn)
    assert mine.attempts == stored(conn, id_).attempts == 2


def test_s1_43_a_claim_stamps_when_and_by_whom(conn: Connection) -> None:
    id_ = job(conn)
    take(conn)
    row = stored(conn, id_)
    assert (row.locked_at, row.locked_by) == (NOON, ME)


@pytest.mark.postgresql
def test_s1_44_no_transaction_is_open_while_a_handler_runs(engine: Engine, conn: Connection, start: Start) -> None:
    gate = Gate()
    (id_,) = put(engine, "render_report")
    worker = start(render_report=gate)
    gate.await_entry()
    assert status(engine, id_) == "running"  # seen from outside: it is committed
    looked = {"name": f"watchfloor {worker.instance.component}", "since": clock(conn)}
    assert conn.execute(SESSIONS, looked).all()
    until(lambda: not any(session.held_open for session in conn.execute(SESSIONS, looked)))
    gate.free.set()


def test_s1_45_a_claim_for_an_unknown_type_is_refused(engine: Engine) -> None:
    bench = Bench(engine, registry(render_report=nothing))
    able = replace(bench.instance, job_types=("provision_tenant", "render_report"))
    assert bench.dispatcher_of(able).tick() in (True, False)
    with pytest.raises(UnknownJobType, match="'nope'"):
        bench.dispatcher_of(replace(able, job_types=("render_report", "nope")))
