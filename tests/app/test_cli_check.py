"""Schema, health and the general manners of the command line."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version

import pytest
from click.testing import CliRunner
from sqlalchemy import Connection, Engine, make_url, text

from app.cli import COMMANDS, main
from tests.app.shell import Shell
from tests.nursery import ROOT
from worker import migrate

NOWHERE = "postgresql://nobody:hunter2@127.0.0.1:9/none"


@pytest.fixture
def shell(url: str) -> Shell:
    return Shell(url)


@pytest.fixture
def empty(migrated: Engine) -> Iterator[str]:
    """The address of a database with nothing in it."""
    with migrated.connect().execution_options(isolation_level="AUTOCOMMIT") as conn:
        conn.execute(text("CREATE DATABASE blank"))
        yield make_url(migrated.url).set(database="blank").render_as_string(hide_password=False)
        conn.execute(text("DROP DATABASE blank WITH (FORCE)"))


def test_the_version_is_that_of_the_package() -> None:
    result = CliRunner().invoke(main, ["--version"], prog_name="watchfloor")
    assert result.output == f"watchfloor, version {version('watchfloor')}\n"


def test_every_command_explains_itself() -> None:
    listing = CliRunner().invoke(main, ["--help"]).output
    for name in COMMANDS:
        assert f"  {name} " in listing
        assert CliRunner().invoke(main, [name, "--help"]).exit_code == 0


def test_an_unknown_command_is_wrong_usage() -> None:
    assert CliRunner().invoke(main, ["nope"]).exit_code == 2


def test_an_empty_database_is_migrated_once(empty: str) -> None:
    shell = Shell(empty)
    assert shell.json("migrate") == {"before": None, "revision": migrate.head()}
    assert shell.json("migrate") == {"before": migrate.head(), "revision": migrate.head()}
    assert "already" in shell.ok("migrate")


def test_the_owner_migrates_where_there_is_one(empty: str) -> None:
    made = Shell(NOWHERE).json("migrate", MIGRATIONS_DATABASE_URL=empty)
    assert made["revision"] == migrate.head()


def test_a_healthy_system_is_said_to_be_so(shell: Shell) -> None:
    found = shell.json("check")
    assert found["healthy"] is True
    assert [each["check"] for each in found["checks"]] == ["configuration", "database", "schema", "clock", "role"]
    assert "schema" in shell.ok("check")


KEYS = {"WATCHFLOOR_SECRET_KEYS": "A" * 43 + "="}


@pytest.mark.parametrize(
    ("environment", "state", "detail"),
    [
        (KEYS, "ok", "for others to send"),
        (KEYS | {"WATCHFLOOR_MAIL_URI": "memory://"}, "ok", "can be sealed and sent"),
        ({"WATCHFLOOR_MAIL_URI": "memory://"}, "failed", "WATCHFLOOR_SECRET_KEYS is not set"),
        ({"WATCHFLOOR_SECRET_KEYS": "kms://k?region=x&endpoint=http://127.0.0.1:9"}, "failed", "cannot be reached"),
    ],
)
def test_where_mail_is_set_up_it_is_tried(shell: Shell, environment: dict[str, str], state: str, detail: str) -> None:
    aws = {"AWS_ACCESS_KEY_ID": "floor", "AWS_SECRET_ACCESS_KEY": "hunter2"}
    result = shell("check", "--json", **environment, **aws)
    mail = json.loads(result.stdout)["checks"][-1]
    assert (mail["check"], mail["state"], result.exit_code) == ("mail", state, 0 if state == "ok" else 3)
    assert detail in mail["detail"]
    assert "hunter2" not in result.output


def test_a_database_without_the_schema_is_unhealthy(empty: str) -> None:
    result = Shell(empty)("check", "--json")
    assert result.exit_code == 3
    states = {each["check"]: each["state"] for each in json.loads(result.stdout)["checks"]}
    assert states == {
        "configuration": "ok",
        "database": "ok",
        "schema": "failed",
        "clock": "ok",
        "role": "warning",
    }


def test_a_database_out_of_reach_is_unhealthy_and_keeps_its_password(conn: Connection) -> None:
    result = Shell(NOWHERE)("check", "--json")
    assert result.exit_code == 3
    assert '"failed"' in result.stdout
    assert "hunter2" not in result.output


@pytest.fixture
def guest(url: str, conn: Connection) -> Iterator[str]:
    """The address of the database for a role that may do nothing there."""
    conn.execute(text("CREATE ROLE guest LOGIN"))
    yield make_url(url).set(username="guest").render_as_string(hide_password=False)
    conn.execute(text("DROP OWNED BY guest"))
    conn.execute(text("DROP ROLE guest"))


def test_a_role_without_rights_is_said_to_be_so(guest: str) -> None:
    shell = Shell(guest)
    result = shell("check")
    assert result.exit_code == 3
    assert "permission denied" in result.stdout
    assert "permission denied" in shell.refused("queues", "list", code=78)


def test_a_role_that_may_only_read_is_unhealthy(guest: str, conn: Connection) -> None:
    conn.execute(text("GRANT USAGE ON SCHEMA control TO guest"))
    conn.execute(text("GRANT SELECT ON ALL TABLES IN SCHEMA control TO guest"))
    result = Shell(guest)("check")
    assert result.exit_code == 3
    assert "guest may not read and write" in result.stdout


def test_a_role_with_just_its_rights_is_fine(guest: str, conn: Connection) -> None:
    conn.execute(text("GRANT USAGE ON SCHEMA control TO guest"))
    conn.execute(text("GRANT SELECT, INSERT, UPDATE ON ALL TABLES IN SCHEMA control TO guest"))
    states = {each["check"]: each["state"] for each in Shell(guest).json("check")["checks"]}
    assert states["role"] == "ok"


def test_other_commands_fail_in_one_line_then(conn: Connection) -> None:
    message = Shell(NOWHERE).refused("queues", "list", code=1)
    assert "does not answer" in message
    assert "hunter2" not in message


def test_nothing_is_done_to_a_database_of_another_revision(empty: str) -> None:
    assert "watchfloor migrate" in Shell(empty).refused("enqueue", "charge_card", code=78)


def test_a_setting_that_cannot_be_is_named(shell: Shell) -> None:
    message = shell.refused("check", code=78, WATCHFLOOR_LEASE_SECONDS="soon", PORT="99999")
    assert "WATCHFLOOR_LEASE_SECONDS" in message
    assert "PORT" in message


def test_an_address_that_is_none_is_not_repeated(shell: Shell) -> None:
    message = shell.refused("queues", "list", code=78, DATABASE_URL="hunter2 is the password")
    assert "DATABASE_URL" in message
    assert "hunter2" not in message


def test_a_folder_and_an_address_are_one_too_many(shell: Shell) -> None:
    assert "--data" in shell.refused("queues", "list", "--data", "/nowhere", code=2)


def test_without_a_database_the_way_to_one_is_said() -> None:
    message = Shell("").refused("queues", "list", "--data", "/nowhere/at/all", code=78)
    assert "watchfloor up" in message


@pytest.mark.parametrize(
    "arguments",
    [
        ("enqueue", "charge_card", "--key", "\udcff"),
        ("publish", "\udcff"),
        ("jobs", "list", "--error", "\udcff"),
        ("dead-letters", "replay", "--group", "\udcff"),
        ("workers", "drain", "\udcff", "--yes"),
        ("tenants", "add", "acme", "\udcff"),
        ("tenants", "list", "--find", "\udcff"),
        ("operators", "link", "\udcff"),
    ],
)
def test_bytes_that_are_no_text_are_refused(shell: Shell, arguments: tuple[str, ...]) -> None:
    assert "UTF-8" in shell.refused(*arguments, code=2)


@pytest.mark.parametrize("reason", ["", "  ", "x" * 501, "\udcff", "nul \0"])
def test_a_reason_that_the_trail_cannot_keep_is_wrong_usage(shell: Shell, reason: str) -> None:
    result = shell("queues", "pause", "mail", "--reason", reason)
    assert result.exit_code == 2
    assert "--reason" in result.stderr


@pytest.mark.parametrize("span", ["99999999d", "9" * 400, "1e9", "-5", "5 m", "٣"])
def test_a_span_that_cannot_be_is_wrong_usage(shell: Shell, span: str) -> None:
    assert shell("queues", "pause", "mail", "--reason", "x", "--for", span).exit_code == 2


def on_a_terminal(*arguments: str, **environment: str) -> str:
    """What the command writes to a terminal of eighty columns."""
    master, slave = pty.openpty()
    command = [sys.executable, "-m", "app", *arguments]
    known = {**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "80", **environment}
    with subprocess.Popen(command, stdout=slave, stderr=subprocess.DEVNULL, env=known, cwd=ROOT) as process:
        os.close(slave)
        written = b""
        while select.select([master], [], [], 60)[0]:
            try:
                written += os.read(master, 65_536)
            except OSError:  # the other end is closed
                break
        process.wait(60)
    os.close(master)
    return written.decode()


def test_a_terminal_gets_colours_unless_it_wants_none(url: str) -> None:
    assert "\x1b[" in on_a_terminal("check", DATABASE_URL=url)
    assert "\x1b[" not in on_a_terminal("check", DATABASE_URL=url, NO_COLOR="1")


def test_a_pipe_gets_no_colours(shell: Shell) -> None:
    assert "\x1b[" not in shell.ok("check")
