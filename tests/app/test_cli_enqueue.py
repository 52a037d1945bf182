"""Putting work in from a shell."""

from __future__ import annotations

import os
import pwd
from datetime import timedelta
from pathlib import Path
from uuid import UUID

import pytest
from sqlalchemy import Connection, func, select

from tests import factories
from tests.app.shell import Shell
from worker.queries import schema

JOBS = select(func.count()).select_from(schema.platform_jobs)
TRAIL = select(schema.operator_actions).order_by(schema.operator_actions.c.id)


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def test_a_job_is_put_in_where_its_type_says(shell: Shell, conn: Connection) -> None:
    made = shell.json("enqueue", "charge_card", "--payload", '{"amount": 3}')
    row = factories.stored(conn, UUID(made["id"]))
    assert (made["created"], made["status"]) == (True, "queued")
    assert (row.queue, row.payload, row.source, row.max_attempts) == ("payments", {"amount": 3}, "cli", 3)


def test_every_option_reaches_the_row(shell: Shell, conn: Connection) -> None:
    tenant_id = factories.tenant(conn, "acme")
    options = ("--tenant", "acme", "--key", "k-1", "--queue", "slow", "--delay", "2h", "--max-attempts", "9")
    row = factories.stored(conn, UUID(shell.json("enqueue", "charge_card", *options)["id"]))
    assert (row.tenant_id, row.idempotency_key, row.queue, row.max_attempts) == (tenant_id, "k-1", "slow", 9)
    assert row.available_at - row.created_at == timedelta(hours=2)


def test_the_trail_names_the_account_that_typed_it(shell: Shell, conn: Connection) -> None:
    made = shell.json("enqueue", "charge_card", LOGNAME="somebody-else", USER="somebody-else")
    action = conn.execute(TRAIL).one()
    assert (action.actor, action.action, action.target, action.jobs) == (
        f"cli:{pwd.getpwuid(os.getuid()).pw_name}",
        "enqueue",
        "charge_card",
        1,
    )
    assert conn.execute(select(schema.operator_action_jobs.c.job_id)).scalar_one() == UUID(made["id"])


def test_a_repeated_key_gives_the_first_job_and_no_second_trail(shell: Shell, conn: Connection) -> None:
    first = shell.json("enqueue", "charge_card", "--key", "k-1")
    second = shell.json("enqueue", "charge_card", "--key", "k-1")
    assert (second["id"], second["created"]) == (first["id"], False)
    assert "earlier job" in shell.ok("enqueue", "charge_card", "--key", "k-1")
    assert len(conn.execute(TRAIL).all()) == 1


def test_a_key_with_another_payload_fails(shell: Shell) -> None:
    shell.ok("enqueue", "charge_card", "--key", "k-1")
    assert "another" in shell.refused("enqueue", "charge_card", "--key", "k-1", "--payload", '{"a": 1}', code=1)


def test_the_payload_may_come_from_a_file_or_standard_input(shell: Shell, conn: Connection, tmp_path: Path) -> None:
    file = tmp_path / "payload.json"
    file.write_text('{"from": "file"}')
    of_file = shell.json("enqueue", "charge_card", "--payload", f"@{file}")
    of_pipe = shell.json("enqueue", "charge_card", "--payload", "-", stdin='{"from": "pipe"}')
    assert factories.stored(conn, UUID(of_file["id"])).payload == {"from": "file"}
    assert factories.stored(conn, UUID(of_pipe["id"])).payload == {"from": "pipe"}


@pytest.mark.parametrize("payload", ["{", "[]", "7", "nope", "@/does/not/exist", "[" * 100_000, '{"x": NaN}'])
def test_a_payload_that_is_no_json_object_is_wrong_usage(shell: Shell, conn: Connection, payload: str) -> None:
    result = shell("enqueue", "charge_card", "--payload", payload)
    assert result.exit_code == 2
    assert "--payload" in result.stderr
    assert conn.execute(JOBS).scalar() == 0


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (("nope",), "unknown job type: 'nope'"),
        (("charge_card", "--payload", '{"x": "\\u0000"}'), "payload.x"),
        (("charge_card", "--payload", '{"x": "\\ud800"}'), "payload.x"),
        (("charge_card", "--max-attempts", "0"), "max_attempts"),
        (("charge_card", "--delay", "400d"), "delay_seconds"),
        (("charge_card", "--key", " "), "idempotency_key"),
        (("send_email", "--payload", '{"to": "dana@example.org"}'), "envelope"),
    ],
)
def test_what_the_engine_refuses_is_one_line_and_no_row(
    shell: Shell, conn: Connection, arguments: tuple[str, ...], names: str
) -> None:
    message = shell.refused("enqueue", *arguments, code=2)
    assert names in message
    assert "dana@example.org" not in message
    assert conn.execute(JOBS).scalar() == 0


def test_a_queue_name_that_cannot_be_is_refused(shell: Shell) -> None:
    result = shell("enqueue", "charge_card", "--queue", "Not A Queue")
    assert result.exit_code == 2
    assert "queue names are" in result.stderr


def test_an_unknown_tenant_is_refused_with_its_name_made_harmless(shell: Shell) -> None:
    message = shell.refused("enqueue", "charge_card", "--tenant", "no\x1b[2Jbody", code=1)
    assert "\x1b" not in message


def test_an_event_is_published_once_per_id(shell: Shell, conn: Connection) -> None:
    published = shell.json("publish", "order.created", "--payload", '{"order_id": 7}', "--event-id", "e-1")
    assert published == {"event_id": "e-1", "event_type": "order.created", "published": True}
    assert shell.json("publish", "order.created", "--event-id", "e-1")["published"] is False
    row = conn.execute(select(schema.event_outbox)).one()
    assert (row.event_type, row.payload, row.source) == ("order.created", {"order_id": 7}, "cli")
    assert [each.action for each in conn.execute(TRAIL)] == ["publish"]
