"""What some jobs are, and which dead letters a kind stands for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.model import Status, new_id
from worker.queries.pages import selection
from worker.queries.pages.filters import Filters
from worker.queries.pages.states import State

GROUP = Filters(status="failed", group="f" * 16)


def test_jobs_are_told_apart_by_state_and_named_by_frequency(conn: Connection) -> None:
    acme = factories.tenant(conn)
    jobs = [factories.job(conn, status=Status.FAILED, queue="mail", tenant_id=acme) for _ in range(2)]
    jobs += [factories.job(conn, status=Status.FAILED, queue="crm"), factories.job(conn, queue="reports")]
    found = selection.read(conn, selection.by_id([*jobs, new_id()]), now=NOON)
    assert found.jobs == 4
    dead = found.within({State.DEAD})
    assert (dead.jobs, dead.names("queue"), dead.names("tenant")) == (3, ["mail", "crm"], ["acme"])
    assert found.within({State.RUNNING}).jobs == 0


def test_a_53_a_kind_is_what_had_died_by_the_time(conn: Connection) -> None:
    old = factories.job(conn, status=Status.FAILED, finished_at=NOON - timedelta(minutes=2))
    new = factories.job(conn, status=Status.FAILED, finished_at=NOON)
    factories.job(conn, status=Status.FAILED, finished_at=NOON + timedelta(microseconds=1))
    factories.job(conn, status=Status.FAILED, error_fingerprint="other")
    asked: Any = {"tenant_id": None, "before": NOON, "now": NOON}
    assert ids(conn, selection.matching(GROUP, limit=9, **asked)) == [new, old]
    assert ids(conn, selection.matching(GROUP, limit=1, **asked)) == [new]
    assert selection.count(conn, GROUP, **asked) == 2


def test_what_came_since_is_told_apart(conn: Connection) -> None:
    factories.job(conn, status=Status.FAILED, finished_at=NOON - timedelta(minutes=2))
    new = factories.job(conn, status=Status.FAILED, finished_at=NOON)
    asked: Any = {"tenant_id": None, "before": NOON, "since": NOON - timedelta(minutes=1), "now": NOON}
    assert ids(conn, selection.matching(GROUP, limit=9, **asked)) == [new]
    assert selection.count(conn, GROUP, **asked) == 1


@pytest.mark.parametrize("status", [status for status in Status if status != Status.FAILED])
def test_a_54_a_kind_never_holds_what_is_not_dead(conn: Connection, status: Status) -> None:
    factories.job(conn, status=status, error_fingerprint="f" * 16)
    asked: Any = {"tenant_id": None, "before": NOON + timedelta(days=1), "now": NOON}
    assert ids(conn, selection.matching(GROUP, limit=9, **asked)) == []
    assert selection.count(conn, GROUP, **asked) == 0


def test_a_list_in_another_state_is_what_had_been_put_in_by_then(conn: Connection) -> None:
    waiting = factories.job(conn, queue="mail")
    later = NOON + timedelta(seconds=1)
    factories.job(conn, queue="mail", created_at=later, updated_at=later)
    factories.job(conn, queue="mail", status=Status.RUNNING)
    asked: Any = {"tenant_id": None, "before": NOON, "now": NOON}
    assert ids(conn, selection.matching(Filters(status="ready", queue="mail"), limit=9, **asked)) == [waiting]


def ids(conn: Connection, chosen: selection.Chosen) -> list[UUID]:
    return [row.id for row in conn.execute(chosen.rows, chosen.values)]
