"""Acts on whole lists from a shell: found by a search, foretold, asked about, moved."""

from __future__ import annotations

import json
from datetime import timedelta
from uuid import UUID

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.conftest import trail
from tests.app.shell import Shell
from worker.model import Status
from worker.queries.pages import readiness


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def test_all_that_a_search_finds_is_replayed_and_nothing_else(shell: Shell, conn: Connection) -> None:
    mail = [factories.job(conn, status=Status.FAILED, queue="mail") for _ in range(2)]
    other = factories.job(conn, status=Status.FAILED, queue="reports")
    assert "Replay 2 jobs?" in shell.refused("jobs", "replay", "queue:mail", code=2)
    answer = shell.json("jobs", "replay", "queue:mail", "--yes", "--reason", "fixed")
    assert sorted(answer["replayed"]) == sorted(map(str, mail))
    assert factories.stored(conn, other).status == Status.FAILED


def test_a_dry_run_says_what_would_become_of_them_and_does_nothing(shell: Shell, conn: Connection) -> None:
    factories.tenant(conn, slug="acme")
    failed = [factories.job(conn, status=Status.FAILED, queue="mail") for _ in range(3)]
    foretold = shell.json("jobs", "cancel", "--status", "failed", "--dry-run")
    assert (foretold["chosen"], foretold["moves"], foretold["queues"]) == (3, 3, {"mail": 3})
    assert foretold["unserved"][0]["queue"] == "mail"
    assert "mail 3" in shell.ok("jobs", "replay", "queue:mail", "--dry-run")
    assert {factories.stored(conn, each).status for each in failed} == {Status.FAILED}
    assert shell.json("acts", "list")["acts"] == []


def test_jobs_are_made_due_and_reassigned(shell: Shell, conn: Connection) -> None:
    later = readiness.clock(conn) + timedelta(hours=1)
    waiting = factories.job(conn, available_at=later, scheduled=True)
    assert shell.json("jobs", "reassign", str(waiting), "--to", "slow")["reassigned"] == [str(waiting)]
    assert factories.stored(conn, waiting).queue == "slow"
    assert shell.json("jobs", "run", "status:scheduled", "queue:slow", "--yes")["run"] == [str(waiting)]
    assert factories.stored(conn, waiting).available_at < later
    assert "nothing was run" in shell.refused("jobs", "run", str(waiting), code=1)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (("replay",), "ids of jobs"),
        (("replay", "status:running"), "must be failed"),
        (("cancel", "queue:mail"), "must be"),
        (("run", "status:failed"), "must be"),
        (("replay", "queue:mail", "--stop-after", "2"), "stop_after"),
        (("reassign", "status:ready", "--to", "no good"), "--to"),
    ],
    ids=["nothing", "state", "no-state", "not-moved", "rule", "queue"],
)
def test_what_no_list_can_be_is_refused(shell: Shell, conn: Connection, line: tuple[str, ...], said: str) -> None:
    result = shell("jobs", *line, "--yes")
    assert result.exit_code == 2
    assert said in result.stderr


def test_a_list_that_is_empty_is_said_to_be(shell: Shell, conn: Connection) -> None:
    assert "no job is in that list" in shell.refused("jobs", "replay", "queue:mail", "--yes", code=1)


def test_a_copy_keeps_what_is_closed_to_the_eye(shell: Shell, conn: Connection) -> None:
    payload = {"card": {"number": "4242"}, "total": 1}
    job = factories.job(conn, status=Status.FAILED, job_type="charge_card", payload=payload)
    shown = shell.json("jobs", "show", str(job))["payload"]
    assert shown == {"card": "[redacted]", "total": 1}
    edited = json.dumps(shown | {"total": 2})
    made = shell.json("jobs", "copy", str(job), "--payload", edited, "--cancel", "--reason", "typo")
    assert factories.stored(conn, UUID(made["id"])).payload == {"card": {"number": "4242"}, "total": 2}
    assert factories.stored(conn, job).status == Status.CANCELLED


def test_what_needs_a_reason_on_a_page_needs_one_here(shell: Shell, conn: Connection) -> None:
    waiting = factories.job(conn)
    for line in (("cancel", str(waiting), "--yes"), ("copy", str(waiting), "--payload", "{}")):
        refused = shell("jobs", *line)
        assert (refused.exit_code, "--reason" in refused.stderr) == (2, True)
    assert factories.stored(conn, waiting).status == Status.QUEUED
    assert trail(conn) == []


@pytest.mark.parametrize("payload", ['{"a": 1, "a": 2}', '{"a": 0.12345678901234567890123}', '{"a": NaN}'])
def test_a_payload_that_would_not_be_kept_as_it_stands_is_refused(shell: Shell, conn: Connection, payload: str) -> None:
    line = ("copy", str(factories.job(conn, status=Status.FAILED)), "--payload", payload, "--reason", "typo")
    refused = shell("jobs", *line)
    assert (refused.exit_code, "--payload" in refused.stderr) == (2, True)
