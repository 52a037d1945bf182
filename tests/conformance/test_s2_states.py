"""S2, the state machine: four states in other words, and no arrow but those drawn."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection

from tests.conformance.acts import ME, end, sweep, take
from tests.factories import NOON, job, stored
from tests.worker.runtime.bench import claim_of
from worker.model import Job, Status, new_id, parse_status
from worker.queries.audit import Actor
from worker.queries.cancellations import cancel
from worker.queries.claims import release, renew
from worker.queries.dead_letters import replay
from worker.queries.retention import prune

DANA = Actor("dana")
YEARS_LATER = NOON + timedelta(days=3650)
LEASE_OVER = NOON + timedelta(minutes=6)
QUEUED, RUNNING, SUCCEEDED, FAILED, CANCELLED = Status

# What each act may come to, by the state it meets; a state that is not named stays as it is
ACTS: dict[str, tuple[Callable[[Connection, UUID], object], dict[Status, Status]]] = {
    "claim": (lambda conn, _: take(conn), {QUEUED: RUNNING}),
    "complete": (lambda conn, id_: end(conn, newest(conn, id_)), {RUNNING: SUCCEEDED}),
    "fail": (lambda conn, id_: end(conn, newest(conn, id_), ValueError("no")), {RUNNING: QUEUED}),
    "release": (
        lambda conn, id_: release(conn, instance_id=ME, claims=[newest(conn, id_).claim], now=NOON),
        {RUNNING: QUEUED},
    ),
    "renew": (
        lambda conn, id_: renew(conn, instance_id=ME, claims=[(id_, 1)], lease_seconds=60, now=NOON),
        {},
    ),
    "recover": (lambda conn, _: sweep(conn, now=LEASE_OVER), {RUNNING: QUEUED}),
    "replay": (lambda conn, id_: replay(conn, job_ids=[id_], actor=DANA, reason=None, now=NOON), {FAILED: QUEUED}),
    "cancel": (
        lambda conn, id_: cancel(conn, job_ids=[id_], actor=DANA, reason=None, now=NOON),
        {QUEUED: CANCELLED, FAILED: CANCELLED},
    ),
}


def newest(conn: Connection, id_: UUID) -> Job:
    """The job's newest claim, whether it is over or not."""
    return claim_of(id=id_, generation=stored(conn, id_).generation).job


def event_job(conn: Connection, status: Status, **columns: object) -> UUID:
    """A job of an event, as old as the clock."""
    more = {"job_type": "run_subscriber", "event_id": str(new_id()), "event_type": "e", "subscriber_id": "s"}
    return job(conn, status=status, **more | columns)


def test_s2_22_pending_waits_until_its_time(conn: Connection) -> None:
    assert parse_status("pending") is Status.QUEUED
    id_ = event_job(conn, Status.QUEUED, available_at=NOON + timedelta(minutes=1), scheduled=True)
    assert take(conn, "run_subscriber") == []
    assert [each.id for each in take(conn, "run_subscriber", now=NOON + timedelta(minutes=1))] == [id_]


def test_s2_23_claimed_is_leased_to_one_worker(conn: Connection) -> None:
    assert parse_status("claimed") is Status.RUNNING
    id_ = event_job(conn, Status.QUEUED)
    take(conn, "run_subscriber")
    row = stored(conn, id_)
    assert (row.status, row.locked_by, row.lease_expires_at) == ("running", ME, NOON + timedelta(seconds=300))
    assert take(conn, "run_subscriber", instance_id="other") == []


def test_s2_24_completed_is_over_and_pruned_in_time(conn: Connection) -> None:
    assert parse_status("completed") is Status.SUCCEEDED
    event_job(conn, Status.SUCCEEDED)
    assert take(conn, "run_subscriber", now=YEARS_LATER) == []
    assert prune(conn, retention_days=30, now=NOON + timedelta(days=29))["jobs"] == 0
    assert prune(conn, retention_days=30, now=NOON + timedelta(days=31))["jobs"] == 1


def test_s2_25_a_dead_letter_is_never_pruned(conn: Connection) -> None:
    assert parse_status("dead_letter") is Status.FAILED
    id_ = event_job(conn, Status.FAILED)
    prune(conn, retention_days=1, now=YEARS_LATER)
    assert stored(conn, id_).status == "failed"


@pytest.mark.parametrize("state", Status)
@pytest.mark.parametrize("act", ACTS)
def test_s2_26_no_act_takes_an_arrow_that_is_not_drawn(conn: Connection, act: str, state: Status) -> None:
    # In random order and from several workers: tests/worker/queries/test_machine.py
    id_ = job(conn, status=state, **({"locked_by": ME} if state is RUNNING else {}))
    perform, arrows = ACTS[act]
    perform(conn, id_)
    assert stored(conn, id_).status == arrows.get(state, state)
