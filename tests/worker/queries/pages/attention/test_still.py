"""Queues that stand still."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.worker.queries.pages.attention.looking import ago, kinds, worst


@pytest.mark.parametrize(("minutes", "level"), [(1.9, None), (3, "warn"), (16, "urgent")])
def test_a_queue_where_nothing_comes_and_nothing_ends_is_named(
    conn: Connection, minutes: float, level: str | None
) -> None:
    factories.worker_instance(conn)
    factories.job(conn, queue="mail", available_at=ago(minutes=minutes), created_at=ago(hours=1))
    assert kinds(conn) == ([("still", level)] if level else [])
    assert worst(conn, "still") == pytest.approx(minutes * 60)
    assert worst(conn, "behind") == 0
