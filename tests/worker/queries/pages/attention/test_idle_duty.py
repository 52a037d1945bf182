"""A relay or a reaper that has not run."""

from __future__ import annotations

from sqlalchemy import Connection

from tests.worker.queries.pages.attention.looking import ago, items, kinds, worst
from worker.queries.duty_runs import ran


def test_a_duty_that_nobody_does_is_missed_before_its_work_piles_up(conn: Connection) -> None:
    for duty, minutes in (("relay", 6), ("reaper", 4), ("pruner", 600)):
        ran(conn, duty=duty, by="ops-1", now=ago(minutes=minutes))
    (item,) = items(conn)
    assert (item.kind, item.level, item.facts.duty, item.facts.ran_by) == ("idle_duty", "urgent", "relay", "ops-1")
    assert worst(conn, "idle_duty") == 360


def test_whoever_does_it_again_ends_that(conn: Connection) -> None:
    ran(conn, duty="relay", by="ops-1", now=ago(minutes=6))
    ran(conn, duty="relay", by="ops-2", now=ago(seconds=9))
    assert kinds(conn) == []
