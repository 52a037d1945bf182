"""Finish: one outcome per claim, fenced, with its attempt and its place in the statistics."""

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, event, insert, select, text, update

from tests.factories import NOON, attempts, claimed, job, stored
from tests.worker.queries.test_claims import DANA
from worker.failures import RULE, describe
from worker.model import AttemptOutcome, Job, Status, new_id
from worker.queries.cancellations import cancel
from worker.queries.claims import claim
from worker.queries.outcomes import finish
from worker.queries.recovery import recover
from worker.queries.results import Result
from worker.queries.schema import job_attempts, platform_jobs, statistics_minutes
from worker.queries.schema import tenant_statistics_minutes as theirs

FAILURE = describe(ValueError("no such template: invoice_v3.html"), handler_key="render_report")
LATER = NOON + timedelta(seconds=3)


def running(conn: Connection, **columns: object) -> Job:
    return claimed(conn, job(conn, status=Status.RUNNING, **columns))


def end(conn: Connection, *results: Result, instance: str = "worker-1") -> dict[UUID, Status]:
    return finish(conn, instance_id=instance, results=results, now=LATER)


def test_a_completed_job_is_over_and_its_attempt_is_kept(conn: Connection) -> None:
    mine = running(conn)
    assert end(conn, Result(mine, AttemptOutcome.COMPLETED, run_ms=1500)) == {mine.id: Status.SUCCEEDED}
    row, (attempt,) = stored(conn, mine.id), attempts(conn, mine.id)
    assert (row.status, row.finished_at, row.locked_by, row.progress) == ("succeeded", LATER, None, 100)
    assert (attempt.outcome, attempt.worker_id, attempt.finished_at) == ("completed", "worker-1", LATER)
    assert attempt.started_at == LATER - timedelta(seconds=1.5)


def test_s1_104_and_106_a_failure_with_attempts_left_waits_for_its_next_try(conn: Connection) -> None:
    mine = running(conn)
    end(conn, Result(mine, AttemptOutcome.FAILED, run_ms=20, retry_delay_seconds=4, failure=FAILURE))
    row, (attempt,) = stored(conn, mine.id), attempts(conn, mine.id)
    assert (row.status, row.scheduled, row.available_at) == ("queued", True, LATER + timedelta(seconds=4))
    assert (row.locked_by, row.locked_at, row.lease_expires_at, row.attempts) == (None, None, None, 1)
    assert row.error_detail == "ValueError: no such template: invoice_v3.html"
    assert (attempt.outcome, attempt.retry_at) == ("failed", LATER + timedelta(seconds=4))


def test_s1_103_a_failure_at_the_ceiling_is_a_dead_letter_with_a_group(conn: Connection) -> None:
    mine = running(conn)
    end(conn, Result(mine, AttemptOutcome.DEAD_LETTER, run_ms=20, failure=FAILURE))
    row = stored(conn, mine.id)
    assert (row.status, row.finished_at, row.error_type) == ("failed", LATER, "ValueError")
    assert (row.error_fingerprint, row.error_alike, row.error_rule) == (FAILURE.fingerprint, FAILURE.alike, RULE)


def test_a_batch_is_finished_together(conn: Connection) -> None:
    done, again, dead = running(conn), running(conn), running(conn)
    statuses = end(
        conn,
        Result(done, AttemptOutcome.COMPLETED, run_ms=1),
        Result(again, AttemptOutcome.FAILED, run_ms=1, retry_delay_seconds=1, failure=FAILURE),
        Result(dead, AttemptOutcome.DEAD_LETTER, run_ms=1, failure=FAILURE),
    )
    assert statuses == {done.id: Status.SUCCEEDED, again.id: Status.QUEUED, dead.id: Status.FAILED}


@pytest.mark.parametrize(
    "change",
    [
        "locked_by = 'other'",
        "generation = 2",
        "status = 'queued', locked_by = NULL, locked_at = NULL, lease_expires_at = NULL",
    ],
)
def test_s2_143_a_claim_that_was_lost_is_left_to_its_owner(conn: Connection, change: str) -> None:
    mine = running(conn)
    conn.execute(text(f"UPDATE control.platform_jobs SET {change}"))
    before = stored(conn, mine.id)
    assert end(conn, Result(mine, AttemptOutcome.COMPLETED, run_ms=1)) == {}
    assert (stored(conn, mine.id), attempts(conn, mine.id)) == (before, [])


def test_an_attempt_whose_job_ran_again_meanwhile_is_called_superseded(conn: Connection) -> None:
    mine = running(conn)
    conn.execute(text("UPDATE control.platform_jobs SET generation = 2, locked_by = 'other'"))
    attempt = {"job_id": mine.id, "generation": 1, "attempt": 1, "worker_id": "worker-1", "outcome": "lease_expired"}
    conn.execute(insert(job_attempts), attempt | {"claimed_at": NOON, "finished_at": NOON})
    end(conn, Result(mine, AttemptOutcome.COMPLETED, run_ms=1))
    assert [each.outcome for each in attempts(conn, mine.id)] == ["superseded"]
    (minute,) = conn.execute(select(statistics_minutes)).all()
    assert (minute.minute, minute.outcome, minute.jobs, minute.run_ms) == (NOON, "superseded", 1, 1)


