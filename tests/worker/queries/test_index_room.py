"""The indexes of all jobs have room for the versions of a row: what is claimed and ended splits none of their pages."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import Connection, insert, text

from tests.factories import NOON
from worker.model import RUN_SUBSCRIBER, AttemptOutcome, Job, new_ids
from worker.queries.claims import claim
from worker.queries.outcomes import finish
from worker.queries.results import Result
from worker.queries.schema import platform_jobs

pytestmark = pytest.mark.postgresql

JOBS, BATCH = 2000, 250
INDEXES = ("pk_platform_jobs", "ix_platform_jobs_recent", "uq_platform_jobs_event_subscriber")
PAGE = 8192
"""The last page of an index is filled to its end while jobs are born, so it alone has no room."""
SIZE = text("SELECT pg_relation_size(CAST(CAST(:name AS regclass) AS oid))")


@pytest.mark.parametrize("name", INDEXES)
def test_an_index_of_all_jobs_grows_neither_by_their_claims_nor_by_their_ends(name: str, conn: Connection) -> None:
    born(conn)
    before = size(conn, name)
    ended = 0
    while taken := take(conn):
        done = [Result(each, AttemptOutcome.COMPLETED, 1.0) for each in taken]
        ended += len(finish(conn, instance_id="worker-1", results=done))
    assert ended == JOBS
    assert size(conn, name) <= before + PAGE


def born(conn: Connection) -> None:
    """Jobs of events, one after the other."""
    times = {"created_at": NOON, "available_at": NOON, "updated_at": NOON}
    fixed = {
        "job_type": RUN_SUBSCRIBER,
        "queue": "default",
        "payload": {},
        "subscriber_id": "mails",
        "event_type": "paid",
    }
    rows = [
        {**times, **fixed, "id": each, "event_id": str(each), "created_at": NOON + timedelta(seconds=number)}
        for number, each in enumerate(new_ids(JOBS))
    ]
    conn.execute(insert(platform_jobs), rows)


def take(conn: Connection) -> list[Job]:
    """The next batch of them."""
    return claim(
        conn, instance_id="worker-1", job_types=[RUN_SUBSCRIBER], queues=None, after="", limit=BATCH, lease_seconds=60
    )


def size(conn: Connection, name: str) -> int:
    """Bytes of an index."""
    return int(conn.execute(SIZE, {"name": f"control.{name}"}).scalar_one())
