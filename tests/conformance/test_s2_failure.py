"""S2, attempts and backoff: each claim spends one, each failure waits longer, and at the end is a person."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, Engine

from tests.conformance.acts import end, take
from tests.factories import NOON, attempts, job, stored
from tests.worker.runtime.bench import put, settings
from tests.worker.runtime.process import outlive
from worker.backoff import Backoff, event_backoff
from worker.model import Status, new_id

DEFAULTS = settings()
POLICY = event_backoff(DEFAULTS.backoff_base_seconds, DEFAULTS.backoff_max_seconds)


def whole(policy: Backoff, attempts: int) -> float:
    """The delay without its jitter: the draw that leaves all of it."""
    return policy.delay(attempts, draw=lambda: 1.0)


def event_job(conn: Connection, **columns: object) -> UUID:
    """A due job of an event."""
    of_event = {"event_id": str(new_id()), "event_type": "order.created", "subscriber_id": "invoice"}
    return job(conn, job_type="run_subscriber", **of_event, **columns)  # type: ignore[arg-type] # columns of any kind


def fail(conn: Connection, id_: UUID, *, attempt: int) -> float:
    """Let this attempt fail at noon; how many seconds the job waits after it."""
    (mine,) = take(conn, "run_subscriber")
    assert mine.attempts == attempt
    end(conn, mine, ValueError("no"), given=DEFAULTS)
    waits: timedelta = stored(conn, id_).available_at - NOON
    return waits.total_seconds()


def test_s2_45_the_attempt_is_counted_at_the_claim(conn: Connection) -> None:
    id_ = event_job(conn)
    take(conn, "run_subscriber")
    row = stored(conn, id_)
    assert (row.status, row.attempts, attempts(conn, id_)) == ("running", 1, [])


@pytest.mark.postgresql
def test_s2_46_a_job_that_kills_its_workers_ends_as_a_dead_letter(engine: Engine, conn: Connection, url: str) -> None:
    (id_,) = put(engine, "kill", max_attempts=2)
    assert (outlive(url, conn), stored(conn, id_).attempts) == (2, 2)
    assert [each.outcome for each in attempts(conn, id_)] == ["lease_expired"] * 2


def test_s2_47_the_delay_doubles_from_the_base() -> None:
    assert [whole(POLICY, attempt) for attempt in range(1, 6)] == [60, 120, 240, 480, 960]
    assert [whole(event_backoff(2, 3600), attempt) for attempt in range(1, 5)] == [2, 4, 8, 16]


def test_s2_48_it_never_exceeds_the_longest(conn: Connection) -> None:
    assert [whole(POLICY, attempt) for attempt in (6, 7, 8, 1000)] == [1920, 3600, 3600, 3600]
    id_ = event_job(conn, attempts=11, max_attempts=50)
    assert 1800 <= fail(conn, id_, attempt=12) <= 3600


def test_s2_49_jitter_makes_it_half_to_all_of_that(conn: Connection) -> None:
    drawn = [POLICY.delay(3) for _ in range(10_000)]
    assert 120 <= min(drawn) < 123
    assert 237 < max(drawn) <= 240
    assert abs(sum(drawn) / len(drawn) - 180) < 3
    id_ = event_job(conn)
    assert 30 <= fail(conn, id_, attempt=1) <= 60


def test_s2_50_jobs_that_fail_together_do_not_retry_together(conn: Connection) -> None:
    ids = [event_job(conn) for _ in range(100)]
    for mine in take(conn, "run_subscriber", limit=100):
        end(conn, mine, ValueError("provider down"))
    due = sorted(stored(conn, id_).available_at for id_ in ids)
    assert len(set(due)) > 90
    assert due[-1] - due[0] > timedelta(seconds=20)


def test_s2_51_at_its_last_attempt_it_is_a_dead_letter(conn: Connection) -> None:
    id_ = event_job(conn, attempts=1, max_attempts=2)
    (mine,) = take(conn, "run_subscriber")
    assert end(conn, mine, ValueError("no")) is Status.FAILED
    assert [each.outcome for each in attempts(conn, id_)] == ["dead_letter"]
