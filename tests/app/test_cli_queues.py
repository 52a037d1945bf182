"""Queues, workers and tenants from a shell."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, select

from tests import factories
from tests.app.shell import Shell
from tests.worker.queries.pages.rows import minute
from worker.model import Status
from worker.queries import schema

TRAIL = select(schema.operator_actions).order_by(schema.operator_actions.c.id)


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def test_queues_are_listed_with_what_waits_and_who_serves(shell: Shell, conn: Connection) -> None:
    factories.job(conn, queue="mail")
    factories.job(conn, queue="mail", status=Status.FAILED)
    now = datetime.now(UTC)
    factories.worker_instance(conn, last_heartbeat_at=now, started_at=now)
    (mail,) = shell.json("queues", "list")
    assert {name: mail[name] for name in ("queue", "ready", "dead", "served_by")} == {
        "queue": "mail",
        "ready": 1,
        "dead": 1,
        "served_by": ["worker-1"],
    }
    heading, line = shell.ok("queues", "list").splitlines()
    assert heading.split()[:3] == ["QUEUE", "STATE", "READY"]
    assert line.split()[0] == "mail"


def test_a_queue_is_shown_with_why_it_waits_and_how_it_went(shell: Shell, conn: Connection) -> None:
    now = datetime.now(UTC)
    factories.job(conn, queue="mail", available_at=now - timedelta(minutes=6))
    minute(conn, now - timedelta(minutes=3), jobs=5, runs={100: 5})
    shell.ok("queues", "pause", "mail", "--reason", "provider down")
    known = shell.json("queues", "show", "mail")
    assert (known["state"], known["pause"]["reason"]) == ("paused", "provider down")
    assert [(part["handler"], part["ready"]) for part in known["handlers"]] == [("render_report", 1)]
    assert [(wait["cause"], wait["jobs"]) for wait in known["waits"]] == [("paused", 1)]
    assert known["total"]["completed"] == sum(slot["completed"] for slot in known["course"]) == 5
    text = shell.ok("queues", "show", "mail", "--span", "7d")
    assert "the queue is paused" in text
    assert "provider down" in text


def test_a_queue_of_which_nothing_is_known_is_shown_as_such(shell: Shell) -> None:
    assert "nothing known" in shell.ok("queues", "show", "nowhere")


def test_a_queue_is_paused_with_a_reason_and_resumed(shell: Shell, conn: Connection) -> None:
    assert shell.json("queues", "pause", "mail", "--reason", "provider down")["changed"] is True
    row = conn.execute(select(schema.queue_controls)).one()
    assert (row.queue, row.reason, row.paused_until) == ("mail", "provider down", None)
    assert shell.json("queues", "resume", "mail")["changed"] is True
    assert conn.execute(select(schema.queue_controls)).all() == []
    assert [each.action for each in conn.execute(TRAIL)] == ["pause", "resume"]


def test_pausing_and_resuming_twice_changes_nothing(shell: Shell, conn: Connection) -> None:
    shell.ok("queues", "pause", "mail", "--reason", "one")
    assert "already" in shell.ok("queues", "pause", "mail", "--reason", "two")
    shell.ok("queues", "resume", "mail")
    assert "was not paused" in shell.ok("queues", "resume", "mail")
    assert len(conn.execute(TRAIL).all()) == 2


def test_a_pause_may_end_by_itself(shell: Shell, conn: Connection) -> None:
    shell.ok("queues", "pause", "mail", "--reason", "lunch", "--for", "15m")
    row = conn.execute(select(schema.queue_controls)).one()
    assert timedelta(minutes=14) < row.paused_until - row.paused_at <= timedelta(minutes=16)


@pytest.mark.parametrize("arguments", [("pause", "mail"), ("pause", "mail", "--reason", "x", "--for", "soon")])
def test_a_pause_needs_a_reason_and_a_span_that_is_one(shell: Shell, arguments: tuple[str, ...]) -> None:
    assert shell("queues", *arguments).exit_code == 2


def test_a_name_that_is_no_queue_is_refused(shell: Shell) -> None:
    result = shell("queues", "pause", "NOT ONE", "--reason", "x")
    assert result.exit_code == 2
    assert "queue names are" in result.stderr


def test_workers_are_listed_with_their_state(shell: Shell, conn: Connection) -> None:
    now = datetime.now(UTC)
    factories.worker_instance(conn, "live-1", last_heartbeat_at=now)
    factories.worker_instance(conn, "silent-1", last_heartbeat_at=now - timedelta(minutes=5))
    assert {each["instance_id"]: each["state"] for each in shell.json("workers", "list")} == {
        "live-1": "live",
        "silent-1": "silent",
    }
    assert "live-1" in shell.ok("workers", "list")


def test_a_worker_is_asked_to_drain_once(shell: Shell, conn: Connection) -> None:
    factories.worker_instance(conn, "w-1")
    shell.ok("workers", "drain", "w-1", "--yes", "--reason", "new release")
    assert "w-1" in shell.refused("workers", "drain", "w-1", "--yes", code=1)
    assert conn.execute(TRAIL).one().reason == "new release"


def test_a_drain_is_not_done_without_a_yes(shell: Shell, conn: Connection) -> None:
    factories.worker_instance(conn, "w-1")
    assert "--yes" in shell.refused("workers", "drain", "w-1", code=2)
    assert conn.execute(select(schema.worker_instances.c.drain_requested_at)).scalar() is None


def test_a_tenant_is_added_once(shell: Shell, conn: Connection) -> None:
    added = shell.json("tenants", "add", "acme", "Acme & Söhne")
    assert added["created"] is True
    assert shell.json("tenants", "add", "acme", "Another name") == {**added, "created": False}
    assert conn.execute(select(schema.tenants.c.display_name)).scalar_one() == "Acme & Söhne"
    assert [each.action for each in conn.execute(TRAIL)] == ["tenant-add"]


def test_a_slug_that_cannot_be_is_refused(shell: Shell) -> None:
    assert "slug" in shell.refused("tenants", "add", "Acme!", "Acme", code=2)
