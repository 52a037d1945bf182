"""A commit that notifies waits for every other that does, so nobody is notified who does not sleep (A-18)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from sqlalchemy import Engine

from tests.factories import job_types
from worker import Event, NewJob, enqueue, enqueue_many, publish
from worker.queries import wakeups

pytestmark = pytest.mark.postgresql

TYPES = job_types("work")
CHANNELS = (wakeups.JOBS, wakeups.OUTBOX)


@pytest.fixture
def ear(engine: Engine) -> Iterator[psycopg.Connection[Any]]:
    """A session that listens on both channels, whoever has said that he sleeps."""
    address = {"host": engine.url.query["host"], "user": engine.url.username, "dbname": engine.url.database}
    with psycopg.connect(**address, autocommit=True) as listening:  # type: ignore[arg-type] # one dict of texts
        for channel in CHANNELS:
            listening.execute(f"LISTEN {channel}")
        yield listening


def produce(engine: Engine) -> None:
    """Jobs one by one and in a set, and events, in one transaction."""
    with engine.begin() as conn:
        for _ in range(5):
            enqueue(conn, TYPES, NewJob("work"))
            publish(conn, Event("order.paid"))
        enqueue_many(conn, TYPES, [NewJob("work") for _ in range(5000)])


def heard(ear: psycopg.Connection[Any]) -> list[str]:
    """What has come until now."""
    ear.execute("SELECT 1")
    return sorted(notice.channel for notice in ear.notifies(timeout=0))


def test_a_18_while_nobody_sleeps_no_commit_notifies(engine: Engine, ear: psycopg.Connection[Any]) -> None:
    produce(engine)
    assert heard(ear) == []


def test_a_18_a_transaction_notifies_each_channel_with_sleepers_once(
    engine: Engine, ear: psycopg.Connection[Any]
) -> None:
    for channel in CHANNELS:
        with engine.begin() as conn:
            wakeups.sleep(conn, channel=channel, sleeper="somebody")
            wakeups.sleep(conn, channel=channel, sleeper="somebody else")
    produce(engine)
    assert heard(ear) == sorted(CHANNELS)


def test_a_18_who_is_awake_again_is_left_alone(engine: Engine, ear: psycopg.Connection[Any]) -> None:
    with engine.begin() as conn:
        wakeups.sleep(conn, channel=wakeups.JOBS, sleeper="somebody")
        wakeups.awake(conn, channel=wakeups.JOBS, sleeper="somebody")
    produce(engine)
    assert heard(ear) == []
