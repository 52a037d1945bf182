"""What was delivered before its job could be written down is delivered once more, under the id of the first time."""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy import Connection

from tests.factories import NOON, attempts
from worker import Event, publish
from worker.model import RUN_SUBSCRIBER, AttemptOutcome, Job
from worker.queries.claims import claim
from worker.queries.outbox import relay
from worker.queries.outcomes import finish
from worker.queries.recovery import recover
from worker.queries.results import Result
from worker.subscribers import Subscribers

RECIPIENTS = ("mail.buyer", "mail.seller")


def taken(conn: Connection, now: datetime) -> list[Job]:
    job_types = (RUN_SUBSCRIBER,)
    return claim(conn, instance_id="w", job_types=job_types, queues=None, after="", limit=10, lease_seconds=60, now=now)


def deliver(job: Job, mailbox: dict[object, str]) -> None:
    """As a server does that knows a delivery by its id."""
    mailbox[job.id] = job.handler_key


def test_a_62_a_crash_before_the_commit_repeats_one_delivery_under_its_id_and_no_other(conn: Connection) -> None:
    subscribers = Subscribers()
    for name in RECIPIENTS:
        subscribers.register("order.paid", name, lambda job: None)
    with conn.engine.begin() as mine:
        publish(mine, Event("order.paid"), now=NOON)
        relay(mine, subscribers, limit=10, now=NOON)
    mailbox: dict[object, str] = {}
    first = taken(conn, NOON)
    for job in first:
        deliver(job, mailbox)
    done, lost = first
    finish(conn, instance_id="w", results=[Result(done, AttemptOutcome.COMPLETED, run_ms=1)], now=NOON)
    later = NOON + timedelta(minutes=2)
    with conn.engine.begin() as mine:
        recover(mine, stale_after_seconds=900, now=later)
    (again,) = taken(conn, later)
    deliver(again, mailbox)
    finish(conn, instance_id="w", results=[Result(again, AttemptOutcome.COMPLETED, run_ms=1)], now=later)
    assert again.id == lost.id
    assert sorted(mailbox.values()) == list(RECIPIENTS)
    assert [each.outcome for each in attempts(conn, lost.id)] == ["lease_expired", "completed"]
    assert [each.outcome for each in attempts(conn, done.id)] == ["completed"]
