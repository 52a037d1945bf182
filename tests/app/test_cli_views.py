"""Saved views from a shell: kept, renamed, shared and deleted for whom it says, with the rows that the page leaves."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, select

from tests import factories
from tests.app.shell import Shell
from worker.queries.schema import operator_actions

TRAIL = select(operator_actions.c.action, operator_actions.c.target).order_by(operator_actions.c.id)


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def test_a_view_is_kept_renamed_shared_and_deleted(shell: Shell, conn: Connection) -> None:
    factories.operator(conn, "mira")
    kept = shell.json("views", "add", "Mail", "--for", "mira", "queue:mail", "--status", "failed")
    assert kept["query"] == "status=failed&queue=mail"
    assert shell.json("views", "list")["views"] == []
    changed = shell.json("views", "change", "Mail", "--for", "mira", "--name", "Dead mail", "--shared")
    assert (changed["id"], changed["name"], changed["shared"]) == (kept["id"], "Dead mail", True)
    (listed,) = shell.json("views", "list")["views"]
    assert (listed["name"], listed["saved_by"], listed["query"]) == ("Dead mail", "mira", kept["query"])
    assert "Dead mail is their own" in shell.ok("views", "change", "Dead mail", "--for", "mira", "--own")
    assert [each["name"] for each in shell.json("views", "list", "--for", "mira")["views"]] == ["Dead mail"]
    shell.ok("views", "remove", "Dead mail", "--for", "mira")
    rows = [("view-save", "Mail"), ("view-change", "Dead mail"), ("view-change", "Dead mail")]
    assert [tuple(row) for row in conn.execute(TRAIL)] == [*rows, ("view-delete", "Dead mail")]


def test_what_cannot_be_is_refused_by_name(shell: Shell, conn: Connection) -> None:
    factories.operator(conn, "vic", role="viewer")
    for name in ("A", "B"):
        shell.ok("views", "add", name, "--for", "vic")
    assert "keeps no view named 'C'" in shell.refused("views", "remove", "C", "--for", "vic", code=1)
    assert "shares nothing" in shell.refused("views", "change", "A", "--for", "vic", "--shared", code=1)
    assert "one of your views" in shell.refused("views", "change", "A", "--for", "vic", "--name", "B", code=2)
    assert "nobody is called" in shell.refused("views", "add", "A", "--for", "nemo", code=1)
