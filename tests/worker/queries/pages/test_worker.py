"""One worker process: its state and pulse, what it runs, and the others of its component."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.model import Status
from worker.queries.pages import worker
from worker.queries.pages.fleet import State
from worker.queries.pages.worker import HELD, Process


def read(conn: Connection, instance_id: str = "worker-1") -> Process:
    found = worker.read(conn, instance_id=instance_id, now=NOON)
    assert found
    return found


def test_a_process_nobody_heard_of_is_not_there(conn: Connection) -> None:
    assert worker.read(conn, instance_id="worker-1", now=NOON) is None


def test_a_live_process_has_its_whole_pulse_and_what_it_holds_the_oldest_first(conn: Connection) -> None:
    factories.worker_instance(conn, label="mail-1")
    tenant_id = factories.tenant(conn, "acme")
    for minutes, columns in ((1, {}), (9, {"tenant_id": tenant_id})):
        factories.job(conn, status=Status.RUNNING, locked_at=NOON - timedelta(minutes=minutes), **columns)
    factories.job(conn, status=Status.RUNNING, locked_by="another")
    found = read(conn)
    assert (found.name, found.state, found.pulse) == ("mail-1", State.LIVE, "|" * 40)
    assert [(row.tenant, NOON - row.locked_at) for row in found.holds] == [
        ("acme", timedelta(minutes=9)),
        (None, timedelta(minutes=1)),
    ]
    assert (found.busy, found.ended_at, found.lived) == (2, None, timedelta(hours=1))


def test_of_very_many_the_oldest_are_listed_and_all_are_counted(conn: Connection) -> None:
    factories.worker_instance(conn)
    for _ in range(HELD + 2):
        factories.job(conn, status=Status.RUNNING)
    found = read(conn)
    assert (len(found.holds), found.busy) == (HELD, HELD + 2)


@pytest.mark.parametrize(
    ("columns", "gone", "ended"),
    [
        ({"stopped_at": NOON - timedelta(minutes=5)}, True, NOON - timedelta(minutes=5)),
        ({"last_heartbeat_at": NOON - timedelta(minutes=5)}, False, NOON - timedelta(minutes=5)),
        ({"last_heartbeat_at": NOON - timedelta(hours=5)}, True, NOON - timedelta(hours=5)),
        ({"drain_requested_at": NOON}, False, None),
    ],
    ids=["stopped", "silent", "long silent", "draining"],
)
def test_how_it_ended_is_told(conn: Connection, columns: dict[str, Any], gone: bool, ended: object) -> None:
    factories.worker_instance(conn, **{"started_at": NOON - timedelta(hours=6), **columns})
    found = read(conn)
    assert (found.is_gone, found.ended_at) == (gone, ended)


def test_the_others_of_its_component_are_those_that_live_then_the_last_that_did(conn: Connection) -> None:
    factories.worker_instance(conn)
    factories.worker_instance(conn, "stranger", component="other")
    for name, hours, columns in (
        ("old", 9, {"stopped_at": NOON - timedelta(hours=8)}),
        ("older", 10, {"stopped_at": NOON - timedelta(hours=9)}),
        ("live", 12, {}),
    ):
        factories.worker_instance(conn, name, started_at=NOON - timedelta(hours=hours), **columns)
    found = worker.others(conn, read(conn))
    assert [(row.instance_id, state) for row, state in found] == [
        ("live", State.LIVE),
        ("old", State.STOPPED),
        ("older", State.STOPPED),
    ]
