"""The jobs of one group, and what they have in common."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection, insert

from tests import factories
from tests.factories import NOON
from worker.model import Status
from worker.queries.pages import dead_letters, keyset
from worker.queries.schema import job_attempts

GROUP = "a" * 16


def die(conn: Connection, minutes_ago: int = 0, *, worker: str | None = None, **columns: object) -> UUID:
    """A dead letter of the group, and the attempt it died of."""
    at = NOON - timedelta(minutes=minutes_ago)
    columns = {"error_fingerprint": GROUP, "finished_at": at} | columns
    job_id = factories.job(conn, status=Status.FAILED, **columns)
    if worker:
        row = {"job_id": job_id, "generation": 5, "attempt": 5, "worker_id": worker, "claimed_at": at}
        conn.execute(insert(job_attempts), row | {"finished_at": at, "outcome": "dead_letter"})
    return job_id


def test_the_members_are_the_groups_own_the_last_to_die_first(
    conn: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keyset, "LIMIT", 2)
    old, new, middle = die(conn, 9), die(conn, 1), die(conn, 5)
    die(conn, error_fingerprint="b" * 16)
    factories.job(conn, error_fingerprint=GROUP)
    first = dead_letters.members(conn, fingerprint=GROUP, now=NOON)
    assert [row.id for row in first.rows] == [new, middle]
    second = dead_letters.members(conn, fingerprint=GROUP, before=first.older, now=NOON)
    assert [row.id for row in second.rows] == [old]
    back = dead_letters.members(conn, fingerprint=GROUP, after=second.newer, now=NOON)
    assert [row.id for row in back.rows] == [new, middle]


def test_the_traits_count_tenants_workers_queues_budgets_and_replays(conn: Connection) -> None:
    acme = factories.tenant(conn)
    factories.worker_instance(conn, "w-1", component="w-1", version="2026.11.3")
    die(conn, worker="w-1", tenant_id=acme)
    die(conn, worker="w-1", tenant_id=acme, queue="mail", replays=1)
    die(conn, worker="w-2", attempts=3, max_attempts=3)
    die(conn, error_fingerprint="b" * 16, worker="w-9")
    found = dead_letters.traits(conn, fingerprint=GROUP)
    assert found.tenants == {"acme": 2, None: 1}
    assert found.workers == {"w-1": 2, "w-2": 1}
    assert found.releases == {"2026.11.3": 2, None: 1}
    assert found.queues == {"default": 2, "mail": 1}
    assert found.budgets == {(5, 5): 2, (3, 3): 1}
    assert (found.replayed, found.read) == (1, 3)


def test_the_trace_is_that_of_the_newest(conn: Connection) -> None:
    die(conn, 2, error_detail="old")
    die(conn, 1, error_detail="new")
    assert dead_letters.trace(conn, fingerprint=GROUP) == "new"
    assert dead_letters.trace(conn, fingerprint="b" * 16) is None
