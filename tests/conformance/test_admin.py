"""S2, administration: the queue told to a program, page by page, and replay of what failed for good."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import grimp
import pytest
from sqlalchemy import Connection, Engine

from tests.conformance.acts import ME, end, sweep, take
from tests.factories import job, stored, worker_instance
from worker.admin import Admin
from worker.errors import InvalidInput
from worker.model import Job, Status
from worker.queries import retention
from worker.queries.pages import cursors

ROOT = Path(__file__).resolve().parents[2]
LONG_AGO = timedelta(days=3)
QUESTIONS = [name for name, value in vars(Admin).items() if inspect.isfunction(value) and not name.startswith("_")]


@pytest.fixture
def now() -> datetime:
    """The time by which these tests write: the answers go by the database's clock."""
    return datetime.now(UTC)


@pytest.fixture
def admin(engine: Engine) -> Admin:
    return Admin(engine)


def taken(conn: Connection, now: datetime, **columns: Any) -> Job:
    """A job that waited for ten seconds and was claimed a moment ago."""
    since = now - timedelta(seconds=10)
    at: dict[str, Any] = {"created_at": since, "available_at": since}
    job(conn, **at | columns)
    (mine,) = take(conn, now=now)
    return mine


def test_s2_103_a_dead_letter_stays_until_a_person_decides(conn: Connection, admin: Admin, now: datetime) -> None:
    letter = {"event_id": "ev-1", "event_type": "order.created", "subscriber_id": "crm.sync"}
    dead = job(conn, status=Status.FAILED, finished_at=now - timedelta(days=400), **letter)
    retention.prune(conn, retention_days=1, now=now)
    summary = admin.get_jobs_summary(hours=1)
    assert summary.standing.dead_letters == 1
    assert [each.id for each in summary.recent_dead_letters] == [dead]


def test_s2_104_a_replay_gives_a_new_budget_once(conn: Connection, admin: Admin) -> None:
    dead = job(conn, status=Status.FAILED, attempts=5, max_attempts=5, generation=7)
    assert admin.replay_dead_letter_job(dead).replayed
    row = stored(conn, dead)
    assert (row.status, row.attempts, row.generation, row.error_detail, row.finished_at) == ("queued", 0, 7, None, None)
    assert len(take(conn, now=row.available_at)) == 1
    assert not admin.replay_dead_letter_job(dead).replayed


def test_s2_105_the_summary_counts_by_status_and_queue_however_old_the_open_jobs_are(
    conn: Connection, admin: Admin, now: datetime
) -> None:
    old: dict[str, Any] = {"created_at": now - LONG_AGO, "available_at": now - LONG_AGO}
    job(conn, queue="mail", **old)
    job(conn, queue="mail", **old | {"available_at": now + LONG_AGO, "scheduled": True})
    job(conn, queue="mail", status=Status.RUNNING, **old)
    job(conn, queue="reports", status=Status.FAILED, **old)
    end(conn, taken(conn, now, queue="a-first"), now=now)
    summary = admin.get_jobs_summary(hours=1)
    by_queue = {
        each.queue: (each.standing.queued, each.standing.running, each.standing.dead_letters, each.window.succeeded)
        for each in summary.by_queue
    }
    assert by_queue == {"a-first": (0, 0, 0, 1), "mail": (2, 1, 0, 0), "reports": (0, 0, 1, 0)}
    open_jobs = summary.standing
    assert (open_jobs.queued, open_jobs.ready, open_jobs.scheduled) == (2, 1, 1)
    assert (open_jobs.running, open_jobs.dead_letters) == (1, 1)


def test_s2_106_recent_throughput_is_counted_within_the_window_alone(
    conn: Connection, admin: Admin, now: datetime
) -> None:
    end(conn, taken(conn, now), now=now)
    end(conn, taken(conn, now, max_attempts=1), ValueError("no"), now=now)
    end(conn, taken(conn, now), ValueError("no"), now=now)
    yesterday = now - timedelta(hours=30)
    end(conn, taken(conn, yesterday), now=yesterday)
    day, week = admin.get_jobs_summary().window, admin.get_jobs_summary(hours=7 * 24).window
    assert (day.succeeded, day.dead_lettered, day.failed) == (1, 1, 1)
    assert (week.succeeded, week.dead_lettered, week.failed) == (2, 1, 1)