@pytest.mark.parametrize("result", ["retry", "dead"])
def test_a_50_nothing_is_tried_again_after_a_cancel_request(conn: Connection, result: str) -> None:
    mine = running(conn)
    cancel(conn, job_ids=[mine.id], actor=DANA, reason="wrong tenant", now=NOON)
    retry = 5 if result == "retry" else None
    outcome = AttemptOutcome.FAILED if retry else AttemptOutcome.DEAD_LETTER
    end(conn, Result(mine, outcome, run_ms=1, retry_delay_seconds=retry, failure=FAILURE))
    assert (stored(conn, mine.id).status, attempts(conn, mine.id)[0].outcome) == ("cancelled", "cancelled")


def test_a_50_work_that_was_done_is_done_whatever_was_asked(conn: Connection) -> None:
    mine = running(conn)
    cancel(conn, job_ids=[mine.id], actor=DANA, reason=None, now=NOON)
    end(conn, Result(mine, AttemptOutcome.COMPLETED, run_ms=1))
    assert stored(conn, mine.id).status == "succeeded"


def test_minutes_add_up_over_batches(conn: Connection) -> None:
    for run_ms in (2, 40, 40, 400_000):
        end(conn, Result(running(conn, created_at=NOON, available_at=NOON), AttemptOutcome.COMPLETED, run_ms=run_ms))
    (minute,) = conn.execute(select(statistics_minutes)).all()
    key = (minute.minute, minute.handler_key, minute.queue, minute.outcome)
    assert key == (
        NOON,
        "render_report",
        "default",
        "completed",
    )
    assert (minute.jobs, minute.run_ms, minute.run_3, minute.run_100, minute.run_more) == (4, 400_082, 1, 2, 1)
    assert (minute.wait_3, minute.wait_ms) == (4, 0)


def test_a_claim_made_by_the_database_can_be_finished(conn: Connection) -> None:
    job(conn)
    kwargs = {"job_types": ["render_report"], "queues": None, "after": "", "limit": 1, "lease_seconds": 30}
    (mine,) = claim(conn, instance_id="me", now=NOON, **kwargs)  # type: ignore[arg-type] # a plain dict of its arguments
    assert end(conn, Result(mine, AttemptOutcome.COMPLETED, run_ms=1), instance="me")


def test_a_10_of_two_claims_of_one_job_in_a_batch_the_older_is_lost(conn: Connection) -> None:
    old = running(conn)
    with conn.engine.begin() as mine:
        recover(mine, stale_after_seconds=900, now=NOON + timedelta(minutes=6))
    kwargs = {"job_types": ["render_report"], "queues": None, "after": "", "limit": 1, "lease_seconds": 30}
    (new,) = claim(conn, instance_id="worker-1", now=NOON + timedelta(minutes=7), **kwargs)  # type: ignore[arg-type] # a plain dict of its arguments
    both = [Result(each, AttemptOutcome.COMPLETED, run_ms=1) for each in (new, old)]
    assert end(conn, *both) == {old.id: Status.SUCCEEDED}
    assert [each.outcome for each in attempts(conn, old.id)] == ["superseded", "completed"]


def test_a_15_of_a_batch_that_is_written_once_more_only_what_is_new_in_it_moves(conn: Connection) -> None:
    first, second, lost, new = (Result(running(conn), AttemptOutcome.COMPLETED, run_ms=1) for _ in range(4))
    end(conn, first, second)
    conn.execute(update(platform_jobs).where(platform_jobs.c.id == lost.job.id).values(locked_by="other"))
    assert end(conn, second, lost, new, first) == {new.job.id: Status.SUCCEEDED}
    assert [len(attempts(conn, each.job.id)) for each in (first, second, lost, new)] == [1, 1, 0, 1]
    assert sum(conn.execute(select(statistics_minutes.c.jobs)).scalars()) == 3


def test_what_a_tenants_jobs_came_to_is_counted_under_its_id_as_well(conn: Connection) -> None:
    mine, other = new_id(), new_id()
    due = {"created_at": NOON, "available_at": NOON}
    for tenant_id in (mine, mine, other):
        end(conn, Result(running(conn, tenant_id=tenant_id, **due), AttemptOutcome.COMPLETED, run_ms=40))
    minute = theirs.c
    key = (minute.tenant_id, minute.minute, minute.handler_key, minute.queue, minute.outcome)
    found = conn.execute(select(*key, minute.jobs, minute.run_ms, minute.run_100).order_by(minute.jobs)).all()
    same = (NOON, "render_report", "default", "completed")
    assert found == [(other, *same, 1, 40, 1), (mine, *same, 2, 80, 2)]
    assert conn.execute(select(statistics_minutes.c.jobs)).scalars().all() == [3]


def test_jobs_without_a_tenant_cost_no_statement_for_tenants(conn: Connection) -> None:
    mine, sent = running(conn), []
    with conn.engine.begin() as watched:
        event.listen(watched, "before_cursor_execute", lambda *call: sent.append(call[2]))
        finish(watched, instance_id="worker-1", results=[Result(mine, AttemptOutcome.COMPLETED, run_ms=1)], now=LATER)
    assert [each for each in sent if "statistics_minutes" in each]
    assert [each for each in sent if "tenant_statistics_minutes" in each] == []
