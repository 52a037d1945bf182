"""Tenants from a shell: listed by need, provisioned, waited for."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, select

from app.commands import provisioning as commands
from tests import factories
from tests.app.conftest import trail
from tests.app.shell import Shell
from worker.model import Status
from worker.queries import provisioning, schema


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def provisioned(conn: Connection, slug: str, **columns: Any) -> None:
    """A tenant whose provisioning is in that state."""
    tenant_id = factories.tenant(conn, slug, onboarding_status="provisioning")
    key = {"job_type": "provision_tenant", "idempotency_key": provisioning.key_of(tenant_id)}
    factories.job(conn, tenant_id=tenant_id, **key | columns)


def test_the_list_begins_with_who_needs_a_person(shell: Shell, conn: Connection) -> None:
    factories.tenant(conn, "acme", onboarding_status="active")
    provisioned(conn, "globex", status=Status.FAILED, steps_completed=["create_schema"])
    found = shell.json("tenants", "list")["tenants"]
    assert [(each["slug"], each["provisioning"], each["step"]) for each in found] == [
        ("globex", "failed", "run_tenant_migrations"),
        ("acme", "not started", None),
    ]
    heading, globex, acme = shell.ok("tenants", "list").splitlines()
    assert heading.split()[:3] == ["SLUG", "STATE", "PROVISIONING"]
    assert globex.split()[:5] == ["globex", "provisioning", "failed", "1/6", "run_tenant_migrations"]
    assert acme.startswith("acme")


def test_the_list_is_narrowed(shell: Shell, conn: Connection) -> None:
    provisioned(conn, "globex", status=Status.FAILED)
    provisioned(conn, "untaken")
    for narrowed, slug in ((("--state", "stopped"), "globex"), (("--state", "stuck"), "untaken")):
        assert [each["slug"] for each in shell.json("tenants", "list", *narrowed)["tenants"]] == [slug]
    both = shell.json("tenants", "list", "--step", "create_schema", "--find", "gl")["tenants"]
    assert [each["slug"] for each in both] == ["globex"]
    assert shell("tenants", "list", "--state", "gone").exit_code == 2


def test_provisioning_is_asked_for_once_and_audited(shell: Shell, conn: Connection) -> None:
    tenant_id = factories.tenant(conn, "acme")
    first = shell.json("tenants", "provision", "acme")
    assert (first["status"], first["tenant_id"], first["steps_completed"]) == ("queued", str(tenant_id), [])
    assert shell.json("tenants", "provision", "acme")["job_id"] == first["job_id"]
    (action,) = trail(conn, "provision")
    assert action.actor.startswith("cli:")


def test_what_failed_runs_again_only_when_that_is_said(shell: Shell, conn: Connection) -> None:
    provisioned(conn, "acme", status=Status.FAILED, steps_completed=["create_schema"])
    assert shell.json("tenants", "provision", "acme")["status"] == "failed"
    again = shell.json("tenants", "provision", "acme", "--again")
    assert (again["status"], again["steps_completed"]) == ("queued", ["create_schema"])


def test_the_status_says_the_step_and_the_error(shell: Shell, conn: Connection) -> None:
    provisioned(conn, "acme", status=Status.FAILED, steps_completed=["create_schema"], error_detail="disk full")
    text = shell.ok("tenants", "status", "acme")
    for words in ("failed", "1 of 6 done", "run_tenant_migrations", "disk full", "5 of 5"):
        assert words in text
    assert shell.json("tenants", "status", "acme")["error_detail"] == "disk full"


def test_of_a_traceback_the_last_line_is_said(shell: Shell, conn: Connection) -> None:
    detail = "worker/provisioning/steps.py:41 in run\n    work[step]()\nOSError: disk full"
    provisioned(conn, "acme", status=Status.FAILED, error_detail=detail)
    assert "create_schema: OSError: disk full: " in shell.refused("tenants", "provision", "acme", "--wait", code=1)
    assert "steps.py" not in shell.ok("tenants", "status", "acme")
    assert shell.json("tenants", "status", "acme")["error_detail"] == detail


def test_before_anybody_asked_it_is_not_started(shell: Shell, conn: Connection) -> None:
    factories.tenant(conn, "acme")
    assert shell.json("tenants", "status", "acme")["status"] == "not_started"
    assert "not started" in shell.ok("tenants", "status", "acme")


def test_waiting_ends_with_the_provisioning(shell: Shell, conn: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    provisioned(conn, "acme", steps_completed=["create_schema"])

    def worker(_seconds: float) -> None:
        done = {"status": Status.SUCCEEDED, "finished_at": factories.NOON + timedelta(minutes=1)}
        steps = {"steps_completed": ["create_schema", "run_tenant_migrations"]}
        conn.execute(schema.platform_jobs.update().values(done | steps))
        conn.commit()

    monkeypatch.setattr(commands, "sleep", worker)
    result = shell("tenants", "provision", "acme", "--wait")
    assert result.exit_code == 0
    assert result.stderr.splitlines() == ["create_schema done", "run_tenant_migrations done"]


def test_waiting_for_what_failed_says_where_and_how_to_go_on(shell: Shell, conn: Connection) -> None:
    provisioned(conn, "acme", status=Status.FAILED, error_detail="disk full")
    told = shell.refused("tenants", "provision", "acme", "--wait", code=1)
    assert told == (
        "Error: provisioning acme failed at step create_schema: disk full:"
        " `watchfloor tenants provision acme --again` goes on there"
    )


@pytest.mark.parametrize("command", ["provision", "status"])
def test_a_tenant_that_is_not_there_is_named(shell: Shell, conn: Connection, command: str) -> None:
    assert "no tenant has the slug 'nobody'" in shell.refused("tenants", command, "nobody", code=1)
    assert conn.execute(select(schema.platform_jobs.c.id)).all() == []