def test_s2_106_a_job_that_ran_twice_is_counted_as_superseded(conn: Connection, admin: Admin, now: datetime) -> None:
    before = now - timedelta(minutes=10)
    late = taken(conn, before)
    sweep(conn, now=now)
    (again,) = take(conn, now=now, instance_id="other")
    assert (again.id, again.generation) == (late.id, 2)
    assert end(conn, late, now=now) is None
    (handler,) = admin.get_jobs_summary().by_subscriber
    assert (handler.handler_key, handler.window.superseded, handler.window.succeeded) == ("render_report", 1, 0)


def test_s2_107_the_backlogs_age_is_that_of_what_is_due(conn: Connection, admin: Admin, now: datetime) -> None:
    born, due, later = now - LONG_AGO, now - timedelta(minutes=4), now + timedelta(hours=1)
    job(conn, created_at=born, available_at=due)
    job(conn, created_at=born, available_at=later, scheduled=True, attempts=1)
    job(conn, created_at=born, status=Status.RUNNING, locked_at=now)
    summary = admin.get_jobs_summary()
    standing = summary.standing
    assert standing.oldest_ready_seconds == (summary.at - due).total_seconds()
    assert standing.next_due_seconds == (later - summary.at).total_seconds()
    assert standing.oldest_running_seconds == (summary.at - now).total_seconds()


def test_s2_108_durations_are_those_of_completed_attempts_by_handler(
    conn: Connection, admin: Admin, now: datetime
) -> None:
    end(conn, taken(conn, now), now=now)
    end(conn, taken(conn, now), ValueError("no"), now=now)
    (handler,) = admin.get_jobs_summary().by_subscriber
    window = handler.window
    assert window.avg_duration_ms is not None
    assert window.longest_at_most_ms is not None
    assert 0 <= window.avg_duration_ms <= window.longest_at_most_ms
    assert (window.durations.up_to_100ms, window.durations.over_5m) == (1, 0)


def test_s2_109_a_dead_letter_is_listed_with_the_worker_of_its_last_attempt(
    conn: Connection, admin: Admin, now: datetime
) -> None:
    before = now - timedelta(hours=1)
    first = taken(conn, before, max_attempts=2)
    end(conn, first, ValueError("no"), now=before)
    (last,) = take(conn, now=now)
    end(conn, last, ValueError("still no"), now=now)
    (letter,) = admin.get_jobs_summary().recent_dead_letters
    assert (letter.id, letter.last_worker_id, letter.error_type) == (first.id, ME, "ValueError")
    assert "still no" in (letter.error_detail or "")


def test_s2_110_a_history_says_who_ran_each_attempt_how_long_and_why_it_failed(
    conn: Connection, admin: Admin, now: datetime
) -> None:
    before = now - timedelta(hours=1)
    first = taken(conn, before)
    end(conn, first, ValueError("no"), now=before)
    take(conn, now=before + timedelta(minutes=30), instance_id="crashed")
    sweep(conn, now=now)
    found = admin.get_job(first.id)
    assert found
    second, original = found.history
    assert (original.worker_id, original.outcome, original.attempt) == (ME, "failed", 1)
    assert original.duration_ms is not None
    assert "ValueError: no" in (original.error or "")
    assert (second.worker_id, second.outcome, second.duration_ms) == ("crashed", "lease_expired", None)
    assert second.error == "Recovered after worker lease expired."
    assert admin.get_worker_attempts("crashed").attempts == (second,)


