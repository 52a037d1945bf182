"""The commands where the database's roles have an address each."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import Connection, Engine, text

from tests.app.program import get, program
from tests.app.shell import Shell

PASSWORD = "a horse, a horse"


def address(engine: Engine) -> str:
    return engine.url.render_as_string(hide_password=False)


@pytest.fixture
def shell(app_rw: Engine) -> Shell:
    """A shell whose DATABASE_URL is that of the workers."""
    return Shell(address(app_rw))


def test_migrate_gives_the_roles_the_passwords_that_are_set(shell: Shell, url: str, conn: Connection) -> None:
    stored = text("SELECT rolpassword FROM pg_authid WHERE rolname = 'console_rw'")
    said = shell.ok("migrate", MIGRATIONS_DATABASE_URL=url, WATCHFLOOR_CONSOLE_RW_PASSWORD=PASSWORD)
    assert PASSWORD not in said
    assert conn.execute(stored).scalar_one().startswith("SCRAM-SHA-256$")
    conn.execute(text("ALTER ROLE console_rw PASSWORD NULL"))


@pytest.mark.parametrize("command", [("operators", "add", "dana"), ("tokens", "add", "ci", "--scopes", "tenants:read")])
def test_who_may_come_in_is_decided_by_the_owner_alone(shell: Shell, owner: Engine, command: tuple[str, ...]) -> None:
    for environment in ({}, {"MIGRATIONS_DATABASE_URL": shell.url}):
        said = shell.refused(*command, code=78, **environment)
        assert "MIGRATIONS_DATABASE_URL, else DATABASE_URL: its role lacks a privilege" in said
    assert shell.json(*command, MIGRATIONS_DATABASE_URL=address(owner))["name"] == command[2]


@pytest.mark.parametrize(
    "command",
    [("jobs", "list"), ("dead-letters", "list"), ("queues", "list"), ("workers", "list"), ("tenants", "list")],
)
@pytest.mark.parametrize("role", ["app_rw", "console_rw"])
def test_the_queue_is_told_to_either(request: pytest.FixtureRequest, role: str, command: tuple[str, ...]) -> None:
    Shell(address(request.getfixturevalue(role))).ok(*command)


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (("migrate",), "MIGRATIONS_DATABASE_URL"),
        (("tokens", "list"), "MIGRATIONS_DATABASE_URL"),
        (("up", "--port", "0"), "MIGRATIONS_DATABASE_URL"),
        (("topology", "--port", "0"), "MIGRATIONS_DATABASE_URL"),
        (("check",), "MIGRATIONS_DATABASE_URL"),
        (("check",), "CONSOLE_DATABASE_URL"),
        (("serve", "--port", "0"), "CONSOLE_DATABASE_URL"),
    ],
)
@pytest.mark.parametrize("wrong", ["sqlite:///there_is_none.db", "mysql://root:hunter2@localhost/queue", "hunter2"])
def test_an_address_that_can_be_of_no_role_is_refused_by_its_own_name(
    shell: Shell, command: tuple[str, ...], name: str, wrong: str
) -> None:
    message = shell.refused(*command, code=78, **{name: wrong})
    assert f"Error: {name}: " in message
    assert "hunter2" not in message


def test_an_address_that_is_left_empty_is_none(shell: Shell, url: str) -> None:
    shell.ok("check", DATABASE_URL=url, CONSOLE_DATABASE_URL="", MIGRATIONS_DATABASE_URL="")


@pytest.mark.parametrize("name", ["DATABASE_URL", "CONSOLE_DATABASE_URL"])
def test_a_split_in_which_a_role_cannot_sign_in_does_not_start(shell: Shell, url: str, name: str) -> None:
    wrong = {"MIGRATIONS_DATABASE_URL": url, name: shell.url.replace("app_rw", "nobody:hunter2")}
    message = shell.refused("topology", "--port", "0", code=78, **wrong)
    assert f"Error: {name}, else " in message
    assert "hunter2" not in message


def test_pages_are_not_served_by_a_role_that_may_let_nobody_in(shell: Shell) -> None:
    assert "CONSOLE_DATABASE_URL" in shell.refused("serve", "--port", "0", code=78)


def test_the_role_of_the_pages_is_looked_at_too(shell: Shell, console_rw: Engine) -> None:
    pages = {"CONSOLE_DATABASE_URL": address(console_rw)}
    assert {"check": "pages", "state": "ok", "detail": "console_rw"} in shell.json("check", **pages)["checks"]
    wrong = shell("check", "--json", CONSOLE_DATABASE_URL=shell.url)
    assert wrong.exit_code == 3
    assert [each["state"] for each in json.loads(wrong.stdout)["checks"] if each["check"] == "pages"] == ["failed"]


def test_the_owners_address_has_to_be_the_owners(shell: Shell, owner: Engine) -> None:
    provisioner = {"WATCHFLOOR_WORKER_JOB_TYPES": "provision_tenant", "MIGRATIONS_DATABASE_URL": shell.url}
    provisioner["WATCHFLOOR_OBJECT_STORAGE_URI"] = "s3://floor-objects"
    assert "does not own" in shell.refused("worker", code=78, **provisioner)
    wrong = shell("check", "--json", MIGRATIONS_DATABASE_URL=shell.url)
    right = shell("check", "--json", MIGRATIONS_DATABASE_URL=address(owner))
    assert (wrong.exit_code, right.exit_code) == (3, 0)
    assert {"check": "owner", "state": "ok", "detail": "watchfloor_owner"} in json.loads(right.stdout)["checks"]


def test_one_process_for_everything_may_have_an_address_for_each_role(
    url: str, app_rw: Engine, console_rw: Engine
) -> None:
    addresses = {"DATABASE_URL": address(app_rw), "CONSOLE_DATABASE_URL": address(console_rw)}
    with program("up", "--json", "--port", "0", MIGRATIONS_DATABASE_URL=url, **addresses) as up:
        said = up.document()
        assert "admin" in get(said["sign_in"])[1]
        assert get(said["url"] + "/health/live")[0] == 200
