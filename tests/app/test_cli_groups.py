"""Groups of dead letters from a shell: what the page can do, this can."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import Connection

from tests import factories
from tests.app.shell import Shell
from worker.failures import fingerprint
from worker.model import Status
from worker.queries.pages import groups

HANDLER, KIND, SAID, OTHER = "send_digest", "Timeout", "host 1 is down", "no answer from the host"
A, B = fingerprint(HANDLER, KIND, SAID), fingerprint(HANDLER, KIND, OTHER)


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def die(conn: Connection, summary: str = SAID) -> UUID:
    said = {"error_type": KIND, "error_summary": summary, "error_fingerprint": fingerprint(HANDLER, KIND, summary)}
    return factories.job(conn, status=Status.FAILED, job_type=HANDLER, **said)


def test_a_group_is_taken_given_back_and_noted_on(shell: Shell, conn: Connection) -> None:
    die(conn)
    me = shell.json("dead-letters", "take", A)["assignee"]
    assert "has it: say so with --from" in shell.refused("dead-letters", "take", A, code=1)
    assert shell.json("dead-letters", "take", A, "--from", me)["assignee"] == me
    shell.ok("dead-letters", "note", A, "ask the storage team")
    (listed,) = shell.json("dead-letters", "list", "--view", "mine")
    assert (listed["state"], listed["assignee"], listed["note"]) == ("taken", me, "ask the storage team")
    assert f"{me} has it" in shell.ok("dead-letters", "show", A)
    assert shell.json("dead-letters", "give-back", A)["changed"]
    assert shell.ok("dead-letters", "give-back", A) == "nobody had it\n"


def test_a_group_is_snoozed_resolved_and_reopened(shell: Shell, conn: Connection) -> None:
    die(conn)
    assert shell.ok("dead-letters", "snooze", A, "--rate", "5") == "snoozed until more than 5 die within an hour\n"
    assert [each["state"] for each in shell.json("dead-letters", "list", "--view", "snoozed")] == ["snoozed"]
    assert shell.json("dead-letters", "snooze", A, "--for", "4h")["until"]
    shell.ok("dead-letters", "resolve", A, "--release", "2026.12", "--reason", "rolled back")
    assert shell.json("dead-letters", "list", "--view", "open") == []
    assert shell.json("dead-letters", "reopen", A)["changed"]
    assert shell.json("dead-letters", "show", A)["state"] == "new"


def test_groups_are_put_together_and_taken_apart(shell: Shell, conn: Connection) -> None:
    for summary in (SAID, "host 2 is down", OTHER):
        die(conn, summary)
    assert shell.json("dead-letters", "merge", A, B)["moved"] == 2
    assert shell.json("dead-letters", "part", A)["moved"] == 2
    assert shell.json("dead-letters", "split", A)["moved"] == 2
    assert len(groups.read(conn)) == 3
    assert shell.json("dead-letters", "rejoin", A)["moved"] == 2


@pytest.mark.parametrize(
    "line",
    [
        ("take", "nothing"),
        ("snooze", A),
        ("snooze", A, "--next", "--rate", "3"),
        ("resolve", A, "--release", " "),
        ("note", A, "x" * 2001),
        ("merge", A, A),
    ],
)
def test_what_cannot_be_done_is_refused_in_words(shell: Shell, conn: Connection, line: tuple[str, ...]) -> None:
    die(conn)
    assert shell.refused("dead-letters", *line, code=1 if line[1] == "nothing" else 2)