def test_s2_111_live_silent_and_stopped_workers_are_told_apart(conn: Connection, admin: Admin, now: datetime) -> None:
    worker_instance(conn, "live", last_heartbeat_at=now)
    worker_instance(conn, "silent", last_heartbeat_at=now - timedelta(seconds=31))
    worker_instance(conn, "stopped", last_heartbeat_at=now - timedelta(hours=1), stopped_at=now)
    job(conn, status=Status.RUNNING, locked_by="silent")
    summary = admin.get_workers_summary()
    assert {each.instance_id: each.state for each in summary.workers} == {
        "live": "live", "silent": "silent", "stopped": "stopped",
    }  # fmt: skip
    assert (summary.live, summary.silent, summary.stopped, summary.claimed_by_silent_workers) == (1, 1, 1, 1)
    assert admin.get_workers_summary(stale_after_seconds=3600).silent == 0


def test_s2_112_no_worker_is_repeated_or_lost_while_another_starts(
    conn: Connection, admin: Admin, now: datetime
) -> None:
    for age in (3, 2, 1):
        worker_instance(conn, f"worker-{age}", started_at=now - timedelta(hours=age))
    first = admin.get_workers_summary(limit=2)
    worker_instance(conn, "newcomer", started_at=now)
    second = admin.get_workers_summary(limit=2, cursor=first.next_cursor)
    assert [each.instance_id for each in first.workers] == ["worker-1", "worker-2"]
    assert [each.instance_id for each in second.workers] == ["worker-3"]
    assert second.next_cursor is None


@pytest.mark.parametrize(
    "cursor",
    ["", "not ours", "é", "W10", "eyJhIjoxfQ", cursors.encode("2026-01-01T00:00:00", "naive"), "A" * 513, 7, b"e30"],
)
def test_s2_112_a_cursor_that_no_page_gave_out_is_refused_by_name(admin: Admin, cursor: Any) -> None:
    for ask in (admin.get_workers_summary, lambda cursor: admin.get_worker_attempts("worker-1", cursor=cursor)):
        with pytest.raises(InvalidInput) as refusal:
            ask(cursor=cursor)
        assert refusal.value.field == "cursor"


def test_s2_112_a_cursor_is_short_whatever_the_row(conn: Connection, admin: Admin, now: datetime) -> None:
    for letter in "ab":
        worker_instance(conn, letter * 100, started_at=now)
    cursor = admin.get_workers_summary(limit=1).next_cursor
    assert cursor
    assert len(cursor) <= cursors.MAX_LENGTH
    assert [each.instance_id for each in admin.get_workers_summary(cursor=cursor).workers] == ["a" * 100]


def test_s2_113_the_admin_api_is_importable_from_anywhere(tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "import threading, worker.admin\n"
        "assert threading.active_count() == 1\n"
        "loaded = [name for name in sys.modules if name.startswith(('app', 'worker.runtime', 'starlette'))]\n"
        "assert loaded == [], loaded\n"
        "worker.admin.Admin('postgresql://nobody@127.0.0.1:1/nowhere')\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env={}, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_s2_114_no_question_takes_a_connection(engine: Engine, admin: Admin) -> None:
    words = {"conn", "connection", "session", "db", "engine", "transaction"}
    taken = {name: set(inspect.signature(getattr(Admin, name)).parameters) & words for name in QUESTIONS}
    assert {name: some for name, some in taken.items() if some} == {}
    assert len(QUESTIONS) == 7
    with engine.begin() as mine:
        born = job(mine)
        assert admin.get_job(born) is None
        mine.rollback()
    assert admin.get_job(born) is None


def test_s2_115_a_route_reaches_no_tables_and_what_it_calls_ends_no_transaction() -> None:
    graph = grimp.build_graph("app", "worker", include_external_packages=True)
    routes = graph.find_descendants("app.routes")
    beyond = {"sqlalchemy", "worker.queries.schema", "worker.runtime"}
    assert {
        (route, name) for route in routes for name in graph.find_modules_directly_imported_by(route) & beyond
    } == set()
    assert len(routes) > 10
    for part in ("worker.runtime", "worker.handlers", "app"):
        assert graph.find_shortest_chain("worker.admin", part) is None
    ending = [
        f"{path.name}:{node.lineno}"
        for path in (ROOT / "worker" / "queries").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute) and node.attr in {"commit", "rollback", "begin"}
    ]
    assert ending == []
