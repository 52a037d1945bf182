"""Tokens from a shell."""

from __future__ import annotations

import pytest
from sqlalchemy import Connection, select
from starlette.applications import Starlette

from tests.app.conftest import trail
from tests.app.routes.programs import program
from tests.app.shell import Shell
from worker.queries.schema import api_tokens

LIST = "/admin/tenants"


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


def test_a_token_is_printed_once_and_lets_its_program_in(shell: Shell, app: Starlette, conn: Connection) -> None:
    added = shell.json("tokens", "add", "deploy", "--scopes", " tenants:write ,tenants:read,tenants:read")
    assert program(app, added["token"]).get(LIST).status_code == 200
    assert added["token"] not in shell.ok("tokens", "list") + shell.ok("tokens", "list", "--json")
    [row] = conn.execute(select(api_tokens)).all()
    assert added["token"] not in str(row)
    assert (row.name, row.scopes) == ("deploy", ["tenants:read", "tenants:write"])
    assert row.created_by.startswith("cli:")
    [act] = trail(conn)
    assert (act.action, act.target, act.detail) == ("token-add", "deploy", {"scopes": row.scopes})


def test_the_token_stands_on_a_line_of_its_own_for_people(shell: Shell, app: Starlette) -> None:
    printed = shell.ok("tokens", "add", "deploy", "--scopes", "tenants:read").splitlines()
    assert program(app, printed[0].split()[1]).get(LIST).status_code == 200
    assert printed[-1] == "It is not shown again."


def test_a_role_is_a_scope(shell: Shell, app: Starlette) -> None:
    added = shell.json("tokens", "add", "pager", "--scope", "operator")
    assert added["scopes"] == ["operator"]
    with program(app, added["token"]) as client:
        assert client.get("/api/v1/token").json() == {"name": "pager", "scopes": ["operator"]}
        assert client.get("/api/v1/operators").status_code == 403


def test_a_revoked_token_is_refused_from_then_on(shell: Shell, app: Starlette, conn: Connection) -> None:
    added = shell.json("tokens", "add", "deploy", "--scopes", "tenants:read")
    assert "--yes" in shell.refused("tokens", "revoke", "deploy", code=2)
    assert shell.json("tokens", "revoke", "deploy", "--yes") == {"name": "deploy", "revoked": True, "changed": True}
    assert program(app, added["token"]).get(LIST).status_code == 401
    assert "revoked" in shell.ok("tokens", "list")
    assert shell.json("tokens", "revoke", "deploy", "--yes")["changed"] is False
    assert [row.action for row in trail(conn) if row.outcome == "done"] == ["token-add", "token-revoke"]


def test_a_name_is_given_once_for_good(shell: Shell) -> None:
    shell.ok("tokens", "add", "deploy", "--scopes", "tenants:read")
    shell.ok("tokens", "revoke", "deploy", "--yes")
    assert "deploy" in shell.refused("tokens", "add", "deploy", "--scopes", "tenants:read", code=1)


@pytest.mark.parametrize("name", ["", "Deploy", "a b", "cli:root", "x\x1b[2J", "a" * 81])
def test_a_name_that_could_be_mistaken_is_refused(shell: Shell, name: str) -> None:
    assert "name" in shell.refused("tokens", "add", name, "--scopes", "tenants:read", code=2)


@pytest.mark.parametrize("scopes", ["", " , ", "tenants", "tenants:read,everything", "TENANTS:READ"])
def test_a_scope_that_is_not_there_is_refused(shell: Shell, scopes: str) -> None:
    assert "datasets:write" in shell.refused("tokens", "add", "deploy", "--scopes", scopes, code=2)


def test_nobody_is_revoked_by_a_name_that_is_not_there(shell: Shell) -> None:
    assert "deploy" in shell.refused("tokens", "revoke", "deploy", "--yes", code=1)
