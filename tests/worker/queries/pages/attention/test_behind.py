"""Queues that fall behind."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.worker.queries.pages.attention.looking import ago, kinds, worst
from tests.worker.queries.pages.rows import minute
from worker.model import Status


@pytest.mark.parametrize(
    ("minutes", "finished", "level"), [(3, 0, "warn"), (16, 0, "urgent"), (3, 60, None), (1.9, 0, None)]
)
def test_a_queue_that_grows_is_named(conn: Connection, minutes: float, finished: int, level: str | None) -> None:
    factories.worker_instance(conn)
    for _ in range(100):
        factories.job(conn, queue="mail", available_at=ago(minutes=minutes), created_at=ago(minutes=minutes))
    for _ in range(50):
        factories.job(conn, queue="mail", status=Status.SUCCEEDED, created_at=ago(minutes=1))
    if finished:
        minute(conn, ago(minutes=1), queue="mail", jobs=finished * 5)
    assert kinds(conn) == ([("behind", level)] if level else [])
    assert worst(conn, "behind") == pytest.approx(0 if finished else minutes * 60)


def test_one_that_catches_up_is_named_until_it_clears_soon(conn: Connection) -> None:
    factories.worker_instance(conn)
    for _ in range(100):
        factories.job(conn, queue="mail", available_at=ago(minutes=9), created_at=ago(minutes=9))
    minute(conn, ago(minutes=1), queue="mail", jobs=5)
    assert kinds(conn) == [("behind", "warn")]
    minute(conn, ago(minutes=2), queue="mail", jobs=500)
    assert kinds(conn) == []


def test_what_nobody_can_run_is_not_also_called_behind(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, job_type="train", available_at=ago(hours=1))
    assert kinds(conn) == [("unserved", "urgent")]
