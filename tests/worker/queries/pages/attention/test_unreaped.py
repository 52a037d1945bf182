"""Leases that ended, and nobody took the jobs back."""

from __future__ import annotations

from sqlalchemy import Connection

from tests import factories
from tests.worker.queries.pages.attention.looking import ago, items, worst
from worker.model import Status


def test_leases_that_ended_and_nobody_took_back_are_urgent(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, status=Status.RUNNING, locked_by="long gone", lease_expires_at=ago(minutes=3))
    (item,) = items(conn)
    assert (item.kind, item.facts) == ("unreaped", {"jobs": 1, "since": ago(minutes=3)})
    assert worst(conn, "unreaped") == 180
