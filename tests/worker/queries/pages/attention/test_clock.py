"""Workers whose clock is off."""

from __future__ import annotations

from sqlalchemy import Connection

from tests import factories
from tests.worker.queries.pages.attention.looking import items, kinds, worst


def test_a_clock_that_is_off_either_way_is_named_the_worst_first(conn: Connection) -> None:
    for name, ahead_ms in (("right", 400), ("ahead", 6_000), ("behind", -90_000), ("silent on it", None)):
        factories.worker_instance(conn, name, clock_ahead_ms=ahead_ms)
    found = [(item.facts["of"].instance_id, item.facts["seconds"]) for item in items(conn)]
    assert found == [("behind", -90), ("ahead", 6)]
    assert worst(conn, "clock") == 90
    assert len(kinds(conn, finding_clock_seconds=7)) == 1
