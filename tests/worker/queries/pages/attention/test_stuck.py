"""Provisioning that runs and does not get on."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from tests import factories
from tests.worker.queries.pages.attention.looking import ago, items, kinds, worst
from tests.worker.queries.pages.rows import provisioned, ran
from worker.model import Status


def test_a_run_whose_last_step_ended_long_ago_is_named(conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["provision_tenant"])
    running: dict[str, Any] = {"status": Status.RUNNING, "locked_at": ago(minutes=9)}
    slow = provisioned(conn, "acme", **running)
    ran(conn, slow, 0, at=ago(minutes=6))
    fast = provisioned(conn, "globex", **running)
    ran(conn, fast, 0, at=ago(minutes=1))
    (item,) = items(conn)
    assert (item.kind, item.level, item.facts.slug) == ("stuck", "warn", "acme")
    assert worst(conn, "stuck") == 360
    assert kinds(conn, stuck_after_seconds=361) == []
