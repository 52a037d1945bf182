"""What some jobs are, and which dead letters a kind stands for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

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
    found = selection.read(conn, job_ids=[*jobs, new_id()], now=NOON)
    assert found.jobs == 4
    dead = found.within({State.DEAD})
    assert (dead.jobs, dead.names("queue"), dead.names("tenant")) == (3, ["mail", "crm"], ["acme"])
    assert found.within({State.RUNNING}).jobs == 0


def test_a_53_a_kind_is_what_had_died_by_the_time(conn: Connection) -> None:
    old = factories.job(conn, status=Status.FAILED, finished_at=NOON - timedelta(minutes=2))
    new = factories.job(conn, status=Status.FAILED, finished_at=NOON)
    factories.job(conn, status=Status.FAILED, finished_at=NOON + timedelta(microseconds=1))
    factories.job(conn, status=Status.FAILED, error_fingerprint="other")
    asked: Any = {"tenant_id": None, "died_before": NOON, "now": NOON}
    assert selection.matching(conn, GROUP, limit=9, **asked) == [new, old]
    assert selection.matching(conn, GROUP, limit=1, **asked) == [new]
    assert selection.count(conn, GROUP, **asked) == 2


@pytest.mark.parametrize("status", [status for status in Status if status != Status.FAILED])
def test_a_54_a_kind_never_holds_what_is_not_dead(conn: Connection, status: Status) -> None:
    factories.job(conn, status=status, error_fingerprint="f" * 16)
    for filters in (GROUP, Filters(status=status), Filters()):
        asked: Any = {"tenant_id": None, "died_before": NOON + timedelta(days=1), "now": NOON}
        assert selection.matching(conn, filters, limit=9, **asked) == []
        assert selection.count(conn, filters, **asked) == 0
