"""One worker: what it is, what it runs against what is usual, how its attempts ended, and who asked it to go."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import Visitor
from tests.app.routes.rows import cells, plain
from tests.factories import NOON
from worker.model import AttemptOutcome, Status, new_id
from worker.queries import statistics
from worker.queries.audit import Actor
from worker.queries.statistics import Measured
from worker.queries.workers import request_drain


def test_the_page_tells_state_pulse_and_facts(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, label="mail-1", job_types=["mail"], queues=["bulk"])
    answer = visitor("viewer").get("/workers/worker-1")
    text = plain(answer.text)
    assert answer.status_code == 200
    assert "mail-1 live for 1 h , last beat 3 s ago" in text
    assert "Last 40 beats: 0 missed, 0 late" in answer.text
    for fact in ("Component worker", "Host ops-1", "Process 4711", "Release 0.1.0", "Slots 8", "Queues bulk"):
        assert fact in text
    assert "It runs nothing" in text
    assert "No attempt has ended here" in text


def test_a_slot_that_was_taken_again_before_its_last_job_was_written_down_counts_once(
    visitor: Visitor, conn: Connection
) -> None:
    factories.worker_instance(conn, concurrency=1)
    for _ in range(2):
        factories.job(conn, status=Status.RUNNING)
    browser = visitor("viewer")
    assert "1 of 1 slots" in plain(browser.get("/workers/worker-1").text)
    assert "1 / 1" in plain(browser.get("/workers").text)


def test_what_runs_is_held_against_its_usual_time_and_against_the_limit(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    for job_type, minutes in (("mail", 2), ("train", 45), ("rare", 1)):
        factories.job(conn, status=Status.RUNNING, job_type=job_type, locked_at=NOON - timedelta(minutes=minutes))
    statistics.add(conn, [Measured("mail", "default", AttemptOutcome.COMPLETED, 2000, 0)] * 5, now=NOON)
    rows = {row[0].split()[0]: row[1:] for row in cells(visitor("viewer").get("/workers/worker-1").text)}
    assert rows["train"][1:3] == ["45 min", "hung the limit is 30 min"]
    assert rows["mail"][2].endswith("60 × the median")
    assert rows["rare"][2] == "too few runs in a day to say"


@pytest.mark.parametrize(
    ("milliseconds", "told"),
    [(-90_000, "Clock 1 min 30 s behind the database’s"), (2_500, "Clock 2.5 s ahead of the database’s")],
)
def test_a_clock_that_is_off_is_told(visitor: Visitor, conn: Connection, milliseconds: int, told: str) -> None:
    factories.worker_instance(conn, clock_ahead_ms=milliseconds)
    factories.worker_instance(conn, "exact", clock_ahead_ms=40)
    browser = visitor("viewer")
    assert told in plain(browser.get("/workers/worker-1").text)
    assert "Clock" not in plain(browser.get("/workers/exact").text)


def test_a_cancel_that_was_asked_for_is_told(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, status=Status.RUNNING, cancel_requested_at=NOON)
    (row,) = cells(visitor("viewer").get("/workers/worker-1").text)
    assert row[2] == "0 s asked to stop"


def test_attempts_are_listed_the_last_to_end_first_page_by_page(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    for minutes in range(26):
        job_id = factories.job(conn, status=Status.SUCCEEDED)
        ended = NOON - timedelta(minutes=minutes)
        began = ended - timedelta(seconds=4)
        about = {"outcome": "failed", "error": f"Traceback\nValueError: {minutes}"} if minutes == 1 else {}
        times = {"claimed_at": began, "started_at": began, "finished_at": ended}
        factories.attempt(conn, job_id, 1, **{"outcome": "completed", **times, **about})
    browser = visitor("viewer")
    first = browser.get("/workers/worker-1").text
    rows = cells(first)
    assert (len(rows), rows[0][:5]) == (25, ["render_report", "completed", "1", "4.0 s", "just now"])
    assert rows[1][1:] == ["failed", "1", "4.0 s", "1 min ago", "ValueError: 1"]
    following = re.search(r'rel="next" href="([^"]+)"', first)
    assert following
    assert len(cells(browser.get(following[1]).text)) == 1


def test_an_attempt_outlives_its_job(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.attempt(conn, new_id(), 1, outcome="lease_expired")
    (row,) = cells(visitor("viewer").get("/workers/worker-1").text)
    assert row[0].endswith(", pruned")
    assert row[1] == "lost"


def test_who_asked_it_to_go_is_on_its_page(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    request_drain(conn, instance_id="worker-1", actor=Actor("dana"), reason="a deploy", now=NOON)
    text = visitor().get("/workers/worker-1").text
    assert "drain asked for by dana a deploy" in plain(text)
    assert "draining for" in plain(text)
    assert "/workers/worker-1/drain" not in text


@pytest.mark.parametrize(
    ("columns", "told"),
    [
        ({"stopped_at": NOON - timedelta(minutes=20)}, "stopped 20 min ago , after 40 min"),
        ({"last_heartbeat_at": NOON - timedelta(minutes=10)}, "silent for 10 min , after 50 min"),
    ],
    ids=["stopped", "silent"],
)
def test_one_that_is_gone_keeps_its_page(
    visitor: Visitor, conn: Connection, columns: dict[str, Any], told: str
) -> None:
    factories.worker_instance(conn, label="worker-of-old", **columns)
    factories.worker_instance(conn, "successor")
    browser = visitor()
    text = browser.get("/workers/worker-1").text
    assert told in plain(text)
    assert 'href="/workers/successor"' in text
    assert "/workers/worker-1/drain" not in text


def test_a_silent_one_that_holds_jobs_says_what_becomes_of_them(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn, last_heartbeat_at=NOON - timedelta(minutes=10))
    factories.job(conn, status=Status.RUNNING)
    assert "It holds a job still. The reaper gives" in plain(visitor().get("/workers/worker-1").text)


def test_the_region_answers_with_itself_and_operators_may_drain(visitor: Visitor, conn: Connection) -> None:
    factories.worker_instance(conn)
    headers = {"HX-Request": "true", "HX-Target": "div#process"}
    text = visitor().get("/workers/worker-1", headers=headers).text
    assert re.findall(r'id="([a-z]+)" data-region', text) == ["process"]
    assert "<html" not in text
    assert "/workers/worker-1/drain" in text
    assert "/drain" not in visitor("viewer").get("/workers/worker-1").text


def test_names_are_shown_as_text(visitor: Visitor, conn: Connection) -> None:
    evil = "<b onclick=alert(1)>"
    columns: dict[str, Any] = {
        "label": evil,
        "host": evil,
        "version": evil,
        "role": evil,
        "job_types": [evil],
        "queues": [evil],
    }
    factories.worker_instance(conn, component=evil, **columns)
    factories.attempt(conn, factories.job(conn, job_type=evil), 1, error=evil)
    text = visitor().get("/workers/worker-1").text
    assert evil not in text
    assert "&lt;b onclick" in text


@pytest.mark.parametrize("path", ["unknown", "x" * 500, "worker-1?cursor=x"])
def test_what_the_address_cannot_mean_is_refused(visitor: Visitor, conn: Connection, path: str) -> None:
    factories.worker_instance(conn)
    assert visitor("viewer").get(f"/workers/{path}").status_code == (400 if "cursor" in path else 404)
