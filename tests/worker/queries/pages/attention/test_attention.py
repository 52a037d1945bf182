"""What needs a person as a whole: the urgent first, quiet is quiet, and few of a kind."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from tests.worker.queries.pages.attention.looking import ago, items, seen
from tests.worker.queries.pages.attention.outbox import published
from worker.model import Status
from worker.queries import queues
from worker.queries.audit import Actor
from worker.queries.pages import attention
from worker.queries.pages.attention import KINDS, Limits, people


def test_a_floor_that_works_needs_nobody(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.job(conn, available_at=ago(seconds=20))
    factories.job(conn, status=Status.RUNNING)
    factories.job(conn, status=Status.SUCCEEDED)
    published(conn, since=ago(seconds=10))
    assert items(conn) == []


def test_an_empty_database_needs_nobody(conn: Connection) -> None:
    assert items(conn) == []


def test_where_all_is_well_no_kind_is_bad_enough_to_be_told(conn: Connection) -> None:
    factories.worker_instance(conn)
    values, limits = attention.measure(seen(conn)), Limits()
    assert list(values) == [kind.name for kind in KINDS]
    assert [kind.name for kind in KINDS if values[kind.name] >= kind.limit_in(limits)] == []


def test_the_urgent_comes_first(conn: Connection) -> None:
    factories.worker_instance(conn)
    queues.pause(conn, queue="bulk", actor=Actor("dana"), reason="why", until=NOON + timedelta(hours=1), now=NOON)
    factories.job(conn, status=Status.FAILED, finished_at=ago(days=3))
    factories.job(conn, status=Status.RUNNING, locked_at=ago(minutes=31))
    assert [item.level for item in items(conn)] == ["urgent", "warn", "info"]


def test_more_of_a_kind_than_can_be_read_are_summed_up(conn: Connection) -> None:
    factories.worker_instance(conn)
    for place in range(6):
        factories.job(conn, job_type=f"train_{place}")
    found = items(conn)
    assert [item.kind for item in found] == ["unserved"] * 3 + ["more_unserved"]
    assert people(found) == 6
