"""The completer: outcomes are written in batches, fenced, and for as long as their leases may last."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine, select, text
from sqlalchemy.exc import OperationalError

from tests.factories import attempts, stored
from tests.worker.runtime.bench import Bench, outage, registry
from worker.job_types import Handler
from worker.model import Status
from worker.queries.audit import Actor
from worker.queries.cancellations import cancel
from worker.queries.claims import claim
from worker.queries.results import Result
from worker.queries.schema import statistics_minutes
from worker.runtime.held import Run


def failing(_job: object) -> None:
    raise ValueError("no such template")


@pytest.fixture
def bench(engine: Engine) -> Bench:
    handlers: dict[str, Handler] = {"work": lambda job: None, "bad": failing}
    return Bench(engine, registry(**handlers), slots=30, batch_size=30, lease_seconds=30)


def statuses(conn: Connection) -> dict[str, int]:
    rows = conn.execute(text("SELECT status, count(*) AS jobs FROM control.platform_jobs GROUP BY status"))
    return {row.status: row.jobs for row in rows}


def claimed(bench: Bench, *job_types: str) -> list[Run]:
    for name in job_types:
        bench.enqueue(name)
    return bench.claim()


def end(bench: Bench, *runs: Run) -> None:
    for run in runs:
        bench.executor.run(run)


def test_a_batch_of_outcomes_is_one_transaction(bench: Bench, conn: Connection) -> None:
    end(bench, *claimed(bench, "work", "bad", "work"))
    assert bench.endings.is_set()
    assert not bench.completer.tick()
    assert statuses(conn) == {"succeeded": 2, "queued": 1}
    assert len({row.xmin for row in conn.execute(text("SELECT xmin FROM control.job_attempts"))}) == 1
    assert bench.held.all() == []


def test_the_dispatcher_is_woken_when_slots_are_free_that_it_may_fill(bench: Bench) -> None:
    for _ in range(bench.held.idle()):
        bench.enqueue("work")
    end(bench, *bench.claim())
    assert not bench.work.is_set()
    bench.completer.tick()
    assert bench.work.is_set()


def test_the_dispatcher_is_left_alone_when_it_found_all_there_was(bench: Bench) -> None:
    end(bench, *claimed(bench, "work"))
    bench.completer.tick()
    assert not bench.work.is_set()


def test_outcomes_are_logged_by_their_weight_and_without_payloads(bench: Bench) -> None:
    bench.enqueue("work", payload={"name": "very private"})
    bench.enqueue("bad")
    bench.enqueue("bad", max_attempts=1)
    bench.run(*bench.claim())
    assert [entry["log_level"] for entry in bench.said("job.succeeded")] == ["debug"]
    (again,), (dead,) = bench.said("job.failed"), bench.said("job.dead")
    assert (again["log_level"], dead["log_level"], dead["error"]) == ("warning", "error", "no such template")
    assert {"job_id", "handler", "queue", "attempt"} <= dead.keys()
    assert "very private" not in str(bench.said("job.claimed") + bench.said("job.succeeded"))


def test_a_10_and_s2_143_a_late_result_leaves_the_new_owner_alone(bench: Bench, conn: Connection) -> None:
    (run,) = claimed(bench, "work")
    _expire_and_claim_elsewhere(conn, run.job.id)
    bench.run(run)
    row = stored(conn, run.job.id)
    assert (row.status, row.locked_by, row.generation) == ("running", "elsewhere", 2)
    assert [entry["log_level"] for entry in bench.said("job.superseded")] == ["warning"]
    assert bench.held.all() == []


def _expire_and_claim_elsewhere(conn: Connection, job_id: UUID) -> None:
    conn.execute(
        text(
            "UPDATE control.platform_jobs SET status = 'queued', locked_by = NULL, locked_at = NULL,"
            " lease_expires_at = NULL WHERE id = :id"
        ),
        {"id": job_id},
    )
    with conn.engine.begin() as other:
        claim(
            other, instance_id="elsewhere", job_types=["work"], queues=None, after="", limit=1, lease_seconds=60
        )  # fmt: skip


def test_a_14_an_outcome_that_meets_an_outage_lands_when_the_database_is_back(bench: Bench) -> None:
    runs = claimed(bench, "work", "bad")
    with outage(bench.engine):
        end(bench, *runs)
        for _ in range(2):
            with pytest.raises(Exception, match="connection"):
                bench.completer.tick()
    bench.completer.tick()
    with bench.engine.connect() as again:
        assert statuses(again) == {"succeeded": 1, "queued": 1}
        assert [len(attempts(again, run.job.id)) for run in runs] == [1, 1]


def test_a_14_an_outcome_is_dropped_once_another_worker_may_hold_the_job(bench: Bench) -> None:
    (run,) = claimed(bench, "work")
    with outage(bench.engine):
        end(bench, run)
        run.renewed_at -= 30
        with pytest.raises(Exception, match="connection"):
            bench.completer.tick()
    assert [entry["job_id"] for entry in bench.said("job.dropped")] == [str(run.job.id)]
    assert bench.held.all() == []
    bench.completer.tick()
    with bench.engine.connect() as again:
        assert stored(again, run.job.id).status == "running"


@contextmanager
def refusing(conn: Connection, condition: str) -> Iterator[None]:
    """The database refuses to finish the jobs for which this SQL condition on NEW is true."""
    conn.execute(
        text(
            "CREATE FUNCTION control.refuse() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '23514'; END $$"
        )
    )
    conn.execute(
        text(
            "CREATE TRIGGER refuse BEFORE UPDATE ON control.platform_jobs FOR EACH ROW"
            f" WHEN (OLD.status = 'running' AND NEW.status <> 'running' AND {condition})"
            " EXECUTE FUNCTION control.refuse()"
        )
    )
    try:
        yield
    finally:
        conn.execute(text("DROP FUNCTION control.refuse() CASCADE"))


def test_a_11_one_outcome_that_the_database_refuses_holds_up_nobody(bench: Bench, conn: Connection) -> None:
    runs = claimed(bench, *["work"] * 5)
    with refusing(conn, f"NEW.id = '{runs[2].job.id}'"):
        bench.run(*runs)
    assert statuses(conn) == {"succeeded": 4, "running": 1}
    assert {entry["job_id"] for entry in bench.said("job.unwritable")} == {str(runs[2].job.id)}
    assert bench.held.all() == []


def test_a_failure_whose_text_is_refused_is_stored_with_a_fixed_one(bench: Bench, conn: Connection) -> None:
    (run,) = claimed(bench, "bad")
    with refusing(conn, "NEW.error_summary = 'no such template'"):
        bench.run(run)
    row = stored(conn, run.job.id)
    assert (row.status, row.error_type) == ("queued", "ValueError")
    assert row.error_detail == "The outcome could not be stored as it was."


def test_s2_133_what_never_started_goes_back_unspent_and_wakes_others(bench: Bench, conn: Connection) -> None:
    (run,) = claimed(bench, "work")
    bench.completer.release(bench.held.take_waiting())
    assert bench.endings.is_set()
    bench.completer.tick()
    row, (attempt,) = stored(conn, run.job.id), attempts(conn, run.job.id)
    assert (row.status, row.attempts, row.locked_by, attempt.outcome) == ("queued", 0, None, "released")
    assert [entry["job_id"] for entry in bench.said("job.released")] == [str(run.job.id)]
    assert bench.held.all() == []


def test_a_50_a_failure_after_a_cancel_that_no_beat_brought_yet_is_cancelled(bench: Bench, conn: Connection) -> None:
    (run,) = claimed(bench, "bad")
    cancel(conn, job_ids=[run.job.id], actor=Actor("dana"), reason="wrong tenant")
    bench.run(run)
    assert stored(conn, run.job.id).status == "cancelled"
    assert len(bench.said("job.cancelled")) == 1


@contextmanager
def losing_answers(bench: Bench) -> Iterator[None]:
    """What the completer writes is written, and the answer never comes."""
    finish = bench.completer._finish

    def lose(results: Sequence[Result]) -> dict[UUID, Status]:
        finish(results)
        raise OperationalError("COMMIT", None, Exception("connection lost"))

    bench.completer._finish = lose  # type: ignore[method-assign] # for as long as the answers are lost
    try:
        yield
    finally:
        bench.completer._finish = finish  # type: ignore[method-assign] # as it was


def test_a_15_outcomes_whose_answer_was_lost_are_found_again_and_not_called_superseded(
    bench: Bench, conn: Connection
) -> None:
    bench.enqueue("bad", max_attempts=1)
    runs = claimed(bench, "work", "bad")
    end(bench, *runs)
    with losing_answers(bench), pytest.raises(OperationalError):
        bench.completer.tick()
    bench.completer.tick()
    assert statuses(conn) == {"succeeded": 1, "queued": 1, "failed": 1}
    assert [len(attempts(conn, run.job.id)) for run in runs] == [1, 1, 1]
    assert sum(row.jobs for row in conn.execute(select(statistics_minutes))) == 3
    assert [len(bench.said(f"job.{event}")) for event in ("succeeded", "failed", "dead", "superseded")] == [1, 1, 1, 0]
    assert bench.held.all() == []


def test_a_15_a_batch_of_which_some_was_written_before_writes_only_the_rest(bench: Bench, conn: Connection) -> None:
    first, second = claimed(bench, "work", "work")
    end(bench, first)
    with losing_answers(bench), pytest.raises(OperationalError):
        bench.completer.tick()
    end(bench, second)
    bench.completer.tick()
    assert statuses(conn) == {"succeeded": 2}
    assert [len(attempts(conn, run.job.id)) for run in (first, second)] == [1, 1]
    assert bench.said("job.superseded") == []
