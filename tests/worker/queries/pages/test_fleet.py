"""The fleet: who lives, who fell silent, what each can run and holds."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.factories import NOON
from worker.model import Status
from worker.queries.pages import fleet
from worker.queries.pages.fleet import State, Worker


def workers(conn: Connection) -> dict[str, Worker]:
    return {each.instance_id: each for each in fleet.read(conn, held=fleet.held(conn), now=NOON)}


@pytest.mark.parametrize(
    ("columns", "state"),
    [
        ({"last_heartbeat_at": NOON - timedelta(seconds=30)}, State.LIVE),
        ({"last_heartbeat_at": NOON - timedelta(seconds=30.001)}, State.SILENT),
        ({"last_heartbeat_at": NOON - timedelta(seconds=40), "heartbeat_interval_seconds": 15}, State.LIVE),
        ({"drain_requested_at": NOON}, State.DRAINING),
        ({"drain_requested_at": NOON, "last_heartbeat_at": NOON - timedelta(minutes=1)}, State.SILENT),
    ],
)
def test_a_worker_is_silent_after_three_intervals_without_a_beat(
    conn: Connection, columns: dict[str, Any], state: State
) -> None:
    factories.worker_instance(conn, **columns)
    assert workers(conn)["worker-1"].state is state


def test_who_stopped_is_not_there(conn: Connection) -> None:
    factories.worker_instance(conn, stopped_at=NOON)
    assert workers(conn) == {}


def test_a_worker_takes_what_both_its_types_and_its_queues_cover(conn: Connection) -> None:
    factories.worker_instance(conn, job_types=["render_report"], queues=["mail"])
    worker = workers(conn)["worker-1"]
    assert worker.takes("render_report", "mail")
    assert not worker.takes("render_report", "other")
    assert not worker.takes("other", "mail")


def test_without_a_list_it_serves_every_queue(conn: Connection) -> None:
    factories.worker_instance(conn, queues=None)
    assert workers(conn)["worker-1"].takes("render_report", "any")


@pytest.mark.parametrize(
    "gone",
    [{"last_heartbeat_at": NOON - timedelta(minutes=5)}, {"drain_requested_at": NOON}],
    ids=["silent", "draining"],
)
def test_a_silent_or_draining_worker_could_but_does_not_take(conn: Connection, gone: dict[str, Any]) -> None:
    factories.worker_instance(conn, **gone)
    worker = workers(conn)["worker-1"]
    assert worker.can_run("render_report", "mail")
    assert not worker.takes("render_report", "mail")


def test_what_it_holds_is_told_by_handler_with_the_oldest_first(conn: Connection) -> None:
    factories.worker_instance(conn)
    old = factories.job(conn, status=Status.RUNNING, locked_at=NOON - timedelta(minutes=3))
    factories.job(conn, status=Status.RUNNING, lease_expires_at=NOON + timedelta(minutes=1))
    factories.job(conn, status=Status.RUNNING, locked_by="somebody else")
    worker = workers(conn)["worker-1"]
    (held,) = worker.held
    assert (worker.busy, worker.lease_until) == (2, NOON + timedelta(minutes=1))
    assert (held.jobs, held.since, held.oldest_id) == (2, NOON - timedelta(minutes=3), old)


def test_the_worker_that_could_last_is_found_among_the_dead(conn: Connection) -> None:
    factories.worker_instance(
        conn, "old", job_types=["train"], last_heartbeat_at=NOON - timedelta(days=2), stopped_at=NOON
    )
    factories.worker_instance(conn, "newer", job_types=["train"], last_heartbeat_at=NOON - timedelta(days=1))
    factories.worker_instance(conn, "other", job_types=["render_report"])
    last = fleet.last_able(conn, job_types=["train", "unheard_of"])
    assert {name: row.instance_id for name, row in last.items()} == {"train": "newer"}
