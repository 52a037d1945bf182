"""S1, failure: what a handler raises, how long the job waits after it, and what is kept of it."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest
from sqlalchemy import Connection, Engine, select
from structlog.testing import capture_logs

from tests.app.conftest import Visitor
from tests.conformance.acts import SEALED, end, take
from tests.factories import NOON, attempts, job, stored
from tests.worker.runtime.bench import Bench, Start, put, registry, until
from worker.backoff import DIRECT
from worker.failures import EMAIL_WITHHELD
from worker.model import Job, Status
from worker.queries.schema import metadata

ADDRESS = "ada@shop.example"


def refuse(_job: Job) -> None:
    """Fail as a mail provider does, with the recipient in its words."""
    raise OSError(f"550 5.1.1 <{ADDRESS}>: recipient rejected")


@pytest.mark.parametrize("error", [ValueError("no"), KeyError(1), SystemExit(3), KeyboardInterrupt(), RecursionError()])
def test_s1_102_whatever_a_handler_raises_moves_its_row(engine: Engine, conn: Connection, error: BaseException) -> None:
    def fail(_job: Job) -> None:
        raise error

    bench = Bench(engine, registry(render_report=fail))
    id_ = bench.enqueue("render_report")
    bench.run(*bench.claim())
    row = stored(conn, id_)
    assert (row.status, row.attempts, row.error_type) == ("queued", 1, type(error).__name__)


def test_s1_103_at_the_ceiling_the_job_is_failed_for_good(conn: Connection) -> None:
    job(conn, max_attempts=2)
    statuses = []
    for hour in range(2):
        (mine,) = take(conn, now=NOON + timedelta(hours=hour))
        statuses.append(end(conn, mine, ValueError("no"), now=NOON + timedelta(hours=hour)))
    assert statuses == [Status.QUEUED, Status.FAILED]
    assert take(conn, now=NOON + timedelta(days=9)) == []


def test_s1_104_below_it_the_wait_doubles(conn: Connection) -> None:
    id_, now, waits = job(conn, max_attempts=20), NOON, []
    for _ in range(10):
        (mine,) = take(conn, now=now)
        end(conn, mine, ValueError("no"), now=now)
        due = stored(conn, id_).available_at
        waits.append((due - now).total_seconds())
        now = due
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 256, 256]


def test_s1_105_so_the_longest_wait_is_256_seconds(conn: Connection) -> None:
    id_ = job(conn, attempts=19, max_attempts=1000)
    (mine,) = take(conn)
    end(conn, mine, ValueError("no"))
    assert stored(conn, id_).available_at == NOON + timedelta(seconds=256)
    assert max(DIRECT.delay(attempt) for attempt in range(1, 1001)) == 256


def test_s1_106_a_requeue_clears_the_lock(conn: Connection) -> None:
    id_ = job(conn)
    (mine,) = take(conn)
    end(conn, mine, ValueError("no"))
    row = stored(conn, id_)
    assert (row.status, row.locked_at, row.locked_by, row.lease_expires_at) == ("queued", None, None, None)


@pytest.mark.parametrize("message", ["x" * 10_000, "line\n" * 5_000, "é" * 10_000])
def test_s1_107_the_stored_error_is_bounded(conn: Connection, message: str) -> None:
    id_ = job(conn)
    (mine,) = take(conn)
    end(conn, mine, ValueError(message))
    assert 0 < len(stored(conn, id_).error_detail) <= 4000
    assert len(attempts(conn, id_)[0].error) <= 4000


def test_s1_108_a_failed_mail_keeps_one_fixed_sentence(engine: Engine, conn: Connection) -> None:
    bench = Bench(engine, registry(send_email=refuse))
    bench.enqueue("send_email", payload=SEALED)
    bench.run(*bench.claim())
    everything = {table.name: [tuple(row) for row in conn.execute(select(table))] for table in metadata.sorted_tables}
    (row,) = conn.execute(select(metadata.tables["control.platform_jobs"]))
    assert row.error_detail == "Email delivery failed; provider detail withheld."
    assert ADDRESS not in json.dumps(everything, default=str)


@pytest.mark.postgresql
def test_s1_109_nor_do_logs_and_history_say_more(engine: Engine, conn: Connection, start: Start) -> None:
    with capture_logs() as entries:
        (id_,) = put(engine, "send_email", payload=SEALED)
        start(send_email=refuse)
        until(lambda: any(entry["event"] == "job.failed" for entry in entries))  # the last that is done about it
    assert [entry["error"] for entry in entries if entry["event"] == "job.failed"] == [EMAIL_WITHHELD]
    assert ADDRESS not in json.dumps(entries, default=str)
    assert [each.error for each in attempts(conn, id_)] == [EMAIL_WITHHELD]


def test_s1_118_cancelled_is_a_status_of_its_own_for_the_consoles_cancel(visitor: Visitor, conn: Connection) -> None:
    id_ = job(conn)
    form = {"job": str(id_), "reason": "ordered twice", "back": "/jobs"}
    assert visitor("operator").post("/cancellations", data=form).status_code == 303
    assert stored(conn, id_).status == "cancelled"
    assert take(conn) == []
